#include "tasks/template/template.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/template/lexer.hpp"
#include "tasks/template/parser.hpp"
#include "tasks/template/renderer.hpp"

namespace yardstick::tasks {

struct Template::Parsed {
  std::string source;  // with plain line ends; offsets count in it
  jinja::Body body;
};

Template::Template(std::string text, std::string place)
    : text_(std::move(text)), place_(std::move(place)) {
  if (const auto invalid = find_invalid_utf8(text_)) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: the template is not valid UTF-8 at byte {}", place_, *invalid));
  }
  auto parsed = std::make_shared<Parsed>();
  parsed->source = jinja::with_plain_line_ends(text_);
  parsed_ = parsed;
  try {
    parsed->body = jinja::parse(parsed->source);
  } catch (const jinja::Fault& fault) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: {}", where(fault.offset().value_or(0)), fault.what()));
  }
}

std::string Template::where(std::size_t offset) const {
  const std::string_view before = std::string_view(parsed_->source).substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::string_view in_line =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  return fmt::format("{}: template {}:{}", place_, line, count_code_points(in_line) + 1);
}

std::string Template::render(const nlohmann::ordered_json& document) const {
  try {
    return jinja::Renderer(document).render(parsed_->body);
  } catch (const jinja::Fault& fault) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: {}", where(fault.offset().value_or(0)), fault.what()));
  }
}

bool Template::is_expression() const {
  return parsed_->body.size() == 1 &&
         std::holds_alternative<jinja::Print>(parsed_->body.front().node);
}

nlohmann::ordered_json Template::evaluate(const nlohmann::ordered_json& document) const {
  check(is_expression(), "only a template of one expression has a value");
  const jinja::Expression& expression =
      std::get<jinja::Print>(parsed_->body.front().node).expression;
  try {
    return jinja::Renderer(document).evaluate(expression).to_json();
  } catch (jinja::Fault& fault) {
    throw Error(
        ErrorKind::kData,
        fmt::format("{}: {}", where(fault.offset().value_or(expression.offset)), fault.what()));
  }
}

}  // namespace yardstick::tasks
