#include "tasks/perplexity/longppl.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/home_path.hpp"
#include "tasks/data/data_files.hpp"
#include "tasks/data/documents.hpp"
#include "tasks/data/jsonl.hpp"
#include "tasks/data/source.hpp"
#include "tasks/data/subset.hpp"
#include "tasks/metrics/ratio.hpp"
#include "tasks/perplexity/summary.hpp"
#include "tasks/perplexity/window_sample.hpp"
#include "tasks/sample_score.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other numbers
constexpr std::int64_t kDefaultShort = 4096;
constexpr std::int64_t kDefaultBlock = 1024;
constexpr double kDefaultThreshold = 2;  // nats, both of them
constexpr double kGreatestThreshold = 1000;

/// Bytes [begin, end) of a document's text.
struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Ranges of the key text of each document, ordered, by its id.
using KeyRanges = std::map<std::string, std::vector<ByteRange>>;

struct KeyFile {
  std::filesystem::path path;
  KeyRanges ranges;
  FileStamp before;  ///< reading
};

struct Parameters {
  DataSource source;
  std::int64_t short_tokens = kDefaultShort;  ///< least context of a token in a short window
  std::int64_t block = kDefaultBlock;         ///< targets of a short window
  double least_gain = kDefaultThreshold;      ///< nats that the long context has to save
  double greatest_loss = kDefaultThreshold;   ///< nats that are left with it, at most
  std::optional<KeyFile> keys;                ///< in place of the model as its own evaluator
  std::vector<std::int64_t> lengths;          ///< in place of the suite's, if not empty
};

class LongPplTask final : public Task, public HasDataFiles {
 public:
  explicit LongPplTask(Parameters parameters)
      : parameters_(std::move(parameters)), data_files_{stamp_file(parameters_.source.path)} {
    if (parameters_.keys) data_files_.push_back(parameters_.keys->before);
  }

  [[nodiscard]] std::string_view kind() const override { return "perplexity"; }
  [[nodiscard]] std::string protocol() const override;
  [[nodiscard]] Headline headline() const override {
    return {.metric = "longppl", .better = Headline::Better::kLower};
  }
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override;
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] const std::vector<FileStamp>& data_files() const override { return data_files_; }
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override;
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const override;
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t seed) const override;

 private:
  [[nodiscard]] SampleScore skipped(const Document& document, std::string reason) const;
  void add(Built& built, const Document& document, std::span<const TokenId> bos,
           const CellAxes& cell) const;
  void ask_short_windows(Sample& sample, const Document& document, std::span<const TokenId> bos,
                         std::int64_t size) const;

  Parameters parameters_;
  std::vector<FileStamp> data_files_;
};

std::string LongPplTask::protocol() const {
  if (parameters_.keys) {
    return fmt::format(
        "longppl v{}: perplexity of the key text of a file, first window of each "
        "document, token-weighted, bootstrap over documents",
        kVersion);
  }
  return fmt::format(
      "longppl v{}: tokens that the whole window predicts more than {} nats better than {} to {} "
      "tokens do and with a loss under {}, by the model itself, first window of each document, "
      "token-weighted, bootstrap over documents",
      kVersion, parameters_.least_gain, parameters_.short_tokens,
      parameters_.short_tokens + parameters_.block - 1, parameters_.greatest_loss);
}

std::vector<CellAxes> LongPplTask::cells(std::span<const std::int64_t> lengths) const {
  if (!parameters_.lengths.empty()) lengths = parameters_.lengths;
  const std::int64_t least = parameters_.keys ? 2 : parameters_.short_tokens + parameters_.block;
  std::vector<CellAxes> out;
  for (const std::int64_t length : lengths) {
    if (length < least) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("longppl: no token of a window of {} has more context than in a "
                              "short window; the least length is {}: set a smaller `short` and "
                              "`block`, or longer `lengths`",
                              length, least));
    }
    out.push_back({.length_tokens = length, .depth = std::nullopt, .variant = ""});
  }
  return out;
}

