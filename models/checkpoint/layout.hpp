// Arithmetic on sizes that an untrusted file states: products that cannot wrap, and the proof that
// a strided view stays inside its storage. Every reader makes its views through here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/file.hpp"
#include "models/checkpoint/tensor.hpp"

namespace yardstick::checkpoint {

/// a * b or a + b, or nothing if an operand is negative or the result exceeds int64.
[[nodiscard]] std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b);
[[nodiscard]] std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b);

/// Number of elements of a shape, or nothing if a size is negative or the product exceeds int64.
[[nodiscard]] std::optional<std::int64_t> checked_count(std::span<const std::int64_t> shape);

/// Row-major strides in elements; `shape` has a checked count.
[[nodiscard]] std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> shape);

/// Error(kData) "file: tensor 'name': message".
[[nodiscard]] Error tensor_error(std::string_view file, std::string_view tensor,
                                 std::string_view message);

/// @throws Error(kData) naming file and tensor unless every element of `view` lies in its storage
/// and its element count is one that its storage can account for.
void check_view(const TensorView& view);

/// Sorts views by name. @throws Error(kData) if two have the same name.
void sort_by_name(std::vector<TensorView>& views);

/// The one TensorSource: views and the mapped files that they point into.
class MappedSource final : public TensorSource {
 public:
  MappedSource(std::vector<MappedFile> mapped, std::vector<TensorView> views,
               std::vector<std::string> files)
      : mapped_(std::move(mapped)), views_(std::move(views)), files_(std::move(files)) {}

  [[nodiscard]] std::span<const TensorView> tensors() const override { return views_; }
  void release(const TensorView& view) const override;
  void check_whole() const override;
  [[nodiscard]] std::vector<std::string> files() const override { return files_; }

 private:
  std::vector<MappedFile> mapped_;
  std::vector<TensorView> views_;
  std::vector<std::string> files_;
};

}  // namespace yardstick::checkpoint
