// Perplexity of texts at given context lengths, under a protocol that has a name
// (tasks/perplexity/protocols).
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/data/data_files.hpp"
#include "tasks/data/documents.hpp"
#include "tasks/data/jsonl.hpp"
#include "tasks/data/oddities.hpp"
#include "tasks/data/source.hpp"
#include "tasks/data/subset.hpp"
#include "tasks/data/text_file.hpp"
#include "tasks/kinds.hpp"
#include "tasks/perplexity/longppl.hpp"
#include "tasks/perplexity/protocols/registry.hpp"
#include "tasks/perplexity/summary.hpp"
#include "tasks/perplexity/window_sample.hpp"
#include "tasks/sample_score.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 3;  // raise it when the same parameters would give other numbers

struct Parameters {
  const ProtocolEntry* entry = nullptr;
  std::unique_ptr<const WindowProtocol> protocol;
  DataSource source;
  DocumentJoin documents = DocumentJoin::kJoined;
  Positions positions = Positions::kBuckets;
  std::optional<std::int64_t> max_tokens;
  std::vector<std::int64_t> lengths;  ///< in place of the suite's, if not empty
  std::string count_field;            ///< whose bytes and words count, of whole texts
};

class PerplexityTask final : public Task, public HasDataFiles {
 public:
  explicit PerplexityTask(Parameters parameters)
      : parameters_(std::move(parameters)), data_files_{stamp_file(parameters_.source.path)} {}

  [[nodiscard]] std::string_view kind() const override { return "perplexity"; }
  [[nodiscard]] std::string protocol() const override;
  [[nodiscard]] Headline headline() const override;
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override;
  [[nodiscard]] std::vector<std::string> notes() const override;
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] const std::vector<FileStamp>& data_files() const override { return data_files_; }
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override;
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& /*codec*/) const override {
    SampleScore score = score_windows(sample, responses, parameters_.positions);
    if (const auto weight = sample.facts.find(kHfWeight); weight != sample.facts.end())
      score.values[kHfWeight] = weight->get<double>();
    return score;
  }
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t seed) const override;

 private:
  using Counts = std::map<std::string, TextCounts>;

  [[nodiscard]] bool is_joined() const { return parameters_.documents == DocumentJoin::kJoined; }
  [[nodiscard]] bool has_text_counts() const {
    return parameters_.entry->reporting == Reporting::kWholeTexts &&
           parameters_.source.holds_text();
  }
  [[nodiscard]] SampleScore skipped(const Document& document, std::int64_t opening,
                                    const CellAxes& cell) const;
  [[nodiscard]] std::vector<Document> with_prefix(std::vector<Document> documents,
                                                  const TextCodec& codec) const;
  void add_samples(Built& built, const Windows& cuts, const WindowContext& context) const;
  void add_whole_text(Built& built, const Windows& cuts, const WindowContext& context,
                      const Counts& counts) const;

  Parameters parameters_;
  std::vector<FileStamp> data_files_;
};

std::string PerplexityTask::protocol() const {
  std::string weights = "token-weighted";
  if (parameters_.entry->reporting == Reporting::kWindowMeans)
    weights = "headline the unweighted mean of window means";
  if (has_text_counts()) {
    weights = fmt::format("weighted by the words of the whole {}",
                          parameters_.count_field.empty()
                              ? "text"
                              : fmt::format("field '{}'", parameters_.count_field));
  }
  return fmt::format("perplexity v{}: {}, documents {}, {}, bootstrap over {}", kVersion,
                     parameters_.protocol->text(), is_joined() ? "joined" : "separate", weights,
                     is_joined() ? "windows" : "documents (samples of a single one)");
}

Task::Headline PerplexityTask::headline() const {
  Headline headline{.metric = "perplexity", .better = Headline::Better::kLower};
  if (parameters_.entry->reporting == Reporting::kWindowMeans)
    headline.metric = "perplexity_mean_of_windows";
  if (has_text_counts()) headline.metric = "word_perplexity";
  return headline;
}

std::vector<CellAxes> PerplexityTask::cells(std::span<const std::int64_t> lengths) const {
  if (!parameters_.lengths.empty()) lengths = parameters_.lengths;
  std::vector<CellAxes> out;
  if (lengths.empty()) return out;
  const std::int64_t shortest = *std::min_element(lengths.begin(), lengths.end());
  if (shortest < 2) {
    throw Error(ErrorKind::kConfig,
                fmt::format("perplexity: a length of {} leaves no token to score; the least is 2",
                            shortest));
  }
  const std::string variant = parameters_.protocol->variant(lengths);
  for (const std::int64_t length : lengths)
    out.push_back({.length_tokens = length, .depth = std::nullopt, .variant = variant});
  return out;
}

