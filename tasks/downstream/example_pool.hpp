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
  std::string group = {};  ///< `fewshot_by`: it stands in front of questions of this group alone
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

/// The question that examples stand in front of.
struct AskedQuestion {
  std::size_t index = 0;
  std::string key;    ///< as WorkedExample's
  std::string group;  ///< empty without `fewshot_by`
};

/// Immutable.
class ExamplePool {
 public:
  ExamplePool(std::vector<WorkedExample> examples, ExampleChoice choice, OwnExample own);

  /// `count` examples of the question's group, one behind the other. Random ones depend on (seed,
  /// index), and those for 3 are the last 3 of those for 5.
  /// @throws Error(kConfig) if the group has fewer.
  [[nodiscard]] std::string examples_for(const AskedQuestion& question, std::uint64_t seed,
                                         std::int64_t count) const;

  /// Examples that a question can have: all of its group but its own copies.
  [[nodiscard]] std::int64_t size_for(const AskedQuestion& question) const;

  /// Examples that every question of the group can have.
  [[nodiscard]] std::int64_t size(const std::string& group) const;

  void describe(Fingerprint& fingerprint) const;

 private:
  struct Group {
    std::vector<std::size_t> examples;                     // in the pool's order
    std::unordered_map<std::string, std::int64_t> copies;  // of each key
    std::int64_t most_copies = 0;
  };

  [[nodiscard]] const Group& group(const std::string& name) const;
  [[nodiscard]] bool is_left_out(std::size_t example, const std::string& own_key) const {
    return own_ == OwnExample::kLeftOut && examples_[example].key == own_key;
  }

  std::vector<WorkedExample> examples_;
  ExampleChoice choice_;
  OwnExample own_;
  std::unordered_map<std::string, Group> groups_;
};

}  // namespace yardstick::tasks
