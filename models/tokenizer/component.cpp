#include "models/tokenizer/component.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/tokenizer/regex.hpp"

namespace yardstick::tokenizer {
namespace {

std::string place_of(std::string_view role, const std::string& pointer) {
  return fmt::format("the {} at {}", role, pointer);
}

}  // namespace

Component::Component(const Located& file, const std::string& pointer, std::string_view role)
    : role_(role), fields_(file, pointer, place_of(role, pointer)), type_(fields_.text("type")) {}

bool Component::flag(std::string_view key, bool fallback) {
  return fields_.optional_flag(key).value_or(fallback);
}

std::string Component::pattern() {
  if (!fields_.has("pattern")) static_cast<void>(fields_.text("pattern"));  // throws: missing
  Fields choice(fields_.located(), fields_.pointer("pattern"),
                fmt::format("the pattern of the {} {}", role_, type_));
  const std::optional<std::string> literal = choice.optional_text("String");
  const std::optional<std::string> regex = choice.optional_text("Regex");
  choice.finish();
  if (literal.has_value() == regex.has_value())
    throw fields_.error("pattern", "expected one of \"String\" and \"Regex\"");
  if (literal) return quote_pattern(*literal);
  try {
    return translate_pattern(*regex);
  } catch (const Error& error) {
    throw fields_.error("pattern", error.what());
  }
}

void Component::refuse_type(std::string_view supported) const {
  throw Error(ErrorKind::kConfig, fmt::format("{}: the {} '{}' is not supported; supported are {}",
                                              fields_.where("type"), role_, type_, supported));
}

void Component::refuse_option(std::string_view key, std::string_view reason) const {
  throw Error(ErrorKind::kConfig, fmt::format("{}: the {} '{}': option '{}' {}", fields_.where(key),
                                              role_, type_, key, reason));
}

}  // namespace yardstick::tokenizer