void PerplexityTask::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
      .add("protocol", parameters_.protocol->name())
      .add("documents", is_joined() ? "joined" : "separate")
      .add("positions", parameters_.positions == Positions::kEvery ? "every" : "buckets")
      .add("max_tokens", parameters_.max_tokens.value_or(0))
      .add("count_field", parameters_.count_field);
  parameters_.protocol->describe(fingerprint);
  yardstick::tasks::describe(parameters_.source, fingerprint);
}

std::vector<std::string> PerplexityTask::notes() const {
  Oddities oddities;
  const DataSource& source = parameters_.source;
  try {
    if (source.format == DataFormat::kJsonl) {
      for_each_json_line(source.path, [&](std::int64_t line, nlohmann::ordered_json&& object) {
        oddities.look_at(object, line);
        return Proceed::kNext;
      });
    } else if (source.format == DataFormat::kText) {
      oddities.look_at_lines(read_text_file(source.path));
    }
  } catch (const Error&) {
    return {};  // build() says it for each cell
  }
  return oddities.notes(source.path.string());
}

SampleScore PerplexityTask::skipped(const Document& document, std::int64_t opening,
                                    const CellAxes& cell) const {
  SampleScore score =
      skipped_sample(document.id, fmt::format("too short: {} has {} tokens, the protocol needs {}",
                                              document.id, document.tokens.size(),
                                              parameters_.protocol->tokens_needed(opening, cell)));
  score.values["tokens_skipped"] = static_cast<double>(document.tokens.size());
  score.values["documents_skipped"] = 1;
  return score;
}

/// An empty document of a joined stream.
SampleScore left_out(const std::string& id) {
  SampleScore score;
  score.sample_id = id;
  score.document_id = id;
  score.status = SampleStatus::kSkipped;
  score.reason = fmt::format("empty: {} has no token; the stream leaves it out", id);
  score.values["tokens_skipped"] = 0;
  score.values["documents_skipped"] = 1;
  return score;
}

// The script counts a window's targets and takes one away for the shift of labels: right for a
// window whose first token is a target, one too few where the token before the targets is there.
std::int64_t hf_weight(std::span<const Window> windows, std::size_t i) {
  const Window& window = windows[i];
  const bool is_new = i == 0 || windows[i - 1].end <= window.begin;
  return window.end - window.score_from - (is_new ? 0 : 1);
}

/// The documents with what the protocol puts in front of each; it stands for no text.
std::vector<Document> PerplexityTask::with_prefix(std::vector<Document> documents,
                                                  const TextCodec& codec) const {
  const std::vector<TokenId> prefix = parameters_.protocol->text_prefix(codec);
  for (Document& document : documents) {
    document.tokens.insert(document.tokens.begin(), prefix.begin(), prefix.end());
    if (document.bytes.empty()) continue;
    document.bytes.insert(document.bytes.begin(), prefix.size(), 0);
    document.words.insert(document.words.begin(), prefix.size(), 0);
  }
  return documents;
}

void PerplexityTask::add_samples(Built& built, const Windows& cuts,
                                 const WindowContext& context) const {
  const std::string& document = context.document.id;
  for (std::size_t i = 0; i < cuts.windows.size(); ++i) {
    Sample sample = sample_of(std::span(cuts.windows).subspan(i, 1), context);
    sample.id = fmt::format("{}/{:06}", document, i);
    sample.document_id = is_joined() ? sample.id : document;
    const bool is_last = i + 1 == cuts.windows.size();
    sample.facts["tokens_skipped"] = is_last ? cuts.tokens_skipped : 0;
    if (parameters_.entry->reporting == Reporting::kHfScript)
      sample.facts[kHfWeight] = hf_weight(cuts.windows, i);
    built.samples.push_back(std::move(sample));
  }
}

void PerplexityTask::add_whole_text(Built& built, const Windows& cuts, const WindowContext& context,
                                    const Counts& counts) const {
  Sample sample = sample_of(cuts.windows, context);
  sample.id = context.document.id;
  sample.document_id = sample.id;
  sample.facts["tokens_skipped"] = cuts.tokens_skipped;
  if (const auto found = counts.find(sample.id); found != counts.end()) {
    sample.facts["scored_bytes"] = sample.facts.at("bytes");
    sample.facts["scored_words"] = sample.facts.at("words");
    sample.facts["bytes"] = found->second.bytes;
    sample.facts["words"] = found->second.parts;  // lm-evaluation-harness counts these
  }
  built.samples.push_back(std::move(sample));
}

