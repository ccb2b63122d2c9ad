// A haystack of running text from files: where it begins may be drawn for each sample, and it goes
// round where it is too short.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "core/hash.hpp"
#include "core/random.hpp"
#include "tasks/needle/haystack.hpp"

namespace yardstick::tasks {

/// Immutable.
class TextHaystack {
 public:
  /// @throws as split_words().
  TextHaystack(std::string text, std::string_view name);

  [[nodiscard]] const std::string& text() const { return text_; }

  /// Index of a word that begins a sentence, all alike.
  [[nodiscard]] std::int64_t random_start(Random& random) const;

  /// The words from `start` on, the first again behind the last.
  [[nodiscard]] UnitRun run(const TextCodec& codec, std::int64_t start) const;

  void describe(Fingerprint& fingerprint) const { fingerprint.add("haystack", text_); }

 private:
  std::string text_;
  std::vector<Unit> words_;
  std::vector<std::int64_t> starts_;
};

/// The units over and over. `units` outlives the run.
[[nodiscard]] UnitRun repeat_units(const TextCodec& codec, const std::vector<Unit>& units,
                                   std::int64_t start);

/// The text of the files that `key` names (one, or a list), an empty line between two: text, plain
/// or .gz, or the `text` of each line of a .jsonl file. Relative paths start at `base`.
/// @throws Error(kConfig) for a file that is not there; Error(kData) for one that cannot be read.
[[nodiscard]] std::string read_haystack_text(Fields& fields, std::string_view key,
                                             const std::filesystem::path& base);

}  // namespace yardstick::tasks
