#include "models/tokenizer/character_map.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

constexpr std::size_t kUnitBytes = 4;

std::uint32_t unit_at(std::string_view bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < kUnitBytes; ++i)
    out |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return out;
}

// A unit of the double array: where its children are, whether a text ends at it, and its byte; or,
// for such an end, the value.
std::uint32_t children_of(std::uint32_t unit) { return (unit >> 10U) << ((unit >> 6U) & 8U); }
bool ends_text(std::uint32_t unit) { return ((unit >> 8U) & 1U) != 0; }
std::uint32_t byte_of(std::uint32_t unit) { return unit & 0x800000FFU; }
std::uint32_t value_of(std::uint32_t unit) { return unit & 0x7FFFFFFFU; }

}  // namespace

CharacterMap::CharacterMap(std::string_view bytes) {
  const std::size_t size = bytes.size() < kUnitBytes ? 0 : unit_at(bytes, 0);
  if (size == 0 || size % kUnitBytes != 0 || size > bytes.size() - kUnitBytes) {
    throw Error(ErrorKind::kData,
                fmt::format("the compiled normalization rules are damaged: {} bytes, of which {} "
                            "are said to be the trie",
                            bytes.size(), size));
  }
  for (std::size_t at = kUnitBytes; at < kUnitBytes + size; at += kUnitBytes)
    units_.push_back(unit_at(bytes, at));
  replacements_ = std::string(bytes.substr(kUnitBytes + size)) + '\0';
  if (const auto bad = find_invalid_utf8(replacements_)) {
    throw Error(ErrorKind::kData,
                fmt::format("the compiled normalization rules are damaged: the replacements are "
                            "not valid UTF-8 at byte {}",
                            *bad));
  }
}

template <typename Found>
void CharacterMap::prefixes(std::string_view text, const Found& found) const {
  std::size_t at = children_of(units_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    at ^= byte;
    if (at >= units_.size() || byte_of(units_[at]) != byte) return;
    const std::uint32_t unit = units_[at];
    at ^= children_of(unit);
    if (!ends_text(unit)) continue;
    if (at >= units_.size()) return;
    const std::size_t begin = value_of(units_[at]);
    if (begin >= replacements_.size() || is_continuation(replacements_[begin])) return;
    if (i + 1 < text.size() && is_continuation(text[i + 1])) continue;  // half a character
    const std::string_view rest = std::string_view(replacements_).substr(begin);
    found(Rule{i + 1, rest.substr(0, rest.find('\0'))});
  }
}

std::optional<CharacterMap::Rule> CharacterMap::longest(std::string_view text) const {
  std::optional<Rule> out;
  prefixes(text, [&](const Rule& rule) { out = rule; });
  return out;
}

std::optional<CharacterMap::Rule> CharacterMap::shortest(std::string_view text) const {
  std::optional<Rule> out;
  prefixes(text, [&](const Rule& rule) {
    if (!out) out = rule;
  });
  return out;
}

}  // namespace yardstick::tokenizer
