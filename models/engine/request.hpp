// What passes between tasks and models: requests, responses, and what a task may know of a model's
// tokenizer. Standard library only; the one header of models/ that tasks/ includes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick {

using TokenId = std::int32_t;

/// How new tokens are chosen. With a temperature above 0 they are drawn: the logits are divided by
/// it, the `top_k` largest kept, of those the shortest run, from the likeliest on, whose
/// renormalised probabilities reach `top_p`, and one of what is left is drawn by its probability.
/// Equal logits rank by their id, the lower first.
struct Sampling {
  double temperature = 0;  ///< 0: the likeliest token, whatever the other fields say (greedy)
  std::int64_t top_k = 0;  ///< 0: all
  double top_p = 1;        ///< in (0, 1]
  std::uint64_t seed = 0;  ///< the n-th new token's random number depends on it and on n alone

  bool operator==(const Sampling&) const = default;
};

/// One question to a model about one sequence; position i of `tokens` is position i of the model.
///
/// It may ask for the loss of given tokens, for new tokens, or for both:
/// - tokens[score_from .. size) are scored, each from all tokens before it. score_from is at least
///   1 (the first token has nothing to be predicted from); tokens.size() means "score nothing".
/// - max_new_tokens > 0 generates behind the last token as `sampling` says, until a stop token or
///   the budget.
struct Request {
  std::vector<TokenId> tokens;
  std::int64_t score_from = 0;
  std::int64_t max_new_tokens = 0;
  std::vector<TokenId> stop_tokens;  ///< generation ends before one of these; it is not returned
  std::vector<TokenId> end_tokens;   ///< sorted; generation ends behind one of these, the last one
                                     ///< returned (tokens that hold a stop text)
  Sampling sampling;

  bool operator==(const Request&) const = default;
};

enum class ResponseStatus {
  kOk,
  kNonFinite,  ///< a NaN or infinity reached the logits: no number of this response may be used
};

struct Response {
  ResponseStatus status = ResponseStatus::kOk;
  /// Loss in nats of each scored token, in order: -log softmax(logits)[token], computed in f32 or
  /// better over all vocabulary rows. Size tokens.size() - score_from.
  std::vector<double> nll;
  /// For each scored token: 1 if it is the single most likely token there (greedy would emit it).
  std::vector<std::uint8_t> is_greedy;
  std::vector<TokenId> generated;
  /// Loss in nats of each generated token: the model's own, whatever `sampling` made of the logits.
  std::vector<double> generated_nll;

  bool operator==(const Response&) const = default;
};

/// A token and the part of the source text that it stands for: bytes [begin, end).
struct TokenSpan {
  TokenId id = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;

  bool operator==(const TokenSpan&) const = default;
};

/// A model's tokenizer as a task sees it. Immutable and thread-safe.
class TextCodec {
 public:
  virtual ~TextCodec() = default;

  /// Ids of `text`, no special tokens added. @throws Error(kData) if `text` is not valid UTF-8.
  [[nodiscard]] virtual std::vector<TokenId> encode(std::string_view text) const = 0;

  /// encode() with the byte range of each token in `text`. Ranges are ordered, do not overlap and
  /// together cover every byte that took part; tokens that share bytes of one character get the
  /// bytes on the first of them.
  [[nodiscard]] virtual std::vector<TokenSpan> encode_spans(std::string_view text) const = 0;

  /// encode_spans() with the special tokens' texts as plain text: "</s>" is four characters. Added
  /// tokens that are not special are found as ever. By default there are no special tokens.
  [[nodiscard]] virtual std::vector<TokenSpan> encode_plain_spans(std::string_view text) const {
    return encode_spans(text);
  }

  /// Text of ids; bytes that are not valid UTF-8 become U+FFFD. Special tokens are left out.
  [[nodiscard]] virtual std::string decode(std::span<const TokenId> ids) const = 0;

  /// What the model's BOS policy puts at position 0 of every window: the BOS id, or nothing.
  [[nodiscard]] virtual std::vector<TokenId> window_prefix() const = 0;

  /// The end-of-text id, if the tokenizer or the model's configuration declares one.
  [[nodiscard]] virtual std::optional<TokenId> end_of_text() const = 0;

  /// Ids that end an answer, ascending: the end of text and what the model's generation settings
  /// name beside it. By default the end of text alone.
  [[nodiscard]] virtual std::vector<TokenId> end_of_generation() const {
    const std::optional<TokenId> end = end_of_text();
    return end ? std::vector<TokenId>{*end} : std::vector<TokenId>{};
  }

  /// Number of ids that may be fed to the model (rows of its embedding).
  [[nodiscard]] virtual std::int64_t vocabulary_size() const = 0;
};

}  // namespace yardstick
