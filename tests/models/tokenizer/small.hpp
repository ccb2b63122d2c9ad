// Small tokenizer.json files made in the test, so that each test shows all that it depends on.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/tokenizer/tokenizer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::tokenizer::test_support {

/// Tokens get the ids 0, 1, … in order; merges are "a b" texts.
inline nlohmann::json small_tokenizer(const std::vector<std::string>& tokens,
                                      const std::vector<std::string>& merges) {
  nlohmann::json vocab = nlohmann::json::object();
  for (std::size_t i = 0; i < tokens.size(); ++i) vocab[tokens[i]] = i;
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", nlohmann::json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", nullptr},
          {"post_processor", nullptr},
          {"decoder", {{"type", "Fuse"}}},
          {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}}}};
}

inline nlohmann::json added_token(const std::string& content, int id) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

/// Writes the tree to a file and opens it.
class SmallTokenizer {
 public:
  explicit SmallTokenizer(const nlohmann::json& tree) {
    std::ofstream(folder_.path() / "tokenizer.json") << tree.dump();
    tokenizer_ = open_tokenizer(folder_.path());
  }
  const Tokenizer* operator->() const { return tokenizer_.get(); }

  [[nodiscard]] std::vector<TokenId> ids(std::string_view text) const {
    std::vector<TokenId> out;
    for (const TokenSpan& span : tokenizer_->encode(text)) out.push_back(span.id);
    return out;
  }

 private:
  test::TemporaryFolder folder_;
  std::unique_ptr<const Tokenizer> tokenizer_;
};

}  // namespace yardstick::tokenizer::test_support
