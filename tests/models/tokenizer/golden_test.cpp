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
#include "tests/support/shared.hpp"

namespace yardstick::tokenizer {
namespace {

using Ids = std::vector<TokenId>;

std::vector<nlohmann::json> read_cases(const std::filesystem::path& file) {
  std::vector<nlohmann::json> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) out.push_back(parse_json(line, file.string()));
  return out;
}

Ids ids_of(const std::vector<TokenSpan>& spans) {
  Ids out;
  out.reserve(spans.size());
  for (const TokenSpan& span : spans) out.push_back(span.id);
  return out;
}

Ids with_specials(const Tokenizer& tokenizer, const Ids& ids) {
  Ids out = tokenizer.specials().before;
  out.insert(out.end(), ids.begin(), ids.end());
  const Ids& behind = tokenizer.specials().behind;
  out.insert(out.end(), behind.begin(), behind.end());
  return out;
}

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

TEST_P(GoldenTest, IdsAndTextsEqualTheReference) {
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
                                         full("olmo-dolma-v1_5")));

// HF offsets give every token of a character the whole character, in code points; here the first of
// them gets its bytes and the others none.
std::vector<TokenSpan> spans_of(const nlohmann::json& item) {
  const auto text = item["text"].get<std::string>();
  std::vector<std::int64_t> byte_of;  // of each code point, and the end
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool inside = i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    if (!inside) byte_of.push_back(static_cast<std::int64_t>(i));
  }
  std::vector<TokenSpan> out;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < item["ids"].size(); ++i) {
    const std::int64_t begin = byte_of.at(item["offsets"][i][0].get<std::size_t>());
    const std::int64_t end = byte_of.at(item["offsets"][i][1].get<std::size_t>());
    out.push_back({item["ids"][i].get<TokenId>(), std::max(begin, last), std::max(end, last)});
    last = out.back().end;
  }
  return out;
}

TEST(Spans, EqualTheOffsetsOfTheReferenceForGpt2) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto tokenizer = open_tokenizer(test::shared_path("data/tokenizers/gpt2"));
  for (const nlohmann::json& item :
       read_cases(test::shared_path("golden/tokenizers_hf/gpt2.jsonl"))) {
    SCOPED_TRACE(item["text"].dump().substr(0, 200));
    EXPECT_EQ(tokenizer->encode(item["text"].get<std::string>()), spans_of(item));
  }
}

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
