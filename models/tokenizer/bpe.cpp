#include "models/tokenizer/bpe.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/tokenizer/byte_fallback.hpp"
#include "models/tokenizer/byte_level.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

constexpr char32_t kCommonCharacters = 0x3400;
constexpr std::string_view kMarker = "\u2581";

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::kData, message); }

// Where the text stops to begin with markers.
std::size_t skip_markers(std::string_view text) {
  std::size_t at = 0;
  while (text.substr(at).starts_with(kMarker)) at += kMarker.size();
  return at;
}

}  // namespace

Bpe::Bpe(BpeOptions options, const Vocabulary& vocabulary, const std::vector<Merge>& merges)
    : options_(std::move(options)), merges_(merges) {
  if (options_.input == ModelInput::kBytes) {
    index_bytes(vocabulary);
  } else {
    index_characters(vocabulary);
  }
  every_byte_ = std::all_of(bytes_.begin(), bytes_.end(), [](const auto& id) { return id; });
  if (options_.unknown_token) {
    unknown_ = vocabulary.model_id(*options_.unknown_token);
    if (!unknown_ && !every_byte_) {
      fail(fmt::format("model.unk_token '{}' is not in the vocabulary", *options_.unknown_token));
    }
  }
  find_borders(vocabulary, merges);
}

void Bpe::index_bytes(const Vocabulary& vocabulary) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    bytes_[byte] = vocabulary.model_id(byte_level_character(static_cast<unsigned char>(byte)));
  }
  if (options_.words != BpeOptions::Words::kWhole) return;
  for (const auto& [text, id] : vocabulary.model_ids()) {
    if (std::optional<std::string> bytes = byte_level_bytes(text))
      words_.emplace(*std::move(bytes), id);
  }
}

void Bpe::index_characters(const Vocabulary& vocabulary) {
  common_characters_.resize(kCommonCharacters);
  for (const auto& [text, id] : vocabulary.model_ids()) {
    if (text.empty()) continue;
    const CodePoint c = code_point_at(text, 0);
    if (c.length_bytes != text.size()) continue;
    if (c.value < kCommonCharacters) {
      common_characters_[c.value] = id;
    } else {
      characters_.emplace(text, id);
    }
  }
  if (options_.byte_fallback == BpeOptions::ByteFallback::kOn) {
    const std::array<TokenId, 256> ids = byte_tokens(vocabulary);
    std::copy(ids.begin(), ids.end(), bytes_.begin());
  }
  if (options_.words == BpeOptions::Words::kWhole) words_ = vocabulary.model_ids();
}

void Bpe::find_borders(const Vocabulary& vocabulary, const std::vector<Merge>& merges) {
  // Unknown characters must not fuse across the border either, so the marker needs its own token.
  has_borders_ = options_.input == ModelInput::kCharacters &&
                 options_.words == BpeOptions::Words::kMerged &&
                 vocabulary.model_id(kMarker).has_value() &&
                 std::none_of(merges.begin(), merges.end(), [&](const Merge& merge) {
                   const std::string_view merged = *vocabulary.text_of(merge.merged);
                   return merged.find(kMarker, skip_markers(merged)) != std::string_view::npos;
                 });
}

std::optional<TokenId> Bpe::character_id(std::string_view word, std::size_t at,
                                         std::size_t length) const {
  const CodePoint c = code_point_at(word, at);
  if (c.value < kCommonCharacters) return common_characters_[c.value];
  const auto it = characters_.find(word.substr(at, length));
  return it == characters_.end() ? std::nullopt : std::optional(it->second);
}

void Bpe::add_unknown(std::string_view word, std::size_t at, std::size_t length,
                      Scratch& scratch) const {
  if (!unknown_) {
    fail(fmt::format("'{}' has no token in this tokenizer, which has no unknown token either",
                     repair_utf8(word.substr(at, length))));
  }
  const bool joins = options_.unknown == BpeOptions::Unknown::kFused && !scratch.nodes.empty() &&
                     scratch.nodes.back().unknown;
  if (joins) {
    scratch.nodes.back().length_bytes += static_cast<std::uint32_t>(length);
  } else {
    scratch.nodes.push_back({*unknown_, static_cast<std::uint32_t>(length), true, -1, -1});
  }
}

