#include "harness/scheduler/cell_end.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "core/error.hpp"

namespace yardstick::harness {
namespace {

tasks::SampleScore score_sample(const tasks::Task& task, const TextCodec& codec,
                                const tasks::Sample& sample, std::span<const Response> responses) {
  const bool is_finite = std::all_of(responses.begin(), responses.end(), [](const Response& r) {
    return r.status == ResponseStatus::kOk;
  });
  if (!is_finite) {
    tasks::SampleScore score;
    score.sample_id = sample.id;
    score.document_id = sample.document_id;
    score.status = tasks::SampleStatus::kNonFinite;
    score.reason = "a NaN or infinity reached the logits";
    score.details = nlohmann::json::object();
    return score;
  }
  tasks::SampleScore score = task.score(sample, responses, codec);
  check(score.sample_id == sample.id, "a score carries its sample's id");
  if (score.status != tasks::SampleStatus::kOk) return score;
  for (const auto& [name, value] : score.values) {
    if (std::isfinite(value)) continue;
    score.status = tasks::SampleStatus::kNonFinite;
    score.reason = fmt::format("'{}' is not finite", name);
  }
  return score;
}

}  // namespace

std::vector<tasks::SampleScore> score_part(const tasks::Task& task, const TextCodec& codec,
                                           const CellPart& part) {
  std::vector<std::size_t> first;  // response of each sample's first request
  std::size_t count = 0;
  for (const std::size_t i : part.samples) {
    first.push_back(count);
    count += part.built->built.samples[i].requests.size();
  }
  check(count == part.responses.size(), "the engine answers every request once");
  std::vector<tasks::SampleScore> scores(part.samples.size());
  const std::span<const Response> responses(part.responses);
  tbb::parallel_for(std::size_t{0}, scores.size(), [&](std::size_t k) {
    const tasks::Sample& sample = part.built->built.samples[part.samples[k]];
    scores[k] =
        score_sample(task, codec, sample, responses.subspan(first[k], sample.requests.size()));
  });
  return scores;
}

CellEnd make_end(const tasks::Task& task, const std::vector<tasks::SampleScore>& scores,
                 std::uint64_t seed) {
  const tasks::SampleScore* skipped = nullptr;
  const tasks::SampleScore* bad = nullptr;
  std::size_t skipped_count = 0;
  std::size_t bad_count = 0;
  bool has_good = false;
  for (const tasks::SampleScore& score : scores) {
    if (score.status == tasks::SampleStatus::kOk) {
      has_good = true;
    } else if (score.status == tasks::SampleStatus::kSkipped) {
      if (skipped_count++ == 0) skipped = &score;
    } else if (bad_count++ == 0) {
      bad = &score;
    }
  }
  std::vector<std::string> notes;
  if (bad != nullptr) {
    notes.push_back(fmt::format("{} of {} samples gave no finite numbers ({})", bad_count,
                                scores.size(), bad->reason));
  }
  if (skipped != nullptr) {
    notes.push_back(
        fmt::format("{} of {} samples skipped: {}", skipped_count, scores.size(), skipped->reason));
  }
  CellEnd end;
  end.message = fmt::format("{}", fmt::join(notes, "; "));
  if (has_good) {
    end.metrics = task.aggregate(scores, seed);
  } else if (bad != nullptr) {
    end.status = CellStatus::kFailed;
  } else {
    end.status = CellStatus::kSkipped;
    if (skipped == nullptr) end.message = "the task has no sample for this cell";
  }
  return end;
}

}  // namespace yardstick::harness
