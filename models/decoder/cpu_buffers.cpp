#include "models/decoder/cpu_buffers.hpp"

#include <algorithm>

#include "models/decoder/cpu_mlp.hpp"

namespace yardstick::models::cpu {
namespace {

constexpr std::int64_t kMostBlockRows = 384;       // that a thread takes at a time
constexpr std::int64_t kFewestBlockRows = 96;      // that it takes of long rows
constexpr std::int64_t kBlockBytes = 32LL << 20U;  // of a thread's buffers

std::int64_t projected_width(const DecoderConfig& config) {
  return (config.heads + 2 * config.kv_heads) * config.head_dim;
}

std::int64_t branch_width(const DecoderConfig& config) {
  return changes_branches(config) ? config.width : 0;
}

}  // namespace

bool changes_branches(const DecoderConfig& config) {
  return config.norm_placement != NormPlacement::kBefore || config.residual_scale != 1.0;
}

Buffers::Buffers(const DecoderConfig& config, int key_versions, std::int64_t rows)
    : rows_(rows),
      normed_(rows, config.width),
      projected_(rows, projected_width(config)),
      hidden_(rows, hidden_width(config)),
      mlp_(rows, config.mlp_width),
      branch_(rows, branch_width(config)),
      turned_(rows, key_versions > 1 ? config.kv_heads * config.head_dim : 0) {}

std::int64_t Buffers::most_rows(const DecoderConfig& config) {
  const std::int64_t width =
      config.width + projected_width(config) + config.mlp_width + branch_width(config);
  const std::int64_t rows = kBlockBytes / (width * std::int64_t{sizeof(float)});
  return std::clamp(rows / 12 * 12, kFewestBlockRows, kMostBlockRows);
}

}  // namespace yardstick::models::cpu