void LongPplTask::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
      .add("protocol", "longppl")
      .add("short", parameters_.short_tokens)
      .add("block", parameters_.block)
      .add("least_gain", parameters_.least_gain)
      .add("greatest_loss", parameters_.greatest_loss)
      .add("keys", parameters_.keys ? sha256_file(parameters_.keys->path) : "");
  yardstick::tasks::describe(parameters_.source, fingerprint);
}

SampleScore LongPplTask::skipped(const Document& document, std::string reason) const {
  SampleScore score = skipped_sample(document.id, std::move(reason));
  score.values["tokens_skipped"] = static_cast<double>(document.tokens.size());
  score.values["documents_skipped"] = 1;
  return score;
}

/// Indices of the first `size` tokens that lie whole in one of the ranges.
std::vector<std::int64_t> tokens_within(const Document& document, std::int64_t size,
                                        const std::vector<ByteRange>& ranges) {
  std::vector<std::int64_t> tokens;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t begin = document.offsets[at];
    const std::int64_t end = begin + document.bytes[at];
    const auto next = std::upper_bound(
        ranges.begin(), ranges.end(), begin,
        [](std::int64_t byte, const ByteRange& range) { return byte < range.begin; });
    if (end > begin && next != ranges.begin() && end <= std::prev(next)->end) tokens.push_back(i);
  }
  return tokens;
}

// A short window scores `block` tokens behind `short_tokens` of context. The one that begins with
// the document is the whole window's own beginning, so it finds no key token and is not asked.
void LongPplTask::ask_short_windows(Sample& sample, const Document& document,
                                    std::span<const TokenId> bos, std::int64_t size) const {
  for (std::int64_t begin = parameters_.block; begin + parameters_.short_tokens < size;
       begin += parameters_.block) {
    const std::int64_t target = begin + parameters_.short_tokens;
    sample.requests.push_back(window_request(document,
                                             {.begin = begin,
                                              .end = std::min(target + parameters_.block, size),
                                              .score_from = target,
                                              .prefix = opening_at(document.tokens, bos, begin)},
                                             bos));
  }
}

void LongPplTask::add(Built& built, const Document& document, std::span<const TokenId> bos,
                      const CellAxes& cell) const {
  const auto all = static_cast<std::int64_t>(document.tokens.size());
  const std::int64_t prefix = opening_at(document.tokens, bos, 0);
  const std::int64_t size = std::min(all, cell.length_tokens.value() - prefix);
  const std::int64_t needed =
      parameters_.keys ? 2 - prefix : parameters_.short_tokens + parameters_.block + 1;
  if (size < needed) {
    built.skipped.push_back(
        skipped(document, fmt::format("too short: {} has {} tokens, the protocol needs {}",
                                      document.id, all, needed)));
    return;
  }
  const Window whole{.begin = 0, .end = size, .score_from = 1 - prefix, .prefix = prefix};
  Sample sample = sample_of({&whole, 1}, {.document = document, .opening = bos, .bos = bos});
  sample.id = document.id;
  sample.document_id = document.id;
  sample.facts["tokens_skipped"] = all - size;
  sample.facts["first_target"] = whole.score_from;
  if (!parameters_.keys) {
    ask_short_windows(sample, document, bos, size);
  } else if (const auto found = parameters_.keys->ranges.find(document.id);
             found != parameters_.keys->ranges.end()) {
    sample.facts["keys"] = tokens_within(document, size, found->second);
  } else {
    built.skipped.push_back(
        skipped(document, fmt::format("{} has no line for the document '{}'",
                                      parameters_.keys->path.filename().string(), document.id)));
    return;
  }
  built.samples.push_back(std::move(sample));
}

