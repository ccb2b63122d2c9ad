#include "models/train/small_world/tokenizer_json.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/train/small_world/lexicon.hpp"

namespace yardstick::small_world {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Words, numbers of one or two digits, runs of other marks, and white space; a space belongs to
/// what follows it.
constexpr std::string_view kSplitPattern =
    R"( ?\p{L}+| ?\p{N}{1,2}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// The byte-level alphabet's code point for a byte: printable Latin-1 stands for itself, the rest
/// is numbered from 256 on in byte order.
std::array<int, 256> byte_code_points() {
  std::array<int, 256> points{};
  int next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const bool is_printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
                              (byte >= 0xAE && byte <= 0xFF);
    points[static_cast<std::size_t>(byte)] = is_printable ? byte : next++;
  }
  return points;
}

std::string utf8(int code_point) {  // all points lie below 0x800
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  return {static_cast<char>(0xC0 | (code_point >> 6)),
          static_cast<char>(0x80 | (code_point & 0x3F))};
}

/// Tokens in the order of their ids, spelled in the byte-level alphabet.
std::vector<std::string> vocabulary() {
  const std::array<int, 256> points = byte_code_points();
  const std::string space = utf8(points[' ']);
  std::vector<std::string> tokens;
  for (const int point : points) tokens.push_back(utf8(point));
  for (int digit = 0; digit < 10; ++digit) tokens.push_back(fmt::format("{}{}", space, digit));
  for (int number = 0; number < 100; ++number) {
    tokens.push_back(fmt::format("{:02}", number));
    tokens.push_back(fmt::format("{}{:02}", space, number));
  }
  for (const std::string& word : all_words()) {
    if (word.size() > 1) tokens.push_back(word);  // one letter is a byte already
    tokens.push_back(space + word);
  }
  return tokens;
}

}  // namespace

std::string tokenizer_json() {
  OrderedJson vocab = OrderedJson::object();
  std::int64_t id = 0;
  for (const std::string& token : vocabulary()) vocab[token] = id++;
  const OrderedJson end_of_text = {
      {"id", id},        {"content", kEndOfText}, {"single_word", false}, {"lstrip", false},
      {"rstrip", false}, {"normalized", false},   {"special", true}};
  const OrderedJson byte_level = {{"type", "ByteLevel"},
                                  {"add_prefix_space", false},
                                  {"trim_offsets", true},
                                  {"use_regex", false}};
  const OrderedJson split = {{"type", "Split"},
                             {"pattern", {{"Regex", kSplitPattern}}},
                             {"behavior", "Isolated"},
                             {"invert", false}};
  const OrderedJson model = {{"type", "BPE"},
                             {"dropout", nullptr},
                             {"unk_token", nullptr},
                             {"continuing_subword_prefix", nullptr},
                             {"end_of_word_suffix", nullptr},
                             {"fuse_unk", false},
                             {"byte_fallback", false},
                             {"ignore_merges", true},
                             {"vocab", vocab},
                             {"merges", OrderedJson::array()}};
  const OrderedJson file = {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", OrderedJson::array({end_of_text})},
      {"normalizer", nullptr},
      {"pre_tokenizer",
       {{"type", "Sequence"}, {"pretokenizers", OrderedJson::array({split, byte_level})}}},
      {"post_processor", nullptr},
      {"decoder", byte_level},
      {"model", model}};
  return file.dump(1) + "\n";
}

std::string tokenizer_config_json() {
  const OrderedJson file = {
      {"add_bos_token", false},  {"add_eos_token", false},
      {"bos_token", nullptr},    {"clean_up_tokenization_spaces", false},
      {"eos_token", kEndOfText}, {"tokenizer_class", "PreTrainedTokenizerFast"}};
  return file.dump(2) + "\n";
}

std::int64_t end_of_text_id() { return static_cast<std::int64_t>(vocabulary().size()); }

std::int64_t vocabulary_size() { return end_of_text_id() + 1; }

}  // namespace yardstick::small_world
