// Where training tokens come from: windows of ids, each a pure function of its index, so that the
// data order is the same for every model of a set and after a resume.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/engine/request.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "models/train/config.hpp"

namespace yardstick::models {

/// Immutable and thread-safe.
class WindowSource {
 public:
  virtual ~WindowSource() = default;

  /// Window `index`: config.window_tokens inputs and one more token, the last one's target.
  [[nodiscard]] virtual std::vector<TokenId> window(std::uint64_t index) const = 0;

  /// A window of the same size whose last token is to be retrieved from its context (a pass key
  /// that training never shows at this seed), or an empty one if the data has no such thing.
  [[nodiscard]] virtual std::vector<TokenId> retrieval_check(std::uint64_t index) const = 0;
};

/// @throws Error(kData) naming the file if a text is unreadable, not UTF-8, or shorter than a
/// window. `tokenizer` must outlive the source.
[[nodiscard]] std::unique_ptr<const WindowSource> open_windows(
    const TrainConfig& config, const tokenizer::Tokenizer& tokenizer);

}  // namespace yardstick::models
