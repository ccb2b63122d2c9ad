// The one exception type of the project, and the check for our own mistakes.
// Everything a user or the world can cause is thrown as Error; `check` is for invariants.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace yardstick {

/// What kind of thing went wrong; decides how callers react, never parsed from the text.
enum class ErrorKind { kConfig, kData, kModel, kShape, kDevice, kMemory, kStore, kInternal };

/// "config", "data", ... as shown to people and stored in the database.
[[nodiscard]] std::string_view to_string(ErrorKind kind);

/// An error with a message that says where, what was found, what was expected and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string message);

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

  /// The same error with `where` (a file, tensor, task or cell) put in front, for use on the way
  /// up.
  [[nodiscard]] Error within(std::string_view where) const;

 private:
  ErrorKind kind_;
};

/// Throws Error(kInternal) naming the source line if `condition` is false. On in every build type.
void check(bool condition, std::string_view claim,
           std::source_location where = std::source_location::current());

}  // namespace yardstick
