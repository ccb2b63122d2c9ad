#include "models/tokenizer/merges.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

// Of those that ranked tokens stand for: long tokens with many cuts could make a hundred times the
// file's size. 256,000 pieces of a real vocabulary have about 600,000.
constexpr std::size_t kMostMerges = 8'000'000;

using Pair = std::pair<std::string_view, std::string_view>;

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::kData, message); }

std::optional<Pair> split_pair(std::string_view text) {
  const std::size_t space = text.find(' ');
  const bool one = space != std::string_view::npos &&
                   text.find(' ', space + 1) == std::string_view::npos && space != 0 &&
                   space + 1 != text.size();
  if (!one) return std::nullopt;
  return Pair{text.substr(0, space), text.substr(space + 1)};
}

std::optional<Pair> pair_of(const nlohmann::json& merge) {
  if (merge.is_string()) return split_pair(merge.get_ref<const std::string&>());
  const bool two =
      merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
  if (!two) return std::nullopt;
  return Pair{merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>()};
}

TokenId id_of(const Vocabulary& vocabulary, std::string_view token, std::string_view place,
              const Pair& pair) {
  const std::optional<TokenId> id = vocabulary.model_id(token);
  if (!id) {
    fail(fmt::format("{} ('{}' + '{}') needs the token '{}', which is not in the vocabulary", place,
                     pair.first, pair.second, token));
  }
  return *id;
}

Merge listed(const Vocabulary& vocabulary, const Pair& pair, std::string_view place,
             std::size_t rank) {
  return {
      .left = id_of(vocabulary, pair.first, place, pair),
      .right = id_of(vocabulary, pair.second, place, pair),
      .merged = id_of(vocabulary, std::string(pair.first) + std::string(pair.second), place, pair),
      .rank = static_cast<std::uint32_t>(rank)};
}

}  // namespace

std::vector<Merge> read_merges(const nlohmann::json& merges, const Vocabulary& vocabulary) {
  if (!merges.is_array()) fail("model.merges must be a list");
  std::vector<Merge> out;
  out.reserve(merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string place = fmt::format("model.merges: merge {}", rank);
    const std::optional<Pair> pair = pair_of(merges[rank]);
    if (!pair) {
      fail(fmt::format("{} is {:.80}, expected \"a b\" or [\"a\", \"b\"]", place,
                       merges[rank].dump()));
    }
    out.push_back(listed(vocabulary, *pair, place, rank));
  }
  return out;
}

std::vector<Merge> parse_merges(std::string_view text, const Vocabulary& vocabulary) {
  std::vector<Merge> out;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const std::string place = fmt::format("line {}", number);
    const std::optional<Pair> pair = split_pair(line);
    if (!pair) fail(fmt::format("{} is '{:.80}', expected two tokens 'a b'", place, line));
    out.push_back(listed(vocabulary, *pair, place, out.size()));
  }
  return out;
}

std::vector<Merge> merges_of(const std::vector<RankedToken>& tokens, const Vocabulary& vocabulary) {
  std::unordered_set<TokenId> mergeable;
  for (const RankedToken& token : tokens) mergeable.insert(token.id);
  const auto find = [&](std::string_view text) -> std::optional<TokenId> {
    const std::optional<TokenId> id = vocabulary.model_id(text);
    return id && mergeable.contains(*id) ? id : std::nullopt;
  };
  std::vector<Merge> out;
  for (const RankedToken& token : tokens) {
    const std::string_view text = *vocabulary.text_of(token.id);
    if (text.size() > kLongestToken) {
      fail(fmt::format("token {} ('{:.40}...') has {} bytes, expected at most {}", token.id, text,
                       text.size(), kLongestToken));
    }
    for (std::size_t at = 0; at < text.size();) {
      at += code_point_at(text, at).length_bytes;
      const auto left = find(text.substr(0, at));
      if (!left || at >= text.size()) continue;
      if (const auto right = find(text.substr(at)))
        out.push_back({*left, *right, token.id, token.rank});
      if (out.size() > kMostMerges) {
        fail(fmt::format("the ranks stand for more than {} merges, which no tokenizer has",
                         kMostMerges));
      }
    }
  }
  return out;
}

}  // namespace yardstick::tokenizer
