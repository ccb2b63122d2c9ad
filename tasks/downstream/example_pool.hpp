// Worked examples and which of them stand in front of a question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/hash.hpp"

namespace yardstick::tasks {

struct WorkedExample {
  std::string text;  ///< with the delimiter behind
  std::string key;   ///< question and answer: an example with a question's own is that question
};

enum class ExampleChoice {
  kRandom,  ///< drawn for each question, without replacement
  kFirst,   ///< the first ones, the same for every question
};

/// Whether an example may be the question that it stands in front of.
enum class OwnExample {
  kLeftOut,
  kAllowed,  ///< the task file fixes the examples themselves
};

/// Immutable.
class ExamplePool {
 public:
  ExamplePool(std::vector<WorkedExample> examples, ExampleChoice choice, OwnExample own);

  /// `count` examples for question `i`, one behind the other. Random ones depend on (seed, i), and
  /// those for 3 are the last 3 of those for 5.
  /// @param own_key of the question @throws Error(kConfig) if the pool has fewer.
  [[nodiscard]] std::string examples_for(std::size_t i, const std::string& own_key,
                                         std::uint64_t seed, std::int64_t count) const;

  /// Examples that a question can have: all but its own copies.
  [[nodiscard]] std::int64_t size_for(const std::string& own_key) const;

  /// Examples that every question can have.
  [[nodiscard]] std::int64_t size() const;

  void describe(Fingerprint& fingerprint) const;

 private:
  [[nodiscard]] bool is_left_out(const WorkedExample& example, const std::string& own_key) const {
    return own_ == OwnExample::kLeftOut && example.key == own_key;
  }

  std::vector<WorkedExample> examples_;
  ExampleChoice choice_;
  OwnExample own_;
  std::unordered_map<std::string, std::int64_t> copies_;  // of each key
  std::int64_t most_copies_ = 0;
};

}  // namespace yardstick::tasks
