#include "models/decoder/cpu_mlp.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "models/kernels/parallel.hpp"

namespace yardstick::models::cpu {
namespace {

constexpr std::int64_t kColumns = 256;
constexpr std::int64_t kSharedColumns = 64;
constexpr std::int64_t kColumnAlignment = 32;

/// Columns of the middle that are made and activated at a time. The up projection lies behind the
/// gate in one matrix, of whose outputs a part begins with a panel.
std::int64_t columns_at_once(const DecoderConfig& config, std::int64_t wanted) {
  const bool can_cut = config.mlp != MlpForm::kGated || config.mlp_width % kColumnAlignment == 0;
  return can_cut ? std::min(wanted, config.mlp_width) : config.mlp_width;
}

kernels::Activate activation(const DecoderConfig& config) {
  const bool gated = config.mlp == MlpForm::kGated;
  switch (config.activation) {
    case Activation::kSilu: return gated ? kernels::silu_multiply : kernels::silu;
    case Activation::kGelu: return gated ? kernels::gelu_multiply : kernels::gelu;
    case Activation::kGeluTanh: return gated ? kernels::gelu_tanh_multiply : kernels::gelu_tanh;
    case Activation::kRelu: return gated ? kernels::relu_multiply : kernels::relu;
    case Activation::kReluSquared:
      return gated ? kernels::relu_squared_multiply : kernels::relu_squared;
  }
  check(false, "an activation has a kernel");
  return nullptr;
}

}  // namespace

std::int64_t hidden_width(const DecoderConfig& config) {
  return 2 * columns_at_once(config, kColumns);
}

MlpMiddle::MlpMiddle(const DecoderConfig& config)
    : width_(config.mlp_width),
      alone_step_(columns_at_once(config, kColumns)),
      shared_step_(columns_at_once(config, kSharedColumns)),
      input_parts_(config.mlp == MlpForm::kGated ? 2 : 1),
      activate_(activation(config)) {}

void MlpMiddle::alone(const Projection& mlp_in, const ConstRows& x, const Rows& middle,
                      Buffers& own) const {
  const Rows hidden = own.hidden(x.count);
  for (std::int64_t index = 0; index * alone_step_ < width_; ++index)
    group(mlp_in, x, index, alone_step_, hidden, middle, own.profile);
}

void MlpMiddle::shared(const Projection& mlp_in, const ConstRows& x, const Rows& middle,
                       std::vector<Buffers>& buffers) const {
  const std::int64_t groups = (width_ + shared_step_ - 1) / shared_step_;
  kernels::for_each_task(groups, [&](std::int64_t index, std::int64_t thread) {
    Profile of_all;  // the caller books the time of all threads
    group(mlp_in, x, index, shared_step_, buffers[static_cast<std::size_t>(thread)].hidden(x.count),
          middle, of_all);
  });
}

void MlpMiddle::group(const Projection& mlp_in, const ConstRows& x, std::int64_t index,
                      std::int64_t step, const Rows& hidden, const Rows& middle,
                      Profile& profile) const {
  Stopwatch watch;
  const std::int64_t first = index * step;
  const std::int64_t count = std::min(step, width_ - first);
  if (count == width_) {
    mlp_in.some(x, {0, input_parts_ * width_}, hidden);
  } else {
    for (std::int64_t part = 0; part < input_parts_; ++part) {
      mlp_in.some(x, {part * width_ + first, count},
                  {hidden.first + part * count, hidden.count, hidden.stride});
    }
  }
  watch.book(profile, Work::kProducts);
  activate_(hidden, count, {middle.first + first, middle.count, middle.stride});
  watch.book(profile, Work::kOther);
}

}  // namespace yardstick::models::cpu
