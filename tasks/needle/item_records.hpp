// Items of needle tasks from data files: records with texts in known fields and an id.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "tasks/data/records.hpp"

namespace yardstick::tasks {

/// A record on its way to an item, with errors that say where it stands.
class ItemRecord {
 public:
  /// `form` is what a record has to be, for messages: {"question": text, ...}.
  ItemRecord(const Record& record, const std::filesystem::path& file, std::string_view form);

  /// "facts.jsonl:12: WHAT; expected FORM"
  [[nodiscard]] Error error(std::string_view what) const;

  /// The record's `id`, or "line-000012".
  [[nodiscard]] std::string id() const;

  /// A text that is not empty. @throws Error(kData)
  [[nodiscard]] std::string text(const char* key) const;

  /// A list that is not empty. @throws Error(kData)
  [[nodiscard]] const nlohmann::ordered_json& list(const char* key) const;

  /// A list of texts, none empty. @throws Error(kData)
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;

 private:
  const Record& record_;
  std::string file_;
  std::string_view form_;
};

/// The items of all records, each made by `make(ItemRecord)`. @throws Error(kData) for an id that
/// stands twice.
template <typename Make>
[[nodiscard]] auto read_items(const std::vector<std::filesystem::path>& files,
                              std::string_view form, Make make) {
  std::vector<decltype(make(std::declval<ItemRecord>()))> items;
  std::set<std::string> ids;
  for (const std::filesystem::path& file : files) {
    for (const Record& record : read_records(file)) {
      const ItemRecord reader(record, file, form);
      if (!ids.insert(reader.id()).second) {
        throw reader.error("the id '" + reader.id() + "' is that of an earlier record");
      }
      items.push_back(make(reader));
    }
  }
  return items;
}

}  // namespace yardstick::tasks
