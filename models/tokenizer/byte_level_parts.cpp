#include "models/tokenizer/byte_level_parts.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace yardstick::tokenizer {

void set_byte_level(const ByteLevelSteps& steps, PipelineParts& parts) {
  const bool is_gpt2 = steps.pattern.empty();
  const nlohmann::json bytes = {
      {"type", "ByteLevel"},
      {"add_prefix_space", steps.prefix == ByteLevelSteps::Prefix::kSpace},
      {"use_regex", is_gpt2}};
  nlohmann::json words = nlohmann::json::array();
  if (!is_gpt2) {
    words.push_back({{"type", "Split"},
                     {"pattern", {{"Regex", std::string(steps.pattern)}}},
                     {"behavior", "Isolated"}});
  }
  words.push_back(bytes);
  const Located known({{"normalizer", {{"type", "NFC"}}},
                       {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", words}}},
                       {"decoder", {{"type", "ByteLevel"}}}},
                      "a known family's steps");
  if (steps.form == ByteLevelSteps::Form::kNfc)
    parts.normalizer = read_normalizer(known, "/normalizer");
  parts.pre_tokenizer = read_pre_tokenizer(known, "/pre_tokenizer");
  parts.decoder = read_decoder(known, "/decoder");
}

}  // namespace yardstick::tokenizer
