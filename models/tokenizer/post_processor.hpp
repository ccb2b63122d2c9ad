// Post-processors: the ids that a tokenizer itself puts around a text.
#pragma once

#include <string>

#include "core/yaml.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "models/tokenizer/vocabulary.hpp"

namespace yardstick::tokenizer {

/// Reads the component at `pointer` for single texts.
/// @throws Error(kConfig) naming a component, an option or a token that is not supported or known.
[[nodiscard]] Tokenizer::Specials read_post_processor(const Located& file,
                                                      const std::string& pointer,
                                                      const Vocabulary& vocabulary);

}  // namespace yardstick::tokenizer
