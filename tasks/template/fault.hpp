// What goes wrong inside a template. Template adds the place and throws it as an Error.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace yardstick::tasks::jinja {

class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  Fault(const std::string& message, std::size_t offset)
      : std::runtime_error(message), offset_(offset) {}

  /// Byte offset in the template, once known.
  [[nodiscard]] std::optional<std::size_t> offset() const { return offset_; }
  /// Sets the offset unless a place further inside is known.
  void set_offset(std::size_t offset) {
    if (!offset_) offset_ = offset;
  }

 private:
  std::optional<std::size_t> offset_;
};

}  // namespace yardstick::tasks::jinja
