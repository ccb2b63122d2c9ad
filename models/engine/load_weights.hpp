// From the mapped files of a model folder to the decoder's tensors on a device.
#pragma once

#include <map>
#include <string>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "models/decoder/weights.hpp"
#include "models/model_folder.hpp"

namespace yardstick::models {

/// Loads the weights of a folder, and gives back what they take once they are not read any more.
class WeightLoader {
 public:
  explicit WeightLoader(const ModelFolder& folder) : folder_(folder) {}  ///< which outlives this

  /// The decoder's tensors on `device`. On the CPU in float32 or bfloat16, matrices are views into
  /// the mapped files in the files' numbers, so the folder must outlive the decoder; matrices that
  /// cannot be viewed (F8, Q8_0, rows in another order) and all others are copies.
  /// @throws Error(kModel) naming a tensor that is not numbers.
  [[nodiscard]] Weights load(c10::Device device, c10::ScalarType dtype);

  /// Gives back the memory behind the weight called `name`, mapped or copied. Where several weights
  /// are parts of one tensor, it goes with the last of them.
  void release(const std::string& name);

 private:
  struct Source {
    at::Tensor tensor;     ///< the whole tensor of the checkpoint
    bool is_copy = false;  ///< else a view into the file
    int users = 0;         ///< weights that are views into it and were not released
  };

  Source& source_of(const TensorSlot& slot, c10::ScalarType dtype);

  const ModelFolder& folder_;
  std::map<std::string, Source> sources_;
};

}  // namespace yardstick::models
