// Evaluation data of the small world, from a stream that training never sees: what the shipped
// suites measure on.
#pragma once

#include <cstdint>
#include <string>

namespace yardstick::small_world {

/// One JSON Lines file as text.
/// Documents {"id", "text"} for perplexity, each of at least `tokens` tokens.
[[nodiscard]] std::string documents_jsonl(std::uint64_t seed, std::int64_t count,
                                          std::int64_t tokens);

/// Questions {"id", "context", "question", "choices", "answer", "distance"}: `question` ends where
/// the answer follows after a space, four one-word choices that all stand in the context when it
/// has enough of them, `answer` the right one's index, `distance` the tokens from its mention to
/// the question. Context and question together have at most `tokens` tokens.
[[nodiscard]] std::string questions_jsonl(std::uint64_t seed, std::int64_t count,
                                          std::int64_t tokens);

}  // namespace yardstick::small_world
