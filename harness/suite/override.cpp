#include "harness/suite/override.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/home_path.hpp"
#include "core/text.hpp"
#include "harness/suite/marks.hpp"

namespace yardstick::harness {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 7> kFileKeys = {"path", "tokenizer", "include", "data",
                                                       "file", "haystack",  "words"};

bool names_a_file(std::string_view key) {
  return std::find(kFileKeys.begin(), kFileKeys.end(), key) != kFileKeys.end();
}

/// Puts `rebase(file)` in the place of each file that the value of `key` names: itself, the
/// elements of a list, or the members of a mapping ("data: {path: ...}").
template <typename Rebase>
void rebase_files(std::string_view key, json& value, const Rebase& rebase) {
  if (value.is_string() && names_a_file(key)) {
    value = std::filesystem::path(rebase(value.get<std::string>())).string();
  } else if (value.is_array() && names_a_file(key)) {
    for (json& element : value) rebase_files(key, element, rebase);
  } else if (value.is_object()) {
    for (auto& [inner, child] : value.items()) rebase_files(inner, child, rebase);
  }
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

/// Walks the steps of one assignment.
class Walk {
 public:
  Walk(Located& suite, std::string_view assignment, std::string_view path)
      : value_(&suite.values()), assignment_(assignment), steps_(split(path, '.')) {}

  /// The value that the path names, created (null) if its parent is a mapping without it.
  json& find() {
    while (next_ < std::ssize(steps_)) {
      if (value_->is_null()) *value_ = json::object();
      if (value_->is_array())
        enter_list();
      else if (value_->is_object())
        enter_key();
      else
        fail(fmt::format("'{}' is a single value, not a mapping or a list", walked()));
    }
    return *value_;
  }

  [[nodiscard]] const json::json_pointer& pointer() const { return pointer_; }
  [[nodiscard]] const std::string& last_step() const { return steps_.back(); }

  [[noreturn]] void fail(std::string_view message) const {
    throw Error(ErrorKind::kConfig, fmt::format("--set {}: {}", assignment_, message));
  }

 private:
  [[nodiscard]] std::string walked() const {
    return fmt::format("{}", fmt::join(steps_.begin(), steps_.begin() + next_, "."));
  }

  void enter_key() {
    const std::string& key = steps_[next_++];
    if (key.empty()) fail("the path has an empty step");
    pointer_ /= key;
    value_ = &(*value_)[key];
  }

  void enter_list() {
    if (const auto index = as_index(steps_[next_])) {
      if (*index >= value_->size()) {
        fail(fmt::format("there is no element {} in a list of {}", *index, value_->size()));
      }
      return enter_element(*index, 1);
    }
    // A name may hold dots itself: the longest run of steps that is an element's name is taken.
    std::vector<std::string> names;
    for (std::ptrdiff_t count = std::ssize(steps_) - next_; count > 0; --count) {
      const std::string wanted =
          fmt::format("{}", fmt::join(steps_.begin() + next_, steps_.begin() + next_ + count, "."));
      for (std::size_t i = 0; i < value_->size(); ++i) {
        const std::optional<std::string> name = name_of((*value_)[i]);
        if (!name) continue;
        if (*name == wanted) return enter_element(i, count);
        if (count == 1) names.push_back(*name);
      }
    }
    fail(fmt::format("no element is called '{}'{}; names: {}", steps_[next_],
                     did_you_mean(steps_[next_], names), fmt::join(names, ", ")));
  }

  /// What --set calls an element of a list: its name, or the text that it is.
  static std::optional<std::string> name_of(const json& element) {
    if (element.is_string()) return element.get<std::string>();
    if (!element.is_object() || !element.contains("name") || !element["name"].is_string())
      return std::nullopt;
    return element["name"].get<std::string>();
  }

  void enter_element(std::size_t index, std::ptrdiff_t steps_used) {
    pointer_ /= index;
    value_ = &(*value_)[index];
    next_ += steps_used;
  }

  static std::optional<std::size_t> as_index(std::string_view step) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (error != std::errc{} || end != step.data() + step.size()) return std::nullopt;
    return index;
  }

  json* value_;
  std::string_view assignment_;
  std::vector<std::string> steps_;
  std::ptrdiff_t next_ = 0;
  json::json_pointer pointer_;
};

/// Takes an element out of a list; the places of those behind it move up with them.
void remove_element(Located& suite, const json::json_pointer& element) {
  const Located before = suite;
  const json::json_pointer list = element.parent_pointer();
  json& elements = suite.values().at(list);
  const std::size_t index = std::stoul(element.back());
  elements.erase(index);
  for (std::size_t i = index; i < elements.size(); ++i) {
    const std::string now = (list / i).to_string();
    const std::string was = (list / (i + 1)).to_string();
    const auto earlier = [&](const std::string& at) { return was + at.substr(now.size()); };
    mark_tree(
        suite, list / i, elements[i],
        [&](const std::string& at) { return before.where(earlier(at)); },
        [&](const std::string& at) { return before.where_key(earlier(at)); });
  }
}

bool is_element(const Located& suite, const json::json_pointer& at) {
  return !at.empty() && suite.values().at(at.parent_pointer()).is_array();
}

}  // namespace

std::filesystem::path from_folder(const std::filesystem::path& base,
                                  const std::filesystem::path& path) {
  const std::filesystem::path place = path_from(base, path.string());
  return path.is_absolute() ? path : place.lexically_normal();
}

void apply_override(Located& suite, std::string_view assignment,
                    const std::filesystem::path& current_folder) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw Error(ErrorKind::kConfig,
                fmt::format("--set {}: expected key=value, e.g. --set models.a.path=checkpoints/a",
                            assignment));
  }
  const std::string_view path = assignment.substr(0, equals);
  const std::string place = fmt::format("--set {}", path);
  json value = parse_yaml(assignment.substr(equals + 1), place).values();
  Walk walk(suite, assignment, path);
  json& target = walk.find();
  if (value.is_null() && is_element(suite, walk.pointer()))
    return remove_element(suite, walk.pointer());
  rebase_files(walk.last_step(), value,
               [&](const std::string& written) { return from_folder(current_folder, written); });
  target = std::move(value);
  const auto here = [&](const std::string&) { return place; };
  mark_tree(suite, walk.pointer(), target, here, here);
}

}  // namespace yardstick::harness
