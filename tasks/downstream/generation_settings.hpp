// lm-evaluation-harness's `generation_kwargs`: when generation ends and how tokens are chosen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "core/hash.hpp"
#include "models/engine/request.hpp"

namespace yardstick::tasks {

struct GenerationSettings {
  std::vector<std::string> until;  ///< stop texts, none empty
  std::int64_t max_new_tokens = 256;
  Sampling sampling;  ///< greedy unless do_sample is true; its seed is drawn for each sample
  std::string note;   ///< a key that has no effect, with its place; usually empty

  void describe(Fingerprint& fingerprint) const;
  /// "greedy", "temperature 0.7, top_p 0.9".
  [[nodiscard]] std::string protocol() const;
};

/// Reads `generation_kwargs`: {until, max_gen_toks (or max_new_tokens, max_tokens,
/// max_completion_tokens), do_sample, temperature, top_k, top_p}. Without `until` an answer ends at
/// `fewshot_delimiter`, as in lm-evaluation-harness.
/// @throws Error(kConfig) for any other key, for two names of one thing, and for sampling that is
/// half asked for.
[[nodiscard]] GenerationSettings read_generation_settings(Fields& fields);

}  // namespace yardstick::tasks
