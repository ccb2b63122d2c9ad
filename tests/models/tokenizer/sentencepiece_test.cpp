// SentencePiece models, against ids, pieces and texts of sentencepiece 0.2.2 (see
// golden/tokenizers_hf/README.md) and of tokenizers 0.23.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/tokenizer/reference.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::tokenizer {
namespace {

using test_support::Ids;
using test_support::ids_of;
using test_support::read_cases;
using test_support::with_specials;

class SentencePieceTest : public testing::TestWithParam<const char*> {};

TEST_P(SentencePieceTest, IdsAndTextsEqualTheLibrary) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::string name = GetParam();
  const std::vector<nlohmann::json> cases =
      read_cases(test::shared_path("golden/tokenizers_hf/" + name + ".sentencepiece.jsonl"));
  ASSERT_GT(cases.size(), 100U);
  const std::string file = cases.front()["tokenizer"].get<std::string>();
  const auto tokenizer = open_tokenizer(test::shared_path("data/tokenizers/" + file));
  for (const nlohmann::json& item : cases) {
    SCOPED_TRACE(item["text"].dump().substr(0, 200));
    const Ids ids = ids_of(tokenizer->encode(item["text"].get<std::string>()));
    EXPECT_EQ(ids, item["ids"].get<Ids>());
    EXPECT_EQ(with_specials(*tokenizer, ids), item["ids_with_special"].get<Ids>());
    EXPECT_EQ(tokenizer->decode(item["ids"].get<Ids>(), Tokenizer::SpecialTokens::kSkip),
              item["decoded"].get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SentencePieceTest, testing::Values("llama2", "sentencepiece-1k"));

}  // namespace
}  // namespace yardstick::tokenizer
