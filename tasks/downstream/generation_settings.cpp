#include "tasks/downstream/generation_settings.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace yardstick::tasks {
namespace {

constexpr std::int64_t kMostNewTokens = 1 << 20;
constexpr double kMostTemperature = 1000;

Sampling read_sampling(Fields& fields, std::string& note) {
  const bool does_sample = fields.optional_flag("do_sample").value_or(false);
  const std::optional<double> temperature =
      fields.optional_number("temperature", 0, kMostTemperature);
  const std::optional<std::int64_t> top_k = fields.optional_integer("top_k", 0, 1'000'000'000);
  const std::optional<double> top_p = fields.optional_number("top_p", 0, 1);
  if (!does_sample) {
    if (temperature.value_or(0) > 0) {
      throw fields.error("temperature",
                         "is above 0, but do_sample is not true; say which of the two is meant");
    }
    // Files of the harness write 0 and 1 there, which say nothing.
    const bool has_top_k = top_k.value_or(0) > 1;
    if (has_top_k || top_p.value_or(1) < 1) {
      const std::string_view key = has_top_k ? "top_k" : "top_p";
      note = fmt::format("{}: {}: has no effect, since answers are greedy (do_sample is not true)",
                         fields.where(key), key);
    }
    return {};  // greedy: what is kept of the distribution does not change the likeliest token
  }
  if (temperature && *temperature == 0) {
    throw fields.error("temperature", "is 0, which is greedy, but do_sample is true");
  }
  if (top_p && *top_p == 0) throw fields.error("top_p", "found 0, expected a share above 0");
  return {.temperature = temperature.value_or(1),
          .top_k = top_k.value_or(0),
          .top_p = top_p.value_or(1)};
}

std::vector<std::string> read_until(Fields& kwargs, Fields& task) {
  if (!kwargs.has("until")) {
    const std::string delimiter = task.optional_text("fewshot_delimiter").value_or("\n\n");
    return delimiter.empty() ? std::vector<std::string>{} : std::vector<std::string>{delimiter};
  }
  std::vector<std::string> until = kwargs.texts("until");
  if (std::find(until.begin(), until.end(), "") != until.end()) {
    throw kwargs.error("until",
                       "holds an empty stop text, which would stand in front of every answer; "
                       "remove it (`until: []` for none)");
  }
  return until;
}

/// The names that lm-evaluation-harness takes for one thing.
constexpr std::array<std::string_view, 4> kMostTokens = {"max_gen_toks", "max_new_tokens",
                                                         "max_tokens", "max_completion_tokens"};

std::int64_t read_max_new_tokens(Fields& kwargs, std::int64_t fallback) {
  std::string_view found;
  for (const std::string_view key : kMostTokens) {
    if (!kwargs.has(key)) continue;
    if (!found.empty()) {
      throw kwargs.error(key, fmt::format("says the same as '{}'; remove one of them", found));
    }
    found = key;
  }
  return found.empty() ? fallback : kwargs.integer(found, 1, kMostNewTokens);
}

}  // namespace

void GenerationSettings::describe(Fingerprint& fingerprint) const {
  fingerprint.add("max_new_tokens", max_new_tokens)
      .add("temperature", sampling.temperature)
      .add("top_k", sampling.top_k)
      .add("top_p", sampling.top_p)
      .add("until", std::ssize(until));
  for (const std::string& text : until) fingerprint.add("stop", text);
}

std::string GenerationSettings::protocol() const {
  if (sampling.temperature == 0) return "greedy";
  std::string out = fmt::format("temperature {}", sampling.temperature);
  if (sampling.top_k > 0) out += fmt::format(", top_k {}", sampling.top_k);
  if (sampling.top_p < 1) out += fmt::format(", top_p {}", sampling.top_p);
  return out;
}

GenerationSettings read_generation_settings(Fields& fields) {
  GenerationSettings settings;
  if (!fields.has("generation_kwargs")) {
    const Located empty(nlohmann::json::object(), "");
    Fields kwargs(empty, "", "generation_kwargs");
    settings.until = read_until(kwargs, fields);
    return settings;
  }
  Fields kwargs(fields.located(), fields.pointer("generation_kwargs"), "generation_kwargs");
  settings.until = read_until(kwargs, fields);
  settings.max_new_tokens = read_max_new_tokens(kwargs, settings.max_new_tokens);
  settings.sampling = read_sampling(kwargs, settings.note);
  kwargs.finish();
  return settings;
}

}  // namespace yardstick::tasks