// Fills scratch.nodes with the smallest symbols of the word.
void Bpe::split(std::string_view word, Scratch& scratch) const {
  scratch.nodes.clear();
  const auto add = [&](TokenId id, std::size_t length) {
    scratch.nodes.push_back({id, static_cast<std::uint32_t>(length), false, -1, -1});
  };
  const auto byte_id = [&](std::size_t at) { return bytes_[static_cast<unsigned char>(word[at])]; };
  for (std::size_t at = 0; at < word.size();) {
    const bool bytes = options_.input == ModelInput::kBytes;
    const std::size_t length = bytes ? 1 : code_point_at(word, at).length_bytes;
    const std::optional<TokenId> id = bytes ? byte_id(at) : character_id(word, at, length);
    if (id) {
      add(*id, length);
    } else if (options_.byte_fallback == BpeOptions::ByteFallback::kOn) {
      for (std::size_t i = 0; i < length; ++i) add(*byte_id(at + i), 1);
    } else {
      add_unknown(word, at, length, scratch);
    }
    at += length;
  }
}

// Merges neighbours, lowest rank first and leftmost among equals. A queue entry whose pair has
// changed is still good if the new pair gives the same token; the reference does the same.
void Bpe::merge(Scratch& scratch) const {
  auto& nodes = scratch.nodes;
  auto& queue = scratch.queue;
  queue.clear();
  const auto entry = [&](std::int32_t at) -> std::optional<std::uint64_t> {
    const std::int32_t next = nodes[at].next;
    const auto found = merges_.find(nodes[at].id, nodes[next].id);
    if (!found) return std::nullopt;
    return (static_cast<std::uint64_t>(found->rank) << 32U) | static_cast<std::uint32_t>(at);
  };
  const auto count = static_cast<std::int32_t>(nodes.size());
  for (std::int32_t i = 0; i < count; ++i) {
    nodes[i].previous = i - 1;
    nodes[i].next = i + 1 < count ? i + 1 : -1;
  }
  for (std::int32_t i = 0; i + 1 < count; ++i) {
    if (const auto e = entry(i)) queue.push_back(*e);
  }
  std::make_heap(queue.begin(), queue.end(), std::greater<>{});
  const auto push = [&](std::int32_t at) {
    if (const auto e = entry(at)) {
      queue.push_back(*e);
      std::push_heap(queue.begin(), queue.end(), std::greater<>{});
    }
  };
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>{});
    const std::uint64_t top = queue.back();
    queue.pop_back();
    const auto at = static_cast<std::int32_t>(top & 0xFFFFFFFFU);
    const auto rank = static_cast<std::uint32_t>(top >> 32U);
    auto& node = nodes[at];
    if (node.length_bytes == 0 || node.next < 0) continue;
    auto& right = nodes[node.next];
    const auto found = merges_.find(node.id, right.id);
    if (!found || (found->rank != rank && found->merged != merges_.merged(rank))) continue;
    node.id = found->merged;
    node.length_bytes += right.length_bytes;
    right.length_bytes = 0;
    node.next = right.next;
    if (node.next >= 0) nodes[node.next].previous = at;
    if (node.previous >= 0) push(node.previous);
    if (node.next >= 0) push(at);
  }
}

std::string Bpe::description() const {
  std::string_view kind = "characters";
  if (options_.input == ModelInput::kBytes) kind = "byte-level";
  if (options_.byte_fallback == BpeOptions::ByteFallback::kOn)
    kind = "SentencePiece-style with byte fallback";
  return fmt::format("BPE, {}", kind);
}

std::size_t Bpe::independent_prefix(std::string_view word) const {
  if (!has_borders_) return word.size();
  return std::min(word.find(kMarker, skip_markers(word)), word.size());
}

std::span<const Symbol> Bpe::encode(std::string_view word, Scratch& scratch) const {
  if (word.size() > std::numeric_limits<std::int32_t>::max())
    fail("the text has a word of more than 2 GiB; split it into shorter texts");
  if (const auto known = scratch.cache.find(word)) return *known;
  scratch.symbols.clear();
  const auto whole = words_.find(word);
  if (whole != words_.end()) {
    scratch.symbols.push_back({whole->second, static_cast<std::uint32_t>(word.size())});
  } else {
    split(word, scratch);
    merge(scratch);
    for (const Scratch::Node& node : scratch.nodes) {
      if (node.length_bytes != 0) scratch.symbols.push_back({node.id, node.length_bytes});
    }
  }
  scratch.cache.insert(word, scratch.symbols);
  return scratch.symbols;
}

}  // namespace yardstick::tokenizer
