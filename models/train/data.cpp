#include "models/train/data.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/random.hpp"
#include "models/train/small_world/passkey.hpp"
#include "models/train/small_world/windows.hpp"

namespace yardstick::models {
namespace {

/// Seeds of checks are far from those that people choose for training.
constexpr std::uint64_t kCheckSeed = 0x9E3779B97F4A7C15U;

std::vector<TokenId> ids_of(const std::vector<TokenSpan>& spans) {
  std::vector<TokenId> ids;
  ids.reserve(spans.size());
  for (const TokenSpan& span : spans) ids.push_back(span.id);
  return ids;
}

class SmallWorldWindows final : public WindowSource {
 public:
  SmallWorldWindows(std::uint64_t seed, std::int64_t size, const tokenizer::Tokenizer& tokenizer)
      : seed_(seed), size_(size), tokenizer_(tokenizer) {}

  std::vector<TokenId> window(std::uint64_t index) const override {
    return cut(small_world::make_window(seed_, index, size_).text);
  }

  std::vector<TokenId> retrieval_check(std::uint64_t index) const override {
    if (size_ <= small_world::shortest_passkey_prompt()) return {};
    return cut(small_world::make_passkey_window(seed_ ^ kCheckSeed, index, size_).text);
  }

 private:
  std::vector<TokenId> cut(const std::string& text) const {
    std::vector<TokenId> ids = ids_of(tokenizer_.encode(text));
    check(static_cast<std::int64_t>(ids.size()) >= size_, "a generated window is long enough");
    ids.resize(static_cast<std::size_t>(size_));
    return ids;
  }

  std::uint64_t seed_;
  std::int64_t size_;
  const tokenizer::Tokenizer& tokenizer_;
};

class TextWindows final : public WindowSource {
 public:
  TextWindows(const TrainConfig& config, const tokenizer::Tokenizer& tokenizer)
      : seed_(config.seed),
        size_(static_cast<std::size_t>(config.window_tokens) + 1),
        ids_(ids_of(tokenizer.encode(read_file(config.data.text_file)))) {
    if (ids_.size() < size_) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}: holds {} tokens; a training window needs {}. Use a longer text "
                              "or a smaller training.window",
                              config.data.text_file.string(), ids_.size(), size_));
    }
  }

  std::vector<TokenId> window(std::uint64_t index) const override {
    Random random(seed_, "text/window", index);
    const auto begin = static_cast<std::ptrdiff_t>(random.below(ids_.size() - size_ + 1));
    return {ids_.begin() + begin, ids_.begin() + begin + static_cast<std::ptrdiff_t>(size_)};
  }

  std::vector<TokenId> retrieval_check(std::uint64_t) const override { return {}; }

 private:
  std::uint64_t seed_;
  std::size_t size_;
  std::vector<TokenId> ids_;
};

}  // namespace

std::unique_ptr<const WindowSource> open_windows(const TrainConfig& config,
                                                 const tokenizer::Tokenizer& tokenizer) {
  if (config.data.kind == TrainData::Kind::kTextFile) {
    return std::make_unique<TextWindows>(config, tokenizer);
  }
  return std::make_unique<SmallWorldWindows>(config.seed, config.window_tokens + 1, tokenizer);
}

}  // namespace yardstick::models
