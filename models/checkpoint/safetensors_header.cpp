#include "models/checkpoint/safetensors_header.hpp"

#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace yardstick::checkpoint {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxRank = 64;

/// Receives the parser's events. The place in the document is one of these states, and a value that
/// the state does not expect is an error, so nesting never goes deeper than the format's three.
class HeaderEvents {
 public:
  explicit HeaderEvents(const std::string& file) : file_(file) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool key(std::string& name) {
    if (state_ == State::kTop) return top_key(name);
    if (!keys_.insert(name).second) fail(fmt::format("key '{}' stands twice in one object", name));
    key_ = name;
    if (state_ == State::kTensor && name != "dtype" && name != "shape" && name != "data_offsets") {
      fail(fmt::format("unknown key '{}'; expected dtype, shape and data_offsets", name));
    }
    return true;
  }

  bool start_object(std::size_t /*size*/) {
    switch (state_) {
      case State::kBefore: state_ = State::kTop; return true;
      case State::kTop:
        state_ = name_ == "__metadata__" ? State::kMetadata : State::kTensor;
        if (state_ == State::kTensor) header_.entries.push_back({.name = name_});
        keys_.clear();
        return true;
      default: return unexpected("an object");
    }
  }

  bool end_object() {
    if (state_ == State::kTensor) check_complete(header_.entries.back());
    state_ = state_ == State::kTop ? State::kAfter : State::kTop;
    if (state_ == State::kTop) name_.clear();
    return true;
  }

  bool start_array(std::size_t /*size*/) {
    if (state_ != State::kTensor || key_ == "dtype") return unexpected("a list");
    state_ = State::kNumbers;
    if (key_ == "shape") header_.entries.back().has_shape = true;
    return true;
  }

  bool end_array() {
    state_ = State::kTensor;
    return true;
  }

  bool string(std::string& text) {
    if (state_ == State::kMetadata) {
      header_.metadata[key_] = text;
      return true;
    }
    if (state_ != State::kTensor || key_ != "dtype") return unexpected("a text");
    header_.entries.back().dtype = text;
    return true;
  }

  bool number_unsigned(json::number_unsigned_t number) {
    if (state_ != State::kNumbers) return unexpected("a number");
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fail(fmt::format("{} has {}, which is larger than any size", key_, number));
    }
    HeaderEntry& entry = header_.entries.back();
    std::vector<std::int64_t>& numbers = key_ == "shape" ? entry.shape : entry.offsets;
    if (numbers.size() == kMaxRank) fail(fmt::format("{} has more than 64 numbers", key_));
    numbers.push_back(static_cast<std::int64_t>(number));
    return true;
  }

  bool number_integer(json::number_integer_t number) {
    return unexpected(fmt::format("the negative number {}", number));
  }
  bool number_float(json::number_float_t /*number*/, const std::string& text) {
    return unexpected(fmt::format("the number {}", text));
  }
  bool null() { return unexpected("null"); }
  bool boolean(bool value) { return unexpected(value ? "true" : "false"); }
  bool binary(json::binary_t& /*bytes*/) { return unexpected("bytes"); }

  bool parse_error(std::size_t byte, const std::string& /*token*/, const json::exception& error) {
    std::string_view reason = error.what();
    const std::size_t detail = reason.find("column");
    if (detail != std::string_view::npos) reason.remove_prefix(reason.find(": ", detail) + 2);
    throw Error(
        ErrorKind::kData,
        fmt::format("{}: the header is not valid JSON at its byte {} ({})", file_, byte, reason));
  }

 private:
  enum class State { kBefore, kTop, kMetadata, kTensor, kNumbers, kAfter };

  // Checked here and not after parsing, so that a header cannot list millions of empty entries.
  void check_complete(const HeaderEntry& entry) const {
    if (entry.dtype.empty()) fail("has no dtype");
    if (!entry.has_shape) fail("has no shape");
    if (entry.offsets.size() != 2) {
      fail(fmt::format("data_offsets has {} numbers; expected a begin and an end",
                       entry.offsets.size()));
    }
  }

  bool top_key(const std::string& name) {
    name_ = name;
    key_.clear();
    if (!names_.insert(name).second) fail("stands in the header twice");
    return true;
  }

  [[noreturn]] void fail(std::string_view message) const {
    if (name_.empty()) throw Error(ErrorKind::kData, fmt::format("{}: {}", file_, message));
    throw Error(ErrorKind::kData, fmt::format("{}: '{}': {}", file_, name_, message));
  }

  [[noreturn]] bool unexpected(std::string_view found) const {
    switch (state_) {
      case State::kMetadata: fail(fmt::format("'{}' is {}; expected a text", key_, found));
      case State::kTensor:
        fail(fmt::format("{} is {}; expected {}", key_, found,
                         key_ == "dtype" ? "a text" : "a list of sizes"));
      case State::kNumbers: fail(fmt::format("{} holds {}; expected sizes", key_, found));
      case State::kTop: fail(fmt::format("is {}; expected an object", found));
      default: fail(fmt::format("the header is {}; expected an object", found));
    }
  }

  const std::string& file_;
  SafetensorsHeader header_;
  State state_ = State::kBefore;
  std::string name_;  ///< of the top-level key that is open
  std::string key_;   ///< inside it
  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> keys_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, const std::string& file) {
  HeaderEvents events(file);
  json::sax_parse(text.begin(), text.end(), &events);
  return events.take();
}

}  // namespace yardstick::checkpoint
