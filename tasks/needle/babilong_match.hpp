// BABILong's rule for a right answer (Kuratov et al. 2024, arXiv 2406.10149).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

/// A question with its right answer, and all answers that the task's questions have.
struct LabelledQuestion {
  std::string_view question;
  std::string_view target;  ///< one label, or several with commas between them ("apple,milk")
  std::span<const std::string> labels;
};

/// The first sentence of the output (up to a '.', or to a "<context>" or "<example>" that begins
/// another prompt) holds the target and no other label, those of the question aside. Substrings,
/// ASCII case ignored.
[[nodiscard]] bool babilong_match(std::string_view output, const LabelledQuestion& asked);

/// The labels that a target names: parted at commas if it has more than three characters, as
/// BABILong does ("n,e" is one label: a path).
[[nodiscard]] std::vector<std::string> target_labels(std::string_view target);

}  // namespace yardstick::tasks