Task::Built LongPplTask::build(const CellAxes& cell, const BuildContext& context) const {
  check(cell.length_tokens.has_value(), "a perplexity cell has a length");
  const std::vector<TokenId> bos = context.codec.window_prefix();
  const Documents documents =
      read_documents(parameters_.source, DocumentJoin::kSeparate, context.codec, std::nullopt);
  Built built;
  for (const Document& document : documents.read) add(built, document, bos, cell);
  std::vector<Sample> chosen;
  for (const std::size_t index :
       choose_subset(built.samples.size(), context.subset, context.seed, "longppl/limit")) {
    chosen.push_back(std::move(built.samples[index]));
  }
  built.samples = std::move(chosen);
  return built;
}

SampleScore LongPplTask::score(const Sample& sample, std::span<const Response> responses,
                               const TextCodec& /*codec*/) const {
  check(!responses.empty() && responses.size() == sample.requests.size(),
        "the whole window and the short ones are a request each");
  Sample whole{.id = sample.id,
               .document_id = sample.document_id,
               .requests = {sample.requests.front()},
               .facts = sample.facts};
  SampleScore score = score_windows(whole, responses.first(1), Positions::kBuckets);
  const bool is_finite = std::all_of(responses.begin(), responses.end(), [](const Response& part) {
    return part.status == ResponseStatus::kOk;
  });
  if (score.status == SampleStatus::kOk && !is_finite) {
    score.status = SampleStatus::kNonFinite;
    score.reason = "a NaN or infinity in the output for a short window; try dtype f32 or bf16";
    score.values = {{"tokens_skipped", score.values.at("tokens_skipped")}};
    score.position_losses.clear();
  }
  if (score.status != SampleStatus::kOk) return score;
  const std::vector<double>& losses = responses.front().nll;
  const auto first_target = sample.facts.at("first_target").get<std::int64_t>();
  double nll = 0;
  std::int64_t count = 0;
  const auto take = [&](std::int64_t token) {
    nll += losses.at(static_cast<std::size_t>(token - first_target));
    ++count;
  };
  if (parameters_.keys) {
    for (const auto token : sample.facts.at("keys").get<std::vector<std::int64_t>>())
      if (token >= first_target) take(token);
  }
  for (std::size_t i = 1; i < responses.size(); ++i) {
    std::int64_t token =
        static_cast<std::int64_t>(i) * parameters_.block + parameters_.short_tokens;
    for (const double with_short : responses[i].nll) {
      const double with_all = losses.at(static_cast<std::size_t>(token - first_target));
      const bool is_key =
          with_short - with_all > parameters_.least_gain && with_all < parameters_.greatest_loss;
      if (is_key) take(token);
      ++token;
    }
  }
  score.values["key_nll"] = nll;
  score.values["key_tokens"] = static_cast<double>(count);
  return score;
}

std::vector<MetricValue> LongPplTask::aggregate(std::span<const SampleScore> scores,
                                                std::uint64_t seed) const {
  std::vector<double> nll;
  std::vector<double> tokens;
  double keys = 0;
  for (const SampleScore& score : scores) {
    if (score.status != SampleStatus::kOk) continue;
    keys += score.values.at("key_tokens");
    if (score.values.at("key_tokens") == 0) continue;
    nll.push_back(score.values.at("key_nll"));
    tokens.push_back(score.values.at("key_tokens"));
  }
  std::vector<MetricValue> metrics;
  if (!tokens.empty()) metrics.push_back(exp_of("longppl", ratio_metric("", nll, tokens, seed)));
  MetricValue count;
  count.name = "key_tokens";
  count.value = keys;
  count.n = static_cast<std::int64_t>(tokens.size());
  count.meaning = kTokensMeaning;
  metrics.push_back(count);
  const SummaryPlan plan{.documents = SummaryPlan::Documents::kSeparate};
  for (MetricValue& metric : summarize_losses(scores, plan, seed))
    metrics.push_back(std::move(metric));
  return metrics;
}

