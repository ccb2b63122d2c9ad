// Typed reading of a GGUF file's metadata, with a memory of what was asked for, so that no key that
// may change the numbers is left unread in silence.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "models/checkpoint/gguf/file.hpp"

namespace yardstick::checkpoint::gguf {

/// Every getter throws Error(kData) "x.gguf: key 'llama.block_count': found ..., expected ...".
class Metadata {
 public:
  explicit Metadata(const File& file) : file_(file) {}  ///< which must outlive this

  [[nodiscard]] bool has(std::string_view key);
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key);
  [[nodiscard]] std::optional<bool> flag(std::string_view key);
  [[nodiscard]] std::optional<std::string> text(std::string_view key);
  /// f32 values as the shortest decimal that gives the same f32: 1e-05, not 9.99999974737875e-06.
  [[nodiscard]] std::optional<double> number(std::string_view key);
  [[nodiscard]] double needed_number(std::string_view key);
  [[nodiscard]] std::optional<std::vector<double>> numbers(std::string_view key);
  [[nodiscard]] std::optional<std::vector<std::string_view>> texts(std::string_view key);

  /// A size: 1 to 2^24. A list with a value for each layer must hold one value throughout.
  [[nodiscard]] std::optional<std::int64_t> size(std::string_view key);
  [[nodiscard]] std::int64_t needed_size(std::string_view key);

  /// Refuses any value of `key` but `expected` (or none).
  void require(std::string_view key, double expected, std::string_view why);

  /// Keys that change no number of an evaluation.
  void ignore(std::string_view key) { asked_.emplace(key); }

  /// Refuses keys that begin with `prefix` and that nobody asked for.
  void finish(std::string_view prefix) const;

  [[nodiscard]] Error error(std::string_view key, std::string_view message) const;
  [[nodiscard]] const std::string& file() const { return file_.name; }

 private:
  const Value* find(std::string_view key);

  const File& file_;
  std::set<std::string, std::less<>> asked_;
};

/// The shortest decimal that gives `value`, as a double.
[[nodiscard]] double shortest_decimal(float value);

}  // namespace yardstick::checkpoint::gguf
