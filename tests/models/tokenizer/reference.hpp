// Reading the reference ids of other programs.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace yardstick::tokenizer::test_support {

using Ids = std::vector<TokenId>;

/// One JSON object a line.
inline std::vector<nlohmann::json> read_cases(const std::filesystem::path& file) {
  std::vector<nlohmann::json> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) out.push_back(parse_json(line, file.string()));
  return out;
}

inline Ids ids_of(const std::vector<TokenSpan>& spans) {
  Ids out;
  out.reserve(spans.size());
  for (const TokenSpan& span : spans) out.push_back(span.id);
  return out;
}

inline Ids with_specials(const Tokenizer& tokenizer, const Ids& ids) {
  Ids out = tokenizer.specials().before;
  out.insert(out.end(), ids.begin(), ids.end());
  const Ids& behind = tokenizer.specials().behind;
  out.insert(out.end(), behind.begin(), behind.end());
  return out;
}

/// The spans that a case's offsets say. Hugging Face gives every token of a character the whole
/// character, in code points; here the first of them gets its bytes and the others none.
inline std::vector<TokenSpan> spans_of(const nlohmann::json& item) {
  const auto text = item["text"].get<std::string>();
  std::vector<std::int64_t> byte_of;  // of each code point, and the end
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool inside = i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    if (!inside) byte_of.push_back(static_cast<std::int64_t>(i));
  }
  std::vector<TokenSpan> out;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < item["ids"].size(); ++i) {
    const std::int64_t begin = byte_of.at(item["offsets"][i][0].get<std::size_t>());
    const std::int64_t end = byte_of.at(item["offsets"][i][1].get<std::size_t>());
    out.push_back({item["ids"][i].get<TokenId>(), std::max(begin, last), std::max(end, last)});
    last = out.back().end;
  }
  return out;
}

}  // namespace yardstick::tokenizer::test_support
