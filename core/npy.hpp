// NumPy .npy arrays (format versions 1 to 3): token streams in, logits out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/file.hpp"

namespace yardstick {

/// A mapped .npy array: C order, little endian. `dtype` is NumPy's code, e.g. "<f4", "<u2", "|u1".
class NpyArray {
 public:
  /// @throws Error(kData) naming the file and what is wrong with its header or size.
  explicit NpyArray(const std::filesystem::path& file);

  [[nodiscard]] const std::string& dtype() const { return dtype_; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// size() x itemsize bytes.
  [[nodiscard]] std::span<const std::byte> data() const { return data_; }

  /// Element `i` of the flattened array, for integer dtypes u1 u2 u4 i1 i2 i4 i8.
  /// @throws Error(kData) for another dtype.
  [[nodiscard]] std::int64_t integer_at(std::int64_t i) const;

  /// Whoever has read elements or data() asks here. @throws Error(kData) if the file shrank
  /// meanwhile.
  void check_whole() const { file_.check_whole(); }

  /// The flattened array as f32 (from f2, f4, f8). @throws Error(kData) for another dtype.
  [[nodiscard]] std::vector<float> floats() const;

 private:
  MappedFile file_;
  std::string dtype_;
  std::vector<std::int64_t> shape_;
  std::int64_t size_ = 0;
  std::span<const std::byte> data_;
};

/// Writes float32 [rows, columns] as .npy version 1, row by row, so that logits of a long text
/// never have to be held at once.
class NpyWriter {
 public:
  NpyWriter(const std::filesystem::path& file, std::int64_t rows, std::int64_t columns);
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;
  ~NpyWriter();

  /// Appends whole rows (values.size() is a multiple of columns).
  void append(std::span<const float> values);

  /// Checks that all rows were written and renames the file into place.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yardstick
