// Metaspace's options, which its pre-tokenizer and its decoder share.
#pragma once

#include <string>

#include "models/tokenizer/component.hpp"

namespace yardstick::tokenizer {

struct Metaspace {
  enum class Prepend { kAlways, kFirst, kNever };
  enum class Split { kYes, kNo };

  std::string replacement;  ///< one character, usually U+2581
  Prepend prepend = Prepend::kAlways;
  Split split = Split::kYes;
};

/// Reads the options and closes the component.
[[nodiscard]] Metaspace read_metaspace(Component& component);

}  // namespace yardstick::tokenizer
