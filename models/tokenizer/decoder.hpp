// Decoders: from the texts of tokens back to one text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/yaml.hpp"

namespace yardstick::tokenizer {

/// One step over the list of token texts (valid UTF-8). Immutable and thread-safe.
class DecoderStep {
 public:
  virtual ~DecoderStep() = default;
  /// @throws Error(kData) if the texts would grow beyond `most_bytes` together.
  virtual void apply(std::vector<std::string>& tokens, std::size_t most_bytes) const = 0;
};

/// The steps, and what stands between the results.
struct Decoder {
  std::vector<std::unique_ptr<const DecoderStep>> steps;
  std::string separator;  ///< " " for a file without a decoder
};

/// Reads the component at `pointer`, sequences included.
/// @throws Error(kConfig) naming a component or option that is not supported.
[[nodiscard]] Decoder read_decoder(const Located& file, const std::string& pointer);

}  // namespace yardstick::tokenizer
