#include <algorithm>

#include <fmt/format.h>

#include "tasks/template/code_points.hpp"
#include "tasks/template/letter_case.hpp"
#include "tasks/template/methods.hpp"
#include "tasks/template/operators.hpp"
#include "tasks/template/text_edit.hpp"

namespace yardstick::tasks::jinja {
namespace {

using Call = Invocation;

const std::string& self(const Call& call) { return *call.subject.as_text(); }

bool is_given(const Call& call, std::size_t i) { return call.has(i) && !call.get(i).is<None>(); }

template <std::string (*kEdit)(std::string_view)>
Value edited(const Call& call) {
  return Value::text(kEdit(self(call)));
}

enum class Ends { kLeft, kRight, kBoth };

template <Ends kEnds>
Value strip_method(const Call& call) {
  std::string_view text = self(call);
  const bool has_set = is_given(call, 0);
  const std::string set = has_set ? call.text(0, "") : "";
  if (kEnds != Ends::kRight) text = has_set ? strip_left(text, set) : strip_left(text);
  if (kEnds != Ends::kLeft) text = has_set ? strip_right(text, set) : strip_right(text);
  return Value::text(std::string(text));
}

Value texts(const std::vector<std::string_view>& parts) {
  if (parts.size() > kMaxElements) throw Fault("the text splits into too many parts");
  std::vector<Value> out;
  out.reserve(parts.size());
  for (const std::string_view part : parts) out.push_back(Value::text(std::string(part)));
  return Value::list(std::move(out));
}

std::vector<std::string_view> split_left(std::string_view text, std::string_view separator,
                                         std::int64_t limit) {
  std::vector<std::string_view> out;
  while (limit != 0) {
    const std::size_t found = text.find(separator);
    if (found == std::string_view::npos) break;
    out.push_back(text.substr(0, found));
    text.remove_prefix(found + separator.size());
    if (limit > 0) --limit;
  }
  out.push_back(text);
  return out;
}

// At runs of white space. What the limit leaves keeps the white space at its far end.
std::vector<std::string_view> split_words(std::string_view text, std::int64_t limit) {
  std::vector<std::string_view> out;
  text = strip_left(text);
  while (!text.empty() && limit != 0) {
    std::size_t end = 0;
    while (end < text.size() && !is_space(first_code_point(text.substr(end)).value)) {
      end += first_code_point(text.substr(end)).size;
    }
    out.push_back(text.substr(0, end));
    text = strip_left(text.substr(end));
    if (limit > 0) --limit;
  }
  if (!text.empty()) out.push_back(text);
  return out;
}

std::vector<std::string_view> split_words_right(std::string_view text, std::int64_t limit) {
  std::vector<std::string_view> out;
  text = strip_right(text);
  while (!text.empty() && limit != 0) {
    std::size_t begin = 0;
    std::size_t at = 0;
    while (at < text.size()) {
      const CodePoint c = first_code_point(text.substr(at));
      at += c.size;
      if (is_space(c.value)) begin = at;
    }
    out.push_back(text.substr(begin));
    text = strip_right(text.substr(0, begin));
    if (limit > 0) --limit;
  }
  if (!text.empty()) out.push_back(text);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string separator_of(const Call& call) {
  std::string separator = call.text(0, "");
  if (separator.empty()) throw Fault("the separator is empty");
  return separator;
}

Value split(const Call& call) {
  const std::int64_t limit = call.integer(1, -1);
  if (!is_given(call, 0)) return texts(split_words(self(call), limit));
  return texts(split_left(self(call), separator_of(call), limit));
}

Value rsplit(const Call& call) {
  const std::int64_t limit = call.integer(1, -1);
  if (!is_given(call, 0)) {
    return texts(limit < 0 ? split_words(self(call), limit) : split_words_right(self(call), limit));
  }
  return texts(split_right(self(call), separator_of(call), limit));
}

Value split_lines_method(const Call& call) {
  return texts(split_lines(self(call), call.is_true(0) ? LineEnds::kKept : LineEnds::kDropped));
}

Value partition(const Call& call) {
  const std::string separator = separator_of(call);
  const std::string_view text = self(call);
  const std::size_t found = text.find(separator);
  if (found == std::string_view::npos) {
    return Value::tuple({call.subject, Value::text(""), Value::text("")});
  }
  return Value::tuple({Value::text(std::string(text.substr(0, found))), Value::text(separator),
                       Value::text(std::string(text.substr(found + separator.size())))});
}

Value rpartition(const Call& call) {
  const std::string separator = separator_of(call);
  const std::string_view text = self(call);
  const std::size_t found = text.rfind(separator);
  if (found == std::string_view::npos) {
    return Value::tuple({Value::text(""), Value::text(""), call.subject});
  }
  return Value::tuple({Value::text(std::string(text.substr(0, found))), Value::text(separator),
                       Value::text(std::string(text.substr(found + separator.size())))});
}

// The part of the text between arguments 1 and 2, which are as in a slice.
struct Window {
  std::string_view text;
  std::int64_t first = 0;       ///< code points in front of it
  bool is_empty_range = false;  ///< it starts behind the text's end, or behind its own end
};

Window window_of(const Call& call) {
  const std::string_view text = self(call);
  const std::int64_t size = length_of(text);
  const auto bound = [&](std::size_t i, std::int64_t fallback) {
    const std::int64_t given = is_given(call, i) ? call.integer(i, fallback) : fallback;
    return given < 0 ? std::max<std::int64_t>(given + size, 0) : given;
  };
  const std::int64_t begin = bound(1, 0);
  const std::int64_t end = std::min(bound(2, size), size);
  if (begin > end) return {.text = {}, .first = begin, .is_empty_range = true};
  const std::size_t from = offset_of(text, begin);
  const std::size_t to = offset_of(text, end);
  return {.text = text.substr(from, to - from), .first = begin};
}

std::optional<std::int64_t> found_at(const Call& call, Ends from) {
  const std::string wanted = call.text(0, "");
  const Window window = window_of(call);
  if (window.is_empty_range) return std::nullopt;
  const std::size_t found =
      from == Ends::kLeft ? window.text.find(wanted) : window.text.rfind(wanted);
  if (found == std::string_view::npos) return std::nullopt;
  return window.first + length_of(window.text.substr(0, found));
}

template <Ends kFrom>
Value find_method(const Call& call) {
  return {Integer{found_at(call, kFrom).value_or(-1)}};
}

template <Ends kFrom>
Value index_method(const Call& call) {
  const auto found = found_at(call, kFrom);
  if (!found) throw Fault(fmt::format("'{}' does not occur in the text", call.text(0, "")));
  return {Integer{*found}};
}

Value count(const Call& call) {
  const std::string wanted = call.text(0, "");
  const Window window = window_of(call);
  if (window.is_empty_range) return {Integer{0}};
  if (wanted.empty()) return {Integer{length_of(window.text) + 1}};
  return Value::size(split_left(window.text, wanted, -1).size() - 1);
}

template <Ends kEnds>
Value touches(const Call& call) {
  const Window window = window_of(call);
  const auto matches = [&](const Value& part) {
    const std::string& wanted = require_text(part, "what startswith or endswith looks for");
    if (window.is_empty_range) return false;
    return kEnds == Ends::kLeft ? window.text.starts_with(wanted) : window.text.ends_with(wanted);
  };
  if (const Tuple* several = call.get(0).as<Tuple>()) {
    return {std::any_of(several->elements->items.begin(), several->elements->items.end(), matches)};
  }
  return {matches(call.get(0))};
}

Value replace_method(const Call& call) {
  return Value::text(replace(self(call), call.text(0, ""), call.text(1, ""), call.integer(2, -1)));
}

Value join(const Call& call) {
  TextBuilder out;
  bool is_first = true;
  for (const Value& element : iterate(call.get(0))) {
    if (!is_first) out.append(self(call));
    is_first = false;
    out.append(require_text(element, "an element of what is joined"));
  }
  return Value::text(out.take());
}

std::string fill_of(const Call& call) {
  std::string fill = call.text(1, " ");
  if (length_of(fill) != 1) throw Fault("the fill is not one character");
  return fill;
}

Value center_method(const Call& call) {
  return Value::text(center(self(call), call.integer(0, 0), fill_of(call)));
}

template <Ends kText>
Value justify(const Call& call) {
  const std::string fill = fill_of(call);
  const std::int64_t padding = call.integer(0, 0) - length_of(self(call));
  TextBuilder out;
  if (kText == Ends::kLeft) out.append(self(call));
  for (std::int64_t i = 0; i < padding; ++i) out.append(fill);
  if (kText == Ends::kRight) out.append(self(call));
  return Value::text(out.take());
}

Value zfill(const Call& call) {
  const std::string_view text = self(call);
  const std::int64_t padding = call.integer(0, 0) - length_of(text);
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  TextBuilder out;
  out.append(text.substr(0, sign));
  out.append(static_cast<std::size_t>(std::max<std::int64_t>(padding, 0)), '0');
  out.append(text.substr(sign));
  return Value::text(out.take());
}

Value remove_prefix(const Call& call) {
  const std::string prefix = call.text(0, "");
  return self(call).starts_with(prefix) ? Value::text(self(call).substr(prefix.size()))
                                        : call.subject;
}

Value remove_suffix(const Call& call) {
  const std::string suffix = call.text(0, "");
  return self(call).ends_with(suffix)
             ? Value::text(self(call).substr(0, self(call).size() - suffix.size()))
             : call.subject;
}

template <bool (*kHas)(std::int32_t)>
Value consists_of(const Call& call) {
  const std::vector<std::string_view> points = code_points(self(call));
  return {!points.empty() && std::all_of(points.begin(), points.end(), [](std::string_view c) {
    return kHas(first_code_point(c).value);
  })};
}

bool is_alphanumeric(std::int32_t c) { return is_letter(c) || is_numeral(c); }
bool is_decimal(std::int32_t c) { return decimal_value(c) >= 0; }

Value upper_case(const Call& call) { return {is_upper(self(call))}; }
Value lower_case(const Call& call) { return {is_lower(self(call))}; }

Value encode(const Call& call) {
  const std::string name = lower(call.text(0, "utf-8"));
  if (name != "utf-8" && name != "utf8") {
    throw Fault(fmt::format("the encoding '{}' is not supported, only utf-8", name));
  }
  return {Bytes{std::ssize(self(call))}};
}

constexpr auto kMethods = std::to_array<Callable>({
    {"strip", {"chars"}, 0, &strip_method<Ends::kBoth>},
    {"lstrip", {"chars"}, 0, &strip_method<Ends::kLeft>},
    {"rstrip", {"chars"}, 0, &strip_method<Ends::kRight>},
    {"split", {"sep", "maxsplit"}, 0, &split},
    {"rsplit", {"sep", "maxsplit"}, 0, &rsplit},
    {"splitlines", {"keepends"}, 0, &split_lines_method},
    {"partition", {"sep"}, 1, &partition},
    {"rpartition", {"sep"}, 1, &rpartition},
    {"find", {"sub", "start", "end"}, 1, &find_method<Ends::kLeft>},
    {"rfind", {"sub", "start", "end"}, 1, &find_method<Ends::kRight>},
    {"index", {"sub", "start", "end"}, 1, &index_method<Ends::kLeft>},
    {"rindex", {"sub", "start", "end"}, 1, &index_method<Ends::kRight>},
    {"count", {"sub", "start", "end"}, 1, &count},
    {"startswith", {"prefix", "start", "end"}, 1, &touches<Ends::kLeft>},
    {"endswith", {"suffix", "start", "end"}, 1, &touches<Ends::kRight>},
    {"replace", {"old", "new", "count"}, 2, &replace_method},
    {"join", {"iterable"}, 1, &join},
    {"center", {"width", "fillchar"}, 1, &center_method},
    {"ljust", {"width", "fillchar"}, 1, &justify<Ends::kLeft>},
    {"rjust", {"width", "fillchar"}, 1, &justify<Ends::kRight>},
    {"zfill", {"width"}, 1, &zfill},
    {"removeprefix", {"prefix"}, 1, &remove_prefix},
    {"removesuffix", {"suffix"}, 1, &remove_suffix},
    {"upper", {}, 0, &edited<upper>},
    {"lower", {}, 0, &edited<lower>},
    {"title", {}, 0, &edited<title>},
    {"capitalize", {}, 0, &edited<capitalize>},
    {"swapcase", {}, 0, &edited<swap_case>},
    {"isalpha", {}, 0, &consists_of<is_letter>},
    {"isdigit", {}, 0, &consists_of<is_digit>},
    {"isdecimal", {}, 0, &consists_of<is_decimal>},
    {"isalnum", {}, 0, &consists_of<is_alphanumeric>},
    {"isspace", {}, 0, &consists_of<is_space>},
    {"isupper", {}, 0, &upper_case},
    {"islower", {}, 0, &lower_case},
    {"encode", {"encoding"}, 0, &encode},
});

}  // namespace

std::span<const Callable> text_methods() { return kMethods; }

}  // namespace yardstick::tasks::jinja
