// From the mapped files of a model folder to the decoder's tensors on a device.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "models/decoder/weights.hpp"
#include "models/model_folder.hpp"

namespace yardstick::models {

/// The decoder's tensors in `dtype` on `device`, each copied at most once. On the CPU a matrix
/// whose bytes already fit is a view into the mapped file, so `folder` must live until the decoder
/// has packed it. @throws Error(kModel) naming a tensor that is not numbers.
[[nodiscard]] Weights load_weights(const ModelFolder& folder, c10::Device device,
                                   c10::ScalarType dtype);

}  // namespace yardstick::models
