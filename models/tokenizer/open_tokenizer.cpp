// Which file of a folder is the tokenizer, and which reader a file needs.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/content_kind.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/home_path.hpp"
#include "core/json.hpp"
#include "models/tokenizer/formats.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace yardstick::tokenizer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExpected =
    "tokenizer.json, tokenizer.model, vocab.json with merges.txt, or one *.tiktoken";

// vocab.json and merges.txt, and what GPT-2's first release called them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kGpt2Names = {
    {{"vocab.json", "merges.txt"}, {"encoder.json", "vocab.bpe"}}};

std::vector<fs::path> tiktoken_files(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".tiktoken") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

PipelineParts read_bytes(const fs::path& file, const TokenizerSettings& settings) {
  const std::string bytes = read_file(file);
  if (looks_like_tiktoken(bytes)) return read_tiktoken(file, bytes, settings);
  if (bytes.starts_with('\n')) return read_sentencepiece(file, bytes, settings);  // field 1
  if (const std::optional<std::string> other = why_not_text(bytes)) {
    throw Error(ErrorKind::kData, *other);
  }
  throw Error(ErrorKind::kData,
              fmt::format("has {} bytes and is neither a SentencePiece model (which begins with a "
                          "byte 0x0a) nor a list of tiktoken ranks (lines \"base64 rank\")",
                          bytes.size()));
}

PipelineParts read_parts(const fs::path& file) {
  const TokenizerSettings settings = read_settings(file.parent_path());
  const std::string name = file.filename().string();
  for (const auto& [vocab, merges] : kGpt2Names) {
    if (name != vocab && name != merges) continue;
    const fs::path folder = file.parent_path();
    return read_gpt2_files(folder / vocab, folder / merges, settings);
  }
  if (file.extension() == ".json") return read_tokenizer_json(read_json(file), file, settings);
  return read_bytes(file, settings);
}

/// A tokenizer of the parts that `read` gives; errors name the file.
template <typename Read>
std::unique_ptr<const Tokenizer> make(const Read& read, const fs::path& file) {
  try {
    return std::make_unique<PipelineTokenizer>(read());
  } catch (const Error& error) {
    // Errors that name their file name it with its folder in front.
    const std::string_view message = error.what();
    const std::string folder = (file.parent_path() / "").string();
    const bool named =
        message.starts_with(file.string()) || (folder.size() > 1 && message.starts_with(folder));
    throw Error(ErrorKind::kData,
                named ? std::string(message) : fmt::format("{}: {}", file.string(), message));
  }
}

}  // namespace

std::optional<fs::path> find_tokenizer(const fs::path& folder) {
  for (const char* const name : {"tokenizer.json", "tokenizer.model"}) {
    if (is_present(folder / name)) return folder / name;
  }
  for (const auto& [vocab, merges] : kGpt2Names) {
    if (is_present(folder / vocab) && is_present(folder / merges)) return folder / vocab;
  }
  const std::vector<fs::path> ranks = tiktoken_files(folder);
  if (ranks.size() > 1) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: found {} and {} more *.tiktoken; name the one to use",
                            folder.string(), ranks.front().filename().string(), ranks.size() - 1));
  }
  return ranks.empty() ? std::nullopt : std::optional(ranks.front());
}

std::unique_ptr<const Tokenizer> open_tokenizer(const fs::path& path) {
  std::error_code ignored;
  const std::optional<fs::path> file =
      fs::is_directory(path, ignored) ? find_tokenizer(path) : std::optional(path);
  if (!file) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: no tokenizer found; expected {}", path.string(), kExpected));
  }
  if (!is_present(*file)) {
    throw Error(ErrorKind::kData, fmt::format("{}: not found; expected {}, or a folder that has it",
                                              file->string(), kExpected));
  }
  return make([&] { return read_parts(*file); }, *file);
}

std::unique_ptr<const Tokenizer> make_tokenizer(nlohmann::json tree, const fs::path& file) {
  return make([&] { return read_tokenizer_json(std::move(tree), file, {}); }, file);
}

}  // namespace yardstick::tokenizer
