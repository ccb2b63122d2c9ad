#include "tasks/downstream/padding.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "core/error.hpp"
#include "core/random.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::string_view kBlank = " \t\n\v\f\r";

// Parted by single blanks, with none at the ends.
std::string folded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; (at = text.find_first_not_of(kBlank, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    if (!out.empty()) out += ' ';
    out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

bool overlaps(const std::string& passage, const std::string& own) {
  if (own.empty()) return false;  // an empty text is part of every passage
  return passage.find(own) != std::string::npos || own.find(passage) != std::string::npos;
}

class PassagePadding final : public Padding {
 public:
  PassagePadding(std::vector<std::string> passages, std::string separator)
      : separator_(std::move(separator)) {
    std::unordered_set<std::string> seen;
    for (std::string& passage : passages) {
      std::string words = folded(passage);
      if (words.empty() || !seen.insert(words).second) continue;
      passages_.push_back({.text = std::move(passage), .words = std::move(words)});
    }
  }

  [[nodiscard]] std::vector<std::string> units(std::string_view id, std::string_view own,
                                               std::uint64_t seed,
                                               std::size_t most) const override {
    std::vector<std::size_t> order(passages_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random random(seed, "stretch/passages/" + std::string(id));
    random.shuffle(std::span<std::size_t>(order));
    const std::string own_words = folded(own);
    std::vector<std::string> out;
    for (const std::size_t i : order) {
      if (out.size() == most) break;
      if (!overlaps(passages_[i].words, own_words)) out.push_back(passages_[i].text);
    }
    return out;
  }

  [[nodiscard]] std::string_view glue() const override { return separator_; }

 private:
  struct Passage {
    std::string text;
    std::string words;  ///< folded, to compare by
  };
  std::vector<Passage> passages_;
  std::string separator_;
};

class TextPadding final : public Padding {
 public:
  explicit TextPadding(std::string text) : text_(std::move(text)) {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t word = text_.find_first_not_of(kBlank, at);
      if (word == std::string::npos) break;
      const std::size_t end = std::min(text_.find_first_of(kBlank, word), text_.size());
      words_.emplace_back(at, end - at);
      at = end;
    }
    if (words_.empty()) {
      throw Error(ErrorKind::kData,
                  "stretch: the haystack's source holds no word; give a text file");
    }
  }

  [[nodiscard]] std::vector<std::string> units(std::string_view id, std::string_view /*own*/,
                                               std::uint64_t seed,
                                               std::size_t most) const override {
    Random random(seed, "stretch/text/" + std::string(id));
    std::size_t word = random.below(words_.size());
    std::vector<std::string> out;
    out.reserve(most);
    while (out.size() < most) {
      const auto [begin, size] = words_[word];
      std::string& unit = out.emplace_back();
      // The text's first word may have nothing in front of it that parts it from the last one.
      if (kBlank.find(text_[begin]) == std::string_view::npos) unit += '\n';
      unit.append(text_, begin, size);
      word = (word + 1) % words_.size();
    }
    return out;
  }

  [[nodiscard]] std::string_view glue() const override { return ""; }

 private:
  std::string text_;
  std::vector<std::pair<std::size_t, std::size_t>> words_;  ///< begin and size, white space first
};

}  // namespace

std::unique_ptr<const Padding> passage_padding(std::vector<std::string> passages,
                                               std::string separator) {
  return std::make_unique<PassagePadding>(std::move(passages), std::move(separator));
}

std::unique_ptr<const Padding> text_padding(std::string text) {
  return std::make_unique<TextPadding>(std::move(text));
}

}  // namespace yardstick::tasks
