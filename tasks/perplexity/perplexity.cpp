#include "tasks/perplexity/perplexity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/data/documents.hpp"
#include "tasks/data/source.hpp"
#include "tasks/data/subset.hpp"
#include "tasks/perplexity/summary.hpp"
#include "tasks/perplexity/windows.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other numbers
constexpr std::int64_t kDefaultLastTokens = 256;
constexpr std::size_t kFirstIdsShown = 8;

enum class Protocol { kDisjoint, kNested, kLastK };

std::string_view to_string(Protocol protocol) {
  switch (protocol) {
    case Protocol::kDisjoint: return "disjoint";
    case Protocol::kNested: return "nested";
    case Protocol::kLastK: break;
  }
  return "last-k";
}

struct Parameters {
  DataSource source;
  Protocol protocol = Protocol::kDisjoint;
  DocumentJoin documents = DocumentJoin::kJoined;
  Tail tail = Tail::kDrop;
  std::optional<std::int64_t> k;       ///< targets of a last-k window
  std::optional<std::int64_t> stride;  ///< tokens between two ends of last-k windows
  std::optional<std::int64_t> max_tokens;
  std::vector<std::int64_t> lengths;  ///< in place of the suite's, if not empty
};

class PerplexityTask final : public Task {
 public:
  explicit PerplexityTask(Parameters parameters) : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::string_view kind() const override { return "perplexity"; }
  [[nodiscard]] std::string protocol() const override;
  [[nodiscard]] Headline headline() const override {
    return {.metric = "perplexity", .better = Headline::Better::kLower};
  }
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override;
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override;
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const override;
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t seed) const override {
    return summarize_losses(scores, seed);
  }

 private:
  [[nodiscard]] std::string windows_text() const;
  [[nodiscard]] Windows cut(const Document& document, std::span<const TokenId> prefix,
                            const CellAxes& cell) const;
  [[nodiscard]] std::int64_t tokens_needed(std::span<const TokenId> prefix,
                                           const CellAxes& cell) const;
  [[nodiscard]] SampleScore skipped(const Document& document, std::span<const TokenId> prefix,
                                    const CellAxes& cell) const;

  Parameters parameters_;
};

std::string PerplexityTask::windows_text() const {
  switch (parameters_.protocol) {
    case Protocol::kDisjoint:
      return fmt::format("disjoint windows, tail {}",
                         parameters_.tail == Tail::kDrop ? "dropped" : "scored");
    case Protocol::kNested:
      return "the beginnings of disjoint windows of the longest length, tail dropped";
    case Protocol::kLastK: break;
  }
  return fmt::format("last {} tokens of windows with fixed ends, same targets at every length",
                     parameters_.k ? std::to_string(*parameters_.k) : "k");
}

std::string PerplexityTask::protocol() const {
  const bool is_joined = parameters_.documents == DocumentJoin::kJoined;
  return fmt::format("perplexity v{}: {}, documents {}, token-weighted, bootstrap over {}",
                     kVersion, windows_text(), is_joined ? "joined" : "separate",
                     is_joined ? "windows" : "documents (windows of a single one)");
}

std::vector<CellAxes> PerplexityTask::cells(std::span<const std::int64_t> lengths) const {
  if (!parameters_.lengths.empty()) lengths = parameters_.lengths;
  std::vector<CellAxes> out;
  if (lengths.empty()) return out;
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  if (*shortest < 2) {
    throw Error(ErrorKind::kConfig,
                fmt::format("perplexity: a length of {} leaves no token to score; the least is 2",
                            *shortest));
  }
  std::string variant;
  if (parameters_.protocol == Protocol::kNested) variant = format_longest(*longest);
  if (parameters_.protocol == Protocol::kLastK) {
    const LastTargets targets{
        .k = parameters_.k.value_or(std::min(*shortest / 2, kDefaultLastTokens)),
        .longest = *longest,
        .stride = parameters_.stride.value_or(*longest)};
    if (targets.k >= *shortest || targets.stride < targets.k) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("perplexity: k = {} must be less than the shortest length ({}) and "
                              "at most the stride ({})",
                              targets.k, *shortest, targets.stride));
    }
    variant = format_targets(targets);
  }
  for (const std::int64_t length : lengths) {
    out.push_back({.length_tokens = length, .depth = std::nullopt, .variant = variant});
  }
  return out;
}

