// Bounds on what a template may cost: templates and documents are untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tasks/template/fault.hpp"

namespace yardstick::tasks::jinja {

inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 24;  ///< of one text, and rendered
inline constexpr std::size_t kMaxElements = std::size_t{1} << 20;   ///< of one list, and of range()
inline constexpr std::size_t kMaxWeight = std::size_t{1} << 26;     ///< see Value::weight()
inline constexpr std::uint64_t kMaxWork = std::uint64_t{1} << 27;   ///< of one rendering
inline constexpr int kMaxNesting = 100;     ///< of expressions, of blocks, and of values
inline constexpr int kMaxArguments = 50;    ///< of one call
inline constexpr int kMaxEvaluation = 500;  ///< levels in evaluation, calls of macros included

/// The work that one rendering may still do. A unit is about one step or one byte made.
class Budget {
 public:
  void spend(std::uint64_t units) {
    if (units > left_) {
      throw Fault("the template does too much work (more than 2^27 steps); shorten its loops");
    }
    left_ -= units;
  }

 private:
  std::uint64_t left_ = kMaxWork;
};

/// Text that grows up to kMaxTextBytes.
class TextBuilder {
 public:
  void append(std::string_view text) {
    if (text.size() > kMaxTextBytes - text_.size()) {
      throw Fault("the text grows beyond 16 MiB; shorten it");
    }
    text_ += text;
  }
  void append(std::size_t count, char c) {
    if (count > kMaxTextBytes - text_.size()) {
      throw Fault("the text grows beyond 16 MiB; shorten it");
    }
    text_.append(count, c);
  }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace yardstick::tasks::jinja