Task::Built PerplexityTask::build(const CellAxes& cell, const BuildContext& context) const {
  check(cell.length_tokens.has_value(), "a perplexity cell has a length");
  const std::vector<TokenId> opening = parameters_.protocol->opening(context.codec);
  const std::vector<TokenId> bos = context.codec.window_prefix();
  Documents documents = read_documents(parameters_.source, parameters_.documents, context.codec,
                                       parameters_.max_tokens, parameters_.entry->specials);
  documents.read = with_prefix(std::move(documents.read), context.codec);
  Counts counts;
  if (has_text_counts()) {
    const std::string& field = parameters_.count_field;
    counts = count_texts(parameters_.source, field.empty() ? parameters_.source.field : field);
  }
  const auto most = static_cast<std::int64_t>(opening.size());
  Built built;
  for (const Document& document : documents.read) {
    const Windows cuts = parameters_.protocol->cut(document.tokens, opening, cell);
    const WindowContext window{.document = document, .opening = opening, .bos = bos};
    if (cuts.windows.empty()) {
      built.skipped.push_back(skipped(document, most, cell));
    } else if (parameters_.entry->reporting == Reporting::kWholeTexts) {
      add_whole_text(built, cuts, window, counts);
    } else {
      add_samples(built, cuts, window);
    }
  }
  for (const std::string& id : documents.left_out) built.skipped.push_back(left_out(id));
  if (documents.read.empty() && documents.left_out.empty()) {
    Document nothing;
    nothing.id = "stream";
    built.skipped.push_back(skipped(nothing, most, cell));
  }
  std::vector<Sample> chosen;
  for (const std::size_t index :
       choose_subset(built.samples.size(), context.subset, context.seed, "perplexity/limit")) {
    chosen.push_back(std::move(built.samples[index]));
  }
  built.samples = std::move(chosen);
  return built;
}

std::vector<MetricValue> PerplexityTask::aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t seed) const {
  SummaryPlan plan;
  if (parameters_.entry->reporting == Reporting::kWindowMeans)
    plan.samples = SummaryPlan::Samples::kMeanOfWindows;
  if (parameters_.entry->reporting == Reporting::kHfScript)
    plan.samples = SummaryPlan::Samples::kHfScript;
  if (!is_joined()) plan.documents = SummaryPlan::Documents::kSeparate;
  return summarize_losses(scores, plan, seed);
}

constexpr std::array<DataFormat, 5> kAccepted = {
    DataFormat::kText, DataFormat::kJsonl, DataFormat::kNpy, DataFormat::kBin, DataFormat::kJson};

DocumentJoin read_join(Fields& fields, DocumentJoin fallback) {
  constexpr std::array<std::pair<std::string_view, DocumentJoin>, 2> kJoins = {
      {{"joined", DocumentJoin::kJoined}, {"separate", DocumentJoin::kSeparate}}};
  return fields.choice("documents", fallback,
                       std::span<const std::pair<std::string_view, DocumentJoin>>(kJoins));
}

std::string read_count_field(Fields& fields, const DataSource& source) {
  const std::optional<std::string> field = fields.optional_text("count_field");
  if (field && source.format != DataFormat::kJsonl) {
    throw fields.error("count_field", fmt::format("names a field of JSON lines; the data are '{}'",
                                                  to_string(source.format)));
  }
  return field.value_or("");
}

}  // namespace

std::unique_ptr<const Task> make_perplexity(Fields& fields, const TaskDefinition& definition) {
  if (fields.optional_text("protocol") == "longppl") return make_longppl(fields, definition);
  Parameters parameters;
  parameters.source = read_source(fields, definition.base, kAccepted);
  parameters.entry = &read_protocol(fields);
  parameters.protocol = parameters.entry->make(fields);
  parameters.documents = read_join(fields, parameters.entry->documents);
  constexpr std::array<std::pair<std::string_view, Positions>, 2> kPositions = {
      {{"buckets", Positions::kBuckets}, {"every", Positions::kEvery}}};
  parameters.positions =
      fields.choice("positions", Positions::kBuckets,
                    std::span<const std::pair<std::string_view, Positions>>(kPositions));
  parameters.max_tokens = fields.optional_length("max_tokens");
  parameters.lengths = fields.lengths("lengths");
  parameters.count_field = read_count_field(fields, parameters.source);
  if (parameters.max_tokens && parameters.entry->reporting == Reporting::kWholeTexts) {
    throw fields.error("max_tokens", fmt::format("is of no use to `protocol: {}`, which counts the "
                                                 "words of whole texts; use the suite's `limit`",
                                                 parameters.entry->name));
  }
  return std::make_unique<PerplexityTask>(std::move(parameters));
}

}  // namespace yardstick::tasks
