#include "tasks/metrics/generation_metrics.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "tasks/metrics/characters.hpp"
#include "tasks/metrics/corpus_metric.hpp"
#include "tasks/metrics/longbench.hpp"
#include "tasks/metrics/match.hpp"
#include "tasks/metrics/normalize.hpp"
#include "tasks/metrics/number.hpp"
#include "tasks/metrics/overlap.hpp"
#include "tasks/metrics/rouge.hpp"
#include "tasks/metrics/sample_metric.hpp"

namespace yardstick::tasks {
namespace {

using Better = Task::Headline::Better;
using Range = SampleScorer::Range;

bool has_text(const std::string& reference) { return !trim(reference).empty(); }
bool has_normal_form(const std::string& reference) { return !normalize_answer(reference).empty(); }
bool is_number(const std::string& reference) { return parse_number(reference).has_value(); }
bool is_digits(const std::string& reference) {
  const std::u32string points = code_points(reference);
  return !points.empty() && std::all_of(points.begin(), points.end(), is_decimal_digit);
}

// --- metrics without options -------------------------------------------------------------------

SampleScorer exact(Fields&) {
  return {.definition = "exact (equal but for white space at the ends)",
          .score = best_of([](std::string_view prediction, const std::string& reference) {
            return matches_exactly(prediction, reference) ? 1.0 : 0.0;
          }),
          .range = Range::kZeroOrOne,
          .usable = has_text,
          .unusable = "is empty"};
}

SampleScorer token(Fields&) {
  return {.definition = "contains_token (the answer as a word of its own, case counts)",
          .score = best_of([](std::string_view prediction, const std::string& reference) {
            return contains_token(prediction, reference) ? 1.0 : 0.0;
          }),
          .range = Range::kZeroOrOne,
          .usable = has_text,
          .unusable = "is empty"};
}

SampleScorer number(Fields&) {
  return {.definition = "number (a number of the same value)",
          .score = best_of([](std::string_view prediction, const std::string& reference) {
            return contains_number(prediction, reference) ? 1.0 : 0.0;
          }),
          .range = Range::kZeroOrOne,
          .usable = is_number,
          .unusable = "is not a number"};
}

SampleScorer ruler_share(Fields&) {
  return {.definition = "ruler_all (share of the answers that are substrings, case ignored)",
          .score = ruler_all,
          .usable = has_text,
          .unusable = "is empty",
          .need = SampleScorer::Need::kAll};
}

SampleScorer ruler_one(Fields&) {
  return {.definition = "ruler_any (any answer is a substring, case ignored)",
          .score = ruler_any,
          .range = Range::kZeroOrOne,
          .usable = has_text,
          .unusable = "is empty",
          .need = SampleScorer::Need::kAll};
}

SampleScorer answer_f1(Fields&) {
  return {.definition = "f1 (SQuAD: words, lower case, no punctuation, no articles)",
          .score = best_of(squad_f1),
          .usable = has_normal_form,
          .unusable = "is empty without punctuation and articles"};
}

SampleScorer answer_match(Fields&) {
  return {.definition = "squad_em (SQuAD: equal in lower case, no punctuation, no articles)",
          .score = best_of(squad_exact_match),
          .range = Range::kZeroOrOne,
          .usable = has_normal_form,
          .unusable = "is empty without punctuation and articles"};
}

SampleScorer answer_substring(Fields&) {
  return {.definition =
              "substring_exact_match (substring in lower case, no punctuation, no "
              "articles)",
          .score = best_of(substring_exact_match),
          .range = Range::kZeroOrOne,
          .usable = has_normal_form,
          .unusable = "is empty without punctuation and articles"};
}

SampleScorer summary_longbench(Fields&) {
  return {.definition = "longbench_rouge_l (package rouge: distinct words, F)",
          .score = best_of(longbench_rouge_l),
          .usable = [](const std::string& text) { return longbench_rouge_l(text, text) > 0; },
          .unusable = "has no words"};
}

SampleScorer count(Fields&) {
  return {.definition = "longbench_count (share of the numbers that are the answer)",
          .score = best_of(longbench_count),
          .usable = is_digits,
          .unusable = "is not a run of digits"};
}

SampleScorer retrieval(Fields&) {
  return {.definition = "longbench_retrieval (share of the numbers that are the paragraph's)",
          .score = best_of(longbench_retrieval),
          .usable = [](const std::string& text) { return paragraph_number(text).has_value(); },
          .unusable = "names no 'Paragraph N'"};
}

SampleScorer code(Fields&) {
  return {.definition = "longbench_code_similarity (2 LCS / characters, first line of code)",
          .score = best_of(longbench_code_similarity),
          .usable = [](const std::string& text) { return !text.empty(); },
          .unusable = "is empty"};
}

SampleScorer first_number(Fields&) {
  return {.definition = "infinitebench_first_number (the first run of digits is the answer)",
          .score = best_of(infinitebench_first_number),
          .range = Range::kZeroOrOne,
          .usable = is_digits,
          .unusable = "is not a run of digits"};
}

SampleScorer key_value(Fields&) {
  return {.definition = "infinitebench_key_value (the answer is a word)",
          .score = best_of(infinitebench_key_value),
          .range = Range::kZeroOrOne,
          .usable = [](const std::string& text) { return infinitebench_key_value(text, text) > 0; },
          .unusable = "is not one word"};
}

// --- metrics with options ----------------------------------------------------------------------

Ignored read_ignored(Fields& entry) {
  Ignored ignored;
  ignored.patterns_place = entry.where("regexes_to_ignore");
  for (const std::string& pattern : entry.texts("regexes_to_ignore")) {
    try {
      ignored.patterns.emplace_back(pattern);
    } catch (const Error& error) {
      throw entry.error("regexes_to_ignore", error.what());
    }
  }
  ignored.letter_case = entry.optional_flag("ignore_case").value_or(false);
  ignored.punctuation = entry.optional_flag("ignore_punctuation").value_or(false);
  ignored.numbers = entry.optional_flag("ignore_numbers").value_or(false);
  return ignored;
}

std::string describe(const Ignored& ignored) {
  std::string text;
  for (const PythonRegex& pattern : ignored.patterns) {
    text += fmt::format(", no /{}/", pattern.pattern());
  }
  if (ignored.letter_case) text += ", case ignored";
  if (ignored.punctuation) text += ", no punctuation";
  if (ignored.numbers) text += ", no digits";
  return text;
}

SampleScorer exact_match(Fields& entry) {
  const Ignored ignored = read_ignored(entry);
  return {.definition = fmt::format("exact_match (equal{})", describe(ignored)),
          .score = best_of([ignored](std::string_view prediction, const std::string& reference) {
            const std::string expected = without(ignored, reference);
            return !expected.empty() && without(ignored, prediction) == expected ? 1.0 : 0.0;
          }),
          .range = Range::kZeroOrOne,
          .usable = [ignored](const std::string& text) { return !without(ignored, text).empty(); },
          .unusable = "is empty without what exact_match ignores"};
}

SampleScorer classification(Fields& entry) {
  std::vector<std::string> classes = entry.texts("classes");
  if (classes.empty()) {
    throw entry.error("classes", "longbench_classification needs the list of all classes");
  }
  const auto is_class = [classes](const std::string& text) {
    return std::find(classes.begin(), classes.end(), text) != classes.end();
  };
  return {.definition =
              fmt::format("longbench_classification (1 / classes named, of {})", classes.size()),
          .score = best_of([classes = std::move(classes)](std::string_view prediction,
                                                          const std::string& reference) {
            return longbench_classification(prediction, reference, classes);
          }),
          .usable = is_class,
          .unusable = "is not one of `classes`"};
}

using Rouge = RougeScore (*)(std::string_view, std::string_view, Stemming);

SampleScorer rouge(Fields& entry, std::string_view name, Rouge score) {
  const bool stems = entry.optional_flag("use_stemmer").value_or(false);
  const Stemming stemming = stems ? Stemming::kPorter : Stemming::kNone;
  return {
      .definition = fmt::format("{} (rouge_score, F1{})", name, stems ? ", stemmer" : ""),
      .score = best_of([=](std::string_view prediction, const std::string& reference) {
        return score(prediction, reference, stemming).f1;
      }),
      .usable = [](const std::string& text) { return !rouge_words(text, Stemming::kNone).empty(); },
      .unusable = "has no words of a-z and 0-9"};
}

SampleScorer rouge1(Fields& entry) {
  return rouge(entry, "rouge1",
               [](std::string_view prediction, std::string_view reference, Stemming stemming) {
                 return rouge_n(prediction, reference, 1, stemming);
               });
}

SampleScorer rouge2(Fields& entry) {
  return rouge(entry, "rouge2",
               [](std::string_view prediction, std::string_view reference, Stemming stemming) {
                 return rouge_n(prediction, reference, 2, stemming);
               });
}

SampleScorer rouge_sequence(Fields& entry) { return rouge(entry, "rougeL", rouge_l); }
SampleScorer rouge_summary(Fields& entry) { return rouge(entry, "rougeLsum", rouge_lsum); }

// --- the registry ------------------------------------------------------------------------------

using ReadScorer = SampleScorer (*)(Fields&);
constexpr std::array<std::pair<std::string_view, ReadScorer>, 21> kSampleMetrics = {
    {{"acc", exact_match},
     {"contains_token", token},
     {"exact", exact},
     {"exact_match", exact_match},
     {"f1", answer_f1},
     {"infinitebench_first_number", first_number},
     {"infinitebench_key_value", key_value},
     {"longbench_classification", classification},
     {"longbench_code_similarity", code},
     {"longbench_count", count},
     {"longbench_retrieval", retrieval},
     {"longbench_rouge_l", summary_longbench},
     {"number", number},
     {"rouge1", rouge1},
     {"rouge2", rouge2},
     {"rougeL", rouge_sequence},
     {"rougeLsum", rouge_summary},
     {"ruler_all", ruler_share},
     {"ruler_any", ruler_one},
     {"squad_em", answer_match},
     {"substring_exact_match", answer_substring}}};

using MakeCorpusMetric = std::unique_ptr<const GenerationMetric> (*)(std::string, Better);
constexpr std::array<std::pair<std::string_view, MakeCorpusMetric>, 2> kCorpusMetrics = {
    {{"bleu", make_bleu_metric}, {"chrf", make_chrf_metric}}};

constexpr std::array<std::pair<std::string_view, Aggregation>, 4> kAggregations = {
    {{"mean", Aggregation::kMean},
     {"median", Aggregation::kMedian},
     {"max", Aggregation::kMax},
     {"sum", Aggregation::kSum}}};

// lm-evaluation-harness takes these from another package, whose definition is the same.
constexpr std::array<std::string_view, 5> kSameInHfEvaluate = {"exact_match", "rouge1", "rouge2",
                                                               "rougeL", "rougeLsum"};

void check_hf_evaluate(Fields& entry, std::string_view metric) {
  if (!entry.optional_flag("hf_evaluate").value_or(false)) return;
  if (std::find(kSameInHfEvaluate.begin(), kSameInHfEvaluate.end(), metric) !=
      kSameInHfEvaluate.end()) {
    return;
  }
  throw entry.error("hf_evaluate",
                    fmt::format("the package `evaluate` defines '{}' in another way, which is not "
                                "to be had here; leave the key out for this program's",
                                metric));
}

template <typename Value, std::size_t N>
Value find(const std::array<std::pair<std::string_view, Value>, N>& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == name; });
  return found != table.end() ? found->second : nullptr;
}

}  // namespace

