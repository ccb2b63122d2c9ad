#include "tasks/needle/item_records.hpp"

#include <fmt/format.h>

namespace yardstick::tasks {
namespace {

bool is_text(const nlohmann::ordered_json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().empty();
}

}  // namespace

ItemRecord::ItemRecord(const Record& record, const std::filesystem::path& file,
                       std::string_view form)
    : record_(record), file_(file.string()), form_(form) {}

Error ItemRecord::error(std::string_view what) const {
  return Error(ErrorKind::kData,
               fmt::format("{}:{}: {}; expected {}", file_, record_.line, what, form_));
}

std::string ItemRecord::id() const {
  return record_.fields.contains("id") ? text("id") : fmt::format("line-{:06}", record_.line);
}

std::string ItemRecord::text(const char* key) const {
  const auto found = record_.fields.find(key);
  if (found == record_.fields.end() || !is_text(*found)) {
    throw error(fmt::format("'{}' is not a text", key));
  }
  return found->get<std::string>();
}

const nlohmann::ordered_json& ItemRecord::list(const char* key) const {
  const auto found = record_.fields.find(key);
  if (found == record_.fields.end() || !found->is_array() || found->empty()) {
    throw error(fmt::format("'{}' is not a list", key));
  }
  return *found;
}

std::vector<std::string> ItemRecord::texts(const char* key) const {
  std::vector<std::string> out;
  for (const nlohmann::ordered_json& value : list(key)) {
    if (!is_text(value)) throw error(fmt::format("'{}' holds {}, not a text", key, value.dump()));
    out.push_back(value.get<std::string>());
  }
  return out;
}

}  // namespace yardstick::tasks
