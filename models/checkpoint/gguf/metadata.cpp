#include "models/checkpoint/gguf/metadata.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/text.hpp"
#include "models/checkpoint/byte_input.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

constexpr std::int64_t kMostSize = std::int64_t{1} << 24;

std::string describe(const Value& value) {
  std::string_view what = "a number";
  if (value.type == Type::kText) what = "a text";
  if (value.type == Type::kBool) what = "a truth value";
  return value.is_array ? fmt::format("a list of {} items, each {}", value.count, what)
                        : std::string(what);
}

template <typename T>
T load(std::span<const std::byte> bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Item `index` of a value of integers, or nothing if it is no integer of int64.
std::optional<std::int64_t> integer_at(const Value& value, std::uint64_t index) {
  switch (value.type) {
    case Type::kUInt8: return load<std::uint8_t>(value.bytes, index);
    case Type::kInt8: return load<std::int8_t>(value.bytes, index);
    case Type::kUInt16: return load<std::uint16_t>(value.bytes, index);
    case Type::kInt16: return load<std::int16_t>(value.bytes, index);
    case Type::kUInt32: return load<std::uint32_t>(value.bytes, index);
    case Type::kInt32: return load<std::int32_t>(value.bytes, index);
    case Type::kInt64: return load<std::int64_t>(value.bytes, index);
    case Type::kUInt64: {
      const auto number = load<std::int64_t>(value.bytes, index);
      return number < 0 ? std::nullopt : std::optional(number);
    }
    default: return std::nullopt;
  }
}

std::optional<double> number_at(const Value& value, std::uint64_t index) {
  if (value.type == Type::kFloat32) return shortest_decimal(load<float>(value.bytes, index));
  if (value.type == Type::kFloat64) return load<double>(value.bytes, index);
  const std::optional<std::int64_t> whole = integer_at(value, index);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

}  // namespace

double shortest_decimal(float value) {
  if (!std::isfinite(value)) return value;
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  double decimal = 0;
  std::from_chars(digits.data(), written.ptr, decimal);
  return decimal;
}

const Value* Metadata::find(std::string_view key) {
  asked_.emplace(key);
  const auto found = file_.metadata.find(key);
  return found == file_.metadata.end() ? nullptr : &found->second;
}

bool Metadata::has(std::string_view key) { return find(key) != nullptr; }

std::optional<std::int64_t> Metadata::integer(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::int64_t> found = value->is_array ? std::nullopt : integer_at(*value, 0);
  if (!found) throw error(key, fmt::format("is {}; expected an integer", describe(*value)));
  return found;
}

std::optional<bool> Metadata::flag(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->type != Type::kBool || value->is_array) {
    throw error(key, fmt::format("is {}; expected a truth value", describe(*value)));
  }
  return load<std::uint8_t>(value->bytes, 0) != 0;
}

std::optional<std::string> Metadata::text(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->type != Type::kText || value->is_array) {
    throw error(key, fmt::format("is {}; expected a text", describe(*value)));
  }
  const std::string_view found = gguf::texts(*value).front();
  if (find_invalid_utf8(found)) throw error(key, "is not UTF-8");
  return std::string(found);
}

std::optional<double> Metadata::number(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::optional<double> found = value->is_array ? std::nullopt : number_at(*value, 0);
  if (!found) throw error(key, fmt::format("is {}; expected a number", describe(*value)));
  if (!std::isfinite(*found)) throw error(key, fmt::format("is {}; expected a number", *found));
  return found;
}

double Metadata::needed_number(std::string_view key) {
  const std::optional<double> found = number(key);
  if (!found) throw error(key, "is missing; expected a number");
  return *found;
}

std::optional<std::vector<double>> Metadata::numbers(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool is_numeric = value->type != Type::kText && value->type != Type::kBool;
  if (!value->is_array || !is_numeric) {
    throw error(key, fmt::format("is {}; expected a list of numbers", describe(*value)));
  }
  std::vector<double> out;
  for (std::uint64_t i = 0; i < value->count; ++i) {
    const std::optional<double> number = number_at(*value, i);
    if (!number) throw error(key, fmt::format("item {} is out of range", i));
    out.push_back(*number);
  }
  return out;
}

std::optional<std::vector<std::string_view>> Metadata::texts(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->type != Type::kText || !value->is_array) {
    throw error(key, fmt::format("is {}; expected a list of texts", describe(*value)));
  }
  return gguf::texts(*value);
}

std::optional<std::int64_t> Metadata::size(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  std::optional<std::int64_t> first;
  for (std::uint64_t i = 0; i < value->count; ++i) {
    const std::optional<std::int64_t> found = integer_at(*value, i);
    if (!found || *found < 1 || *found > kMostSize) {
      throw error(key,
                  fmt::format("is {}; expected an integer from 1 to {}",
                              found ? fmt::format("{}", *found) : describe(*value), kMostSize));
    }
    if (first && *first != *found) {
      throw error(key, fmt::format("is {} in one layer and {} in another; layers that differ are "
                                   "not supported",
                                   *first, *found));
    }
    first = found;
  }
  if (!first) throw error(key, "is an empty list; expected an integer");
  return first;
}

std::int64_t Metadata::needed_size(std::string_view key) {
  const std::optional<std::int64_t> found = size(key);
  if (!found) throw error(key, "is missing; expected an integer");
  return *found;
}

void Metadata::require(std::string_view key, double expected, std::string_view why) {
  const std::optional<double> found = number(key);
  if (!found || *found == expected) return;
  throw error(key, fmt::format("{} is not supported: {}; expected {}", *found, why, expected));
}

void Metadata::finish(std::string_view prefix) const {
  for (const auto& [key, value] : file_.metadata) {
    if (!key.starts_with(prefix) || asked_.contains(key)) continue;
    throw error(key, "is not known here: it may change the numbers, so it is not ignored");
  }
}

Error Metadata::error(std::string_view key, std::string_view message) const {
  return Error(ErrorKind::kData,
               fmt::format("{}: key '{}' {}", file_.name, printable(key), message));
}

}  // namespace yardstick::checkpoint::gguf
