#include "tasks/needle/ruler/haystacks.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "tasks/needle/haystack.hpp"

namespace yardstick::tasks {

std::vector<Unit> noise_units(RulerPreset preset) {
  if (preset == RulerPreset::kPublished) {
    return {{.body = std::string(kNoiseLine), .separator = "\n"}};
  }
  std::vector<Unit> units = split_into_sentences(kNoiseLine, "noise");
  units.back().separator = "\n";
  return units;
}

TextHaystack read_essay(Fields& fields, const RulerSettings& settings) {
  std::string text = read_haystack_text(fields, "haystack", settings.base);
  if (text.empty()) {
    throw fields.error("haystack",
                       fmt::format("the task '{}' hides its needles in a text; name one: "
                                   "`haystack: essays.txt`",
                                   settings.task));
  }
  if (settings.is_published()) text = squeeze_white_space(text);
  return {std::move(text), fields.where("haystack")};
}

}  // namespace yardstick::tasks
