// From the mapped files of a model folder to the decoder's tensors on a device.
#pragma once

#include <string>

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "models/decoder/weights.hpp"
#include "models/model_folder.hpp"

namespace yardstick::models {

/// The decoder's tensors on `device`. On the CPU in float32 or bfloat16, matrices are views into
/// the mapped files in the files' numbers, so `folder` must outlive the decoder; all others are
/// copies in `dtype`. @throws Error(kModel) naming a tensor that is not numbers.
[[nodiscard]] Weights load_weights(const ModelFolder& folder, c10::Device device,
                                   c10::ScalarType dtype);

/// Gives back the memory of the mapped tensor behind the weight called `name`.
void release_weight(const ModelFolder& folder, const std::string& name);

}  // namespace yardstick::models
