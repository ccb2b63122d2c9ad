// The reference models beside the checkout, and how far the project is from their stored logits.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace yardstick::test {

/// A folder of golden/olmo_fope, golden/hf or golden/hf_transformers.
struct GoldenModel {
  std::filesystem::path folder;
  std::string family;  ///< "hf_transformers"
  double tolerance;    ///< of a logit, as the family's README states
};

/// All of them, sorted by folder; none where the reference data is absent.
[[nodiscard]] std::vector<GoldenModel> golden_models();

/// A test's name for it: "hf_llama3".
[[nodiscard]] std::string name_of(const GoldenModel& model);

/// The greatest difference of any logit from the stored ones, over all stored sequences; 1e30 if a
/// logit is not finite.
struct GoldenResult {
  std::string architecture;
  double worst = 0;
  std::int64_t logits = 0;  ///< compared
};
[[nodiscard]] GoldenResult compare(const GoldenModel& model);

}  // namespace yardstick::test
