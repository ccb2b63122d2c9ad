#include "tasks/perplexity/protocols/last_k.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::int64_t kDefaultLastTokens = 256;

class LastK final : public WindowProtocol {
 public:
  explicit LastK(Fields& fields)
      : k_(fields.optional_length("k")), stride_(fields.optional_length("stride")) {}

  [[nodiscard]] std::string_view name() const override { return "last-k"; }
  [[nodiscard]] std::string text() const override {
    return fmt::format("last {} tokens of windows with fixed ends, same targets at every length",
                       k_ ? std::to_string(*k_) : "k");
  }
  // The k and stride in use, and the longest length, are in the cell's variant.
  void describe(Fingerprint& /*fingerprint*/) const override {}
  [[nodiscard]] std::string variant(std::span<const std::int64_t> lengths) const override;
  [[nodiscard]] Windows cut(std::span<const TokenId> stream, std::span<const TokenId> opening,
                            const CellAxes& cell) const override {
    return cut_last(stream, opening, cell.length_tokens.value(), parse_targets(cell.variant));
  }
  [[nodiscard]] std::int64_t tokens_needed(std::int64_t /*opening*/,
                                           const CellAxes& cell) const override {
    return parse_targets(cell.variant).longest;
  }

 private:
  std::optional<std::int64_t> k_;
  std::optional<std::int64_t> stride_;
};

std::string LastK::variant(std::span<const std::int64_t> lengths) const {
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  const LastTargets targets{.k = k_.value_or(std::min(*shortest / 2, kDefaultLastTokens)),
                            .longest = *longest,
                            .stride = stride_.value_or(*longest)};
  if (targets.k >= *shortest || targets.stride < targets.k) {
    throw Error(ErrorKind::kConfig,
                fmt::format("perplexity: k = {} must be less than the shortest length ({}) and at "
                            "most the stride ({})",
                            targets.k, *shortest, targets.stride));
  }
  return format_targets(targets);
}

}  // namespace

Windows cut_last(std::span<const TokenId> stream, std::span<const TokenId> opening,
                 std::int64_t length, const LastTargets& targets) {
  check(targets.k >= 1 && targets.k < length && length <= targets.longest &&
            targets.k <= targets.stride,
        "last-k targets fit behind some context at every length and do not overlap");
  const auto size = static_cast<std::int64_t>(stream.size());
  std::vector<Window> windows;
  for (std::int64_t end = targets.longest; end <= size; end += targets.stride) {
    // With k = length - 1 and an opening, the body is the targets alone and needs the opening.
    const std::int64_t body =
        opening.empty() ? length : length - static_cast<std::int64_t>(opening.size());
    const std::int64_t begin = end - body;
    const std::int64_t score_from = end - targets.k;
    const std::int64_t prefix = begin == score_from ? static_cast<std::int64_t>(opening.size())
                                                    : opening_at(stream, opening, begin);
    windows.push_back({.begin = begin, .end = end, .score_from = score_from, .prefix = prefix});
  }
  return with_skipped(std::move(windows), size);
}

std::string format_targets(const LastTargets& targets) {
  return fmt::format("last={},longest={},stride={}", targets.k, targets.longest, targets.stride);
}

LastTargets parse_targets(const std::string& variant) {
  long long k = 0;
  long long longest = 0;
  long long stride = 0;
  const int count =
      std::sscanf(variant.c_str(), "last=%lld,longest=%lld,stride=%lld", &k, &longest, &stride);
  check(count == 3, "a last-k cell's variant was written by format_targets");
  return {.k = k, .longest = longest, .stride = stride};
}

std::unique_ptr<const WindowProtocol> make_last_k(Fields& fields) {
  return std::make_unique<LastK>(fields);
}

}  // namespace yardstick::tasks
