#include "tasks/downstream/filters.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/metrics/characters.hpp"
#include "tasks/template/letter_case.hpp"
#include "tasks/template/python_regex.hpp"

namespace yardstick::tasks {
namespace {

using Step = std::function<Answers(Answers)>;

constexpr std::int64_t kMostMatches = 1'000'000;

// Applies `change` to each answer.
Step each(std::function<std::string(const std::string&)> change) {
  return [change = std::move(change)](Answers answers) {
    for (std::string& answer : answers) answer = change(answer);
    return answers;
  };
}

PythonRegex compile(Fields& fields, const std::string& pattern) {
  try {
    return PythonRegex(pattern);
  } catch (const Error& error) {
    throw error.within(fields.where("regex_pattern"));
  }
}

// The matched part without white space at its ends.
std::string part_of(std::string_view text, const std::optional<PythonRegex::Span>& span) {
  if (!span) return "";
  return std::string(trim(text.substr(span->begin, span->end - span->begin)));
}

// The group_select-th of what re.findall gives, -1 the last one: a match, its only group, or the
// first of several groups that is not empty.
Step read_regex(Fields& fields, std::int64_t /*repeats*/) {
  const std::string written =
      fields.optional_text("regex_pattern").value_or("#### (\\-?[0-9\\.\\,]+)");
  const std::int64_t select =
      fields.optional_integer("group_select", -kMostMatches, kMostMatches).value_or(0);
  const std::string fallback = fields.optional_text("fallback").value_or("[invalid]");
  const PythonRegex pattern = compile(fields, written);
  return each([pattern, select, fallback](const std::string& answer) {
    const std::vector<PythonRegex::Match> found = pattern.find_all(answer);
    const std::int64_t index = select < 0 ? select + std::ssize(found) : select;
    if (index < 0 || index >= std::ssize(found)) return fallback;
    const PythonRegex::Match& match = found[static_cast<std::size_t>(index)];
    if (match.size() <= 2) return part_of(answer, match.back());
    for (std::size_t group = 1; group < match.size(); ++group) {
      const bool has_text = match[group] && match[group]->begin < match[group]->end;
      if (has_text) return part_of(answer, match[group]);
    }
    return fallback;
  });
}

Step read_take_first(Fields& /*fields*/, std::int64_t /*repeats*/) {
  return [](Answers answers) {
    answers.resize(1);
    return answers;
  };
}

Step read_take_first_k(Fields& fields, std::int64_t repeats) {
  const auto k = static_cast<std::size_t>(fields.integer("k", 1, repeats));
  return [k](Answers answers) {
    answers.resize(std::min(k, answers.size()));
    return answers;
  };
}

// The most frequent answer, the earliest of equally frequent ones.
Step read_majority_vote(Fields& fields, std::int64_t repeats) {
  if (repeats == 1) {
    throw fields.error(
        "function", "majority_vote needs several answers to a question; give the task 'repeats'");
  }
  return [](Answers answers) -> Answers {
    std::map<std::string, std::int64_t> votes;
    for (const std::string& answer : answers) ++votes[answer];
    return {*std::max_element(
        answers.begin(), answers.end(),
        [&](const std::string& a, const std::string& b) { return votes[a] < votes[b]; })};
  };
}

Step read_lowercase(Fields& /*fields*/, std::int64_t /*repeats*/) {
  return each([](const std::string& answer) { return jinja::lower(answer); });
}

Step read_uppercase(Fields& /*fields*/, std::int64_t /*repeats*/) {
  return each([](const std::string& answer) { return jinja::upper(answer); });
}

Step read_remove_whitespace(Fields& /*fields*/, std::int64_t /*repeats*/) {
  return each([](const std::string& answer) { return std::string(trim(answer)); });
}

Step read_map(Fields& fields, std::int64_t /*repeats*/) {
  std::map<std::string, std::string> words;
  const nlohmann::json mapping = fields.raw("mapping_dict");
  if (!mapping.is_object()) throw fields.error("mapping_dict", "expected a mapping of texts");
  for (const auto& [word, value] : mapping.items()) {
    words[word] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  const nlohmann::json fallback = fields.raw("default_value");
  const std::string other = fallback.is_string() ? fallback.get<std::string>()
                            : fallback.is_null() ? ""
                                                 : fallback.dump();
  return each([words = std::move(words), other](const std::string& answer) {
    const auto found = words.find(answer);
    return found == words.end() ? other : found->second;
  });
}

struct Filter {
  std::string_view name;
  Step (*read)(Fields&, std::int64_t repeats);
};
constexpr std::array<Filter, 8> kFilters = {{{"lowercase", read_lowercase},
                                             {"majority_vote", read_majority_vote},
                                             {"map", read_map},
                                             {"regex", read_regex},
                                             {"remove_whitespace", read_remove_whitespace},
                                             {"take_first", read_take_first},
                                             {"take_first_k", read_take_first_k},
                                             {"uppercase", read_uppercase}}};

Step read_step(Fields& fields, std::int64_t repeats) {
  const std::string name = fields.text("function");
  const auto found = std::find_if(kFilters.begin(), kFilters.end(),
                                  [&](const Filter& filter) { return filter.name == name; });
  if (found == kFilters.end()) {
    std::vector<std::string> names;
    for (const Filter& filter : kFilters) names.emplace_back(filter.name);
    throw fields.error("function", fmt::format("unknown filter '{}'{}; there are: {}", name,
                                               did_you_mean(name, names), fmt::join(names, ", ")));
  }
  Step step = found->read(fields, repeats);
  fields.finish();
  return step;
}

}  // namespace

Answers FilterPipeline::apply(Answers answers) const {
  for (const auto& step : steps) answers = step(std::move(answers));
  return answers;
}

std::vector<FilterPipeline> read_filters(Fields& fields, std::int64_t repeats) {
  std::vector<FilterPipeline> pipelines;
  std::set<std::string> names;
  for (const std::string& pointer : fields.elements("filter_list")) {
    Fields entry(fields.located(), pointer, "a pipeline of filter_list");
    FilterPipeline pipeline{.name = entry.text("name")};
    if (!names.insert(pipeline.name).second) {
      throw entry.error("name", fmt::format("'{}' stands twice", pipeline.name));
    }
    for (const std::string& step : entry.elements("filter")) {
      Fields filter(fields.located(), step, "a filter");
      pipeline.steps.push_back(read_step(filter, repeats));
    }
    pipeline.written = entry.raw("filter").dump();
    entry.finish();
    pipelines.push_back(std::move(pipeline));
  }
  if (pipelines.empty()) pipelines.emplace_back();
  return pipelines;
}

}  // namespace yardstick::tasks
