// Documents as tokens: text encoded with the model's tokenizer, or ids as they stand in a file,
// each token with the source bytes that it stands for and the words that begin in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/engine/request.hpp"
#include "tasks/data/source.hpp"
#include "tasks/data/words.hpp"

namespace yardstick::tasks {

struct Document {
  std::string id;
  std::vector<TokenId> tokens;
  /// UTF-8 bytes of the source text behind each token (0 for a separator); empty if the text is
  /// not known, which is so for files of ids.
  std::vector<std::int32_t> bytes;
  /// Words of the source text that begin in each token (words as word_begins() finds them); empty
  /// where `bytes` is.
  std::vector<std::int32_t> words;
  /// Byte offset of each token in the source text; empty where that is unknown or there are several
  /// texts (joined documents).
  std::vector<std::int64_t> offsets;

  bool operator==(const Document&) const = default;
};

enum class DocumentJoin {
  kJoined,    ///< one stream; the end-of-text id between two documents; attention crosses it
  kSeparate,  ///< each document alone
};

struct Documents {
  std::vector<Document> read;
  /// Ids of documents without a token that joining left out, and their separators with them.
  std::vector<std::string> left_out;
};

/// What the texts of special tokens ("</s>") are where they stand in a document.
enum class SpecialTexts {
  kTokens,  ///< those tokens, as transformers reads a text
  kPlain,   ///< text like any other
};

/// Reads the documents of `source`, in order, up to `max_tokens` of them all (separators count).
/// Joined, one document named "stream" is read, or none if all are empty.
/// @throws Error(kData) if several documents are to be joined and there is no end-of-text id.
[[nodiscard]] Documents read_documents(const DataSource& source, DocumentJoin join,
                                       const TextCodec& codec,
                                       std::optional<std::int64_t> max_tokens,
                                       SpecialTexts specials = SpecialTexts::kTokens);

/// The counts of each document's text, by the id that read_documents() gives it; of JSON lines the
/// text under `field`. Empty if the source holds ids.
/// @throws Error(kData) naming the line that has no text there.
[[nodiscard]] std::map<std::string, TextCounts> count_texts(const DataSource& source,
                                                            const std::string& field);

}  // namespace yardstick::tasks
