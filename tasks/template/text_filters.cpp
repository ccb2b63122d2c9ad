#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/template/code_points.hpp"
#include "tasks/template/filters.hpp"
#include "tasks/template/json_text.hpp"
#include "tasks/template/letter_case.hpp"
#include "tasks/template/operators.hpp"
#include "tasks/template/python_format.hpp"
#include "tasks/template/python_regex.hpp"
#include "tasks/template/python_text.hpp"
#include "tasks/template/text_edit.hpp"

namespace yardstick::tasks::jinja {
namespace {

using Call = Invocation;

template <std::string (*kEdit)(std::string_view)>
Value edited(const Call& call) {
  return Value::text(kEdit(str(call.subject)));
}

// Unlike str.title, words begin behind white space, '-', and opening brackets alone.
std::string filter_title(std::string_view text) {
  std::string out;
  std::string word;
  const auto finish = [&] {
    if (word.empty()) return;
    const std::size_t first = first_code_point(word).size;
    out += upper(std::string_view(word).substr(0, first));
    out += lower(std::string_view(word).substr(first));
    word.clear();
  };
  for (const std::string_view bytes : code_points(text)) {
    const std::int32_t c = first_code_point(bytes).value;
    const bool separates = is_space(c) || (c > 0 && c < 0x80 &&
                                           std::string_view("-({[<").find(static_cast<char>(c)) !=
                                               std::string_view::npos);
    if (separates) {
      finish();
      out += bytes;
    } else {
      word += bytes;
    }
  }
  finish();
  return out;
}

Value trim(const Call& call) {
  const std::string text = str(call.subject);
  if (!call.has(0) || call.get(0).is<None>()) return Value::text(std::string(strip(text)));
  const std::string& set = require_text(call.get(0), "the characters of trim");
  return Value::text(std::string(strip_left(strip_right(text, set), set)));
}

Value replace_filter(const Call& call) {
  const bool is_limited = call.has(2) && !call.get(2).is<None>();
  return Value::text(replace(str(call.subject), str(call.get(0)), str(call.get(1)),
                             is_limited ? call.integer(2, -1) : -1));
}

Value center_filter(const Call& call) {
  return Value::text(center(str(call.subject), call.integer(0, 80), " "));
}

Value indent(const Call& call) {
  const std::string text = require_text(call.subject, "the value of indent") + "\n";
  TextBuilder spaces;
  if (call.has(0) && call.get(0).as_text() != nullptr) {
    spaces.append(*call.get(0).as_text());
  } else {
    spaces.append(static_cast<std::size_t>(std::max<std::int64_t>(call.integer(0, 4), 0)), ' ');
  }
  const std::string indention = spaces.take();
  TextBuilder out;
  if (call.is_true(1)) out.append(indention);
  bool is_first = true;
  for (const std::string_view line : split_lines(text, LineEnds::kDropped)) {
    if (!is_first) {
      out.append("\n");
      if (!line.empty() || call.is_true(2)) out.append(indention);
    }
    is_first = false;
    out.append(line);
  }
  return Value::text(out.take());
}

Value truncate(const Call& call) {
  const std::string& text = require_text(call.subject, "the value of truncate");
  const std::string end = call.text(2, "...");
  const std::int64_t length = call.integer(0, 255);
  const bool has_leeway = call.has(3) && !call.get(3).is<None>();
  const std::int64_t leeway = has_leeway ? call.integer(3, 5) : 5;
  if (length < length_of(end))
    throw Fault(
        fmt::format("truncate to {} characters: expected at least {}", length, length_of(end)));
  if (leeway < 0) throw Fault("the leeway of truncate is negative");
  if (length_of(text) - leeway <= length) return call.subject;
  const std::string kept = text.substr(0, offset_of(text, length - length_of(end)));
  if (call.is_true(1)) return Value::text(kept + end);
  return Value::text(std::string(split_right(kept, " ", 1).front()) + end);
}

Value wordcount(const Call& call) {
  std::int64_t words = 0;
  bool within = false;
  const std::string text = str(call.subject);
  for (const std::string_view bytes : code_points(text)) {
    const bool is_part = is_word(first_code_point(bytes).value);
    words += is_part && !within ? 1 : 0;
    within = is_part;
  }
  return {Integer{words}};
}

Value string(const Call& call) { return Value::text(str(call.subject)); }

Value format(const Call& call) {
  if (!call.arguments.named.empty() && !call.arguments.positional.empty()) {
    throw Fault("'format' takes positional or named arguments, not both");
  }
  if (call.arguments.named.empty()) {
    return Value::text(percent_format(str(call.subject), Value::tuple(call.arguments.positional)));
  }
  std::vector<std::pair<Value, Value>> pairs;
  for (const auto& [name, value] : call.arguments.named) {
    pairs.emplace_back(Value::text(std::string(name)), value);
  }
  return Value::text(percent_format(str(call.subject), Value::dict(std::move(pairs))));
}

Value escape(const Call& call) {
  TextBuilder out;
  for (const char c : str(call.subject)) {
    switch (c) {
      case '&': out.append("&amp;"); break;
      case '<': out.append("&lt;"); break;
      case '>': out.append("&gt;"); break;
      case '"': out.append("&#34;"); break;
      case '\'': out.append("&#39;"); break;
      default: out.append(1, c);
    }
  }
  return Value::text(out.take());
}

Value tojson(const Call& call) {
  const bool has_indent = call.has(0) && !call.get(0).is<None>();
  return Value::text(has_indent ? json_text(call.subject, call.integer(0, 0))
                                : json_text(call.subject));
}

Value regex_replace(const Call& call) {
  const std::string& text = require_text(call.subject, "the value of regex_replace");
  try {
    const PythonRegex regex(require_text(call.get(0), "the pattern"));
    return Value::text(regex.substitute(text, require_text(call.get(1), "the replacement"),
                                        call.integer(2, 0), kMaxTextBytes));
  } catch (const Error& error) {
    throw Fault(error.what());
  }
}

constexpr auto kFilters = std::to_array<Callable>({
    {"lower", {}, 0, &edited<lower>},
    {"upper", {}, 0, &edited<upper>},
    {"title", {}, 0, &edited<filter_title>},
    {"capitalize", {}, 0, &edited<capitalize>},
    {"trim", {"chars"}, 0, &trim},
    {"replace", {"old", "new", "count"}, 2, &replace_filter},
    {"center", {"width"}, 0, &center_filter},
    {"indent", {"width", "first", "blank"}, 0, &indent},
    {"truncate", {"length", "killwords", "end", "leeway"}, 0, &truncate},
    {"wordcount", {}, 0, &wordcount},
    {"string", {}, 0, &string},
    {"format", {"*"}, 0, &format},
    {"escape", {}, 0, &escape},
    {"e", {}, 0, &escape},
    {"tojson", {"indent"}, 0, &tojson},
    {"regex_replace", {"pattern", "repl", "count"}, 2, &regex_replace},
});

}  // namespace

std::span<const Callable> text_filters() { return kFilters; }

}  // namespace yardstick::tasks::jinja
