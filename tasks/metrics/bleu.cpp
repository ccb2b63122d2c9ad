#include "tasks/metrics/bleu.hpp"

#include <cmath>
#include <cstdlib>

#include "core/error.hpp"
#include "tasks/metrics/characters.hpp"
#include "tasks/metrics/ngrams.hpp"

namespace yardstick::tasks {
namespace {

using Counts = std::map<std::vector<std::string>, std::int64_t>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

// Characters that are words of their own wherever they stand.
bool stands_alone(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
    out.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  text = out.append(text, begin);
}

// One pass over pairs of neighbours, each character in one pair at most: where `first` and `second`
// hold, `write` puts the pair apart.
template <typename First, typename Second, typename Write>
std::string rewrite_pairs(std::string_view text, First first, Second second, Write write) {
  std::string out;
  out.reserve(text.size() * 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && first(text[i]) && second(text[i + 1])) {
      write(out, text[i], text[i + 1]);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::int64_t nearest_length(std::int64_t length, std::span<const std::int64_t> lengths) {
  std::int64_t nearest = lengths.front();
  for (const std::int64_t candidate : lengths) {
    const std::int64_t gap = std::abs(candidate - length);
    const std::int64_t best = std::abs(nearest - length);
    if (gap < best || (gap == best && candidate < nearest)) nearest = candidate;
  }
  return nearest;
}

}  // namespace

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    match[n] += other.match[n];
    total[n] += other.total[n];
  }
  prediction_length += other.prediction_length;
  reference_length += other.reference_length;
  return *this;
}

std::vector<std::string> tokenize_13a(std::string_view text) {
  std::string line(trim(text));
  replace_all(line, "<skipped>", "");
  replace_all(line, "-\n", "");
  replace_all(line, "\n", " ");
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");
  std::string spaced = " ";
  for (const char c : line) {
    if (stands_alone(c)) {
      spaced.append({' ', c, ' '});
    } else {
      spaced += c;
    }
  }
  spaced += ' ';
  const auto no_digit = [](char c) { return !is_digit(c); };
  spaced = rewrite_pairs(spaced, no_digit, is_point, [](std::string& out, char a, char b) {
    out.append({a, ' ', b, ' '});
  });
  spaced = rewrite_pairs(spaced, is_point, no_digit, [](std::string& out, char a, char b) {
    out.append({' ', a, ' ', b});
  });
  spaced = rewrite_pairs(
      spaced, is_digit, [](char c) { return c == '-'; },
      [](std::string& out, char a, char b) {
        out.append({a, ' ', b, ' '});
      });
  return split_words(spaced);
}

BleuCounts count_bleu(std::string_view prediction, std::span<const std::string> references) {
  check(!references.empty(), "a prediction is compared to at least one reference");
  const std::vector<std::string> predicted = tokenize_13a(prediction);
  std::vector<std::vector<std::string>> expected;
  std::vector<std::int64_t> lengths;
  for (const std::string& reference : references) {
    expected.push_back(tokenize_13a(reference));
    lengths.push_back(std::ssize(expected.back()));
  }
  BleuCounts counts{.prediction_length = std::ssize(predicted)};
  counts.reference_length = nearest_length(counts.prediction_length, lengths);
  for (std::size_t n = 1; n <= kBleuOrder; ++n) {
    Counts most;
    for (const std::vector<std::string>& words : expected) {
      for (const auto& [ngram, count] : count_ngrams<std::string>(words, n)) {
        std::int64_t& kept = most[ngram];
        kept = std::max(kept, count);
      }
    }
    counts.match[n - 1] = count_matches(count_ngrams<std::string>(predicted, n), most);
    counts.total[n - 1] = ngrams_of(predicted.size(), n);
  }
  return counts;
}

double bleu(const BleuCounts& corpus) {
  double log_precisions = 0;
  double smoothing = 1;
  bool any = false;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    if (corpus.total[n] == 0) return 0;
    const auto total = static_cast<double>(corpus.total[n]);
    if (corpus.match[n] > 0) {
      any = true;
      log_precisions += std::log(static_cast<double>(corpus.match[n]) / total);
    } else {
      smoothing *= 2;
      log_precisions -= std::log(smoothing * total);
    }
  }
  if (!any) return 0;
  const auto predicted = static_cast<double>(corpus.prediction_length);
  const auto expected = static_cast<double>(corpus.reference_length);
  const double brevity = predicted < expected ? std::exp(1 - expected / predicted) : 1;
  return 100 * brevity * std::exp(log_precisions / static_cast<double>(kBleuOrder));
}

}  // namespace yardstick::tasks
