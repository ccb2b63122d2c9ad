// The questions of a task file: data set, splits, transforms, templates and worked examples of
// lm-evaluation-harness's YAML, read once; rendered a question at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "core/hash.hpp"
#include "tasks/downstream/question.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Immutable and thread-safe.
class QuestionSet {
 public:
  virtual ~QuestionSet() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;

  /// The category of each question; all empty if the task names no category. For stratified
  /// subsets.
  [[nodiscard]] virtual std::span<const std::string> categories() const = 0;

  /// Worked examples in front of each question, unless question() is told otherwise.
  [[nodiscard]] virtual std::int64_t num_fewshot() const = 0;

  /// Documents that worked examples can be drawn from for every question (the question itself is
  /// never one of them).
  [[nodiscard]] virtual std::int64_t fewshot_pool() const = 0;

  /// What a person should know about the questions; see Task::notes().
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;

  /// Between a context and its continuation; it is scored.
  [[nodiscard]] virtual const std::string& target_delimiter() const = 0;

  /// The i-th question behind `num_fewshot` worked examples. Those depend on (seed, i) and the
  /// task's own fewshot_config alone; the examples for 3 are the last 3 of those for 5 (with
  /// `sampler: first_n`, which takes the same ones for every question, the first 3).
  /// @throws Error(kData) "arc.jsonl:12: ..." for a record that the templates do not fit.
  [[nodiscard]] virtual Question question(std::size_t i, std::uint64_t seed,
                                          std::int64_t num_fewshot) const = 0;

  /// That of question(i).
  [[nodiscard]] virtual std::string id(std::size_t i) const = 0;

  /// Adds all that determines the questions: rendered, so that how it was written does not count.
  virtual void describe(Fingerprint& fingerprint) const = 0;

  /// Adds the pool of worked examples. Part of describe() where num_fewshot() > 0; a task that asks
  /// question() for examples of its own accord adds it itself.
  virtual void describe_examples(Fingerprint& fingerprint) const = 0;
};

/// Reads, of a task's keys, those that say what is asked: dataset_path, dataset_name,
/// dataset_kwargs, data, *_split, process_docs, doc_to_text, doc_to_choice, doc_to_target,
/// description, num_fewshot, fewshot_split, fewshot_by, fewshot_config, fewshot_delimiter,
/// target_delimiter, category (and the project's own prompt, choices, answer, delimiter).
/// @throws Error(kConfig) with file:line:column; Error(kData) for the data.
[[nodiscard]] std::unique_ptr<const QuestionSet> read_question_set(Fields& fields,
                                                                   const TaskDefinition& definition,
                                                                   OutputType type);

}  // namespace yardstick::tasks
