#include "tasks/perplexity/protocols/strided.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/perplexity/protocols/fields.hpp"

namespace yardstick::tasks {
namespace {

void check_stride(std::int64_t stride, std::span<const std::int64_t> lengths) {
  for (const std::int64_t length : lengths) {
    if (stride < length) continue;
    throw Error(ErrorKind::kConfig,
                fmt::format("perplexity: a stride of {} must be less than each length, found the "
                            "length {}; set a smaller stride, or leave the length out",
                            stride, length));
  }
}

class Strided final : public WindowProtocol {
 public:
  Strided(std::string_view name, std::int64_t stride) : name_(name), stride_(stride) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string text() const override {
    return fmt::format("{} windows, stride {}, new tokens scored, first window all", name_,
                       stride_);
  }
  void describe(Fingerprint& fingerprint) const override { fingerprint.add("stride", stride_); }
  [[nodiscard]] std::string variant(std::span<const std::int64_t> lengths) const override {
    check_stride(stride_, lengths);
    return "";
  }
  [[nodiscard]] Windows cut(std::span<const TokenId> stream, std::span<const TokenId> opening,
                            const CellAxes& cell) const override {
    return cut_strided(stream, opening, {.length = cell.length_tokens.value(), .stride = stride_});
  }
  [[nodiscard]] std::int64_t tokens_needed(std::int64_t opening,
                                           const CellAxes& /*cell*/) const override {
    return 2 - opening;
  }

 private:
  std::string_view name_;
  std::int64_t stride_;
};

class HfStrided final : public WindowProtocol {
 public:
  explicit HfStrided(std::int64_t stride) : stride_(stride) {}

  [[nodiscard]] std::string_view name() const override { return "hf-strided"; }
  [[nodiscard]] std::string text() const override {
    return fmt::format("hf-strided windows, stride {}, new tokens scored, BOS before the text only",
                       stride_);
  }
  void describe(Fingerprint& fingerprint) const override { fingerprint.add("stride", stride_); }
  [[nodiscard]] std::string variant(std::span<const std::int64_t> lengths) const override {
    for (const std::int64_t length : lengths) {
      if (stride_ <= length) continue;
      throw Error(ErrorKind::kConfig,
                  fmt::format("perplexity: a stride of {} leaves tokens between windows of {} "
                              "unscored; set a stride of at most the shortest length",
                              stride_, length));
    }
    return "";
  }
  [[nodiscard]] Windows cut(std::span<const TokenId> stream, std::span<const TokenId> opening,
                            const CellAxes& cell) const override {
    return cut_strided_text(stream, opening,
                            {.length = cell.length_tokens.value(), .stride = stride_});
  }
  [[nodiscard]] std::int64_t tokens_needed(std::int64_t opening,
                                           const CellAxes& /*cell*/) const override {
    return 2 - opening;
  }

 private:
  std::int64_t stride_;
};

}  // namespace

Windows cut_strided(std::span<const TokenId> stream, std::span<const TokenId> opening,
                    const StridePlan& plan) {
  const auto size = static_cast<std::int64_t>(stream.size());
  const std::int64_t body = plan.length - static_cast<std::int64_t>(opening.size());
  check(plan.stride >= 1 && plan.stride <= body, "no token lies between two windows");
  std::vector<Window> windows;
  std::int64_t reached = 0;
  for (std::int64_t begin = 0; reached < size; begin += plan.stride) {
    const std::int64_t end = std::min(begin + body, size);
    const std::int64_t prefix = opening_at(stream, opening, begin);
    const std::int64_t score_from = std::max(reached, prefix > 0 ? begin : begin + 1);
    if (score_from < end) {
      windows.push_back({.begin = begin, .end = end, .score_from = score_from, .prefix = prefix});
    }
    reached = end;
  }
  return with_skipped(std::move(windows), size);
}

Windows cut_strided_text(std::span<const TokenId> stream, std::span<const TokenId> opening,
                         const StridePlan& plan) {
  const std::int64_t prefix = opening_at(stream, opening, 0);
  std::vector<TokenId> text(opening.begin(), opening.begin() + prefix);
  text.insert(text.end(), stream.begin(), stream.end());
  std::vector<Window> windows = cut_strided(text, {}, plan).windows;
  for (Window& window : windows) {
    window.prefix = window.begin == 0 ? prefix : 0;
    window.begin = std::max<std::int64_t>(0, window.begin - prefix);
    window.end -= prefix;
    window.score_from -= prefix;
  }
  return with_skipped(std::move(windows), static_cast<std::int64_t>(stream.size()));
}

std::unique_ptr<const WindowProtocol> strided_protocol(std::string_view name, std::int64_t stride) {
  return std::make_unique<Strided>(name, stride);
}

std::unique_ptr<const WindowProtocol> make_sliding(Fields& fields) {
  return strided_protocol(
      "sliding", required_length(fields, "stride",
                                 "tokens between the beginnings of two windows; 1 is ALiBi's"));
}

std::unique_ptr<const WindowProtocol> make_hf_strided(Fields& fields) {
  return std::make_unique<HfStrided>(
      required_length(fields, "stride", "tokens between the beginnings of two windows"));
}

}  // namespace yardstick::tasks