std::unique_ptr<const GenerationMetric> make_generation_metric(Fields& entry,
                                                               std::string_view filter) {
  const std::string metric = entry.text("metric");
  const Better better =
      entry.optional_flag("higher_is_better").value_or(true) ? Better::kHigher : Better::kLower;
  check_hf_evaluate(entry, metric);
  std::string name = filter.empty() ? metric : fmt::format("{},{}", metric, filter);
  std::unique_ptr<const GenerationMetric> made;
  if (const ReadScorer read = find(kSampleMetrics, metric)) {
    const Aggregation aggregation =
        entry.choice<Aggregation>("aggregation", Aggregation::kMean, kAggregations);
    made = make_sample_metric(
        read(entry), {.name = std::move(name), .better = better, .aggregation = aggregation});
  } else if (const MakeCorpusMetric make = find(kCorpusMetrics, metric)) {
    if (const auto aggregation = entry.optional_text("aggregation");
        aggregation && *aggregation != metric) {
      throw entry.error("aggregation",
                        fmt::format("{} is a number of the whole corpus, not the {} of samples: "
                                    "write {} or leave the key out",
                                    metric, *aggregation, metric));
    }
    made = make(std::move(name), better);
  } else {
    throw entry.error("metric", fmt::format("there is no metric '{}' of generated text{}", metric,
                                            did_you_mean(metric, generation_metric_names())));
  }
  entry.finish();
  return made;
}

std::vector<std::string> generation_metric_names() {
  std::vector<std::string> names;
  for (const auto& [name, read] : kSampleMetrics) names.emplace_back(name);
  for (const auto& [name, make] : kCorpusMetrics) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace yardstick::tasks
