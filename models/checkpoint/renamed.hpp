// A checkpoint under other names: what a wrapper wrote before each is taken off, parts of another
// model are left out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/checkpoint/tensor.hpp"

namespace yardstick::checkpoint {

class RenamedSource final : public TensorSource {
 public:
  /// The new name of a tensor, or nothing to leave it out.
  using Rename = std::function<std::optional<std::string>(std::string_view)>;

  /// @throws Error(kModel) if two tensors get one name.
  RenamedSource(std::unique_ptr<TensorSource> source, const Rename& rename);

  [[nodiscard]] std::span<const TensorView> tensors() const override { return tensors_; }
  void release(const TensorView& view) const override { source_->release(view); }
  void check_whole() const override { source_->check_whole(); }
  [[nodiscard]] std::vector<std::string> files() const override { return source_->files(); }

 private:
  std::unique_ptr<TensorSource> source_;
  std::vector<TensorView> tensors_;  ///< sorted by name
};

}  // namespace yardstick::checkpoint
