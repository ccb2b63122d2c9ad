// Normalizers: what happens to a text before it is cut into words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/yaml.hpp"
#include "models/tokenizer/aligned_text.hpp"

namespace yardstick::tokenizer {

/// One step. Immutable and thread-safe.
class NormalizerStep {
 public:
  virtual ~NormalizerStep() = default;
  virtual void apply(AlignedText& text) const = 0;
};

using Normalizer = std::vector<std::unique_ptr<const NormalizerStep>>;

/// Reads the component at `pointer`, sequences included.
/// @throws Error(kConfig) naming a component or option that is not supported.
[[nodiscard]] Normalizer read_normalizer(const Located& file, const std::string& pointer);

void normalize(const Normalizer& normalizer, AlignedText& text);

}  // namespace yardstick::tokenizer
