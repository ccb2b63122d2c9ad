// Models, engines and tasks that answer from arithmetic, so that the harness is tested without any
// checkpoint: same inputs, same numbers, and hooks for everything that can go wrong.
#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "harness/plan/plan.hpp"
#include "tasks/partwise.hpp"

namespace yardstick::harness::test {

/// One token a byte.
class ByteCodec final : public TextCodec {
 public:
  std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
  }
  std::vector<TokenSpan> encode_spans(std::string_view text) const override {
    std::vector<TokenSpan> spans;
    for (const TokenId id : encode(text)) {
      const auto at = static_cast<std::int64_t>(spans.size());
      spans.push_back({id, at, at + 1});
    }
    return spans;
  }
  std::string decode(std::span<const TokenId> ids) const override {
    std::string text;
    for (const TokenId id : ids) text += static_cast<char>(id);
    return text;
  }
  std::vector<TokenId> window_prefix() const override { return {}; }
  std::optional<TokenId> end_of_text() const override { return std::nullopt; }
  std::int64_t vocabulary_size() const override { return 1000; }
};

inline constexpr TokenId kNanToken = 900;    ///< makes a response non-finite
inline constexpr TokenId kThrowToken = 901;  ///< makes the engine throw

/// What tests watch and bend. Shared by all engines of one FakeModels.
struct EngineEvents {
  std::atomic<int> loads{0};
  std::atomic<int> calls{0};
  std::atomic<std::int64_t> requests{0};
  /// May throw.
  std::function<void(int call, std::span<const Request> requests)> before_answer;
  std::function<void(const models::EngineOptions& options)> before_load;
  std::vector<FileStamp> files;  ///< of every model that is opened from then on
};

class FakeEngine final : public models::Engine {
 public:
  FakeEngine(EngineEvents& events, std::int64_t salt) : events_(events), salt_(salt) {}

  std::vector<Response> respond(std::span<const Request> requests,
                                const models::EngineProgress& progress) override {
    const int call = ++events_.calls;
    if (events_.before_answer) events_.before_answer(call, requests);
    events_.requests += std::ssize(requests);
    std::vector<Response> responses;
    for (const Request& request : requests) {
      responses.push_back(answer(request));
      if (progress(std::ssize(request.tokens)) == models::Continue::kStop) return {};
    }
    return responses;
  }

  void logits(std::span<const TokenId>, const LogitsSink&) override {}
  void hidden_states(std::span<const TokenId>, const StatesSink&) override {}
  std::string description() const override { return "fake, float32"; }

 private:
  Response answer(const Request& request) const {
    Response response;
    for (std::size_t i = 0; i < request.tokens.size(); ++i) {
      const TokenId token = request.tokens[i];
      if (token == kThrowToken) throw Error(ErrorKind::kModel, "token 901 is not for this model");
      if (token == kNanToken) response.status = ResponseStatus::kNonFinite;
      if (static_cast<std::int64_t>(i) < request.score_from) continue;
      const std::int64_t mixed = token * 7919 + request.tokens[i - 1] * 104729 + salt_;
      response.nll.push_back(static_cast<double>(mixed % 997) / 249.0);
      response.is_greedy.push_back(mixed % 2 == 0 ? 1 : 0);
    }
    return response;
  }

  EngineEvents& events_;
  std::int64_t salt_;
};

class FakeModel final : public OpenedModel {
 public:
  FakeModel(std::string name, EngineEvents& events, std::optional<std::int64_t> longest)
      : fingerprint_("model " + std::move(name)),
        files_(events.files),
        events_(events),
        longest_(longest) {}

  const TextCodec& codec() const override { return codec_; }
  const std::string& fingerprint() const override { return fingerprint_; }
  const std::vector<FileStamp>& files() const override { return files_; }
  std::optional<std::int64_t> longest_sequence() const override { return longest_; }
  position::LengthUse length_use() const override { return position::LengthUse::kNone; }
  bool has_tokenizer() const override { return true; }
  ModelRecord record() const override {
    return {fingerprint_, "fake", "rope", 1000, "F32", 128, "{}", "bytes", "none (no BOS)"};
  }
  std::unique_ptr<models::Engine> load(const models::EngineOptions& options) const override {
    ++events_.loads;
    if (events_.before_load) events_.before_load(options);
    return std::make_unique<FakeEngine>(events_,
                                        std::ssize(fingerprint_) * 31 + fingerprint_.back());
  }

 private:
  std::string fingerprint_;
  std::vector<FileStamp> files_;
  ByteCodec codec_;
  EngineEvents& events_;
  std::optional<std::int64_t> longest_;
};

