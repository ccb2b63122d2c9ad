#include "models/decoder/weights.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "models/decoder/tensors.hpp"

namespace yardstick::models {

void check_weights(const DecoderConfig& config, const Weights& weights) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (DecoderTensor& tensor : decoder_tensors(config))
    shapes.emplace(std::move(tensor.name), std::move(tensor.shape));
  std::string problems;
  for (const auto& [name, shape] : shapes) {
    const auto found = weights.find(name);
    if (found == weights.end()) {
      problems += fmt::format("\n  {} is missing", name);
    } else if (found->second.sizes() != at::IntArrayRef(shape)) {
      problems += fmt::format("\n  {} is [{}], expected [{}]", name,
                              fmt::join(found->second.sizes(), ", "), fmt::join(shape, ", "));
    }
  }
  for (const auto& [name, tensor] : weights) {
    if (!shapes.contains(name)) problems += fmt::format("\n  {} is not expected", name);
  }
  if (!problems.empty()) throw Error(ErrorKind::kModel, "the decoder's weights:" + problems);
}

}  // namespace yardstick::models
