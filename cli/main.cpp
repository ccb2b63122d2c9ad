// The `yardstick` program: parses the command line, calls one command, turns errors into one line
// and an exit status. The only file that sees CLI11.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cli/commands/commands.hpp"
#include "core/error.hpp"
#include "core/home_path.hpp"
#include "core/text.hpp"
#include "core/version.hpp"

namespace yardstick::cli {
namespace {

using Action = std::function<int()>;

std::string join_arguments(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) line += (i == 0 ? "" : " ") + std::string(argv[i]);
  return line;
}

/// Where task files and data sets are looked for.
void add_folder_options(CLI::App& command, Selection& selection) {
  command
      .add_option("--include-path,--include_path", selection.task_folders,
                  "Folder of task files, searched before the shipped ones (repeatable)")
      ->allow_extra_args(false);
  command
      .add_option("--data-dir,--data_dir", selection.data_folders,
                  "Folder of data sets that task files name, as DIR/<dataset_path>/... "
                  "(repeatable)")
      ->allow_extra_args(false);
}

/// Models and lengths for tasks that are named on the command line.
void add_selection_options(CLI::App& command, Selection& selection) {
  command
      .add_option("-m,--model", selection.models,
                  "Model folder or .gguf file, NAME=PATH, or a quoted pattern of folders "
                  "(repeatable)")
      ->allow_extra_args(false);
  command.add_option("--lengths", selection.lengths, "Context lengths, e.g. 1k,2k,4k")
      ->delimiter(',');
  command
      .add_option("-f,--num-fewshot,--num_fewshot", selection.num_fewshot,
                  "Worked examples in front of each question")
      ->check(CLI::Range(0, 10000));
  command
      .add_option("--haystack", selection.haystack,
                  "Text for the tasks that hide something in one, .txt or .jsonl")
      ->check(CLI::ExistingFile);
  command
      .add_option("--qa", selection.questions,
                  "Questions with documents for RULER's qa tasks: SQuAD's or HotpotQA's JSON, or "
                  ".jsonl")
      ->check(CLI::ExistingFile);
  add_folder_options(command, selection);
}

/// How the models of --model are read.
void add_model_settings(CLI::App& command, Selection& selection) {
  command.add_option("--position", selection.position,
                     "Position override, JSON, for every --model");
  command
      .add_option("--bos", selection.bos,
                  "BOS in front of a text, for every --model: auto, always or never [auto]")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

/// A suite, or what makes one.
void check_suite(const RunOptions& options) {
  if (!options.suite.empty()) return;
  if (options.selection.tasks.empty()) throw CLI::RequiredError("A suite, or --tasks and --model");
  if (options.selection.models.empty()) throw CLI::RequiredError("--tasks needs --model, which");
}

/// What `run` and `plan` have in common.
void add_suite_options(CLI::App& command, RunOptions& options) {
  CLI::Option* suite = command.add_option("suite", options.suite, "Suite YAML");
  CLI::Option* tasks =
      command
          .add_option("-t,--tasks", options.selection.tasks,
                      "In place of a suite: task names, patterns or YAML files, comma-separated")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->excludes(suite);
  add_selection_options(command, options.selection);
  command.get_option("--model")->needs(tasks);
  add_model_settings(command, options.selection);
  command.get_option("--position")->needs(tasks);
  command.get_option("--bos")->needs(tasks);
  command
      .add_option("--dtype", options.selection.dtype,
                  "With --tasks: float32, bfloat16 or float16 [float32]")
      ->needs(tasks);
  command.add_option("--seed", options.selection.seed, "Seed of what --tasks asks [0]")
      ->needs(tasks);
  command.add_option("--db", options.database, "Results database [results/<suite>.db]");
  const CLI::Validator count(
      [](const std::string& text) {
        const bool is_count = text.find_first_not_of("0123456789") == std::string::npos &&
                              text.find_first_not_of('0') != std::string::npos;
        return is_count ? std::string()
                        : fmt::format("found '{}', expected a whole number from 1", text);
      },
      "COUNT");
  CLI::Option* limit =
      command
          .add_option("-L,--limit", options.limit, "Samples a cell: a seeded, nested random subset")
          ->check(count);
  command.add_option("--first-n,--first_n", options.first_n, "Samples a cell: the first ones")
      ->check(count)
      ->excludes(limit);
  command.add_option("--devices", options.devices, "Device slots, e.g. cpu or cuda:0,cuda:1")
      ->delimiter(',');
  command.add_option("--set", options.set, "Override a suite value: key.path=value (repeatable)")
      ->allow_extra_args(false);
  command.add_flag_callback(
      "--fresh", [&] { options.store = RunOptions::Store::kFresh; },
      "Compute every cell of the suite again");
  command.add_flag_callback(
      "--no-sharing", [&] { options.sharing = models::Sharing::kOff; },
      "Compute every request alone: the same results, slower");
  command.add_flag_callback(
      "--prune", [&] { options.earlier = RunOptions::Earlier::kPruned; },
      "Take out of the suite's tables what earlier runs put there and this one does not name");
  command.add_option("-o,--output", options.output, "Report folder [results/<suite>/]");
  command.add_flag_callback(
      "--profile", [&] { options.profile = ShowProfile::kYes; },
      "Say where the time went, and the share of the CPU's peak");
}

void add_run(CLI::App& app, RunOptions& options, Action& action) {
  CLI::App* command =
      app.add_subcommand("run", "Run a suite; cells the store already has are skipped");
  add_suite_options(*command, options);
  command->add_flag_callback(
      "--dry-run", [&] { options.mode = RunOptions::Mode::kPlan; },
      "Print the plan with token counts and stop: `plan`");
  command->callback([&] {
    check_suite(options);
    action = [&] { return options.mode == RunOptions::Mode::kPlan ? plan(options) : run(options); };
  });
}

void add_plan(CLI::App& app, RunOptions& options, Action& action) {
  CLI::App* command =
      app.add_subcommand("plan",
                         "Show what a run would compute, with token counts; takes the "
                         "options of `run`");
  add_suite_options(*command, options);
  command->callback([&] {
    check_suite(options);
    action = [&] { return plan(options); };
  });
}

void add_report(CLI::App& app, ReportOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand("report", "Write reports from a results database");
  command->add_option("--db", options.database, "Results database")->required();
  command->add_option("--suite", options.suite, "Suite to report, if the database holds several");
  command->add_option("-o,--output", options.output, "Folder to write into [beside the database]");
  command->add_option("--format", options.formats, "html, md, csv, json; comma-separated [html]")
      ->delimiter(',');
  command->callback([&] { action = [&] { return report(options); }; });
}

void add_forget(CLI::App& app, ForgetOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand(
      "forget", "Show which cells of a results database would be deleted; --yes deletes them");
  command->add_option("--db", options.database, "Results database")->required();
  command->add_option("--suite", options.suites, "Of these suites")->delimiter(',');
  command->add_option("--model", options.models, "Of these models")->delimiter(',');
  command->add_option("--task", options.tasks, "Of these tasks")->delimiter(',');
  command->add_option("--status", options.statuses, "Of this status: ok, pending, failed, skipped")
      ->delimiter(',')
      ->check(CLI::IsMember({"ok", "pending", "failed", "skipped"}));
  command->add_flag_callback(
      "--yes", [&] { options.mode = ForgetOptions::Mode::kForget; }, "Delete them");
  command->callback([&] {
    if (options.suites.empty() && options.models.empty() && options.tasks.empty() &&
        options.statuses.empty())
      throw CLI::RequiredError("One of --suite, --model, --task and --status");
    action = [&] { return forget(options); };
  });
}

void add_bos_option(CLI::App& command, models::BosPolicy& policy) {
  static const std::map<std::string, models::BosPolicy> kPolicies = {
      {"auto", models::BosPolicy::kAuto},
      {"always", models::BosPolicy::kAlways},
      {"never", models::BosPolicy::kNever}};
  command
      .add_option_function<std::string>(
          "--bos", [&policy](const std::string& word) { policy = kPolicies.at(word); },
          "BOS in front of a text: auto (as the tokenizer's files say), always or never [auto]")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

void add_inspect(CLI::App& app, InspectOptions& options, Action& action) {
  CLI::App* command =
      app.add_subcommand("inspect", "Show a model: position plan, tokenizer, BOS policy");
  command->add_option("model", options.model, "Model folder or .gguf file")->required();
  command->add_option("--position", options.position, "Position override, JSON");
  add_bos_option(*command, options.bos);
  command->add_flag_callback(
      "--json", [&] { options.format = InspectOptions::Format::kJson; }, "Print JSON");
  command->callback([&] { action = [&] { return inspect(options); }; });
}

void add_score(CLI::App& app, ScoreOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand("score", "Loss of every token of given token ids");
  command->add_option("-m,--model", options.model, "Model folder or .gguf file")->required();
  command
      ->add_option("--tokens", options.tokens,
                   "JSON: one array of ids, or an array of arrays; or .npy")
      ->required();
  command->add_option("--position", options.position, "Position override, JSON");
  command->add_option("--logits", options.logits,
                      "Write float32 logits [tokens, vocabulary] (.npy)");
  command->add_option("--dtype", options.dtype, "float32, bfloat16 or float16 [float32]");
  command->add_option("--device", options.device, "cpu, cuda or cuda:N [cpu]");
  command->add_option("-t,--threads", options.threads, "Threads of the CPU [1]")
      ->check(CLI::Range(1, 1024));
  command->add_flag_callback(
      "--profile", [&] { options.profile = ShowProfile::kYes; },
      "Say where the time went, and the share of the CPU's peak");
  command->callback([&] { action = [&] { return score(options); }; });
}

void add_verify(CLI::App& app, VerifyOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand(
      "verify", "Compare a model with another implementation's logits and hidden states");
  command->add_option("model", options.model, "Model folder or .gguf file")->required();
  command
      ->add_option("--against", options.reference.numbers,
                   "Safetensors with tokens, logits and perhaps hidden_states; or .npy of logits")
      ->required();
  command->add_option("--tokens", options.reference.tokens,
                      "Token ids of the logits, .npy or JSON, if the file holds none");
  command->add_option("--hidden-states", options.reference.hidden_states,
                      ".npy [layers + 1, tokens, width], if the file holds none");
  command->add_option("--tolerance", options.tolerance,
                      "Greatest difference of a logit, and of a hidden state by its row's root "
                      "mean square [1e-4]");
  command->add_option("--position", options.position, "Position override, JSON");
  command->add_option("--dtype", options.dtype, "float32, bfloat16 or float16 [float32]");
  command->add_option("--device", options.device, "cpu, cuda or cuda:N [cpu]");
  command->add_option("-t,--threads", options.threads, "Threads of the CPU [1]")
      ->check(CLI::Range(1, 1024));
  command->add_flag_callback(
      "--json", [&] { options.format = VerifyOptions::Format::kJson; }, "Print JSON");
  command->callback([&] { action = [&] { return verify(options); }; });
}

void add_complete(CLI::App& app, CompleteOptions& options, Action& action) {
  CLI::App* command =
      app.add_subcommand("complete", "Continue a prompt, greedily or by sampling; one JSON line");
  command->add_option("-m,--model", options.model, "Model folder or .gguf file")->required();
  command->add_option("-p,--prompt", options.prompt, "Text to continue")->required();
  command->add_option("-n,--predict", options.max_new_tokens, "New tokens at most [128]")
      ->check(CLI::PositiveNumber);
  command->add_option("--temp", options.temperature, "Sample at this temperature [0: greedy]");
  command->add_option("--top-k", options.top_k, "Sample from the k likeliest tokens [0: all]");
  command->add_option("--top-p", options.top_p,
                      "Sample from the likeliest tokens that reach this probability [1: all]");
  command->add_option("-s,--seed", options.seed, "Seed of the draws [0]");
  add_bos_option(*command, options.bos);
  command->add_option("--position", options.position, "Position override, JSON");
  command->add_option("--dtype", options.dtype, "float32, bfloat16 or float16 [float32]");
  command->add_option("--device", options.device, "cpu, cuda or cuda:N [cpu]");
  command->add_option("-t,--threads", options.threads, "Threads of the CPU [1]")
      ->check(CLI::Range(1, 1024));
  command->callback([&] { action = [&] { return complete(options); }; });
}

void add_tokenize(CLI::App& app, TokenizeOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand(
      "tokenize", "JSON Lines in, JSON Lines out: {\"text\":..} or {\"ids\":..}");
  command
      ->add_option("--tokenizer", options.tokenizer, "A tokenizer's file, or a folder that has one")
      ->required();
  command->add_flag_callback(
      "--add-special-tokens", [&] { options.specials = TokenizeOptions::Specials::kAdd; },
      "Put the tokenizer's own special tokens around each text");
  command->add_flag_callback(
      "--decode", [&] { options.direction = TokenizeOptions::Direction::kDecode; }, "Ids to text");
  command->callback([&] { action = [&] { return tokenize(options); }; });
}

void add_train(CLI::App& app, TrainOptions& options, Action& action) {
  CLI::App* command =
      app.add_subcommand("train", "Train matched models that differ in their encoding");
  command->add_option("config", options.config, "Training YAML")->required();
  command->add_option("-o,--output", options.output, "Folder to write the models into")->required();
  command->add_option("--models", options.models, "Only these models of the config")
      ->delimiter(',');
  command->callback([&] { action = [&] { return train(options); }; });
}

void add_show(CLI::App& app, ShowOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand(
      "show", "Print what a task asks: prompts with visible white space and token borders");
  command->add_option("task", options.selection.tasks, "Task name or YAML file")
      ->required()
      ->expected(1);
  add_selection_options(*command, options.selection);
  add_model_settings(*command, options.selection);
  command->get_option("--model")->required();
  command->add_option("-n,--n", options.samples, "Samples to show [1]")->check(CLI::PositiveNumber);
  command->add_option("--seed", options.selection.seed, "Seed [0]");
  command->add_flag_callback(
      "--full", [&] { options.extent = ShowOptions::Extent::kFull; },
      "All of a long prompt, not its ends alone");
  command->callback([&] { action = [&] { return show(options); }; });
}

void add_list(CLI::App& app, ListOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand("list", "List what there is");
  command->add_option("what", options.what, "tasks, encodings, architectures or runs")
      ->required()
      ->check(CLI::IsMember({"tasks", "encodings", "architectures", "runs"}));
  command->add_option("--db", options.database, "Results database, for runs");
  command
      ->add_option("--include-path,--include_path", options.task_folders,
                   "Folder of task files, besides the shipped ones (repeatable)")
      ->allow_extra_args(false);
  command->callback([&] { action = [&] { return list(options); }; });
}

void add_validate(CLI::App& app, ValidateOptions& options, Action& action) {
  CLI::App* command =
      app.add_subcommand("validate", "Check a suite or a task file, its models and its data");
  command->add_option("file", options.file, "Suite or task YAML")->required();
  add_selection_options(*command, options.selection);
  command->add_option("--set", options.set, "Override a suite value: key.path=value (repeatable)")
      ->allow_extra_args(false);
  command->callback([&] { action = [&] { return validate(options); }; });
}

void add_generate(CLI::App& app, GenerateOptions& options, Action& action) {
  CLI::App* command =
      app.add_subcommand("generate", "Write the small-world evaluation data of the shipped suites");
  command->add_option("-o,--output", options.output, "Folder to write into")->required();
  command->add_option("--seed", options.seed, "Seed of the held-out stream");
  command->callback([&] { action = [&] { return generate(options); }; });
}

/// CLI11 would only say that a subcommand is required.
void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string name = argv[1];
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw Error(ErrorKind::kConfig, fmt::format("unknown command '{}'{}; it is one of: {}", name,
                                              did_you_mean(name, names), fmt::join(names, ", ")));
}

/// A shell expands "~" where an argument begins with it, not in --model=~/x and NAME=~/x.
void expand_home_in_paths(CLI::App& app) {
  constexpr std::array kPaths = {
      "--model",  "--tasks",  "--include-path", "--data-dir",      "--db",        "--output",
      "--tokens", "--logits", "--against",      "--hidden-states", "--tokenizer", "--haystack",
      "--qa",     "suite",    "model",          "config",          "task",        "file"};
  const auto expand = [](std::string written) { return expand_home(written); };
  for (CLI::App* const command : app.get_subcommands({})) {
    for (const char* const name : kPaths) {
      if (CLI::Option* const option = command->get_option_no_throw(name)) option->transform(expand);
    }
  }
}

/// ", did you mean ..." for each option that the command does not have.
std::string nearest_options(const CLI::App& app, const std::vector<std::string>& unknown) {
  std::string hints;
  for (const CLI::App* command : app.get_subcommands()) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    for (const std::string& found : unknown) {
      const std::string name = found.substr(0, found.find('='));
      if (!name.starts_with("--")) continue;
      const std::string hint = did_you_mean(name, names);
      if (!hint.empty()) hints += fmt::format("{}{}\n", name, hint);
    }
  }
  return hints;
}

int refuse_arguments(const CLI::App& app, const CLI::ParseError& error) {
  const int status = app.exit(error);
  if (status == 0) return std::cout.flush() ? kDone : kBadInput;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    std::fputs(nearest_options(app, app.remaining(true)).c_str(), stderr);
  return kBadInput;
}

Error output_error() {
  return {ErrorKind::kData,
          "standard output could not be written (is the disk full?); the output is cut off"};
}

int run_program(int argc, char** argv) {
  CLI::App app("Yardstick measures how far a language model's context really stretches.",
               "yardstick");
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(1);
  Action action;
  RunOptions run_options{.command_line = join_arguments(argc, argv)};
  RunOptions plan_options;
  ReportOptions report_options;
  ForgetOptions forget_options;
  InspectOptions inspect_options;
  ScoreOptions score_options;
  VerifyOptions verify_options;
  CompleteOptions complete_options;
  TokenizeOptions tokenize_options;
  TrainOptions train_options;
  ShowOptions show_options;
  ListOptions list_options;
  ValidateOptions validate_options;
  GenerateOptions generate_options;
  add_run(app, run_options, action);
  add_plan(app, plan_options, action);
  add_report(app, report_options, action);
  add_forget(app, forget_options, action);
  add_inspect(app, inspect_options, action);
  add_score(app, score_options, action);
  add_verify(app, verify_options, action);
  add_complete(app, complete_options, action);
  add_tokenize(app, tokenize_options, action);
  add_train(app, train_options, action);
  add_show(app, show_options, action);
  add_list(app, list_options, action);
  add_validate(app, validate_options, action);
  add_generate(app, generate_options, action);
  expand_home_in_paths(app);
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return refuse_arguments(app, error);
  }
  int status = kDone;
  try {
    status = action();
  } catch (const std::system_error&) {
    if (std::ferror(stdout) == 0) throw;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw output_error();
  if (std::ferror(stderr) != 0) {
    fmt::print(
        "yardstick: standard error could not be written (is the disk full?); warnings and "
        "progress are lost\n");
    return status == kDone ? kBadInput : status;
  }
  return status;
}

/// An error's line; where standard error cannot be written, the exit status tells.
void say(const std::string& line) {
  std::fputs(("yardstick: " + escaped_lines(line) + "\n").c_str(), stderr);
}

}  // namespace
}  // namespace yardstick::cli

int main(int argc, char** argv) {
  // Threads that wait by spinning cost a busy machine more than they save an idle one; read by
  // OpenMP when the computing library is opened.
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  try {
    return yardstick::cli::run_program(argc, argv);
  } catch (const yardstick::Error& error) {
    yardstick::cli::say(error.what());
    const bool ours = error.kind() == yardstick::ErrorKind::kInternal;
    return ours ? yardstick::cli::kSomeFailed : yardstick::cli::kBadInput;
  } catch (const std::exception& error) {
    yardstick::cli::say(fmt::format("unexpected error: {} (please report this)", error.what()));
    return yardstick::cli::kSomeFailed;
  }
}
