// Pre-tokenizers: how a normalised text is cut into the words that the model sees one by one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/yaml.hpp"
#include "models/tokenizer/aligned_text.hpp"

namespace yardstick::tokenizer {

/// One step. Immutable and thread-safe.
class PreTokenizerStep {
 public:
  virtual ~PreTokenizerStep() = default;
  /// Cuts or edits the parts that are not added tokens.
  virtual void apply(Pieces& pieces) const = 0;
};

/// What the model is handed: characters, or bytes (spelled with ByteLevel's alphabet in the file).
enum class ModelInput { kCharacters, kBytes };

struct PreTokenizer {
  std::vector<std::unique_ptr<const PreTokenizerStep>> steps;
  ModelInput input = ModelInput::kCharacters;
};

/// Reads the component at `pointer`, sequences included.
/// @throws Error(kConfig) naming a component or option that is not supported.
[[nodiscard]] PreTokenizer read_pre_tokenizer(const Located& file, const std::string& pointer);

}  // namespace yardstick::tokenizer
