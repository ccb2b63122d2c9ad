// tiktoken's rank files hold the ranks alone. Split pattern and special tokens are those of the
// family with that number of ranks; a file of no known family is refused.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/tokenizer/base64.hpp"
#include "models/tokenizer/bpe.hpp"
#include "models/tokenizer/byte_level.hpp"
#include "models/tokenizer/byte_level_parts.hpp"
#include "models/tokenizer/formats.hpp"

namespace yardstick::tokenizer {
namespace {

namespace fs = std::filesystem;
using NamedIds = std::vector<std::pair<std::string, TokenId>>;

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::kData, message); }

// Of the 256 ids behind the ranks, ten have a place and a name; the others are numbered through.
NamedIds llama3_specials() {
  constexpr TokenId kFirst = 128000;
  constexpr TokenId kCount = 256;
  constexpr std::array<std::pair<TokenId, std::string_view>, 5> kNamed = {
      {{0, "<|begin_of_text|>"},
       {1, "<|end_of_text|>"},
       {6, "<|start_header_id|>"},
       {7, "<|end_header_id|>"},
       {9, "<|eot_id|>"}}};
  NamedIds out;
  int reserved = 0;
  for (TokenId i = 0; i < kCount; ++i) {
    const auto* const named = std::find_if(kNamed.begin(), kNamed.end(),
                                           [&](const auto& entry) { return entry.first == i; });
    const bool has_name = named != kNamed.end();
    out.emplace_back(has_name ? std::string(named->second)
                              : fmt::format("<|reserved_special_token_{}|>", reserved++),
                     kFirst + i);
  }
  return out;
}

struct Family {
  std::string_view name;
  std::size_t ranks = 0;
  std::string_view pattern;  // empty = GPT-2's
  NamedIds specials;
  std::optional<TokenId> before;  // stands in front of every text
};

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"Llama 3", 128000, kCl100kPattern, llama3_specials(), 128000},
      {"cl100k_base",
       100256,
       kCl100kPattern,
       {{"<|endoftext|>", 100257},
        {"<|fim_prefix|>", 100258},
        {"<|fim_middle|>", 100259},
        {"<|fim_suffix|>", 100260},
        {"<|endofprompt|>", 100276}},
       std::nullopt},
      {"GPT-2", 50256, "", {{"<|endoftext|>", 50256}}, std::nullopt}};
  return all;
}

const Family& family_of(std::size_t ranks) {
  std::string known;
  for (const Family& family : families()) {
    if (family.ranks == ranks) return family;
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", family.name, family.ranks);
  }
  fail(
      fmt::format("has {} ranks, as no known family has, and the file does not say how words are "
                  "cut; known are {}. Use the model's tokenizer.json",
                  ranks, known));
}

struct Line {
  std::string_view token;
  std::string_view rank;
};

std::optional<Line> split_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return Line{line.substr(0, space), line.substr(space + 1)};
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Tokens in ByteLevel's alphabet, so that they are texts as everywhere else.
Vocabulary read_ranks(std::string_view text) {
  Vocabulary out;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    ++number;
    if (line.empty()) continue;
    const std::optional<Line> parts = split_line(line);
    const std::optional<std::string> bytes =
        parts ? decode_base64(parts->token) : std::optional<std::string>();
    if (!bytes || bytes->empty()) {
      fail(fmt::format("line {} is '{:.80}', expected a token in base64, a space and its rank",
                       number, line));
    }
    TokenId rank = 0;
    const char* const end = parts->rank.data() + parts->rank.size();
    const auto [stop, error] = std::from_chars(parts->rank.data(), end, rank);
    if (error != std::errc{} || stop != end)
      fail(fmt::format("line {}: the rank is '{:.40}', expected a number", number, parts->rank));
    std::string spelled;
    for (const char byte : *bytes)
      spelled += byte_level_character(static_cast<unsigned char>(byte));
    try {
      out.add_model_token(spelled, rank);
    } catch (const Error& problem) {
      throw problem.within(fmt::format("line {}", number));
    }
  }
  return out;
}

void check_ranks(const Vocabulary& vocabulary) {
  const auto count = static_cast<std::int64_t>(vocabulary.model_ids().size());
  if (count != vocabulary.model_size()) {
    TokenId hole = 0;
    while (vocabulary.text_of(hole) != nullptr) ++hole;
    fail(fmt::format("has {} tokens, but ranks up to {}; rank {} is missing", count,
                     vocabulary.model_size() - 1, hole));
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (!vocabulary.model_id(byte_level_character(static_cast<unsigned char>(byte))))
      fail(fmt::format("has no token for the byte 0x{:02x}; is the file whole?", byte));
  }
}

std::vector<RankedToken> ranked(const Vocabulary& vocabulary) {
  std::vector<RankedToken> out;
  for (TokenId id = 0; id < vocabulary.model_size(); ++id)
    out.push_back({id, static_cast<std::uint32_t>(id)});
  return out;
}

}  // namespace

bool looks_like_tiktoken(std::string_view bytes) {
  const std::optional<Line> line = split_line(take_line(bytes));
  return line && !line->token.empty() && decode_base64(line->token) && !line->rank.empty() &&
         line->rank.find_first_not_of("0123456789") == std::string_view::npos;
}

PipelineParts read_tiktoken(const fs::path& file, std::string_view bytes,
                            const TokenizerSettings& settings) {
  PipelineParts parts;
  parts.files = {file};
  parts.vocabulary = read_ranks(bytes);
  check_ranks(parts.vocabulary);
  const Family& family = family_of(parts.vocabulary.model_ids().size());
  set_byte_level({.pattern = family.pattern}, parts);
  parts.model = std::make_unique<Bpe>(
      BpeOptions{.input = ModelInput::kBytes, .words = BpeOptions::Words::kWhole}, parts.vocabulary,
      merges_of(ranked(parts.vocabulary), parts.vocabulary));
  add_tokens(settings, parts);
  const bool said = !settings.added.empty();
  if (!said) {
    for (const auto& [text, id] : family.specials) {
      parts.vocabulary.add(text, id, Vocabulary::Role::kSpecial);
      parts.added.push_back({.text = text, .id = id, .role = Vocabulary::Role::kSpecial});
    }
  }
  if (family.before) parts.specials.before = {*family.before};
  parts.assumption = fmt::format("from tiktoken ranks, words {}as {} (assumed from {} ranks)",
                                 said ? "" : "and special tokens ", family.name, family.ranks);
  return parts;
}

}  // namespace yardstick::tokenizer
