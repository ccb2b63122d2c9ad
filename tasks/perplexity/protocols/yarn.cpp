#include "tasks/perplexity/protocols/yarn.hpp"

#include <algorithm>

#include "tasks/perplexity/protocols/strided.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::int64_t kDefaultStride = 256;

/// The beginning of each document alone.
class TruncatedYarn final : public WindowProtocol {
 public:
  [[nodiscard]] std::string_view name() const override { return "yarn"; }
  [[nodiscard]] std::string text() const override {
    return "yarn --truncate: the first window of each document";
  }
  void describe(Fingerprint& fingerprint) const override { fingerprint.add("truncate", 1); }
  [[nodiscard]] Windows cut(std::span<const TokenId> stream, std::span<const TokenId> opening,
                            const CellAxes& cell) const override {
    const auto size = static_cast<std::int64_t>(stream.size());
    const std::int64_t body =
        cell.length_tokens.value() - static_cast<std::int64_t>(opening.size());
    const std::span<const TokenId> kept =
        stream.first(static_cast<std::size_t>(std::min(body, size)));
    return with_skipped(
        cut_strided(kept, opening, {.length = cell.length_tokens.value(), .stride = body}).windows,
        size);
  }
  [[nodiscard]] std::int64_t tokens_needed(std::int64_t opening,
                                           const CellAxes& /*cell*/) const override {
    return 2 - opening;
  }
};

}  // namespace

std::unique_ptr<const WindowProtocol> make_yarn(Fields& fields) {
  if (!fields.optional_flag("truncate").value_or(false)) {
    return strided_protocol("yarn", fields.optional_length("stride").value_or(kDefaultStride));
  }
  if (fields.has("stride")) {
    throw fields.error("stride",
                       "is of no use to `truncate: true`, which has one window a document");
  }
  return std::make_unique<TruncatedYarn>();
}

}  // namespace yardstick::tasks
