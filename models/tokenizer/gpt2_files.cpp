#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/json.hpp"
#include "models/tokenizer/bpe.hpp"
#include "models/tokenizer/byte_level_parts.hpp"
#include "models/tokenizer/formats.hpp"

namespace yardstick::tokenizer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEndOfText = "<|endoftext|>";

// The two files do not say how a text is cut into words; tokenizer_class does.
ByteLevelSteps steps_of(const TokenizerSettings& settings) {
  ByteLevelSteps steps;
  if (settings.add_prefix_space.value_or(false)) steps.prefix = ByteLevelSteps::Prefix::kSpace;
  const std::string& name = settings.tokenizer_class;
  if (name.empty() || name == "GPT2Tokenizer") return steps;
  if (name == "Qwen2Tokenizer") {
    steps.pattern = kQwen2Pattern;
    steps.form = ByteLevelSteps::Form::kNfc;
    return steps;
  }
  throw Error(ErrorKind::kData,
              fmt::format("{}: tokenizer_class '{}' is not supported with vocab.json and "
                          "merges.txt (how it cuts words is not in them); supported are "
                          "GPT2Tokenizer and Qwen2Tokenizer, or a tokenizer.json",
                          settings.config.string(), name));
}

}  // namespace

PipelineParts read_gpt2_files(const fs::path& vocab, const fs::path& merges,
                              const TokenizerSettings& settings) {
  PipelineParts parts;
  parts.files = {vocab, merges};
  set_byte_level(steps_of(settings), parts);
  parts.vocabulary = read_vocabulary(read_json(vocab), vocab.string());
  try {
    parts.model = std::make_unique<Bpe>(BpeOptions{.input = ModelInput::kBytes}, parts.vocabulary,
                                        parse_merges(read_file(merges), parts.vocabulary));
  } catch (const Error& error) {
    throw error.within(merges.string());
  }
  add_tokens(settings, parts);
  const bool is_gpt2 = settings.tokenizer_class.empty() && settings.named.empty();
  const std::optional<TokenId> end = parts.vocabulary.id_of(kEndOfText);
  if (is_gpt2 && end) {
    parts.added.push_back(
        {.text = std::string(kEndOfText), .id = *end, .role = Vocabulary::Role::kSpecial});
    parts.vocabulary.add(std::string(kEndOfText), *end, Vocabulary::Role::kSpecial);
  }
  parts.assumption =
      fmt::format("from {} and {}{}", vocab.filename().string(), merges.filename().string(),
                  settings.tokenizer_class.empty() ? ", words as GPT-2 (assumed)" : "");
  return parts;
}

}  // namespace yardstick::tokenizer
