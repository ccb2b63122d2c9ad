// Any bytes as a tokenizer.json and, behind a zero byte, a text for it; or, if they do not begin
// with a brace, as a tokenizer.model (SentencePiece or ranks) for a text of many kinds of
// characters: ids and byte ranges that fit the text, or one Error.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using yardstick::TokenId;
using yardstick::TokenSpan;
using yardstick::tokenizer::Tokenizer;

constexpr std::string_view kText =
    " Hello  world\t\n<s>a</s> \u2581\u00E9e\u0301\uFB01\u3000\uFF21\u1112\u1161\u11AB\U0001F600 ";

void require(bool condition) {
  if (!condition) std::abort();
}

void use(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<TokenId> ids;
  std::int64_t last = 0;
  for (const TokenSpan& span : tokenizer.encode(text)) {
    require(span.begin >= last && span.end >= span.begin);
    require(span.id >= 0 && span.id < tokenizer.size());
    last = span.end;
    ids.push_back(span.id);
  }
  require(last <= static_cast<std::int64_t>(text.size()));
  static_cast<void>(tokenizer.decode(ids, Tokenizer::SpecialTokens::kSkip));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const yardstick::test::TemporaryFolder folder;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bool is_json = bytes.starts_with('{');
  const std::size_t border = is_json ? std::min(bytes.find('\0'), bytes.size()) : bytes.size();
  const auto file = folder / (is_json ? "tokenizer.json" : "tokenizer.model");
  std::ofstream(file, std::ios::binary) << bytes.substr(0, border);
  try {
    const auto tokenizer = yardstick::tokenizer::open_tokenizer(file);
    use(*tokenizer, is_json ? bytes.substr(std::min(border + 1, bytes.size())) : kText);
  } catch (const yardstick::Error& error) {
    if (error.kind() != yardstick::ErrorKind::kData) std::abort();
  }
  return 0;
}
