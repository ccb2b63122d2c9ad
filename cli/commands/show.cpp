// `yardstick show`: what a task asks a model, as it is sent: text with visible white space, borders
// of tokens, what is scored and how long it is. Computes nothing.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/commands/selection.hpp"
#include "cli/commands/stops.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "harness/suite/suite.hpp"
#include "tasks/task.hpp"

namespace yardstick::cli {
namespace {

constexpr std::int64_t kTokensShown = 120;  // at each end, without --full

/// Blanks as "·", tabs as "→", line ends as "⏎" and a line end, other control characters by number.
std::string visible(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ')
      out += "·";
    else if (c == '\n')
      out += "⏎\n";
    else if (c == '\t')
      out += "→";
    else
      out += c;
  }
  return escaped_lines(out);
}

/// The text that a token adds behind the one before it: a tokenizer may decode a first token
/// otherwise (SentencePiece drops its blank).
std::string token_text(const TextCodec& codec, std::span<const TokenId> ids, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  if (i == 0) return codec.decode(ids.subspan(0, 1));
  const std::string before = codec.decode(ids.subspan(at - 1, 1));
  const std::string both = codec.decode(ids.subspan(at - 1, 2));
  return both.starts_with(before) ? both.substr(before.size()) : codec.decode(ids.subspan(at, 1));
}

/// Tokens [begin, end), each behind a "|"; those that stand for no text, or for a part of a
/// character, by their id.
std::string show_tokens(const TextCodec& codec, std::span<const TokenId> ids, std::int64_t begin,
                        std::int64_t end) {
  std::string out;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::string text = token_text(codec, ids, i);
    const bool is_text = !text.empty() && text.find("\xEF\xBF\xBD") == std::string::npos;
    out += "|" + (is_text ? visible(text) : fmt::format("<{}>", ids[static_cast<std::size_t>(i)]));
  }
  return out + "|";
}

std::string show_prompt(const TextCodec& codec, std::span<const TokenId> ids, std::int64_t size,
                        ShowOptions::Extent extent) {
  if (extent == ShowOptions::Extent::kFull || size <= 2 * kTokensShown)
    return show_tokens(codec, ids, 0, size);
  return fmt::format("{}\n[... {} tokens; --full shows them ...]\n{}",
                     show_tokens(codec, ids, 0, kTokensShown), size - 2 * kTokensShown,
                     show_tokens(codec, ids, size - kTokensShown, size));
}

void print_request(const tasks::Task& task, const TextCodec& codec, const Request& request,
                   const Request* first, ShowOptions::Extent extent) {
  const std::span<const TokenId> ids(request.tokens);
  const std::int64_t size = std::ssize(request.tokens);
  const std::int64_t context = std::min(request.score_from, size);
  const bool is_same =
      first != nullptr && first->score_from == request.score_from &&
      std::equal(ids.begin(), ids.begin() + context, first->tokens.begin(),
                 first->tokens.begin() + std::min(context, std::ssize(first->tokens)));
  if (is_same)
    fmt::print("  context: as above\n");
  else
    fmt::print("{}\n", show_prompt(codec, ids, context, extent));
  if (context < size)
    fmt::print("  scored: {}\n", show_tokens(codec, ids, context,
                                             extent == ShowOptions::Extent::kFull
                                                 ? size
                                                 : std::min(size, context + kTokensShown)));
  if (request.max_new_tokens > 0)
    fmt::print("  generated: up to {} tokens, ending at {}\n", request.max_new_tokens,
               describe_stops(request, task));
}

void print_sample(const tasks::Task& task, const TextCodec& codec, const tasks::Sample& sample,
                  ShowOptions::Extent extent) {
  for (std::size_t i = 0; i < sample.requests.size(); ++i) {
    const Request& request = sample.requests[i];
    const std::int64_t size = std::ssize(request.tokens);
    fmt::print("-- {}, request {} of {}: {} tokens, {} scored\n", escaped(sample.id), i + 1,
               sample.requests.size(), size, size - std::min(request.score_from, size));
    print_request(task, codec, request, i > 0 ? &sample.requests.front() : nullptr, extent);
  }
  fmt::print("  facts: {}\n",
             escaped(sample.facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

void show_cell(const tasks::Task& task, const tasks::CellAxes& cell, const TextCodec& codec,
               const ShowOptions& options, std::uint64_t seed) {
  const tasks::Task::Built built = task.build(
      cell, {.codec = codec, .seed = seed, .subset = {.limit = options.samples, .choice = {}}});
  fmt::print("   cell{}: {} samples{}\n", describe_cell(cell), built.samples.size(),
             built.skipped.empty() ? "" : fmt::format(", {} skipped", built.skipped.size()));
  for (const tasks::SampleScore& score : built.skipped)
    fmt::print("-- {}: skipped: {}\n", escaped(score.sample_id), escaped(score.reason));
  for (const tasks::Sample& sample : built.samples)
    print_sample(task, codec, sample, options.extent);
}

void show_task(const harness::SuiteTask& entry, const TextCodec& codec, const ShowOptions& options,
               std::uint64_t seed) {
  const std::unique_ptr<const tasks::Task> task = tasks::make_task(entry.definition);
  fmt::print("== {}: {}\n", entry.definition.name, escaped(task->protocol()));
  fmt::print("   definition: {}\n", escaped(entry.definition.parameters.values().dump(
                                        -1, ' ', false, nlohmann::json::error_handler_t::replace)));
  const std::vector<tasks::CellAxes> cells = task->cells(entry.lengths);
  if (cells.empty()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("the task '{}' needs --lengths", entry.definition.name));
  }
  // With --lengths the cells of those lengths, one each; otherwise the first.
  std::vector<tasks::CellAxes> shown;
  for (const tasks::CellAxes& cell : cells) {
    const bool is_new = std::none_of(shown.begin(), shown.end(), [&](const tasks::CellAxes& other) {
      return other.length_tokens == cell.length_tokens;
    });
    if (is_new && (cell.length_tokens || options.selection.lengths.empty())) shown.push_back(cell);
  }
  if (!options.selection.lengths.empty() && shown.empty()) {
    throw Error(
        ErrorKind::kConfig,
        fmt::format("--lengths: the task '{}' is not asked at lengths of one's choice; leave "
                    "the option out",
                    entry.definition.name));
  }
  if (options.selection.lengths.empty()) shown = {cells.front()};
  for (const tasks::CellAxes& cell : shown) show_cell(*task, cell, codec, options, seed);
}

}  // namespace

int show(const ShowOptions& options) {
  const harness::Suite suite =
      harness::read_suite(suite_of(options.selection), with_selection({}, options.selection));
  for (const harness::SuiteModel& entry : suite.models) {
    const models::ModelFolder model(entry.spec);
    for (const harness::SuiteTask& task : suite.tasks)
      show_task(task, model.codec(), options, suite.seed);
  }
  return kDone;
}

}  // namespace yardstick::cli