class FakeModels final : public ModelSource {
 public:
  explicit FakeModels(EngineEvents& events) : events_(events) {}

  std::unique_ptr<const OpenedModel> open(const models::ModelSpec& spec) const override {
    if (spec.name == "broken") throw Error(ErrorKind::kModel, "config.json: cannot be read");
    const bool is_learned = spec.name == "learned";
    return std::make_unique<FakeModel>(
        spec.name, events_, is_learned ? std::optional<std::int64_t>(100) : std::nullopt);
  }

 private:
  EngineEvents& events_;
};

/// Parameters: samples, nan / bad / skipped (how many samples of a cell are so), fault: build or
/// score throws; faults and bad samples in the cells of length `at`, or in all.
class FakeTask final : public tasks::Task, public tasks::PartwiseTask {
 public:
  explicit FakeTask(const tasks::TaskDefinition& definition) {
    Fields fields(definition.parameters, "", "a fake task");
    kind_ = fields.optional_text("kind").value_or("fake");
    samples_ = fields.optional_integer("samples", 0, 100000).value_or(10);
    nan_ = fields.optional_integer("nan", 0, 100000).value_or(0);
    bad_ = fields.optional_integer("bad", 0, 100000).value_or(0);
    skipped_ = fields.optional_integer("skipped", 0, 100000).value_or(0);
    fault_ = fields.optional_text("fault").value_or("");
    at_ = fields.optional_integer("at", 1, 100000);
    fields.finish();
  }

  std::string_view kind() const override { return kind_; }
  std::string protocol() const override { return "fake v1"; }
  Headline headline() const override { return {"loss", Headline::Better::kLower}; }

  std::vector<tasks::CellAxes> cells(std::span<const std::int64_t> lengths) const override {
    std::vector<tasks::CellAxes> cells;
    for (const std::int64_t length : lengths) cells.push_back({length, std::nullopt, ""});
    return cells;
  }

  void describe(Fingerprint& fingerprint) const override {
    fingerprint.add("kind", kind_).add("samples", samples_).add("nan", nan_).add("bad", bad_);
    fingerprint.add("skipped", skipped_);
  }

  Built build(const tasks::CellAxes& cell, const tasks::BuildContext& context) const override {
    const bool is_there = at_.value_or(*cell.length_tokens) == *cell.length_tokens;
    if (fault_ == "build" && is_there)
      throw Error(ErrorKind::kData, "questions.jsonl:7: no key 'answer'");
    Built built;
    const std::int64_t count = std::min(context.subset.limit.value_or(samples_), samples_);
    for (std::int64_t i = 0; i < count; ++i) {
      tasks::Sample sample;
      sample.id = fmt::format("s{}", count - i);  // not in the order of names
      sample.document_id = fmt::format("d{}", i / 3);
      Request request;
      for (std::int64_t k = 0; k < cell.length_tokens.value_or(8); ++k) {
        const std::int64_t mixed = i * 131 + k * 17 + static_cast<std::int64_t>(context.seed);
        request.tokens.push_back(static_cast<TokenId>(mixed % 256));
      }
      if (i < nan_) request.tokens[1] = kNanToken;
      if (i < bad_ && is_there) request.tokens[1] = kThrowToken;
      request.score_from = 1;
      sample.requests = {request, request};
      built.samples.push_back(std::move(sample));
    }
    for (std::int64_t i = 0; i < skipped_; ++i) {
      tasks::SampleScore score;
      score.sample_id = fmt::format("x{}", i);
      score.status = tasks::SampleStatus::kSkipped;
      score.reason = "the document is shorter than the length";
      score.details = nlohmann::json::object();
      built.skipped.push_back(std::move(score));
    }
    return built;
  }

  std::vector<std::string> sample_ids(const tasks::BuildContext& context) const override {
    std::vector<std::string> ids;
    const std::int64_t count = std::min(context.subset.limit.value_or(samples_), samples_);
    for (std::int64_t i = 0; i < count; ++i) ids.push_back(fmt::format("s{}", count - i));
    for (std::int64_t i = 0; i < skipped_; ++i) ids.push_back(fmt::format("x{}", i));
    return ids;
  }

  Built build_part(const tasks::CellAxes& cell, const tasks::BuildContext& context,
                   std::size_t first, std::size_t count) const override {
    Built whole = build(cell, context);
    Built part;
    for (std::size_t i = first; i < first + count; ++i) {
      const std::size_t behind = i - whole.samples.size();
      if (i < whole.samples.size())
        part.samples.push_back(std::move(whole.samples[i]));
      else if (behind < whole.skipped.size())
        part.skipped.push_back(std::move(whole.skipped[behind]));
    }
    return part;
  }