/// Ranges of one line: pairs of whole numbers, ordered, apart.
std::vector<ByteRange> ranges_of(const nlohmann::ordered_json& line, const std::string& place) {
  const auto bad = [&](std::string_view found) {
    return Error(ErrorKind::kData,
                 fmt::format("{}: {}; expected {{\"id\": \"line-1\", \"ranges\": [[begin, end], "
                             "...]}} with byte offsets that grow",
                             place, found));
  };
  if (!line.contains("id") || !line["id"].is_string()) throw bad("no text under 'id'");
  if (!line.contains("ranges") || !line["ranges"].is_array()) throw bad("no list under 'ranges'");
  std::vector<ByteRange> ranges;
  for (const auto& pair : line["ranges"]) {
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_number_integer() &&
                         pair[1].is_number_integer();
    if (!is_pair) throw bad(fmt::format("the range {} is no pair of whole numbers", pair.dump()));
    const ByteRange range{.begin = pair[0].get<std::int64_t>(), .end = pair[1].get<std::int64_t>()};
    const std::int64_t least = ranges.empty() ? 0 : ranges.back().end;
    if (range.begin < least || range.end <= range.begin)
      throw bad(fmt::format("the range {} is empty or not behind the one before", pair.dump()));
    ranges.push_back(range);
  }
  return ranges;
}

KeyFile read_keys(const std::filesystem::path& path) {
  KeyFile file{.path = path, .ranges = {}, .before = stamp_file(path)};
  for_each_json_line(path, [&](std::int64_t line, nlohmann::ordered_json&& object) {
    const std::string place = fmt::format("{}:{}", path.string(), line);
    std::vector<ByteRange> ranges = ranges_of(object, place);
    const std::string id = object["id"].get<std::string>();
    if (!file.ranges.emplace(id, std::move(ranges)).second) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}: the document '{}' has a line already", place, id));
    }
    return Proceed::kNext;
  });
  return file;
}

constexpr std::array<DataFormat, 5> kAccepted = {
    DataFormat::kText, DataFormat::kJsonl, DataFormat::kNpy, DataFormat::kBin, DataFormat::kJson};

std::optional<KeyFile> read_evaluator(Fields& fields, const TaskDefinition& definition,
                                      const DataSource& source) {
  const std::optional<std::string> evaluator = fields.optional_text("evaluator");
  const std::optional<std::string> keys = fields.optional_text("keys");
  if (evaluator && *evaluator != "self") {
    throw fields.error("evaluator",
                       fmt::format("found '{}'; a model that runs finds its own key tokens "
                                   "(`self`); those of another come from a file: `keys: FILE`",
                                   *evaluator));
  }
  if (!keys) return std::nullopt;
  if (evaluator) throw fields.error("evaluator", "is of no use beside `keys`");
  for (const char* const key : {"short", "block", "least_gain", "greatest_loss"})
    if (fields.has(key)) throw fields.error(key, "is of no use beside `keys`");
  if (!source.holds_text())
    throw fields.error("keys", "names bytes of texts, but the data are token ids");
  const std::filesystem::path path = path_from(definition.base, *keys);
  if (!std::filesystem::is_regular_file(path))
    throw fields.error("keys", fmt::format("there is no file '{}'", path.string()));
  return read_keys(path);
}

}  // namespace

std::unique_ptr<const Task> make_longppl(Fields& fields, const TaskDefinition& definition) {
  Parameters parameters;
  parameters.source = read_source(fields, definition.base, kAccepted);
  parameters.keys = read_evaluator(fields, definition, parameters.source);
  parameters.short_tokens = fields.optional_length("short").value_or(kDefaultShort);
  parameters.block = fields.optional_length("block").value_or(kDefaultBlock);
  parameters.least_gain =
      fields.optional_number("least_gain", 0, kGreatestThreshold).value_or(kDefaultThreshold);
  parameters.greatest_loss =
      fields.optional_number("greatest_loss", 0, kGreatestThreshold).value_or(kDefaultThreshold);
  parameters.lengths = fields.lengths("lengths");
  return std::make_unique<LongPplTask>(std::move(parameters));
}

}  // namespace yardstick::tasks
