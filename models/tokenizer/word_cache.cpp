#include "models/tokenizer/word_cache.hpp"

#include <functional>
#include <utility>

namespace yardstick::tokenizer {
namespace {

constexpr std::size_t kFirstSlots = 256;
constexpr std::size_t kMostSlots = 1U << 17U;

std::uint64_t hash_of(std::string_view word) { return std::hash<std::string_view>{}(word); }

}  // namespace

// The slot that holds `word`, or the free one where it belongs.
std::size_t WordCache::slot_of(std::uint64_t hash, std::string_view word) const {
  const std::size_t mask = entries_.size() - 1;
  std::size_t at = hash & mask;
  while (entries_[at].word_size != 0) {
    const Entry& entry = entries_[at];
    if (entry.hash == hash &&
        std::string_view(words_).substr(entry.word_begin, entry.word_size) == word)
      break;
    at = (at + 1) & mask;
  }
  return at;
}

std::optional<std::span<const Symbol>> WordCache::find(std::string_view word) const {
  if (entries_.empty() || word.empty()) return std::nullopt;
  const Entry& entry = entries_[slot_of(hash_of(word), word)];
  if (entry.word_size == 0) return std::nullopt;
  return std::span(symbols_).subspan(entry.symbols_begin, entry.symbols_size);
}

void WordCache::insert(std::string_view word, std::span<const Symbol> symbols) {
  if (word.empty() || word.size() > kLongestWord) return;
  if (used_ * 2 >= entries_.size()) grow();
  const std::uint64_t hash = hash_of(word);
  entries_[slot_of(hash, word)] = {
      hash, static_cast<std::uint32_t>(words_.size()), static_cast<std::uint32_t>(word.size()),
      static_cast<std::uint32_t>(symbols_.size()), static_cast<std::uint32_t>(symbols.size())};
  words_ += word;
  symbols_.insert(symbols_.end(), symbols.begin(), symbols.end());
  ++used_;
}

void WordCache::grow() {
  if (entries_.size() >= kMostSlots) {
    words_.clear();
    symbols_.clear();
    used_ = 0;
    entries_.assign(kMostSlots, Entry{});
    return;
  }
  const std::size_t size = entries_.empty() ? kFirstSlots : entries_.size() * 2;
  const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(size));
  for (const Entry& entry : old) {
    if (entry.word_size == 0) continue;
    const std::string_view word =
        std::string_view(words_).substr(entry.word_begin, entry.word_size);
    entries_[slot_of(entry.hash, word)] = entry;
  }
}

}  // namespace yardstick::tokenizer
