// Typed reading of one configuration object: each key is asked for once, with its type and range;
// what was not asked for is an unknown key, refused with the nearest valid one.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "core/yaml.hpp"

namespace yardstick {

/// Reads the object at `pointer` of a Located value. Every getter throws Error(kConfig) with
/// file:line:column, the value found and what was expected. Call finish() at the end.
class Fields {
 public:
  /// @throws Error(kConfig) if the value is not an object. `what` names it: "a model", "the suite".
  Fields(const Located& located, std::string pointer, std::string what);

  [[nodiscard]] bool has(std::string_view key);  ///< present and not null; counts as asked for

  [[nodiscard]] std::string text(std::string_view key);
  [[nodiscard]] std::optional<std::string> optional_text(std::string_view key);
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);
  [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view key, std::int64_t low,
                                                             std::int64_t high);
  [[nodiscard]] std::optional<double> optional_number(std::string_view key, double low,
                                                      double high);
  [[nodiscard]] std::optional<bool> optional_flag(std::string_view key);
  /// A length as parse_length reads it, or a plain positive integer.
  [[nodiscard]] std::optional<std::int64_t> optional_length(std::string_view key);
  /// A list of lengths (or one length).
  [[nodiscard]] std::vector<std::int64_t> lengths(std::string_view key);
  /// A list of texts (or one text); empty if absent.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  /// The raw value, or null if absent.
  [[nodiscard]] nlohmann::json raw(std::string_view key);
  /// Pointers of the elements of a list, e.g. {"/models/0", "/models/1"}; empty if absent.
  [[nodiscard]] std::vector<std::string> elements(std::string_view key);
  /// Keys of a sub-object with their pointers, in the file's order of names; empty if absent.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> members(std::string_view key);

  /// One of a fixed set of words, as the value it stands for.
  template <typename T>
  [[nodiscard]] T choice(std::string_view key, T fallback,
                         std::span<const std::pair<std::string_view, T>> words) {
    const std::optional<std::string> found = optional_text(key);
    if (!found) return fallback;
    std::vector<std::string> names;
    for (const auto& [word, value] : words) {
      if (word == *found) return value;
      names.emplace_back(word);
    }
    fail_choice(key, *found, names);
  }

  [[nodiscard]] std::string where(std::string_view key) const;
  [[nodiscard]] std::string pointer(std::string_view key) const;
  [[nodiscard]] const Located& located() const { return located_; }

  /// An error about the value of `key`: "suite.yaml:3:9: seed: ...".
  [[nodiscard]] Error error(std::string_view key, std::string_view message) const;

  /// Refuses keys that no getter asked for.
  void finish() const;

 private:
  const nlohmann::json* find(std::string_view key);
  [[noreturn]] void fail_choice(std::string_view key, const std::string& found,
                                const std::vector<std::string>& names) const;
  [[noreturn]] void fail_type(std::string_view key, const nlohmann::json& found,
                              std::string_view expected) const;

  const Located& located_;
  std::string pointer_;
  std::string what_;
  const nlohmann::json& object_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace yardstick
