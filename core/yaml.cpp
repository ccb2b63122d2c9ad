#include "core/yaml.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "core/content_kind.hpp"
#include "core/file.hpp"
#include "core/yaml_mistakes.hpp"

namespace yardstick {
namespace {

constexpr const char* kFunctionTag = "!function";

std::string place(std::string_view name, const YAML::Mark& mark) {
  return fmt::format("{}:{}:{}", name, mark.line + 1, mark.column + 1);
}

/// "name:2:5" of a byte of `text`.
std::string place(std::string_view name, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  return fmt::format("{}:{}:{}", name, std::count(before.begin(), before.end(), '\n') + 1,
                     newline == std::string_view::npos ? offset + 1 : offset - newline);
}

std::string escape_pointer(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) base = 16;
  if (text.starts_with("0o")) base = 8;
  std::string_view digits = base == 10 ? text : text.substr(2);
  if (base == 10 && digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  if (text == ".inf" || text == "+.inf") return HUGE_VAL;
  if (text == "-.inf") return -HUGE_VAL;
  if (text == ".nan") return std::nan("");
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const char first = text.front() == '-' && text.size() > 1 ? text[1] : text.front();
  if (first != '.' && (first < '0' || first > '9')) return std::nullopt;  // "inf", "nan" are words
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

nlohmann::json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // quoted
  if (node.Tag() == kFunctionTag) return {{kFunctionTag, text}};
  if (text == "null" || text == "~" || text.empty()) return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  if (const auto integer = parse_integer(text)) return *integer;
  if (const auto real = parse_real(text)) return *real;
  return text;
}

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of a document's texts and places

class Converter {
 public:
  Converter(std::string_view name, Located& out) : name_(name), out_(out) {}

  nlohmann::json convert(const YAML::Node& node, const std::string& pointer) {
    if (++depth_ > 64) fail(node.Mark(), "is nested more than 64 levels deep");
    nlohmann::json value;
    if (node.IsMap())
      value = convert_map(node, pointer);
    else if (node.IsSequence())
      value = convert_sequence(node, pointer);
    else if (node.IsScalar())
      value = convert_scalar(node);
    --depth_;
    if (++nodes_ > 1'000'000) fail(node.Mark(), "expands to more than a million values");
    count_bytes(node, pointer.size());
    return value;
  }

  /// Of the quoted value that stands last; null if there is none.
  [[nodiscard]] const YAML::Mark& last_quoted() const { return last_quoted_; }

 private:
  /// An alias costs three bytes and stands for a whole text; a long key stands in the place of
  /// each value below it.
  void count_bytes(const YAML::Node& node, std::size_t pointer_bytes) {
    bytes_ += pointer_bytes + (node.IsScalar() ? node.Scalar().size() : 0);
    if (bytes_ > kMostBytes) {
      fail(node.Mark(), fmt::format("expands to more than {} bytes", kMostBytes));
    }
  }

  nlohmann::json convert_scalar(const YAML::Node& node) {
    const YAML::Mark mark = node.Mark();
    const bool is_quoted = node.Tag() == "!";
    if (is_quoted && (last_quoted_.is_null() || mark.pos > last_quoted_.pos)) last_quoted_ = mark;
    return scalar(node);
  }

  nlohmann::json convert_map(const YAML::Node& node, const std::string& pointer) {
    nlohmann::json object = nlohmann::json::object();
    std::map<std::string, std::string> seen;
    for (const auto& entry : node) {
      if (entry.first.IsMap()) {  // {{name}} is a mapping whose key is a mapping
        throw Error(ErrorKind::kConfig,
                    fmt::format("{}: {}", place(name_, node.Mark()), kBareTemplate));
      }
      if (!entry.first.IsScalar()) fail(entry.first.Mark(), "has a key that is not plain text");
      const std::string& key = entry.first.Scalar();
      const std::string key_place = place(name_, entry.first.Mark());
      if (const auto [it, fresh] = seen.emplace(key, key_place); !fresh) {
        throw Error(ErrorKind::kConfig,
                    fmt::format("{}: key '{}' stands twice (first at {}); remove one", key_place,
                                key, it->second));
      }
      const std::string child = pointer + "/" + escape_pointer(key);
      out_.mark(child, place(name_, entry.second.Mark()), key_place);
      object[key] = convert(entry.second, child);
    }
    return object;
  }

