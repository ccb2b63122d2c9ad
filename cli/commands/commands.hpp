// The commands of the `yardstick` program: what the command line filled in, and what runs.
// One source file a command; parsing lives in cli/main.cpp alone (CLI11 is slow to compile).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/engine/engine.hpp"
#include "models/model_folder.hpp"
#include "models/reference/reference.hpp"

namespace yardstick::cli {

/// Exit statuses, a documented interface.
enum ExitCode : int { kDone = 0, kSomeFailed = 1, kBadInput = 2, kInterrupted = 130 };

/// Whether to say where the time went.
enum class ShowProfile { kNo, kYes };

/// What --tasks, --model and their companions say.
struct Selection {
  std::vector<std::string> tasks;       ///< names, patterns or YAML files
  std::vector<std::string> models;      ///< folders, GGUF files, NAME=PATH or patterns
  std::optional<std::string> position;  ///< JSON; this and `bos` for every model of `models`
  std::optional<std::string> bos;
  std::optional<std::string> dtype;
  std::vector<std::string> lengths;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> num_fewshot;
  std::vector<std::filesystem::path> task_folders;  ///< --include-path
  std::vector<std::filesystem::path> data_folders;  ///< --data-dir
  std::filesystem::path haystack;                   ///< --haystack, or empty
  std::filesystem::path questions;                  ///< --qa, or empty
};

struct RunOptions {
  std::filesystem::path suite;  ///< or, if empty, what the selection makes
  Selection selection;
  std::optional<std::filesystem::path> database;  ///< default: results/<suite name>.db
  std::optional<std::filesystem::path> output;    ///< report folder; default: results/<suite name>/
  std::optional<std::int64_t> limit;              ///< a random subset
  std::optional<std::int64_t> first_n;            ///< or the first ones
  std::vector<std::string> devices;
  std::vector<std::string> set;  ///< "key.path=value" overrides of the suite
  enum class Store { kResume, kFresh } store = Store::kResume;
  enum class Earlier { kShown, kPruned } earlier = Earlier::kShown;  ///< cells that the suite drops
  enum class Mode { kRun, kPlan } mode = Mode::kRun;
  models::Sharing sharing = models::Sharing::kOn;
  ShowProfile profile = ShowProfile::kNo;
  std::string command_line;  ///< for the run record
};

struct ReportOptions {
  std::filesystem::path database;
  std::optional<std::string> suite;
  std::filesystem::path output;
  std::vector<std::string> formats = {"html"};
};

struct ForgetOptions {
  std::filesystem::path database;
  std::vector<std::string> suites;  ///< names, as all below; an empty list means any
  std::vector<std::string> models;
  std::vector<std::string> tasks;
  std::vector<std::string> statuses;
  enum class Mode { kPreview, kForget } mode = Mode::kPreview;
};

struct InspectOptions {
  std::filesystem::path model;
  std::optional<std::string> position;  ///< JSON override
  models::BosPolicy bos = models::BosPolicy::kAuto;
  enum class Format { kText, kJson } format = Format::kText;
};

struct ScoreOptions {
  std::filesystem::path model;
  std::filesystem::path tokens;
  std::optional<std::string> position;
  std::optional<std::filesystem::path> logits;
  std::string dtype = "float32";
  std::string device = "cpu";
  int threads = 1;
  ShowProfile profile = ShowProfile::kNo;
};

struct CompleteOptions {
  std::filesystem::path model;
  std::string prompt;
  std::int64_t max_new_tokens = 128;
  std::optional<double> temperature;  ///< none: greedy
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> position;
  models::BosPolicy bos = models::BosPolicy::kAuto;
  std::string dtype = "float32";
  std::string device = "cpu";
  int threads = 1;
};

struct TokenizeOptions {
  std::filesystem::path tokenizer;
  enum class Direction { kEncode, kDecode } direction = Direction::kEncode;
  enum class Specials { kNone, kAdd } specials = Specials::kNone;
};

struct TrainOptions {
  std::filesystem::path config;
  std::filesystem::path output;
  std::vector<std::string> models;  ///< names from the config; empty = all
};

struct ShowOptions {
  Selection selection;
  std::int64_t samples = 1;
  enum class Extent { kEnds, kFull } extent = Extent::kEnds;  ///< of long prompts
};

struct ListOptions {
  std::string what;  ///< tasks, encodings, architectures, runs
  std::vector<std::filesystem::path> task_folders;
  std::optional<std::filesystem::path> database;
};

struct ValidateOptions {
  std::filesystem::path file;  ///< a suite, or a task file
  Selection selection;         ///< for a task file: models, lengths, folders
  std::vector<std::string> set;
};

struct GenerateOptions {
  std::filesystem::path output;
  std::uint64_t seed = 0;
};

struct VerifyOptions {
  std::filesystem::path model;
  models::ReferenceFiles reference;
  double tolerance = 1e-4;  ///< absolute on logits, relative to a row's size on hidden states
  std::optional<std::string> position;
  std::string dtype = "float32";
  std::string device = "cpu";
  int threads = 1;
  enum class Format { kText, kJson } format = Format::kText;
};

[[nodiscard]] int run(const RunOptions& options);
[[nodiscard]] int plan(const RunOptions& options);  ///< what run() would do; computes nothing
[[nodiscard]] int report(const ReportOptions& options);
[[nodiscard]] int forget(const ForgetOptions& options);
[[nodiscard]] int inspect(const InspectOptions& options);
[[nodiscard]] int score(const ScoreOptions& options);
[[nodiscard]] int complete(const CompleteOptions& options);

/// Says on stderr where the time went.
void print_profile(const std::optional<models::Profile>& profile);
[[nodiscard]] int tokenize(const TokenizeOptions& options);
[[nodiscard]] int train(const TrainOptions& options);
[[nodiscard]] int list(const ListOptions& options);
[[nodiscard]] int show(const ShowOptions& options);
[[nodiscard]] int validate(const ValidateOptions& options);
[[nodiscard]] int verify(const VerifyOptions& options);      ///< kSomeFailed: beyond the tolerance
[[nodiscard]] int generate(const GenerateOptions& options);  ///< small-world evaluation data

}  // namespace yardstick::cli
