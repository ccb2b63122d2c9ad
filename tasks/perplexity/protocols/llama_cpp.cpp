#include "tasks/perplexity/protocols/llama_cpp.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/perplexity/protocols/fields.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::int64_t kShortest = 4;  // below, a second half has no target

class LlamaCpp final : public WindowProtocol {
 public:
  [[nodiscard]] std::string_view name() const override { return "llama.cpp"; }
  [[nodiscard]] std::string text() const override {
    return "llama.cpp windows, second half scored, BOS in place of the first token, tail dropped, "
           "special tokens in the text as plain text";
  }
  void describe(Fingerprint& /*fingerprint*/) const override {}
  [[nodiscard]] std::string variant(std::span<const std::int64_t> lengths) const override {
    const std::int64_t shortest = *std::min_element(lengths.begin(), lengths.end());
    if (shortest >= kShortest) return "";
    throw Error(ErrorKind::kConfig,
                fmt::format("perplexity: the second half of a window of {} holds no target; the "
                            "least length of llama.cpp is {}",
                            shortest, kShortest));
  }
  [[nodiscard]] Windows cut(std::span<const TokenId> stream, std::span<const TokenId> opening,
                            const CellAxes& cell) const override {
    return cut_llama_cpp(stream, opening, cell.length_tokens.value());
  }
  [[nodiscard]] std::int64_t tokens_needed(std::int64_t opening,
                                           const CellAxes& cell) const override {
    return 2 * cell.length_tokens.value() - opening;
  }
};

class LlamaCppStrided final : public WindowProtocol {
 public:
  explicit LlamaCppStrided(std::int64_t stride) : stride_(stride) {}

  [[nodiscard]] std::string_view name() const override { return "llama.cpp-strided"; }
  [[nodiscard]] std::string text() const override {
    return fmt::format(
        "llama.cpp --ppl-stride {0}: windows of length + {0} / 2, last {0} scored, BOS before the "
        "text only, special tokens in the text as plain text",
        stride_);
  }
  void describe(Fingerprint& fingerprint) const override { fingerprint.add("stride", stride_); }
  [[nodiscard]] std::string variant(std::span<const std::int64_t> lengths) const override {
    const std::int64_t shortest = *std::min_element(lengths.begin(), lengths.end());
    if (stride_ <= shortest) return "";
    throw Error(ErrorKind::kConfig,
                fmt::format("perplexity: a stride of {} must be at most the shortest length ({})",
                            stride_, shortest));
  }
  [[nodiscard]] Windows cut(std::span<const TokenId> stream, std::span<const TokenId> opening,
                            const CellAxes& cell) const override {
    return cut_llama_cpp_strided(stream, opening,
                                 {.length = cell.length_tokens.value(), .stride = stride_});
  }
  [[nodiscard]] std::int64_t tokens_needed(std::int64_t opening,
                                           const CellAxes& cell) const override {
    return cell.length_tokens.value() + stride_ / 2 + 1 - opening;
  }

 private:
  std::int64_t stride_;
};

}  // namespace

Windows cut_llama_cpp(std::span<const TokenId> stream, std::span<const TokenId> opening,
                      std::int64_t length) {
  check(length >= kShortest, "the second half of a window holds a target");
  const auto size = static_cast<std::int64_t>(stream.size());
  const std::int64_t before = opening_at(stream, opening, 0);  // ids in front of the text
  const std::int64_t count = (before + size) / length;
  std::vector<Window> windows;
  for (std::int64_t i = 0; count >= 2 && i < count; ++i) {
    // In the text with its opening this is [i length, (i + 1) length).
    const std::int64_t first = i * length - before;
    const std::int64_t prefix = i == 0 ? before : static_cast<std::int64_t>(opening.size());
    windows.push_back({.begin = first + prefix,
                       .end = first + length,
                       .score_from = first + length / 2 + 1,
                       .prefix = prefix});
  }
  return with_skipped(std::move(windows), size);
}

Windows cut_llama_cpp_strided(std::span<const TokenId> stream, std::span<const TokenId> opening,
                              const LlamaStride& plan) {
  check(plan.stride >= 1 && plan.stride <= plan.length, "targets lie behind some context");
  const auto size = static_cast<std::int64_t>(stream.size());
  const std::int64_t before = opening_at(stream, opening, 0);
  const std::int64_t length = plan.length + plan.stride / 2;
  std::vector<Window> windows;
  for (std::int64_t begin = -before; begin + length < size; begin += plan.stride) {
    const std::int64_t prefix = begin < 0 ? before : 0;
    const std::int64_t end = begin + length;
    const std::int64_t first = std::max<std::int64_t>(begin, 0);
    windows.push_back({.begin = first,
                       .end = end,
                       .score_from = std::max(end - plan.stride, prefix > 0 ? first : first + 1),
                       .prefix = prefix});
  }
  return with_skipped(std::move(windows), size);
}

std::unique_ptr<const WindowProtocol> make_llama_cpp(Fields& /*fields*/) {
  return std::make_unique<LlamaCpp>();
}

std::unique_ptr<const WindowProtocol> make_llama_cpp_strided(Fields& fields) {
  return std::make_unique<LlamaCppStrided>(
      required_length(fields, "stride", "llama-perplexity's --ppl-stride"));
}

}  // namespace yardstick::tasks
