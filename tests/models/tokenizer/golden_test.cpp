// Every case of the golden folders: ids, ids with special tokens, and both decodings, as computed
// by the official tokenizers library (0.23); see golden/tokenizers/README.md.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "core/json.hpp"
#include "core/npy.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "tests/models/tokenizer/reference.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::tokenizer {
namespace {

using test_support::Ids;
using test_support::ids_of;
using test_support::read_cases;
using test_support::spans_of;
using test_support::with_specials;

void expect_ordered(const std::vector<TokenSpan>& spans, const std::string& text) {
  std::int64_t last = 0;
  for (const TokenSpan& span : spans) {
    EXPECT_GE(span.begin, last) << text;
    EXPECT_LE(span.begin, span.end) << text;
    last = span.end;
  }
  EXPECT_LE(last, static_cast<std::int64_t>(text.size())) << text;
}

struct Golden {
  std::string name;
  std::string tokenizer;
  std::string cases;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

class GoldenTest : public testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, B29cIdsAndTextsEqualTheReference) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto tokenizer = open_tokenizer(test::shared_path(GetParam().tokenizer));
  const std::vector<nlohmann::json> cases = read_cases(test::shared_path(GetParam().cases));
  ASSERT_GT(cases.size(), 100U);
  for (const nlohmann::json& item : cases) {
    const auto text = item["text"].get<std::string>();
    SCOPED_TRACE(item["text"].dump().substr(0, 200));
    const std::vector<TokenSpan> spans = tokenizer->encode(text);
    const Ids ids = ids_of(spans);
    EXPECT_EQ(ids, item["ids"].get<Ids>());
    const Ids full = with_specials(*tokenizer, ids);
    EXPECT_EQ(full, item["ids_with_special"].get<Ids>());
    expect_ordered(spans, text);
    const std::string kept =
        tokenizer->decode(item["ids"].get<Ids>(), Tokenizer::SpecialTokens::kKeep);
    const std::string skipped =
        tokenizer->decode(item["ids"].get<Ids>(), Tokenizer::SpecialTokens::kSkip);
    EXPECT_EQ(kept, item["decoded"].get<std::string>());
    EXPECT_EQ(skipped, item["decoded_skip_special"].get<std::string>());
  }
}

Golden cut(const std::string& name) {
  const std::string folder = "golden/tokenizers/" + name;
  return {name, folder, folder + "/cases.jsonl"};
}

Golden full(const std::string& name) {
  return {"full_" + name, "data/tokenizers/" + name, "golden/tokenizers_hf/" + name + ".jsonl"};
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, GoldenTest,
                         testing::Values(cut("gpt-neox-olmo-dolma-v1_5"), cut("gpt2-6k"),
                                         cut("llama2-metaspace-8k"), cut("llama2-spm"),
                                         cut("llama3-style-6k"), cut("qwen2-style-6k"),
                                         full("gpt2"), full("gpt-neox-20b"), full("llama2"),
                                         full("llama3"), full("olmo-dolma-v1_5")));

// With "trim_offsets", spaces at the ends of a token are not in its offsets.
void trim(std::vector<TokenSpan>& spans, const std::string& text) {
  const auto is_space = [&](std::int64_t at) { return text[static_cast<std::size_t>(at)] == ' '; };
  for (TokenSpan& span : spans) {
    while (span.begin < span.end && is_space(span.begin)) ++span.begin;
    while (span.begin < span.end && is_space(span.end - 1)) --span.end;
  }
}

class SpansTest : public testing::TestWithParam<Golden> {};

TEST_P(SpansTest, EqualTheOffsetsOfTheReference) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto tokenizer = open_tokenizer(test::shared_path(GetParam().tokenizer));
  for (const nlohmann::json& item : read_cases(test::shared_path(GetParam().cases))) {
    SCOPED_TRACE(item["text"].dump().substr(0, 200));
    EXPECT_EQ(tokenizer->encode(item["text"].get<std::string>()), spans_of(item));
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, SpansTest, testing::Values(full("gpt2"), full("llama3")));