  nlohmann::json convert_sequence(const YAML::Node& node, const std::string& pointer) {
    nlohmann::json array = nlohmann::json::array();
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string child = fmt::format("{}/{}", pointer, i);
      const std::string at = place(name_, node[i].Mark());
      out_.mark(child, at, at);
      array.push_back(convert(node[i], child));
    }
    return array;
  }

  [[noreturn]] void fail(const YAML::Mark& mark, std::string_view what) {
    throw Error(ErrorKind::kConfig, fmt::format("{}: the document {}", place(name_, mark), what));
  }

  std::string name_;
  Located& out_;
  YAML::Mark last_quoted_ = YAML::Mark::null_mark();
  int depth_ = 0;
  int nodes_ = 0;
  std::size_t bytes_ = 0;
};

/// The parser takes a quoted value that the end of the file cuts off.
void check_closed(std::string_view text, std::string_view name, const YAML::Mark& last_quoted) {
  if (last_quoted.is_null()) return;
  // An anchor or a tag may stand in front of the quote.
  const std::size_t quote = text.find_first_of("\"'", static_cast<std::size_t>(last_quoted.pos));
  if (quote == std::string_view::npos || end_of_quoted(text, quote) != std::string_view::npos) {
    return;
  }
  throw Error(ErrorKind::kConfig, fmt::format("{}: {}", place(name, text, quote), kOpenQuote));
}

}  // namespace

Located::Located(nlohmann::json values, std::string file)
    : values_(std::move(values)), file_(std::move(file)) {}

void Located::mark(const std::string& pointer, std::string value_place, std::string key_place) {
  places_[pointer] = {std::move(value_place), std::move(key_place)};
}

std::string Located::where(std::string_view pointer) const {
  for (std::string p(pointer); !p.empty(); p.resize(p.rfind('/'))) {
    if (const auto it = places_.find(p); it != places_.end()) return it->second.value;
  }
  const auto root = places_.find("");
  return root != places_.end() ? root->second.value : file_;
}

std::string Located::where_key(std::string_view pointer) const {
  const auto it = places_.find(std::string(pointer));
  return it != places_.end() ? it->second.key : where(pointer);
}

Located Located::at(std::string_view pointer) const {
  const std::string prefix(pointer);
  Located part(values_.at(nlohmann::json::json_pointer(prefix)), file_);
  part.mark("", where(prefix), where_key(prefix));
  for (const auto& [path, places] : places_) {
    if (path.starts_with(prefix + "/")) part.places_[path.substr(prefix.size())] = places;
  }
  return part;
}

Located parse_yaml(std::string_view text, std::string_view name) {
  if (const std::optional<std::string> other = why_not_text(text)) {
    throw Error(ErrorKind::kConfig, fmt::format("{}: {}", name, *other));
  }
  if (constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
      text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());  // so that offsets are the parser's
  }
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: holds {} YAML documents, expected one", name, documents.size()));
    }
    Located out({}, std::string(name));
    if (!documents.empty()) {
      out.mark("", place(name, documents.front().Mark()), place(name, documents.front().Mark()));
      Converter converter(name, out);
      out.values() = converter.convert(documents.front(), "");
      check_closed(text, name, converter.last_quoted());
    }
    return out;
  } catch (const YAML::Exception& error) {
    const auto line = static_cast<std::size_t>(std::max(error.mark.line, 0));
    if (const std::optional<YamlMistake> mistake = find_yaml_mistake(text, line)) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: {}", place(name, text, mistake->offset), mistake->what));
    }
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: not valid YAML: {}", place(name, error.mark), error.msg));
  }
}

Located read_yaml(const std::filesystem::path& file) {
  return parse_yaml(read_file(file), file.string());
}

}  // namespace yardstick
