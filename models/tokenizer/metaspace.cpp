#include "models/tokenizer/metaspace.hpp"

#include <array>
#include <utility>

#include "core/text.hpp"

namespace yardstick::tokenizer {

Metaspace read_metaspace(Component& component) {
  using Prepend = Metaspace::Prepend;
  static constexpr std::array<std::pair<std::string_view, Prepend>, 3> kSchemes = {
      {{"always", Prepend::kAlways}, {"first", Prepend::kFirst}, {"never", Prepend::kNever}}};
  Fields& fields = component.fields();
  Metaspace out;
  out.replacement = fields.text("replacement");
  if (count_code_points(out.replacement) != 1)
    throw fields.error("replacement", "expected exactly one character");
  const bool has_scheme = fields.has("prepend_scheme");
  out.prepend = fields.choice<Prepend>("prepend_scheme", Prepend::kAlways, kSchemes);
  // Files from before prepend_scheme have add_prefix_space; newer ones may repeat it.
  const bool prefix = component.flag("add_prefix_space", true);
  if (!prefix && has_scheme && out.prepend != Prepend::kNever)
    component.refuse_option("add_prefix_space", "contradicts prepend_scheme");
  if (!prefix) out.prepend = Prepend::kNever;
  out.split = component.flag("split", true) ? Metaspace::Split::kYes : Metaspace::Split::kNo;
  const std::optional<std::string> spelled = fields.optional_text("str_rep");
  if (spelled && *spelled != out.replacement)
    component.refuse_option("str_rep", "differs from replacement");
  fields.finish();
  return out;
}

}  // namespace yardstick::tokenizer