void PerplexityTask::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
      .add("protocol", to_string(parameters_.protocol))
      .add("documents", parameters_.documents == DocumentJoin::kJoined ? "joined" : "separate")
      .add("tail", parameters_.tail == Tail::kDrop ? "drop" : "score")
      .add("k", parameters_.k.value_or(0))
      .add("stride", parameters_.stride.value_or(0))
      .add("max_tokens", parameters_.max_tokens.value_or(0));
  // The k and stride in use, and the longest length, are in the cell's variant.
  yardstick::tasks::describe(parameters_.source, fingerprint);
}

Windows PerplexityTask::cut(const Document& document, std::span<const TokenId> prefix,
                            const CellAxes& cell) const {
  const std::int64_t length = cell.length_tokens.value();
  switch (parameters_.protocol) {
    case Protocol::kDisjoint:
      return cut_disjoint(document.tokens, prefix, {.length = length, .tail = parameters_.tail});
    case Protocol::kNested:
      return cut_nested(document.tokens, prefix, length, parse_longest(cell.variant));
    case Protocol::kLastK: break;
  }
  return cut_last(document.tokens, prefix, length, parse_targets(cell.variant));
}

/// Tokens of the shortest document that gives a window.
std::int64_t PerplexityTask::tokens_needed(std::span<const TokenId> prefix,
                                           const CellAxes& cell) const {
  const auto opening = static_cast<std::int64_t>(prefix.size());
  switch (parameters_.protocol) {
    case Protocol::kDisjoint:
      return (parameters_.tail == Tail::kScore ? 2 : cell.length_tokens.value()) - opening;
    case Protocol::kNested: return parse_longest(cell.variant) - opening;
    case Protocol::kLastK: break;
  }
  return parse_targets(cell.variant).longest;
}

SampleScore PerplexityTask::skipped(const Document& document, std::span<const TokenId> prefix,
                                    const CellAxes& cell) const {
  SampleScore score;
  score.sample_id = document.id;
  score.document_id = document.id;
  score.status = SampleStatus::kSkipped;
  score.reason = fmt::format("too short: {} has {} tokens, the protocol needs {}", document.id,
                             document.tokens.size(), tokens_needed(prefix, cell));
  score.values["tokens_skipped"] = static_cast<double>(document.tokens.size());
  return score;
}

Request window_request(const Document& document, const Window& window,
                       std::span<const TokenId> prefix) {
  Request request;
  const auto opening = static_cast<std::ptrdiff_t>(window.prefix);
  request.tokens.assign(prefix.begin(), prefix.begin() + opening);
  request.tokens.insert(request.tokens.end(), document.tokens.begin() + window.begin,
                        document.tokens.begin() + window.end);
  request.score_from = window.prefix + window.score_from - window.begin;
  return request;
}

nlohmann::json window_facts(const Document& document, const Window& window,
                            const Request& request) {
  nlohmann::json facts = {{"first_token", window.begin},
                          {"window_tokens", request.tokens.size()},
                          {"scored", window.end - window.score_from},
                          {"bos", window.prefix > 0 ? "added" : "none added"}};
  facts["first_ids"] = std::vector<TokenId>(
      request.tokens.begin(), request.tokens.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                           request.tokens.size(), kFirstIdsShown)));
  if (!document.bytes.empty()) {
    facts["bytes"] = std::accumulate(document.bytes.begin() + window.score_from,
                                     document.bytes.begin() + window.end, std::int64_t{0});
  }
  return facts;
}

Task::Built PerplexityTask::build(const CellAxes& cell, const BuildContext& context) const {
  check(cell.length_tokens.has_value(), "a perplexity cell has a length");
  const std::vector<TokenId> prefix = context.codec.window_prefix();
  const std::vector<Document> documents = read_documents(parameters_.source, parameters_.documents,
                                                         context.codec, parameters_.max_tokens);
  const bool is_joined = parameters_.documents == DocumentJoin::kJoined;
  Built built;
  for (const Document& document : documents) {
    const Windows cuts = cut(document, prefix, cell);
    if (cuts.windows.empty()) {
      built.skipped.push_back(skipped(document, prefix, cell));
      continue;
    }
    for (std::size_t i = 0; i < cuts.windows.size(); ++i) {
      Sample sample;
      sample.id = fmt::format("{}/{:06}", document.id, i);
      sample.document_id = is_joined ? sample.id : document.id;
      sample.requests.push_back(window_request(document, cuts.windows[i], prefix));
      sample.facts = window_facts(document, cuts.windows[i], sample.requests.front());
      const bool is_last = i + 1 == cuts.windows.size();
      sample.facts["tokens_skipped"] = is_last ? cuts.tokens_skipped : 0;
      built.samples.push_back(std::move(sample));
    }
  }
  if (documents.empty()) {
    built.skipped.push_back(skipped({.id = "stream", .tokens = {}, .bytes = {}}, prefix, cell));
  }
  std::vector<Sample> chosen;
  for (const std::size_t index :
       choose_subset(built.samples.size(), context.subset, context.seed, "perplexity/limit")) {
    chosen.push_back(std::move(built.samples[index]));
  }
  built.samples = std::move(chosen);
  return built;
}

