// Inside the room: reading one object of a model's configuration, with a memory of where each value
// came from, and no key left unread in silence.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "models/arch/architecture.hpp"

namespace yardstick::models {

/// Most of anything that a configuration counts; keeps products of two counts far from overflow.
inline constexpr std::int64_t kMostDims = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostLayers = 10'000;
inline constexpr std::int64_t kMostTokens = std::int64_t{1} << 40;
inline constexpr double kMostNumber = 1e15;
inline constexpr double kLeastPositive = 1e-300;

/// Reads the object at `pointer`. A key that is null counts as absent. Errors are kConfig; an
/// architecture turns them into kModel with as_model_error().
class ConfigReader {
 public:
  /// `located` must outlive the reader. `what` names the object: "the configuration".
  ConfigReader(const Located& located, std::string pointer, std::string what);

  /// A reader of the object under `key`. It shares the memory of what was asked for, so finish() of
  /// the outer reader covers it. @throws Error(kConfig) if there is no object.
  [[nodiscard]] ConfigReader object(std::string_view key, std::string what);

  [[nodiscard]] bool has(std::string_view key);
  /// Whether the key is not there at all: then the library's default holds, which null may not
  /// mean.
  [[nodiscard]] bool is_absent(std::string_view key);
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);
  [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view key, std::int64_t low,
                                                             std::int64_t high);
  [[nodiscard]] std::optional<double> optional_number(std::string_view key, double low,
                                                      double high);
  [[nodiscard]] double number(std::string_view key, double low, double high);
  [[nodiscard]] std::optional<bool> optional_flag(std::string_view key);
  [[nodiscard]] bool flag(std::string_view key);  ///< required
  [[nodiscard]] std::optional<std::string> optional_text(std::string_view key);
  [[nodiscard]] std::optional<std::vector<double>> optional_numbers(std::string_view key);
  [[nodiscard]] nlohmann::json raw(std::string_view key);

  /// One of a fixed set of words.
  template <typename T>
  [[nodiscard]] std::optional<T> optional_choice(
      std::string_view key, std::span<const std::pair<std::string_view, T>> words) {
    ask(key);
    if (!fields_.has(key)) return std::nullopt;
    return fields_.choice<T>(key, words.front().second, words);
  }

  /// The one of several names of one setting that is present; the first if none is.
  /// @throws Error(kConfig) if two are present with different values.
  [[nodiscard]] std::string_view either(std::initializer_list<std::string_view> keys);

  /// Refuses any value of `key` but `expected` (or none), for settings that the decoder cannot run.
  void require(std::string_view key, const nlohmann::json& expected, std::string_view why);

  /// Keys that change no number of an evaluation.
  void ignore(std::span<const std::string_view> keys);

  /// "config.json: rope_scaling.factor", or "default, for config.json has no rope_theta".
  [[nodiscard]] std::string origin(std::string_view key);

  [[nodiscard]] Error error(std::string_view key, std::string_view message) const;
  [[nodiscard]] std::string pointer(std::string_view key) const { return fields_.pointer(key); }
  [[nodiscard]] const Located& located() const { return located_; }

  /// Refuses keys that nobody asked for, here and in every object below: they may change the
  /// numbers. An object that was asked for and never opened has only such keys.
  void finish() const;

 private:
  /// What all readers of one document asked for, as pointers.
  struct Asked {
    std::set<std::string, std::less<>> keys;
    std::set<std::string, std::less<>> ignored;  ///< with all that is below
  };

  ConfigReader(const ConfigReader& outer, std::string_view key, std::string what);

  void ask(std::string_view key) { asked_->keys.insert(pointer(key)); }

  const Located& located_;
  std::string pointer_;
  std::string what_;
  Fields fields_;
  std::shared_ptr<Asked> asked_;
};

/// Sets where a field of the plan came from; the last word wins.
void set_source(position::PositionPlan& plan, std::string_view field, std::string source);

/// Whether a config.json says model_type `name`.
[[nodiscard]] bool has_model_type(const ConfigSource& config, std::string_view name);

/// The last part of a path, for sources that must not depend on where a folder lies.
[[nodiscard]] std::string file_name(const std::string& path);

/// Runs `action`; bad configuration of a model is a model error.
template <typename Action>
auto as_model_error(const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kConfig) throw Error(ErrorKind::kModel, error.what());
    throw;
  }
}

}  // namespace yardstick::models
