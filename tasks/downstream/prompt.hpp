// How the pieces of a prompt are put together: what stands between a question, its answer and the
// next worked example.
#pragma once

#include <string>
#include <string_view>

namespace yardstick::tasks {

struct PromptDelimiters {
  std::string target = " ";      ///< between a question and its answer
  std::string example = "\n\n";  ///< behind each worked example

  bool operator==(const PromptDelimiters&) const = default;
};

/// A question up to where its answer begins. `prefix` (gen_prefix) begins the answer; the target
/// delimiter goes before it unless white space is there already.
[[nodiscard]] std::string open_question(std::string_view text, std::string_view prefix,
                                        const PromptDelimiters& delimiters);

/// A question with its answer and the delimiter behind. An empty answer leaves the question alone.
[[nodiscard]] std::string worked_example(std::string_view text, std::string_view prefix,
                                         std::string_view answer,
                                         const PromptDelimiters& delimiters);

}  // namespace yardstick::tasks