  tasks::SampleScore score(const tasks::Sample& sample, std::span<const Response> responses,
                           const TextCodec&) const override {
    if (fault_ == "score") throw std::runtime_error("no regular expression matched");
    tasks::SampleScore score;
    score.sample_id = sample.id;
    score.document_id = sample.document_id;
    double sum = 0;
    for (const Response& response : responses)
      for (const double nll : response.nll) sum += nll;
    score.values = {{"sum_nll", sum / 3.0},
                    {"tokens", static_cast<double>(responses[0].nll.size())}};
    score.details = {{"first", responses[0].nll[0]}};
    score.position_losses = {{0, 3, sum / 7.0, 4}, {4, 7, sum / 11.0, 4}};
    return score;
  }

  std::vector<tasks::MetricValue> aggregate(std::span<const tasks::SampleScore> scores,
                                            std::uint64_t) const override {
    double sum = 0;
    double order = 0;  // depends on the order, so that a wrong one is seen
    std::int64_t n = 0;
    for (const tasks::SampleScore& score : scores) {
      if (score.status != tasks::SampleStatus::kOk) continue;
      sum += score.values.at("sum_nll");
      order = order * 0.75 + score.values.at("sum_nll");
      ++n;
    }
    return {{"loss", sum / static_cast<double>(n), 0.5, 1.0, 2.0, n},
            {"order", order, std::nullopt, std::nullopt, std::nullopt, n}};
  }

 private:
  std::string kind_;
  std::int64_t samples_ = 0;
  std::int64_t nan_ = 0;
  std::int64_t bad_ = 0;
  std::int64_t skipped_ = 0;
  std::string fault_;
  std::optional<std::int64_t> at_;
};

/// A FakeTask that builds whole cells alone.
class WholeFakeTask final : public tasks::Task {
 public:
  explicit WholeFakeTask(const tasks::TaskDefinition& definition) : task_(definition) {}
  std::string_view kind() const override { return task_.kind(); }
  std::string protocol() const override { return task_.protocol(); }
  Headline headline() const override { return task_.headline(); }
  std::vector<tasks::CellAxes> cells(std::span<const std::int64_t> lengths) const override {
    return task_.cells(lengths);
  }
  void describe(Fingerprint& fingerprint) const override { task_.describe(fingerprint); }
  Built build(const tasks::CellAxes& cell, const tasks::BuildContext& context) const override {
    return task_.build(cell, context);
  }
  tasks::SampleScore score(const tasks::Sample& sample, std::span<const Response> responses,
                           const TextCodec& codec) const override {
    return task_.score(sample, responses, codec);
  }
  std::vector<tasks::MetricValue> aggregate(std::span<const tasks::SampleScore> scores,
                                            std::uint64_t seed) const override {
    return task_.aggregate(scores, seed);
  }

 private:
  FakeTask task_;
};

inline std::unique_ptr<const tasks::Task> make_fake_task(const tasks::TaskDefinition& definition) {
  return std::make_unique<FakeTask>(definition);
}

/// A suite made in code: models by name, tasks by name with YAML parameters.
struct FakeSuite {
  std::vector<std::string> models = {"a", "b"};
  std::vector<std::pair<std::string, std::string>> tasks = {{"t", "samples: 20"}};
  std::vector<std::int64_t> lengths = {16, 32, 64};
  std::size_t slots = 1;
  int threads = 1;  // of each slot
  std::optional<std::int64_t> limit;

  [[nodiscard]] Suite make() const {
    Suite suite;
    suite.name = "fakes";
    suite.seed = 5;
    suite.subset.limit = limit;
    suite.devices.assign(slots, DeviceSlot{"cpu", threads});
    for (const std::string& name : models) {
      SuiteModel model;
      model.spec.name = name;
      model.place = "suite.yaml:2:5";
      suite.models.push_back(std::move(model));
    }
    for (const auto& [name, parameters] : tasks) {
      SuiteTask task;
      task.definition.name = name;
      task.definition.parameters = parse_yaml(parameters, "suite.yaml");
      task.lengths = lengths;
      task.place = "suite.yaml:9:5";
      suite.tasks.push_back(std::move(task));
    }
    suite.config = nlohmann::json::object();
    return suite;
  }
};

}  // namespace yardstick::harness::test
