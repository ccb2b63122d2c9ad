#include "tasks/needle/babilong_match.hpp"

#include <algorithm>
#include <set>

namespace yardstick::tasks {
namespace {

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view up_to(std::string_view text, std::string_view mark) {
  return text.substr(0, text.find(mark));
}

}  // namespace

std::vector<std::string> target_labels(std::string_view target) {
  if (target.size() <= 3) return {std::string(target)};
  std::vector<std::string> labels;
  for (std::size_t begin = 0; begin <= target.size();) {
    const std::size_t end = std::min(target.find(',', begin), target.size());
    labels.emplace_back(target.substr(begin, end - begin));
    begin = end + 1;
  }
  return labels;
}

bool babilong_match(std::string_view output, const LabelledQuestion& asked) {
  const std::string lowered = lower_ascii(output);
  // The published rule cuts at "Question" as well, but in lower-case text, which never has it.
  const std::string_view sentence = up_to(up_to(up_to(lowered, "."), "<context>"), "<example>");
  const std::string question = lower_ascii(asked.question);
  std::set<std::string> said;
  for (const std::string& label : asked.labels) {
    const std::string lower_label = lower_ascii(label);
    if (sentence.find(lower_label) == std::string_view::npos) continue;
    if (question.find(lower_label) == std::string::npos) said.insert(lower_label);
  }
  const std::vector<std::string> wanted = target_labels(lower_ascii(asked.target));
  return said.size() == wanted.size() &&
         std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& label) { return said.count(label) > 0; });
}

}  // namespace yardstick::tasks