SampleScore PerplexityTask::score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& /*codec*/) const {
  check(responses.size() == 1 && sample.requests.size() == 1, "a window is one request");
  const Response& response = responses.front();
  const Request& request = sample.requests.front();
  SampleScore score;
  score.sample_id = sample.id;
  score.document_id = sample.document_id;
  score.details = sample.facts;
  score.values["tokens_skipped"] = sample.facts.at("tokens_skipped").get<double>();
  const bool is_finite = response.status == ResponseStatus::kOk &&
                         std::all_of(response.nll.begin(), response.nll.end(),
                                     [](double x) { return std::isfinite(x); });
  if (!is_finite) {
    score.status = SampleStatus::kNonFinite;
    score.reason = "a NaN or infinity in the model's output; try dtype f32 or bf16";
    return score;
  }
  check(static_cast<std::int64_t>(response.nll.size()) ==
            static_cast<std::int64_t>(request.tokens.size()) - request.score_from,
        "a response has one loss for each scored token");
  score.values["sum_nll"] = std::accumulate(response.nll.begin(), response.nll.end(), 0.0);
  score.values["tokens"] = static_cast<double>(response.nll.size());
  if (sample.facts.contains("bytes")) {
    score.values["bytes"] = sample.facts.at("bytes").get<double>();
  }
  score.position_losses = bucket_losses(response.nll, request.score_from);
  return score;
}

using ProtocolWord = std::pair<std::string_view, Protocol>;
constexpr std::array<ProtocolWord, 4> kProtocols = {{{"disjoint", Protocol::kDisjoint},
                                                     {"fope", Protocol::kDisjoint},
                                                     {"nested", Protocol::kNested},
                                                     {"last-k", Protocol::kLastK}}};
using JoinWord = std::pair<std::string_view, DocumentJoin>;
constexpr std::array<JoinWord, 2> kJoins = {
    {{"joined", DocumentJoin::kJoined}, {"separate", DocumentJoin::kSeparate}}};
using TailWord = std::pair<std::string_view, Tail>;
constexpr std::array<TailWord, 2> kTails = {{{"drop", Tail::kDrop}, {"score", Tail::kScore}}};
constexpr std::array<DataFormat, 5> kAccepted = {
    DataFormat::kText, DataFormat::kJsonl, DataFormat::kNpy, DataFormat::kBin, DataFormat::kJson};

// A key that only another protocol uses would be ignored, so it is refused.
void refuse_other_protocols(Fields& fields, Protocol protocol) {
  constexpr std::array<std::pair<std::string_view, Protocol>, 3> kOwners = {
      {{"k", Protocol::kLastK}, {"stride", Protocol::kLastK}, {"tail", Protocol::kDisjoint}}};
  for (const auto& [key, owner] : kOwners) {
    if (owner == protocol || !fields.has(key)) continue;
    throw fields.error(
        key, fmt::format("is of no use to `protocol: {}`; remove it or set `protocol: {}`",
                         to_string(protocol), to_string(owner)));
  }
}

}  // namespace

std::unique_ptr<const Task> make_perplexity(Fields& fields, const TaskDefinition& definition) {
  Parameters parameters;
  parameters.source = read_source(fields, definition.base, kAccepted);
  parameters.protocol =
      fields.choice("protocol", Protocol::kDisjoint, std::span<const ProtocolWord>(kProtocols));
  parameters.documents =
      fields.choice("documents", DocumentJoin::kJoined, std::span<const JoinWord>(kJoins));
  refuse_other_protocols(fields, parameters.protocol);
  parameters.tail = fields.choice("tail", Tail::kDrop, std::span<const TailWord>(kTails));
  parameters.k = fields.optional_length("k");
  parameters.stride = fields.optional_length("stride");
  parameters.max_tokens = fields.optional_length("max_tokens");
  parameters.lengths = fields.lengths("lengths");
  return std::make_unique<PerplexityTask>(std::move(parameters));
}

}  // namespace yardstick::tasks
