#include "tasks/metrics/rouge.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "tasks/metrics/characters.hpp"
#include "tasks/metrics/common_subsequence.hpp"
#include "tasks/metrics/ngrams.hpp"
#include "tasks/metrics/porter.hpp"

namespace yardstick::tasks {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kShortestStemmed = 4;  // characters
constexpr double kLongBenchEpsilon = 1e-8;

bool is_ascii_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

RougeScore score_of(double hits, double predicted, double expected) {
  if (hits == 0) return {};
  const double precision = hits / predicted;
  const double recall = hits / expected;
  return {.precision = precision,
          .recall = recall,
          .f1 = 2 * precision * recall / (precision + recall)};
}

// The parts between separators, empty ones left out.
std::vector<std::string_view> parts_between(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<Words> rouge_sentences(std::string_view text, Stemming stemming) {
  std::vector<Words> sentences;
  for (const std::string_view line : parts_between(text, '\n')) {
    sentences.push_back(rouge_words(line, stemming));
  }
  return sentences;
}

std::map<std::string_view, std::int64_t> count_words(std::span<const Words> sentences) {
  std::map<std::string_view, std::int64_t> counts;
  for (const Words& words : sentences) {
    for (const std::string& word : words) ++counts[word];
  }
  return counts;
}

std::size_t total_words(std::span<const Words> sentences) {
  std::size_t total = 0;
  for (const Words& words : sentences) total += words.size();
  return total;
}

// A blank-only sentence has one word, the empty one, as splitting "" at ' ' gives it.
std::vector<Words> longbench_sentences(std::string_view text) {
  std::vector<Words> sentences;
  for (const std::string_view part : parts_between(text, '.')) {
    sentences.push_back(split_words(part));
    if (sentences.back().empty()) sentences.back().emplace_back();
  }
  return sentences;
}

}  // namespace

std::vector<std::string> rouge_words(std::string_view text, Stemming stemming) {
  Words words;
  std::string word;
  for (const char c : lower(text) + " ") {
    if (is_ascii_alphanumeric(c)) {
      word += c;
    } else if (!word.empty()) {
      const bool stemmed = stemming == Stemming::kPorter && word.size() >= kShortestStemmed;
      words.push_back(stemmed ? porter_stem(word) : word);
      word.clear();
    }
  }
  return words;
}

RougeScore rouge_n(std::string_view prediction, std::string_view reference, std::size_t n,
                   Stemming stemming) {
  const Words predicted = rouge_words(prediction, stemming);
  const Words expected = rouge_words(reference, stemming);
  const std::int64_t hits = count_matches(count_ngrams<std::string>(predicted, n),
                                          count_ngrams<std::string>(expected, n));
  return score_of(static_cast<double>(hits), static_cast<double>(ngrams_of(predicted.size(), n)),
                  static_cast<double>(ngrams_of(expected.size(), n)));
}

RougeScore rouge_l(std::string_view prediction, std::string_view reference, Stemming stemming) {
  const Words predicted = rouge_words(prediction, stemming);
  const Words expected = rouge_words(reference, stemming);
  const std::int64_t hits = common_subsequence_length<std::string>(expected, predicted);
  return score_of(static_cast<double>(hits), static_cast<double>(predicted.size()),
                  static_cast<double>(expected.size()));
}

RougeScore rouge_lsum(std::string_view prediction, std::string_view reference, Stemming stemming) {
  const std::vector<Words> predicted = rouge_sentences(prediction, stemming);
  const std::vector<Words> expected = rouge_sentences(reference, stemming);
  std::map<std::string_view, std::int64_t> left_in_prediction = count_words(predicted);
  std::map<std::string_view, std::int64_t> left_in_reference = count_words(expected);
  double hits = 0;
  for (const Words& sentence : expected) {
    std::set<std::size_t> taken;
    for (const Words& other : predicted) {
      const std::vector<std::size_t> indices =
          common_subsequence<std::string>(sentence, other, OnTie::kDropFromFirst);
      taken.insert(indices.begin(), indices.end());
    }
    for (const std::size_t i : taken) {
      std::int64_t& here = left_in_prediction[sentence[i]];
      std::int64_t& there = left_in_reference[sentence[i]];
      if (here == 0 || there == 0) continue;
      --here;
      --there;
      ++hits;
    }
  }
  return score_of(hits, static_cast<double>(total_words(predicted)),
                  static_cast<double>(total_words(expected)));
}

double longbench_rouge_l(std::string_view prediction, std::string_view reference) {
  const std::vector<Words> predicted = longbench_sentences(prediction);
  const std::vector<Words> expected = longbench_sentences(reference);
  if (predicted.empty() || expected.empty()) return 0;
  std::set<std::string_view> common;
  for (const Words& sentence : expected) {
    for (const Words& other : predicted) {
      for (const std::size_t i :
           common_subsequence<std::string>(sentence, other, OnTie::kDropFromSecond)) {
        common.insert(sentence[i]);
      }
    }
  }
  const auto hits = static_cast<double>(common.size());
  const double precision = hits / static_cast<double>(count_words(predicted).size());
  const double recall = hits / static_cast<double>(count_words(expected).size());
  return 2 * precision * recall / (precision + recall + kLongBenchEpsilon);
}

}  // namespace yardstick::tasks
