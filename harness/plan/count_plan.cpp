#include "harness/plan/count_plan.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include <tbb/parallel_for.h>

#include "models/engine/request_sequence.hpp"

namespace yardstick::harness {
namespace {

TokenCount count_chunk(const std::vector<BuiltCell>& built, const PlannedChunk& chunk,
                       position::LengthUse length_use) {
  TokenCount count;
  std::vector<models::TreeSequence> sequences;
  for (const PlannedChunk::Ref& ref : chunk.samples) {
    for (const Request& request : built[ref.cell].samples[ref.sample].requests) {
      sequences.push_back(models::request_sequence(request, length_use));
      count.asked += std::ssize(request.tokens);
      count.alone += std::ssize(sequences.back().tokens);
    }
  }
  count.shared = models::PrefixTree(sequences, models::Sharing::kOn).token_count();
  return count;
}

TokenCount count_together(const std::vector<BuiltCell>& built, const std::vector<ChunkCell>& cells,
                          const ChunkLimits& limits, position::LengthUse length_use) {
  const std::vector<PlannedChunk> chunks = plan_chunks(cells, limits, {.length_use = length_use});
  std::vector<TokenCount> counts(chunks.size());
  tbb::parallel_for(std::size_t{0}, chunks.size(),
                    [&](std::size_t i) { counts[i] = count_chunk(built, chunks[i], length_use); });
  TokenCount total;
  for (const TokenCount& count : counts) total += count;
  return total;
}

/// The part of a cell that the store does not have.
ChunkCell left_of(const BuiltCell& built, const PlannedCell& cell, const StoredSamples& stored) {
  const auto found = stored.find(cell.key);
  const bool counts = found != stored.end() && are_planned(built.planned, found->second);
  return {.samples = built.samples,
          .wanted = samples_left(built, counts ? found->second : std::set<std::string>())};
}

struct Job {
  JobCount count;
  std::deque<std::size_t> cells;  // indices, in the order in which a run builds them
};

std::vector<Job> group_cells(const std::vector<PlannedCell>& cells) {
  std::vector<Job> jobs;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> index;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [job, is_new] = index.try_emplace({cells[i].model, cells[i].task}, jobs.size());
    if (is_new) jobs.push_back({.count = {.model = cells[i].model, .task = cells[i].task}});
    jobs[job->second].cells.push_back(i);
  }
  for (Job& job : jobs) {
    std::stable_sort(job.cells.begin(), job.cells.end(), [&](std::size_t a, std::size_t b) {
      return cell_weight(cells[a]) > cell_weight(cells[b]);
    });
  }
  return jobs;
}

CellCount count_cell(const BuiltCell& built, const ChunkCell& left) {
  CellCount count{.samples = std::ssize(left.wanted),
                  .stored = std::ssize(built.samples) - std::ssize(left.wanted),
                  .skipped = std::ssize(built.skipped),
                  .error = built.error};
  for (const std::size_t sample : left.wanted)
    count.tokens += request_tokens(built.samples[sample]);
  return count;
}

/// A large cell, part by part. Returns nothing for one that is built with others.
std::optional<TokenCount> count_parts_of(const OpenedSuite& opened, const PlannedCell& cell,
                                         const StoredSamples& stored, const ChunkLimits& limits,
                                         CellCount& count) {
  try {
    const std::optional<std::vector<std::string>> ids = ids_of_parts(opened, cell);
    if (!ids) return std::nullopt;
    const auto found = stored.find(cell.key);
    const bool counts = found != stored.end() && are_planned(*ids, found->second);
    const std::set<std::string> none;
    TokenCount tokens;
    for (std::size_t part = 0; part < count_parts(ids->size()); ++part) {
      const std::vector<BuiltCell> built = {build_part(opened, cell, part)};
      const std::vector<ChunkCell> left = {
          {.samples = built.front().samples,
           .wanted = samples_left(built.front(), counts ? found->second : none)}};
      const CellCount of_part = count_cell(built.front(), left.front());
      count.samples += of_part.samples;
      count.stored += of_part.stored;
      count.skipped += of_part.skipped;
      count.tokens += of_part.tokens;
      tokens += count_together(built, left, limits, opened.models[cell.model]->length_use());
    }
    return tokens;
  } catch (const std::exception& error) {
    count = {.error = error.what()};
    return TokenCount();
  }
}

}  // namespace

TokenCount& TokenCount::operator+=(const TokenCount& other) {
  asked += other.asked;
  alone += other.alone;
  shared += other.shared;
  return *this;
}

PlanCount count_plan(const OpenedSuite& opened, const std::vector<PlannedCell>& cells,
                     const StoredSamples& stored, const ChunkLimits& limits) {
  PlanCount count;
  count.cells.resize(cells.size());
  std::vector<Job> jobs = group_cells(cells);
  for (Job& job : jobs) {
    const position::LengthUse length_use = opened.models[job.count.model]->length_use();
    while (!job.cells.empty()) {
      std::vector<std::size_t> taken;
      const auto take = [&] {
        taken.push_back(job.cells.front());
        job.cells.pop_front();
        return &cells[taken.back()];
      };
      const PlannedCell& first = *take();
      if (const auto tokens =
              count_parts_of(opened, first, stored, limits, count.cells[taken[0]])) {
        job.count.tokens += *tokens;
        continue;
      }
      const std::vector<BuiltCell> built = build_together(opened, first, [&](std::size_t most) {
        std::vector<const PlannedCell*> more;
        while (more.size() < most && !job.cells.empty()) more.push_back(take());
        return more;
      });
      std::vector<ChunkCell> left;
      for (std::size_t i = 0; i < taken.size(); ++i) {
        left.push_back(left_of(built[i], cells[taken[i]], stored));
        count.cells[taken[i]] = count_cell(built[i], left.back());
      }
      job.count.tokens += count_together(built, left, limits, length_use);
    }
    count.jobs.push_back(job.count);
  }
  return count;
}

}  // namespace yardstick::harness
