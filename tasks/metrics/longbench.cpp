#include "tasks/metrics/longbench.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tasks/metrics/characters.hpp"
#include "tasks/metrics/common_subsequence.hpp"
#include "tasks/template/code_points.hpp"

namespace yardstick::tasks {
namespace {

std::vector<std::string> digit_runs(std::string_view text) {
  std::vector<std::string> runs;
  std::u32string run;
  for (const char32_t c : code_points(text) + U' ') {
    if (is_decimal_digit(c)) {
      run.push_back(c);
    } else if (!run.empty()) {
      runs.push_back(to_utf8(run));
      run.clear();
    }
  }
  return runs;
}

std::string_view leading_digits(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const jinja::CodePoint c = jinja::first_code_point(text.substr(end));
    if (jinja::decimal_value(c.value) < 0) break;
    end += c.size;
  }
  return text.substr(0, end);
}

bool is_code(std::string_view line) {
  return line.find('`') == std::string_view::npos && line.find('#') == std::string_view::npos &&
         line.find("//") == std::string_view::npos;
}

std::string_view first_code_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (is_code(line)) return line;
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
}

}  // namespace

double longbench_count(std::string_view prediction, std::string_view gold) {
  const std::vector<std::string> numbers = digit_runs(prediction);
  if (numbers.empty()) return 0;
  const auto right = std::count(numbers.begin(), numbers.end(), gold);
  return static_cast<double>(right) / static_cast<double>(numbers.size());
}

std::optional<std::string> paragraph_number(std::string_view gold) {
  constexpr std::string_view kLabel = "Paragraph ";
  for (std::size_t at = gold.find(kLabel); at != std::string_view::npos;
       at = gold.find(kLabel, at + 1)) {
    const std::string_view digits = leading_digits(gold.substr(at + kLabel.size()));
    if (!digits.empty()) return std::string(digits);
  }
  return std::nullopt;
}

double longbench_retrieval(std::string_view prediction, std::string_view gold) {
  const std::optional<std::string> paragraph = paragraph_number(gold);
  return paragraph ? longbench_count(prediction, *paragraph) : 0;
}

double longbench_classification(std::string_view prediction, std::string_view gold,
                                std::span<const std::string> classes) {
  std::vector<std::string_view> matched;
  for (const std::string& name : classes) {
    if (prediction.find(name) != std::string_view::npos) matched.push_back(name);
  }
  for (std::size_t i = 0; i < matched.size(); ++i) {
    if (matched[i] != gold && gold.find(matched[i]) != std::string_view::npos) {
      matched.erase(std::find(matched.begin(), matched.end(), matched[i]));
    }
  }
  if (std::find(matched.begin(), matched.end(), gold) == matched.end()) return 0;
  return 1 / static_cast<double>(matched.size());
}

double longbench_code_similarity(std::string_view prediction, std::string_view gold) {
  const std::u32string line = code_points(first_code_line(prediction));
  const std::u32string expected = code_points(gold);
  if (line.empty() || expected.empty()) return 0;
  const auto common = static_cast<double>(common_subsequence_length<char32_t>(line, expected));
  const auto characters = static_cast<double>(line.size() + expected.size());
  return std::nearbyint(100 * (2 * common / characters)) / 100;
}

double infinitebench_first_number(std::string_view prediction, std::string_view gold) {
  const std::vector<std::string> numbers = digit_runs(prediction);
  return !numbers.empty() && numbers.front() == gold ? 1 : 0;
}

double infinitebench_key_value(std::string_view prediction, std::string_view gold) {
  std::string text(prediction);
  for (char& c : text) {
    if (std::string_view("\n:\"'.,?!{}").find(c) != std::string_view::npos) c = ' ';
  }
  const std::vector<std::string> words = split_words(text);
  return std::find(words.begin(), words.end(), gold) != words.end() ? 1 : 0;
}

}  // namespace yardstick::tasks
