#include "models/checkpoint/gguf/tokenizer.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "models/checkpoint/byte_input.hpp"
#include "models/checkpoint/gguf/metadata.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxPieceBytes = 4096;
// Of the merges that scores stand for: long pieces with many cuts could make a thousand times the
// file's size. A vocabulary of 256,000 pieces has about 600,000 merges.
constexpr std::size_t kMaxMergeBytes = std::size_t{256} << 20U;
constexpr std::size_t kMergeBytes = 160;  // of a merge as JSON, without its texts

/// As numbered in tokenizer.ggml.token_type.
enum class Kind { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

struct Token {
  std::string_view text;
  Kind kind = Kind::kNormal;
};

std::vector<Token> read_tokens(Metadata& metadata) {
  constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
  constexpr std::string_view kTypes = "tokenizer.ggml.token_type";
  const auto texts = metadata.texts(kTokens);
  const auto types = metadata.numbers(kTypes);
  if (!texts) throw metadata.error(kTokens, "is missing");
  if (!types || types->size() != texts->size()) {
    throw metadata.error(kTypes, fmt::format("has {} items; expected {}, one for each token",
                                             types ? types->size() : 0, texts->size()));
  }
  std::vector<Token> tokens;
  for (std::size_t id = 0; id < texts->size(); ++id) {
    const std::string_view text = (*texts)[id];
    const double type = (*types)[id];
    if (text.size() > kMaxPieceBytes || find_invalid_utf8(text)) {
      throw metadata.error(kTokens, fmt::format("item {} is too long or not UTF-8", id));
    }
    if (type < static_cast<double>(Kind::kNormal) || type > static_cast<double>(Kind::kByte)) {
      throw metadata.error(kTypes, fmt::format("item {} is {}; expected 1 to 6", id, type));
    }
    tokens.push_back({text, static_cast<Kind>(static_cast<int>(type))});
  }
  return tokens;
}

/// Tokens that the model itself makes of a text, by their text.
json model_vocabulary(Metadata& metadata, const std::vector<Token>& tokens) {
  json vocab = json::object();
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].kind == Kind::kUnused || tokens[id].kind == Kind::kUserDefined) continue;
    const auto [place, is_new] = vocab.emplace(std::string(tokens[id].text), id);
    if (!is_new) {
      throw metadata.error("tokenizer.ggml.tokens",
                           fmt::format("items {} and {} are both '{}'", place->get<std::int64_t>(),
                                       id, printable(tokens[id].text)));
    }
  }
  return vocab;
}

json added_tokens(const std::vector<Token>& tokens) {
  json added = json::array();
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    const Kind kind = tokens[id].kind;
    const bool is_special = kind == Kind::kControl || kind == Kind::kUnknown;
    if (!is_special && kind != Kind::kUserDefined) continue;
    added.push_back({{"id", id},
                     {"content", std::string(tokens[id].text)},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", is_special}});
  }
  return added;
}

/// What stands before and behind a text. Where the file does not say, llama.cpp's defaults.
enum class AddsBos { kByDefault, kOnRequest };

json post_processor(Metadata& metadata, const std::vector<Token>& tokens, AddsBos adds_bos) {
  json single = json::array();
  json specials = json::object();
  const auto add = [&](const char* name) {
    const std::string key = fmt::format("tokenizer.ggml.{}_token_id", name);
    const std::optional<std::int64_t> id = metadata.integer(key);
    if (!id || *id < 0 || *id >= static_cast<std::int64_t>(tokens.size())) {
      throw metadata.error(key,
                           fmt::format("is {}; expected the id of one of the {} tokens",
                                       id ? fmt::format("{}", *id) : "missing", tokens.size()));
    }
    const std::string text(tokens[static_cast<std::size_t>(*id)].text);
    single.push_back({{"SpecialToken", {{"id", text}, {"type_id", 0}}}});
    specials[text] = {{"id", text}, {"ids", {*id}}, {"tokens", {text}}};
  };
  const bool has_bos =
      metadata.flag("tokenizer.ggml.add_bos_token").value_or(adds_bos == AddsBos::kByDefault);
  const bool has_eos = metadata.flag("tokenizer.ggml.add_eos_token").value_or(false);
  if (has_bos) add("bos");
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  if (has_eos) add("eos");
  if (!has_bos && !has_eos) return nullptr;
  return {{"type", "TemplateProcessing"},
          {"single", single},
          {"pair", single},
          {"special_tokens", specials}};
}

// SentencePiece merges the two neighbours whose union has the best score. As a list of merges:
// every way to cut a piece into two pieces, best score first, then as Hugging Face's converter
// orders equal scores.
json merges_of_scores(const Metadata& metadata, const std::vector<Token>& tokens,
                      const std::vector<double>& scores) {
  struct Merge {
    double score;
    std::string_view left;
    std::string_view right;
  };
  std::unordered_map<std::string_view, std::size_t> ids;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].kind == Kind::kNormal) ids.emplace(tokens[id].text, id);
  }
  std::vector<Merge> merges;
  std::size_t bytes = 0;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].kind != Kind::kNormal) continue;
    const std::string_view piece = tokens[id].text;
    for (std::size_t cut = 1; cut < piece.size(); ++cut) {
      const bool is_inside_character = (static_cast<unsigned char>(piece[cut]) & 0xc0) == 0x80;
      if (is_inside_character || !ids.contains(piece.substr(0, cut))) continue;
      if (!ids.contains(piece.substr(cut))) continue;
      bytes += piece.size() + kMergeBytes;
      if (bytes > kMaxMergeBytes) {
        throw metadata.error(
            "tokenizer.ggml.scores",
            fmt::format("stand for more than {} merges, which no tokenizer has", merges.size()));
      }
      merges.push_back({scores[id], piece.substr(0, cut), piece.substr(cut)});
    }
  }
  std::stable_sort(merges.begin(), merges.end(), [&](const Merge& a, const Merge& b) {
    if (a.score != b.score) return a.score > b.score;
    const auto order = [&](const Merge& m) { return std::pair(ids.at(m.left), ids.at(m.right)); };
    return order(a) < order(b);
  });
  json out = json::array();
  for (const Merge& merge : merges) {
    out.push_back({std::string(merge.left), std::string(merge.right)});
  }
  return out;
}

