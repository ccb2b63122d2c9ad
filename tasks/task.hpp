// A task: turns data into requests and responses into scores. It never sees a model, only a
// TextCodec for sizing and encoding.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/hash.hpp"
#include "core/yaml.hpp"
#include "models/engine/request.hpp"
#include "tasks/metrics/meaning.hpp"

namespace yardstick::tasks {

/// What distinguishes the cells of one task: a length, a depth, a variant; absent where a task has
/// no such axis (multiple choice has none).
struct CellAxes {
  std::optional<std::int64_t> length_tokens;
  std::optional<double> depth;  ///< 0 = start of the context, 1 = end
  std::string variant;

  bool operator==(const CellAxes&) const = default;
};

/// One unit of scoring. Requests and responses stay together, in order.
struct Sample {
  std::string id;           ///< unique in the cell; the same for every model, so that models pair
  std::string document_id;  ///< samples of one document are resampled together
  std::vector<Request> requests;
  nlohmann::json facts;  ///< what score() needs and people want to see: target, prompt, sizes
};

enum class SampleStatus {
  kOk,
  kNonFinite,
  kSkipped,  ///< never sent to the model; `reason` says why (too long, infeasible, empty)
};

struct PositionLoss {
  std::int64_t first = 0;  ///< bucket of token indices [first, last]
  std::int64_t last = 0;
  double sum_nll = 0;  ///< nats
  std::int64_t count = 0;

  bool operator==(const PositionLoss&) const = default;
};

struct SampleScore {
  std::string sample_id;
  std::string document_id;
  SampleStatus status = SampleStatus::kOk;
  std::string reason;
  std::map<std::string, double> values;  ///< e.g. "sum_nll", "tokens", "bytes", "exact_match"
  nlohmann::json details;                ///< generated text, expected text, choice scores, ...
  std::vector<PositionLoss> position_losses;
};

struct MetricValue {
  std::string name;  ///< "perplexity", "accuracy", "acc_char", ...
  double value = 0;
  std::optional<double> standard_error;
  std::optional<double> ci_low;  ///< 95 %
  std::optional<double> ci_high;
  std::int64_t n = 0;  ///< samples (or documents) behind the interval
  Meaning meaning;     ///< what the number is, for whoever shows it
};

/// Which samples of a cell are asked, if not all.
struct Subset {
  enum class Choice {
    kRandom,  ///< drawn from the seed, nested: the subset for 10 is part of that for 20
    kFirst,   ///< in the order of the data
  };
  std::optional<std::int64_t> limit;  ///< samples a cell; absent: all
  Choice choice = Choice::kRandom;

  bool operator==(const Subset&) const = default;
};

struct BuildContext {
  const TextCodec& codec;
  std::uint64_t seed = 0;
  Subset subset;
};

/// Immutable after construction; const methods may run concurrently.
class Task {
 public:
  virtual ~Task() = default;

  /// Kind in the registry: "perplexity", "passkey", "multiple_choice".
  [[nodiscard]] virtual std::string_view kind() const = 0;

  /// One line that a table header can carry: protocol, window, weighting, matcher, version.
  [[nodiscard]] virtual std::string protocol() const = 0;

  /// The metric a report shows first, with the direction: higher or lower is better.
  struct Headline {
    std::string metric;
    enum class Better { kHigher, kLower } better = Better::kHigher;
  };
  [[nodiscard]] virtual Headline headline() const = 0;

  /// Texts that end a generated answer, beside the model's own end.
  [[nodiscard]] virtual std::vector<std::string> stop_texts() const { return {}; }

  /// The cells for these lengths, in order.
  [[nodiscard]] virtual std::vector<CellAxes> cells(
      std::span<const std::int64_t> lengths) const = 0;

  /// What a person should know before the numbers are trusted, a sentence each: shown once by
  /// `validate`, `plan` and `run`.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

  /// Adds all that determines samples and scores: kind, version, parameters, digest of the data.
  virtual void describe(Fingerprint& fingerprint) const = 0;

  /// The samples of one cell, ready to send. Same arguments, same bytes, on every machine.
  /// A sample that cannot be asked comes back in `skipped`, never silently dropped.
  struct Built {
    std::vector<Sample> samples;
    std::vector<SampleScore> skipped;
  };
  [[nodiscard]] virtual Built build(const CellAxes& cell, const BuildContext& context) const = 0;

  /// Scores one sample from its responses (one for each request, in order).
  [[nodiscard]] virtual SampleScore score(const Sample& sample, std::span<const Response> responses,
                                          const TextCodec& codec) const = 0;

  /// The cell's metrics from its samples of every status, as they are shown. `seed`: of bootstraps.
  [[nodiscard]] virtual std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                           std::uint64_t seed) const = 0;
};

/// A task's definition as a suite or a task file gives it. Paths in it are relative to `base`.
struct TaskDefinition {
  std::string name;            ///< as the suite calls it
  Located parameters;          ///< object with "kind" (or lm-eval's "output_type")
  std::filesystem::path base;  ///< folder that relative data paths start from
  /// Folders in which data sets that have a name and no path (`dataset_path: ai2_arc`) are looked
  /// for, in order.
  std::vector<std::filesystem::path> data_folders;
};

/// @throws Error(kConfig) naming file:line:column, the key, what was found and the nearest valid
/// key.
[[nodiscard]] std::unique_ptr<const Task> make_task(const TaskDefinition& definition);

/// Kinds that make_task knows, sorted.
[[nodiscard]] std::vector<std::string> task_kinds();

/// What a kind asks, in a few words; empty for an unknown one.
[[nodiscard]] std::string_view describe_kind(std::string_view name);

}  // namespace yardstick::tasks
