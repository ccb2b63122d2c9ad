#include "tasks/needle/words.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/data/text_file.hpp"
#include "tasks/needle/word_lists.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kMostAttempts = 10'000;

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(' ', begin), list.size());
    words.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string draw_number(Random& random) {
  return std::to_string(random.between(1'000'000, 9'999'999));
}

// RFC 9562, section 5.4: the version in bits 48-51, the variant 10 in bits 64-65.
std::string draw_uuid(Random& random) {
  const std::uint64_t high = (random.bits() & ~0xF000ULL) | 0x4000ULL;
  const std::uint64_t low = (random.bits() & 0x3FFFFFFFFFFFFFFFULL) | 0x8000000000000000ULL;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xFFFFU,
                     high & 0xFFFFU, low >> 48U, low & 0xFFFFFFFFFFFFULL);
}

}  // namespace

WordPool::WordPool(std::vector<std::string> first, std::vector<std::string> second)
    : first_(std::move(first)), second_(std::move(second)) {}

WordPool WordPool::pairs() { return {split(kAdjectives), split(kNouns)}; }

WordPool WordPool::singles() {
  std::vector<std::string> words = split(kAdjectives);
  const std::vector<std::string> nouns = split(kNouns);
  words.insert(words.end(), nouns.begin(), nouns.end());
  return {std::move(words), {}};
}

WordPool WordPool::from_file(const std::filesystem::path& file) {
  const std::string text = read_text_file(file);
  std::vector<std::string> words;
  std::set<std::string, std::less<>> seen;
  std::int64_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    ++line;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.ends_with('\r')) word.pop_back();
    if (word.empty()) continue;
    const bool has_blank = word.find_first_of(" \t\v\f") != std::string::npos;
    if (has_blank || !seen.insert(word).second) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}:{}: '{}' {}; a word list has one word a line", file.string(),
                              line, word, has_blank ? "holds white space" : "stands twice"));
    }
    words.push_back(std::move(word));
  }
  if (words.size() < 2) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: holds {} words, expected at least two, one a line", file.string(),
                            words.size()));
  }
  return {std::move(words), {}};
}

std::size_t WordPool::size() const {
  return second_.empty() ? first_.size() : first_.size() * second_.size();
}

std::string WordPool::at(std::size_t i) const {
  if (second_.empty()) return first_.at(i);
  return first_.at(i / second_.size()) + "-" + second_[i % second_.size()];
}

void WordPool::describe(Fingerprint& fingerprint) const {
  for (const std::string& word : first_) fingerprint.add("word", word);
  for (const std::string& word : second_) fingerprint.add("second word", word);
}

std::string_view to_string(NeedlePart part) {
  switch (part) {
    case NeedlePart::kNumbers: return "numbers";
    case NeedlePart::kWords: return "words";
    case NeedlePart::kUuids: return "uuids";
  }
  return "";
}

UniqueDraws::UniqueDraws(const WordPool& words, std::string_view haystack)
    : words_(words), haystack_(haystack) {}

bool UniqueDraws::is_free(const std::string& text) const {
  if (taken_.contains(text)) return false;
  const bool overlaps =
      std::any_of(guarded_.begin(), guarded_.end(), [&](const std::string& other) {
        return other.find(text) != std::string::npos || text.find(other) != std::string::npos;
      });
  return !overlaps && haystack_.find(text) == std::string_view::npos;
}

std::string UniqueDraws::draw(NeedlePart part, Random& random) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    std::string text = part == NeedlePart::kNumbers ? draw_number(random)
                       : part == NeedlePart::kUuids ? draw_uuid(random)
                                                    : words_.at(random.below(words_.size()));
    if (!is_free(text)) continue;
    taken_.insert(text);
    if (guarded_.size() < kGuarded) guarded_.push_back(text);
    return text;
  }
  throw Error(
      ErrorKind::kConfig,
      fmt::format("needles: all {} that are drawn are taken or stand in the haystack ({} in "
                  "use, {} words to draw from); name a longer list with `words`",
                  to_string(part), taken_.size(), words_.size()));
}

}  // namespace yardstick::tasks
