#include "tasks/needle/needle_parts.hpp"

#include <array>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::array<std::pair<std::string_view, NeedlePart>, 3> kParts = {
    {{"numbers", NeedlePart::kNumbers},
     {"words", NeedlePart::kWords},
     {"uuids", NeedlePart::kUuids}}};

void check_once(const std::string& text, const std::string& needle) {
  const std::size_t first = text.find(needle);
  if (text.find(needle, first + 1) == std::string::npos) return;
  throw Error(ErrorKind::kData,
              fmt::format("needles: '{}' stands in the prompt more than once; the haystack or the "
                          "prompt holds it as well, change one of them",
                          needle));
}

}  // namespace

MadePrompt hide_and_ask(Hiding hiding, UnitRun& units, const TextCodec& codec) {
  const Growth growth{
      .least = 1,
      .most = std::nullopt,
      .compose = [&](std::int64_t n) { return hide(hiding.place, hiding.needles, units, n).text; },
      .tokens = [&](std::int64_t n) { return units.tokens(n); }};
  std::variant<FittedText, Infeasible> fitted =
      fit_prompt(growth, hiding.length_tokens, hiding.new_tokens, codec);
  if (const auto* const infeasible = std::get_if<Infeasible>(&fitted)) return *infeasible;
  auto& text = std::get<FittedText>(fitted);
  const HiddenText hidden = hide(hiding.place, hiding.needles, units, text.units);
  AnsweredPrompt prompt{.text = std::move(text.text),
                        .tokens = ids_of(text.spans),
                        .answers = std::move(hiding.answers),
                        .continuation = std::move(hiding.continuation),
                        .max_new_tokens = hiding.new_tokens};
  const std::int64_t prefix = std::ssize(codec.window_prefix());
  nlohmann::json tokens = nlohmann::json::array();
  nlohmann::json depths = nlohmann::json::array();
  for (const std::size_t i : hiding.asked) {
    check_once(prompt.text, hiding.needles[i].text);
    const FoundNeedle found = find_needle(hidden, i, hiding.needles[i].text, text.spans);
    tokens.push_back(found.token + prefix);
    depths.push_back(found.depth);
  }
  prompt.facts["needle_tokens"] = std::move(tokens);
  prompt.facts["depths"] = std::move(depths);
  prompt.facts["haystack_units"] = text.units;
  return prompt;
}

NeedlePart read_needle_part(Fields& fields, std::string_view key, NeedlePart fallback) {
  return fields.choice(key, fallback,
                       std::span<const std::pair<std::string_view, NeedlePart>>(kParts));
}

std::string list_words(const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  std::string out;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) out += words[i] + ", ";
  return out + "and " + words.back();
}

}  // namespace yardstick::tasks
