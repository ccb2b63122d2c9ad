#include "tasks/downstream/prompt.hpp"

namespace yardstick::tasks {
namespace {

bool is_space(char c) { return std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos; }

/// True if neither side of a border between two texts is white space.
bool touch(std::string_view before, std::string_view behind) {
  return !before.empty() && !behind.empty() && !is_space(before.back()) &&
         !is_space(behind.front());
}

}  // namespace

std::string open_question(std::string_view text, std::string_view prefix,
                          const PromptDelimiters& delimiters) {
  std::string out(text);
  if (prefix.empty()) return out;
  if (touch(text, prefix)) out += delimiters.target;
  return out += prefix;
}

std::string worked_example(std::string_view text, std::string_view prefix, std::string_view answer,
                           const PromptDelimiters& delimiters) {
  std::string out = open_question(text, prefix, delimiters);
  if (answer.empty()) return out;
  if (prefix.empty()) {
    out += delimiters.target;
  } else if (touch(prefix, answer)) {
    out += ' ';
  }
  out += answer;
  return out += delimiters.example;
}

}  // namespace yardstick::tasks