constexpr const char* kSpace = "\xe2\x96\x81";  // U+2581, SentencePiece's space

json sentencepiece(Metadata& metadata) {
  const std::vector<Token> tokens = read_tokens(metadata);
  const auto scores = metadata.numbers("tokenizer.ggml.scores");
  if (!scores || scores->size() != tokens.size()) {
    throw metadata.error("tokenizer.ggml.scores",
                         fmt::format("has {} items; expected {}, one for each token",
                                     scores ? scores->size() : 0, tokens.size()));
  }
  if (metadata.flag("tokenizer.ggml.remove_extra_whitespaces").value_or(false)) {
    throw metadata.error("tokenizer.ggml.remove_extra_whitespaces", "is true; expected false");
  }
  json normalizers = json::array();
  if (metadata.flag("tokenizer.ggml.add_space_prefix").value_or(true)) {
    normalizers.push_back({{"type", "Prepend"}, {"prepend", kSpace}});
  }
  normalizers.push_back({{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", kSpace}});
  json decoders = {{{"type", "Replace"}, {"pattern", {{"String", kSpace}}}, {"content", " "}},
                   {{"type", "ByteFallback"}},
                   {{"type", "Fuse"}}};
  if (normalizers.size() > 1) {
    decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  json model = {{"type", "BPE"},
                {"fuse_unk", true},
                {"byte_fallback", std::ranges::count(tokens, Kind::kByte, &Token::kind) > 0},
                {"vocab", model_vocabulary(metadata, tokens)},
                {"merges", merges_of_scores(metadata, tokens, *scores)}};
  const auto unknown = std::ranges::find(tokens, Kind::kUnknown, &Token::kind);
  if (unknown != tokens.end()) model["unk_token"] = std::string(unknown->text);
  return {{"version", "1.0"},
          {"added_tokens", added_tokens(tokens)},
          {"normalizer", {{"type", "Sequence"}, {"normalizers", normalizers}}},
          {"post_processor", post_processor(metadata, tokens, AddsBos::kByDefault)},
          {"decoder", {{"type", "Sequence"}, {"decoders", decoders}}},
          {"model", model}};
}

/// How a byte-level tokenizer splits a text, by the names of tokenizer.ggml.pre. The patterns are
/// those of the tokenizer.json files of GPT-2, Llama 3 and Qwen2.
struct Split {
  std::string_view name;
  std::string_view pattern;  ///< "" is GPT-2's own
  bool normalizes = false;   ///< to NFC, as the tokenizer.json of these families says
  bool whole_words = false;
  AddsBos adds_bos = AddsBos::kOnRequest;
};

constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr Split kLlama3{.name = "llama-bpe",
                        .pattern = kLlama3Pattern,
                        .whole_words = true,
                        .adds_bos = AddsBos::kByDefault};
constexpr std::pair<std::string_view, Split> kSplits[] = {
    {"gpt-2", {.name = "gpt-2", .pattern = ""}},
    {"mpt", {.name = "mpt", .pattern = "", .normalizes = true}},
    {"olmo", {.name = "olmo", .pattern = "", .normalizes = true}},
    {"llama-bpe", kLlama3},
    {"llama3", kLlama3},
    {"llama-v3", kLlama3},
    {"qwen2", {.name = "qwen2", .pattern = kQwen2Pattern, .normalizes = true}}};

const Split& choose_split(Metadata& metadata) {
  constexpr std::string_view kKey = "tokenizer.ggml.pre";
  const std::string found = metadata.text(kKey).value_or("");
  std::string known;
  for (const auto& [name, split] : kSplits) {
    if (name == found) return split;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  }
  throw metadata.error(
      kKey, fmt::format("{}, a way to split texts that is not supported; supported are: {}",
                        found.empty() ? "is missing" : fmt::format("is '{}'", found), known));
}

json pre_tokenizer(const Split& split) {
  const bool is_gpt2 = split.pattern.empty();
  json bytes = {{"type", "ByteLevel"},
                {"add_prefix_space", false},
                {"trim_offsets", true},
                {"use_regex", is_gpt2}};
  if (is_gpt2) return bytes;
  const json by_pattern = {{"type", "Split"},
                           {"pattern", {{"Regex", split.pattern}}},
                           {"behavior", "Isolated"},
                           {"invert", false}};
  return {{"type", "Sequence"}, {"pretokenizers", {by_pattern, bytes}}};
}

json byte_level(Metadata& metadata) {
  const std::vector<Token> tokens = read_tokens(metadata);
  const Split& split = choose_split(metadata);
  const auto merges = metadata.texts("tokenizer.ggml.merges");
  if (!merges) throw metadata.error("tokenizer.ggml.merges", "is missing");
  json pairs = json::array();
  for (const std::string_view merge : *merges) {
    if (find_invalid_utf8(merge)) {
      throw metadata.error("tokenizer.ggml.merges", "has an item that is not UTF-8");
    }
    pairs.push_back(std::string(merge));
  }
  if (metadata.flag("tokenizer.ggml.add_space_prefix").value_or(false)) {
    throw metadata.error("tokenizer.ggml.add_space_prefix",
                         "is true; expected false for a byte-level tokenizer");
  }
  json out = {{"version", "1.0"},
              {"added_tokens", added_tokens(tokens)},
              {"pre_tokenizer", pre_tokenizer(split)},
              {"post_processor", post_processor(metadata, tokens, split.adds_bos)},
              {"decoder", {{"type", "ByteLevel"}}},
              {"model",
               {{"type", "BPE"},
                {"ignore_merges", split.whole_words},
                {"vocab", model_vocabulary(metadata, tokens)},
                {"merges", pairs}}}};
  if (split.normalizes) out["normalizer"] = {{"type", "NFC"}};
  return out;
}

/// Refuses keys that may change the ids and that nobody asked for.
void finish(Metadata& metadata, const File& file) {
  for (const auto& [key, value] : file.metadata) {
    const bool is_harmless = key.ends_with("_token_id") || key.ends_with(".token_type_count") ||
                             key.starts_with("tokenizer.chat_template");
    if (is_harmless) metadata.ignore(key);
  }
  metadata.finish("tokenizer.");
}

json read_tree(Metadata& metadata, const File& file) {
  if (const auto text = metadata.text("tokenizer.huggingface.json")) {
    return parse_json(*text, fmt::format("{}: tokenizer.huggingface.json", file.name));
  }
  const std::optional<std::string> model = metadata.text("tokenizer.ggml.model");
  if (!model) return nullptr;
  if (*model != "llama" && *model != "gpt2") {
    throw metadata.error("tokenizer.ggml.model",
                         fmt::format("is '{}'; supported are llama and gpt2", *model));
  }
  json tree = *model == "llama" ? sentencepiece(metadata) : byte_level(metadata);
  if (metadata.flag("tokenizer.ggml.add_sep_token").value_or(false)) {
    throw metadata.error("tokenizer.ggml.add_sep_token", "is true; expected false");
  }
  metadata.ignore("tokenizer.ggml.pre");
  metadata.ignore("tokenizer.ggml.scores");
  finish(metadata, file);
  return tree;
}

}  // namespace

GgufTokenizer read_tokenizer(const File& file, std::int64_t vocabulary) {
  Metadata metadata(file);
  const auto tokens = file.metadata.find("tokenizer.ggml.tokens");
  if (tokens != file.metadata.end() &&
      tokens->second.count > static_cast<std::uint64_t>(vocabulary)) {
    throw metadata.error("tokenizer.ggml.tokens",
                         fmt::format("has {} items, but 'token_embd.weight' has {} rows; tokenizer "
                                     "and weights are not of one model",
                                     tokens->second.count, vocabulary));
  }
  try {
    return {.tree = read_tree(metadata, file), .refusal = {}};
  } catch (const Error& error) {
    return {.tree = nullptr, .refusal = error.what()};
  }
}

}  // namespace yardstick::checkpoint::gguf
