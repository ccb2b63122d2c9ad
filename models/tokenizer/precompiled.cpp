#include "models/tokenizer/precompiled.hpp"

#include <optional>

#include <utf8proc.h>

#include "models/tokenizer/character_map.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

constexpr std::size_t kLongestGrapheme = 5;  // bytes that a rule is looked for as a whole

std::size_t grapheme_end(std::string_view text, std::size_t at) {
  CodePoint last = code_point_at(text, at);
  utf8proc_int32_t state = 0;
  for (at += last.length_bytes; at < text.size(); at += last.length_bytes) {
    const CodePoint next = code_point_at(text, at);
    const bool breaks =
        utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(last.value),
                                         static_cast<utf8proc_int32_t>(next.value), &state);
    if (breaks) break;
    last = next;
  }
  return at;
}

class PrecompiledStep final : public NormalizerStep {
 public:
  explicit PrecompiledStep(std::string_view character_map) : map_(character_map) {}

  void apply(AlignedText& aligned) const override {
    const std::string_view text = aligned.text();
    AlignedEdit edit(aligned);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = grapheme_end(text, at);
      const bool is_short = end - at <= kLongestGrapheme;
      if (!is_short || !replace(text, at, end, edit)) replace_characters(text, at, end, edit);
      at = end;
    }
    edit.finish();
  }

 private:
  bool replace(std::string_view text, std::size_t at, std::size_t end, AlignedEdit& edit) const {
    const auto rule = map_.shortest(text.substr(at, end - at));
    if (rule) edit.replace(at, end, rule->replacement);
    return rule.has_value();
  }

  void replace_characters(std::string_view text, std::size_t at, std::size_t end,
                          AlignedEdit& edit) const {
    while (at < end) {
      const std::size_t next = at + code_point_at(text, at).length_bytes;
      if (!replace(text, at, next, edit)) edit.keep(at, next);
      at = next;
    }
  }

  CharacterMap map_;
};

}  // namespace

std::unique_ptr<const NormalizerStep> precompiled_normalizer(std::string_view character_map) {
  return std::make_unique<PrecompiledStep>(character_map);
}

}  // namespace yardstick::tokenizer
