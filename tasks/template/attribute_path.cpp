#include "tasks/template/attribute_path.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "tasks/template/letter_case.hpp"
#include "tasks/template/limits.hpp"
#include "tasks/template/operators.hpp"

namespace yardstick::tasks::jinja {
namespace {

Value step_of(std::string_view part) {
  const bool is_position = !part.empty() && part.size() < 10 &&
                           part.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_position) return Value::text(std::string(part));
  std::int64_t position = 0;
  std::from_chars(part.data(), part.data() + part.size(), position);
  return {Integer{position}};
}

}  // namespace

AttributePath::AttributePath(const Value& written) {
  if (written.is<None>()) return;
  if (const auto position = as_integer(written)) {
    steps_.push_back({*position});
    return;
  }
  std::string_view rest = require_text(written, "the attribute");
  if (rest.find(',') != std::string_view::npos) {
    throw Fault(fmt::format("several attributes ('{}') are not supported", rest));
  }
  while (true) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    steps_.push_back(step_of(rest.substr(0, dot)));
    if (dot == rest.size()) break;
    rest.remove_prefix(dot + 1);
  }
}

Value AttributePath::of(const Value& value, const Value* fallback) const {
  Value out = value;
  for (const Value& step : steps_) {
    out = item(out, step);
    if (fallback != nullptr && out.is<Undefined>()) out = *fallback;
  }
  return out;
}

Value without_case(const Value& value) {
  const std::string* text = value.as_text();
  return text != nullptr ? Value::text(lower(*text)) : value;
}

}  // namespace yardstick::tasks::jinja
