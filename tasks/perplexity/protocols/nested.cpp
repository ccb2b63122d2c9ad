#include "tasks/perplexity/protocols/nested.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/perplexity/protocols/disjoint.hpp"

namespace yardstick::tasks {
namespace {

class Nested final : public WindowProtocol {
 public:
  [[nodiscard]] std::string_view name() const override { return "nested"; }
  [[nodiscard]] std::string text() const override {
    return "the beginnings of disjoint windows of the longest length, tail dropped";
  }
  void describe(Fingerprint& /*fingerprint*/) const override {}
  [[nodiscard]] std::string variant(std::span<const std::int64_t> lengths) const override {
    return format_longest(*std::max_element(lengths.begin(), lengths.end()));
  }
  [[nodiscard]] Windows cut(std::span<const TokenId> stream, std::span<const TokenId> opening,
                            const CellAxes& cell) const override {
    return cut_nested(stream, opening, cell.length_tokens.value(), parse_longest(cell.variant));
  }
  [[nodiscard]] std::int64_t tokens_needed(std::int64_t opening,
                                           const CellAxes& cell) const override {
    return parse_longest(cell.variant) - opening;
  }
};

}  // namespace

Windows cut_nested(std::span<const TokenId> stream, std::span<const TokenId> opening,
                   std::int64_t length, std::int64_t longest) {
  check(length >= 2 && length <= longest, "a nested window is the beginning of a longest one");
  std::vector<Window> windows =
      cut_disjoint(stream, opening, {.length = longest, .tail = Tail::kDrop}).windows;
  for (Window& window : windows) window.end = window.begin + length - window.prefix;
  return with_skipped(std::move(windows), static_cast<std::int64_t>(stream.size()));
}

std::string format_longest(std::int64_t longest) {
  return fmt::format("nested,longest={}", longest);
}

std::int64_t parse_longest(const std::string& variant) {
  long long longest = 0;
  const int count = std::sscanf(variant.c_str(), "nested,longest=%lld", &longest);
  check(count == 1, "a nested cell's variant was written by format_longest");
  return longest;
}

std::unique_ptr<const WindowProtocol> make_nested(Fields& /*fields*/) {
  return std::make_unique<Nested>();
}

}  // namespace yardstick::tasks
