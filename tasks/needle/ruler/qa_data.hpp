// Questions with documents: SQuAD's official JSON, HotpotQA's, and records with the same fields.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace yardstick::tasks {

struct QaQuestion {
  std::string question;
  std::vector<std::string> answers;     ///< right ones, none empty
  std::vector<std::size_t> supporting;  ///< documents that the answer needs
  std::vector<std::size_t> companions;  ///< the question's other documents, or those of the same
                                        ///< article
};

struct QaData {
  std::vector<std::string> documents;  ///< each once, sorted
  std::vector<QaQuestion> questions;   ///< in the order of the file
};

/// Reads
/// - SQuAD: {"data": [{"paragraphs": [{"context", "qas": [{"question", "answers", ...}]}]}]};
///   impossible questions are left out;
/// - HotpotQA: an array of (or one a line) {"question", "answer", "context": [[title, [sentence,
///   ...]], ...], "supporting_facts": [[title, sentence], ...]}; a document is title, newline,
///   sentences;
/// - records: one a line {"question", "context": text, "answers": [text or {"text"}], "title"}.
/// @throws Error(kData) naming the file and the item for anything else.
[[nodiscard]] QaData read_qa(const std::filesystem::path& file);

}  // namespace yardstick::tasks
