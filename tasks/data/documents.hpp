// Documents as tokens: text encoded with the model's tokenizer, or ids as they stand in a file,
// each token with the number of source bytes that it stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/engine/request.hpp"
#include "tasks/data/source.hpp"

namespace yardstick::tasks {

struct Document {
  std::string id;
  std::vector<TokenId> tokens;
  /// UTF-8 bytes of the source text behind each token (0 for a separator); empty if the text is
  /// not known, which is so for files of ids.
  std::vector<std::int32_t> bytes;

  bool operator==(const Document&) const = default;
};

enum class DocumentJoin {
  kJoined,    ///< one stream; the end-of-text id between two documents; attention crosses it
  kSeparate,  ///< each document alone
};

/// Reads the documents of `source`, in order, up to `max_tokens` of them all (separators count).
/// Joined, the answer is one document named "stream".
/// @throws Error(kData) if several documents are to be joined and there is no end-of-text id.
[[nodiscard]] std::vector<Document> read_documents(const DataSource& source, DocumentJoin join,
                                                   const TextCodec& codec,
                                                   std::optional<std::int64_t> max_tokens);

}  // namespace yardstick::tasks
