#include "models/engine/answering.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/engine/host_memory.hpp"
#include "models/engine/request_sequence.hpp"

namespace yardstick::models {
namespace {

/// One row that one request reads.
struct Reading {
  ScoredRow row;
  std::size_t request = 0;
  std::int64_t position = 0;
};

constexpr std::int64_t kLeastCacheBytes = std::int64_t{1} << 30;
constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

/// More memory saves tokens, but may not change numbers.
std::int64_t cache_bytes(const EngineParts& parts) {
  if (parts.options.cache_bytes) return *parts.options.cache_bytes;
  const bool is_exact = parts.device.is_cpu() && parts.options.dtype != ComputeType::kFloat16;
  if (!is_exact) return kLeastCacheBytes;
  return std::max(kLeastCacheBytes, available_memory().value_or(0) / 4);
}

/// The keys and values of one sequence have to fit, however little is shared, beside the quarter of
/// the memory that is the budget of all others, with an eighth left for everything else: refused
/// before they push the machine out of memory.
/// @throws Error(kMemory)
void check_memory(const EngineParts& parts, std::span<const Request> requests) {
  const std::optional<std::int64_t> available = available_memory();
  if (!parts.device.is_cpu() || !available) return;
  for (const Request& request : requests) {
    const std::int64_t tokens = std::ssize(request.tokens) + request.max_new_tokens;
    const std::int64_t needed = parts.decoder.cache_bytes(0, tokens);
    const std::int64_t room = *available / 8 * 5;
    if (needed <= room) continue;
    throw Error(ErrorKind::kMemory,
                fmt::format("a sequence of {} tokens needs {:.1f} GiB for keys and values, {:.1f} "
                            "of the {:.1f} GiB available may go there; ask for shorter ones",
                            tokens, static_cast<double>(needed) / kGibibyte,
                            static_cast<double>(room) / kGibibyte,
                            static_cast<double>(*available) / kGibibyte));
  }
}

}  // namespace

Answering::Answering(EngineParts& parts, std::span<const Request> requests,
                     std::vector<Response>& responses, const EngineProgress& progress)
    : parts_(parts),
      requests_(requests),
      responses_(responses),
      progress_(progress),
      options_{.device = parts.device, .batch_tokens = parts.options.batch_tokens},
      budget_(parts.decoder, cache_bytes(parts)),
      tree_([&] {
        std::vector<TreeSequence> sequences;
        for (const Request& request : requests)
          sequences.push_back(request_sequence(request, parts.encoding->length_use()));
        return PrefixTree(sequences, parts.options.sharing);
      }()),
      prompts_(tree_.nodes().size()),
      next_(requests.size()) {
  check_memory(parts, requests);
  responses_.resize(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto scored =
        static_cast<std::size_t>(std::ssize(requests[i].tokens) - requests[i].score_from);
    responses_[i].nll.resize(scored);
    responses_[i].is_greedy.resize(scored);
    if (requests[i].max_new_tokens > 0) prompts_[tree_.end_node(i)].push_back(i);
  }
}

bool Answering::reads_total_length() const {
  return parts_.encoding->length_use() == position::LengthUse::kTotal;
}

Continue Answering::run() {
  std::vector<std::int64_t> kept_bytes(prompts_.size());
  for (std::size_t node = 0; node < prompts_.size() && !reads_total_length(); ++node) {
    for (const std::size_t request : prompts_[node]) kept_bytes[node] += new_bytes(request);
  }
  const TreeEvents events{
      .on_batch = [this](const TreeBatch& batch) { return score(batch); },
      .on_kept = [this](std::size_t node, CachePath path) { return keep(node, std::move(path)); },
      .on_full = [this] { return generate_waiting(); }};
  if (run_tree(parts_.decoder, tree_, kept_bytes, budget_, options_, events) == Continue::kStop)
    return Continue::kStop;
  if (reads_total_length()) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i].max_new_tokens > 0) begin_generating(i, {});
    }
  }
  return generate_waiting();
}

std::int64_t Answering::new_bytes(std::size_t request) const {
  return parts_.decoder.cache_bytes(std::ssize(requests_[request].tokens),
                                    requests_[request].max_new_tokens);
}

Continue Answering::keep(std::size_t node, CachePath path) {
  for (const std::size_t request : prompts_[node]) {
    if (new_bytes(request) > budget_.left() && generate_waiting() == Continue::kStop)
      return Continue::kStop;
    begin_generating(request, path);
  }
  return Continue::kYes;
}

void Answering::begin_generating(std::size_t request, CachePath path) {
  Generating& generating = waiting_.emplace_back();
  generating.request = &requests_[request];
  generating.response = &responses_[request];
  generating.tokens = requests_[request].tokens;
  generating.next = next_[request];
  if (path.empty()) return;
  generating.prefix = std::move(path);
  generating.cache = budget_.make(std::ssize(generating.tokens), requests_[request].max_new_tokens);
}

Continue Answering::generate_waiting() {
  return generate(parts_.decoder, std::exchange(waiting_, {}),
                  reads_total_length() ? Continuation::kRecomputed : Continuation::kCached,
                  options_, parts_.loss, progress_);
}

/// Fills in the losses that the batch's rows decide; a row that several requests read for the same
/// target is computed once.
Continue Answering::score(const TreeBatch& batch) {
  std::vector<Reading> readings;
  for (const TreePiece& piece : batch.pieces) {
    const PrefixNode& node = tree_.nodes()[piece.node];
    for (const std::size_t index : node.readers) {
      const Request& request = requests_[index];
      const std::int64_t size = std::ssize(request.tokens);
      const std::int64_t read_from = std::min(request.score_from, size) - 1;
      const std::int64_t last = request.max_new_tokens > 0 ? size : size - 1;
      const std::int64_t begin = std::max({piece.first, node.first, read_from});
      const std::int64_t end = std::min(piece.first + piece.count, last);
      for (std::int64_t p = begin; p < end; ++p) {
        const TokenId target = p + 1 == size ? -1 : request.tokens[static_cast<std::size_t>(p + 1)];
        readings.push_back({.row = {.row = piece.row_begin + p - piece.first, .target = target},
                            .request = index,
                            .position = p});
        if (target < 0) readings.back().row.draw = draw_of(request.sampling, 0);
      }
    }
  }
  const auto key = [](const Reading& reading) {
    return std::tuple(reading.row.row, reading.row.target);
  };
  std::ranges::stable_sort(readings, {}, key);
  std::vector<ScoredRow> rows;
  for (const Reading& reading : readings) {
    if (rows.empty() || rows.back() != reading.row) rows.push_back(reading.row);
  }
  const std::vector<TokenLoss> losses = parts_.loss(parts_.decoder, batch.hidden, rows);
  std::size_t at = 0;
  for (const Reading& reading : readings) {
    while (rows[at] != reading.row) ++at;
    const TokenLoss& loss = losses[at];
    Response& response = responses_[reading.request];
    if (!loss.is_finite) response.status = ResponseStatus::kNonFinite;
    if (reading.row.target < 0) {
      next_[reading.request] = loss;
      continue;
    }
    const auto index =
        static_cast<std::size_t>(reading.position + 1 - requests_[reading.request].score_from);
    response.nll[index] = loss.nll;
    response.is_greedy[index] = loss.is_greedy ? 1 : 0;
  }
  return progress_ ? progress_(batch.hidden.size(0)) : Continue::kYes;
}

}  // namespace yardstick::models
