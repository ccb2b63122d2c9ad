#include "tasks/perplexity/protocols/disjoint.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tasks {
namespace {

class Disjoint final : public WindowProtocol {
 public:
  explicit Disjoint(Tail tail) : tail_(tail) {}

  [[nodiscard]] std::string_view name() const override { return "disjoint"; }
  [[nodiscard]] std::string text() const override {
    return fmt::format("disjoint windows, tail {}", tail_ == Tail::kDrop ? "dropped" : "scored");
  }
  void describe(Fingerprint& fingerprint) const override {
    fingerprint.add("tail", tail_ == Tail::kDrop ? "drop" : "score");
  }
  [[nodiscard]] Windows cut(std::span<const TokenId> stream, std::span<const TokenId> opening,
                            const CellAxes& cell) const override {
    return cut_disjoint(stream, opening, {.length = cell.length_tokens.value(), .tail = tail_});
  }
  [[nodiscard]] std::int64_t tokens_needed(std::int64_t opening,
                                           const CellAxes& cell) const override {
    return (tail_ == Tail::kScore ? 2 : cell.length_tokens.value()) - opening;
  }

 private:
  Tail tail_;
};

}  // namespace

Windows cut_disjoint(std::span<const TokenId> stream, std::span<const TokenId> opening,
                     const DisjointPlan& plan) {
  check(plan.length >= 2, "a window has room for a token and its context");
  const auto size = static_cast<std::int64_t>(stream.size());
  std::vector<Window> windows;
  std::int64_t begin = 0;
  while (begin < size) {
    const std::int64_t prefix = opening_at(stream, opening, begin);
    const std::int64_t take = std::min(plan.length - prefix, size - begin);
    const bool is_whole = take == plan.length - prefix;
    const bool has_target = take + prefix >= 2;
    if (!has_target || (!is_whole && plan.tail == Tail::kDrop)) break;
    windows.push_back({.begin = begin,
                       .end = begin + take,
                       .score_from = prefix > 0 ? begin : begin + 1,
                       .prefix = prefix});
    begin += take;
  }
  return with_skipped(std::move(windows), size);
}

std::unique_ptr<const WindowProtocol> make_disjoint(Fields& fields) {
  constexpr std::array<std::pair<std::string_view, Tail>, 2> kTails = {
      {{"drop", Tail::kDrop}, {"score", Tail::kScore}}};
  return std::make_unique<Disjoint>(fields.choice(
      "tail", Tail::kDrop, std::span<const std::pair<std::string_view, Tail>>(kTails)));
}

}  // namespace yardstick::tasks