// The reference leaves code points that were composed into the one before them out of the offsets;
// here they belong to that one.
void close_gaps(std::vector<TokenSpan>& spans, const std::string& text) {
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const std::int64_t next =
        i + 1 < spans.size() ? spans[i + 1].begin : static_cast<std::int64_t>(text.size());
    const std::string_view gap = std::string_view(text).substr(
        static_cast<std::size_t>(spans[i].end), static_cast<std::size_t>(next - spans[i].end));
    if (gap.empty() || gap.find(' ') != std::string_view::npos) continue;
    std::size_t owner = i;
    while (owner > 0 && spans[owner].begin == spans[owner].end) --owner;
    spans[owner].end = next;
    for (std::size_t k = owner + 1; k <= i; ++k) spans[k].begin = spans[k].end = next;
  }
}

class TrimmedSpansTest : public testing::TestWithParam<Golden> {};

TEST_P(TrimmedSpansTest, EqualTheOffsetsOfTheReference) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto tokenizer = open_tokenizer(test::shared_path(GetParam().tokenizer));
  for (const nlohmann::json& item : read_cases(test::shared_path(GetParam().cases))) {
    SCOPED_TRACE(item["text"].dump().substr(0, 200));
    const auto text = item["text"].get<std::string>();
    std::vector<TokenSpan> found = tokenizer->encode(text);
    trim(found, text);
    std::vector<TokenSpan> expected = spans_of(item);
    close_gaps(expected, text);
    EXPECT_EQ(found, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, TrimmedSpansTest,
                         testing::Values(full("gpt-neox-20b"), full("olmo-dolma-v1_5")));

TEST(Spans, EqualTheOffsetsOfTheReferenceForLlama2BehindTheFirstPiece) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto tokenizer = open_tokenizer(test::shared_path("data/tokenizers/llama2"));
  for (const nlohmann::json& item :
       read_cases(test::shared_path("golden/tokenizers_hf/llama2.jsonl"))) {
    SCOPED_TRACE(item["text"].dump().substr(0, 200));
    // The U+2581 put in front stands for no byte here; the reference gives it the first character.
    std::vector<TokenSpan> expected = spans_of(item);
    const std::vector<TokenSpan> found = tokenizer->encode(item["text"].get<std::string>());
    ASSERT_EQ(found.size(), expected.size());
    if (found.size() > 1 && found.front().end == 0) {
      expected[1].begin = 0;
      expected[1].end = std::max(expected[0].end, expected[1].end);
      expected[0].end = 0;
    }
    EXPECT_EQ(found, expected);
  }
}

// llama.cpp's own tests: texts between lines "__ggml_vocab_test__", and their ids, line by line.
TEST(Gpt2, IdsEqualLlamaCpp) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto folder = test::shared_path("data/tokenizers/llama.cpp-tests");
  const auto tokenizer = open_tokenizer(test::shared_path("data/tokenizers/gpt2"));
  const std::string texts = read_file(folder / "gpt-2.inp");
  constexpr std::string_view kBorder = "\n__ggml_vocab_test__\n";
  std::ifstream lines(folder / "gpt-2.out");
  int count = 0;
  std::size_t at = 0;
  for (std::size_t end = texts.find(kBorder); end != std::string::npos;
       end = texts.find(kBorder, at)) {
    const std::string text = texts.substr(at, end - at);
    at = end + kBorder.size();
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream in(line);
    Ids expected;
    for (TokenId id = 0; in >> id;) expected.push_back(id);
    EXPECT_EQ(ids_of(tokenizer->encode(text)), expected) << text;
    ++count;
  }
  EXPECT_EQ(count, 46);
}

TEST(Stories260K, IdsEqualTheReferenceOfTheModel) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto tokenizer = open_tokenizer(test::shared_path("models/stories260K"));
  const nlohmann::json reference =
      read_json(test::shared_path("models/stories260K/reference.json"));
  const Ids ids =
      with_specials(*tokenizer, ids_of(tokenizer->encode(reference["text"].get<std::string>())));
  const Ids expected = reference["ids"].get<Ids>();
  ASSERT_GE(ids.size(), expected.size());
  EXPECT_EQ(Ids(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(expected.size())), expected);
}

TEST(LlamaTextEndToEnd, IdsEqualTheStoredOnes) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto folder = test::shared_path("golden/hf/llama_text_e2e");
  const auto tokenizer = open_tokenizer(folder);
  const Ids ids = ids_of(tokenizer->encode(read_file(folder / "text.txt")));
  const NpyArray stored(folder / "input_ids.npy");
  Ids expected;
  for (std::int64_t i = 0; i < stored.size(); ++i)
    expected.push_back(static_cast<TokenId>(stored.integer_at(i)));
  EXPECT_EQ(ids, expected);
}

}  // namespace
}  // namespace yardstick::tokenizer
