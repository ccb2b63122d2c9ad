#include "core/json.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/content_kind.hpp"
#include "core/error.hpp"
#include "core/file.hpp"

namespace yardstick {
namespace {

std::string position_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column =
      newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return fmt::format("{}:{}", line, std::max<std::size_t>(column, 1));
}

// Values are copied, compared and written by recursion; the text decides how deep it goes.
constexpr int kMostNesting = 256;

// Refuses what the library would take: keys that stand twice in an object, and values nested
// deeper than kMostNesting. Remembers the keys of every open object.
template <typename Json>
class Strictness {
 public:
  explicit Strictness(std::string_view name) : name_(name) {}

  bool operator()(int depth, typename Json::parse_event_t event, Json& parsed) {
    using Event = typename Json::parse_event_t;
    const bool opens = event == Event::array_start || event == Event::object_start;
    if (opens && depth >= kMostNesting) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}: is nested more than {} levels deep", name_, kMostNesting));
    }
    if (event == Event::object_start) open_.emplace_back();
    if (event == Event::object_end) open_.pop_back();
    if (event == Event::key) {
      const auto& key = parsed.template get_ref<const std::string&>();
      if (!open_.back().insert(key).second) {
        throw Error(ErrorKind::kData, fmt::format("{}: key '{}' stands twice in one object; "
                                                  "remove one of them",
                                                  name_, key));
      }
    }
    return true;
  }

 private:
  std::string name_;
  std::vector<std::set<std::string>> open_;
};

bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The library quotes all of the token that it was in, which may be most of the file.
std::string shortened(std::string_view reason) {
  constexpr std::size_t kHead = 120;
  constexpr std::size_t kTail = 60;
  if (reason.size() <= kHead + kTail) return std::string(reason);
  std::size_t head = kHead;
  while (head > 0 && is_inside_character(reason[head])) --head;
  std::size_t tail = reason.size() - kTail;
  while (tail < reason.size() && is_inside_character(reason[tail])) ++tail;
  return fmt::format("{} [...] {}", reason.substr(0, head), reason.substr(tail));
}

template <typename Json>
Json parse_as(std::string_view text, std::string_view name) {
  try {
    return Json::parse(text, Strictness<Json>(name));
  } catch (const nlohmann::json::out_of_range& error) {
    throw Error(ErrorKind::kData, fmt::format("{}: a number is beyond what a double can hold: {}",
                                              name, shortened(error.what())));
  } catch (const nlohmann::json::parse_error& error) {
    if (const std::optional<std::string> other = why_not_text(text)) {
      throw Error(ErrorKind::kData, fmt::format("{}: {}", name, *other));
    }
    const std::string_view reason = error.what();
    const std::size_t detail = reason.find("column");
    throw Error(ErrorKind::kData,
                fmt::format("{}:{}: not valid JSON ({})", name, position_of(text, error.byte),
                            shortened(detail == std::string_view::npos
                                          ? reason
                                          : reason.substr(reason.find(": ", detail) + 2))));
  }
}

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view name) {
  return parse_as<nlohmann::json>(text, name);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text, std::string_view name) {
  return parse_as<nlohmann::ordered_json>(text, name);
}

nlohmann::json read_json(const std::filesystem::path& file) {
  return parse_json(read_file(file), file.string());
}

}  // namespace yardstick
