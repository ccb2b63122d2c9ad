// `yardstick generate`: the evaluation data of the shipped suites, written again from a seed.
#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "core/file.hpp"
#include "models/train/small_world/evaluation.hpp"

namespace yardstick::cli {
namespace {

// Sized so that every length up to 16 windows of the tiny models has whole documents, and so that a
// question with its context and a BOS fits one window.
constexpr std::int64_t kDocuments = 24;
constexpr std::int64_t kDocumentTokens = 2300;
constexpr std::int64_t kQuestions = 200;
constexpr std::int64_t kQuestionTokens = 128;

}  // namespace

int generate(const GenerateOptions& options) {
  const auto write = [&](const char* name, const std::string& lines) {
    const std::filesystem::path file = options.output / name;
    write_file_atomically(file, lines);
    fmt::print("{}\n", file.string());
  };
  write("documents.jsonl", small_world::documents_jsonl(options.seed, kDocuments, kDocumentTokens));
  write("choice.jsonl", small_world::questions_jsonl(options.seed, kQuestions, kQuestionTokens));
  return kDone;
}

}  // namespace yardstick::cli
