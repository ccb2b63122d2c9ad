#include "tasks/template/template.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace yardstick::tasks {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::vector<std::string> keys_of(const nlohmann::ordered_json& value) {
  std::vector<std::string> keys;
  if (!value.is_object()) return keys;
  for (const auto& [key, unused] : value.items()) keys.push_back(key);
  return keys;
}

std::string listed(const std::vector<std::string>& keys) {
  std::string out;
  for (const std::string& key : keys) out += (out.empty() ? "" : ", ") + key;
  return out.empty() ? "nothing" : out;
}

}  // namespace

Template::Template(std::string text, std::string place)
    : text_(std::move(text)), place_(std::move(place)) {
  std::size_t begin = 0;
  while (begin < text_.size()) {
    const std::size_t open = std::min(text_.find("{{", begin), text_.size());
    const std::size_t block = text_.find("{%", begin);
    if (block < open) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: '{{%' blocks are not supported; use {{{{field}}}} references",
                              where(block)));
    }
    if (open > begin) pieces_.emplace_back(text_.substr(begin, open - begin));
    if (open == text_.size()) break;
    const std::size_t close = text_.find("}}", open);
    if (close == std::string::npos) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: '{{{{' is not closed by '}}}}'", where(open)));
    }
    pieces_.emplace_back(parse_reference(open, close));
    begin = close + 2;
  }
}

std::string Template::where(std::size_t offset) const {
  const std::string_view before = std::string_view(text_).substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? offset : offset - newline - 1;
  return fmt::format("{}: template {}:{}", place_, line, column + 1);
}

Template::Reference Template::parse_reference(std::size_t open, std::size_t close) const {
  const std::string_view inside = trim(std::string_view(text_).substr(open + 2, close - open - 2));
  Reference reference{.written = std::string(inside), .offset = open, .path = {}};
  const auto fail = [&]() -> Error {
    return {ErrorKind::kConfig,
            fmt::format("{}: cannot read '{{{{{}}}}}': expected a field such as question, "
                        "choices.text or choices[0]; filters and expressions are not supported",
                        where(open), inside)};
  };
  std::size_t at = 0;
  while (at < inside.size()) {
    if (inside[at] == '[' && at > 0) {
      std::size_t index = 0;
      const char* const end = inside.data() + inside.size();
      const auto [next, error] = std::from_chars(inside.data() + at + 1, end, index);
      if (error != std::errc() || next == end || *next != ']') throw fail();
      reference.path.emplace_back(index);
      at = static_cast<std::size_t>(next - inside.data()) + 1;
      continue;
    }
    if (at > 0 && inside[at++] != '.') throw fail();
    const std::size_t name = at;
    while (at < inside.size() && is_name_character(inside[at])) ++at;
    if (at == name) throw fail();
    reference.path.emplace_back(std::string(inside.substr(name, at - name)));
  }
  if (reference.path.empty()) throw fail();
  return reference;
}

const nlohmann::ordered_json& Template::look_up(const Reference& reference,
                                                const nlohmann::ordered_json& item) const {
  const nlohmann::ordered_json* value = &item;
  for (const Step& step : reference.path) {
    if (const auto* index = std::get_if<std::size_t>(&step)) {
      if (!value->is_array() || *index >= value->size()) {
        throw Error(ErrorKind::kData,
                    fmt::format("{}: '{}': there is no element {} ({})", where(reference.offset),
                                reference.written, *index,
                                value->is_array() ? fmt::format("the list has {}", value->size())
                                                  : "the value is not a list"));
      }
      value = &(*value)[*index];
      continue;
    }
    const auto& name = std::get<std::string>(step);
    const auto found = value->is_object() ? value->find(name) : value->end();
    if (!value->is_object() || found == value->end()) {
      const std::vector<std::string> keys = keys_of(*value);
      throw Error(ErrorKind::kData,
                  fmt::format("{}: unknown field '{}'{}; the item has: {}", where(reference.offset),
                              reference.written, did_you_mean(name, keys), listed(keys)));
    }
    value = &*found;
  }
  return *value;
}

std::string Template::render(const nlohmann::ordered_json& item) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    if (const auto* plain = std::get_if<std::string>(&piece)) {
      out += *plain;
      continue;
    }
    const auto& reference = std::get<Reference>(piece);
    const nlohmann::ordered_json& value = look_up(reference, item);
    if (value.is_string()) {
      out += value.get_ref<const std::string&>();
    } else if (value.is_number() || value.is_boolean()) {
      out += value.dump();
    } else {
      throw Error(ErrorKind::kData,
                  fmt::format("{}: '{}' is {}, expected text or a number", where(reference.offset),
                              reference.written,
                              value.is_null()    ? "null"
                              : value.is_array() ? "a list (choose an element with [0])"
                                                 : "a mapping (choose a key with .name)"));
    }
  }
  return out;
}

bool Template::is_reference() const {
  return pieces_.size() == 1 && std::holds_alternative<Reference>(pieces_.front());
}

const nlohmann::ordered_json& Template::value(const nlohmann::ordered_json& item) const {
  check(is_reference(), "only a template of one reference has a value");
  return look_up(std::get<Reference>(pieces_.front()), item);
}

}  // namespace yardstick::tasks
