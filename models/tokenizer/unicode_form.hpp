// The four Unicode normalization forms (UAX 15) of an aligned text.
#pragma once

#include "models/tokenizer/aligned_text.hpp"

namespace yardstick::tokenizer {

enum class UnicodeForm { kNfc, kNfd, kNfkc, kNfkd };

/// Each run of characters that normalize together keeps the source bytes of the whole run on its
/// first character. Linear time on text that is already in the form.
void apply_unicode_form(UnicodeForm form, AlignedText& text);

}  // namespace yardstick::tokenizer
