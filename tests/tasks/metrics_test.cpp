// Text metrics by hand: the arithmetic stands beside each case.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tasks/metrics/bleu.hpp"
#include "tasks/metrics/characters.hpp"
#include "tasks/metrics/chrf.hpp"
#include "tasks/metrics/classification.hpp"
#include "tasks/metrics/longbench.hpp"
#include "tasks/metrics/normalize.hpp"
#include "tasks/metrics/overlap.hpp"
#include "tasks/metrics/porter.hpp"
#include "tasks/metrics/rouge.hpp"

namespace yardstick::tasks {
namespace {

using Texts = std::vector<std::string>;

// Values of Python 3.14's str.lower.
TEST(Characters, LowerCaseIsUnicodesFullMapping) {
  EXPECT_EQ(lower(std::string_view("\u00DCN\u00CFC\u00D6DE")), "\u00FCn\u00EFc\u00F6de");
  EXPECT_EQ(lower(std::string_view("\u0130")), "i\u0307");
  EXPECT_EQ(lower(std::string_view("\u03A3\u0391\u03A3")), "\u03C3\u03B1\u03C2");
  EXPECT_EQ(lower(std::string_view("\u03A3")), "\u03C3");
  EXPECT_EQ(lower(std::string_view("A\u03A3'B")), "a\u03C3'b");
  EXPECT_EQ(lower(std::string_view("A\u03A3. B")), "a\u03C2. b");
}

TEST(Characters, BytesThatAreNoCharacterAreReplaced) {
  EXPECT_EQ(code_points("a\xE6\x97"), U"a\uFFFD\uFFFD");
  EXPECT_EQ(split_words("\u3000a\u2028b\x1f"), (Texts{"a", "b"}));
}

TEST(Normalize, SquadDropsCasePunctuationAndArticles) {
  EXPECT_EQ(normalize_answer(" The  Eiffel-Tower, an icon!"), "eiffeltower icon");
  EXPECT_EQ(normalize_answer("theatre and a\u00A0cat"), "theatre and cat");
  // An article ends where a word does, not only at white space.
  EXPECT_EQ(normalize_answer("\u201CThe\u201D cat"), "\u201C \u201D cat");
  EXPECT_EQ(normalize_answer("\u00C9T\u00C9."), "\u00E9t\u00E9");
}

TEST(Normalize, B81SomeAnswersAreEmpty) {
  for (const char* text : {"The", "!!!", "a, an: the", ""}) {
    EXPECT_EQ(normalize_answer(text), "") << text;
    EXPECT_EQ(squad_f1("The anything!", text), 0) << text;
    EXPECT_EQ(squad_exact_match("!", text), 0) << text;
    EXPECT_EQ(substring_exact_match("anything", text), 0) << text;
  }
}

TEST(Normalize, IgnoredPartsGoInOrder) {
  Ignored ignored;
  ignored.patterns.emplace_back("(?s).*#### ");
  ignored.patterns.emplace_back(",");
  ignored.patterns.emplace_back("\\.$");
  EXPECT_EQ(without(ignored, "So 1,000\n#### 2,500."), "2500");
  ignored.letter_case = true;
  ignored.punctuation = true;
  EXPECT_EQ(without(ignored, "It's A."), "its a");
  ignored.numbers = true;
  EXPECT_EQ(without(ignored, "R2-D2"), "rd");
  // Patterns see the text as it is: this one is gone before case is ignored.
  EXPECT_EQ(without({.patterns = {PythonRegex("A")}, .letter_case = true}, "aAb"), "ab");
}

TEST(Overlap, F1CountsWordsAsOftenAsBothHaveThem) {
  // 2 of 3 predicted, 2 of 4 in gold: 2 (2/3)(1/2) / (2/3 + 1/2) = 4/7.
  EXPECT_DOUBLE_EQ(squad_f1("red blue green", "Red, blue! white black"), 4.0 / 7);
  // "red" is once in gold: 1 of 3, 1 of 1: 1/2.
  EXPECT_DOUBLE_EQ(squad_f1("red red red", "red"), 0.5);
  EXPECT_DOUBLE_EQ(squad_f1("", "red"), 0);
  EXPECT_DOUBLE_EQ(squad_f1("the \u00C9t\u00E9", "\u00E9t\u00E9"), 1);
  EXPECT_DOUBLE_EQ(squad_f1("...", "red"), 0);
}

TEST(Overlap, ExactMatchAndSubstring) {
  EXPECT_EQ(squad_exact_match("The answer.", "answer"), 1);
  EXPECT_EQ(squad_exact_match("answers", "answer"), 0);
  EXPECT_EQ(squad_exact_match("", "answer"), 0);
  EXPECT_EQ(substring_exact_match("It is in New York City.", "the New York"), 1);
  EXPECT_EQ(substring_exact_match("York, New", "New York"), 0);
}

TEST(Rouge, HandMadePairs) {
  // "the cat sat" in "the cat on the mat": 2 of 3 words, 2 of 5: F = 2*2/(3+5) = 0.5.
  const std::string prediction = "The cat sat!";
  const std::string reference = "the cat on the mat";
  EXPECT_DOUBLE_EQ(rouge_n(prediction, reference, 1, Stemming::kNone).f1, 0.5);
  EXPECT_DOUBLE_EQ(rouge_n(prediction, reference, 1, Stemming::kNone).recall, 0.4);
  // Bigrams: 1 of 2 and 1 of 4: 2*1/(2+4).
  EXPECT_DOUBLE_EQ(rouge_n(prediction, reference, 2, Stemming::kNone).f1, 1.0 / 3);
  EXPECT_DOUBLE_EQ(rouge_l(prediction, reference, Stemming::kNone).f1, 0.5);
  // Reversed order keeps one word of three in sequence.
  EXPECT_DOUBLE_EQ(rouge_l("c b a", "a b c", Stemming::kNone).f1, 1.0 / 3);
  // Lines are sentences: both lines of the reference are found in full.
  EXPECT_DOUBLE_EQ(rouge_lsum("c d\na b", "a b\nc d", Stemming::kNone).f1, 1);
  EXPECT_DOUBLE_EQ(rouge_l("c d\na b", "a b\nc d", Stemming::kNone).f1, 0.5);
  EXPECT_DOUBLE_EQ(rouge_n("", reference, 1, Stemming::kNone).f1, 0);
  EXPECT_DOUBLE_EQ(rouge_n("\u6771\u4EAC ...", reference, 1, Stemming::kNone).f1, 0);
  EXPECT_DOUBLE_EQ(rouge_n("running dogs", "run dog", 1, Stemming::kPorter).f1, 1.0);
  EXPECT_DOUBLE_EQ(rouge_n("running dogs", "run dog", 1, Stemming::kNone).f1, 0.0);
}

// The paper's example (Lin 2004, section 3.2): the reference w1 w2 w3 w4 w5 against "w1 w2 w6 w7
// w8" and "w1 w3 w8 w9 w5": the union has w1 w2 w3 w5, recall 4/5.
TEST(Rouge, SummaryLevelTakesTheUnion) {
  EXPECT_DOUBLE_EQ(
      rouge_lsum("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5", Stemming::kNone).recall, 0.8);
}

TEST(Rouge, LongBenchsCountsDistinctWordsAndCase) {
  // Distinct words: {the, cat, sat} and {the, cat, on, mat}; common subsequence {the, cat}:
  // P 2/3, R 2/4, F = 2 (1/3) / (7/6 + 1e-8).
  EXPECT_DOUBLE_EQ(longbench_rouge_l("the cat sat", "the cat on the mat"),
                   2.0 / 3 / (7.0 / 6 + 1e-8));
  EXPECT_DOUBLE_EQ(longbench_rouge_l("The", "the"), 0);
  EXPECT_DOUBLE_EQ(longbench_rouge_l("", "the"), 0);
  EXPECT_DOUBLE_EQ(longbench_rouge_l("...", "the"), 0);
}

// Values of NLTK 3.10.3's PorterStemmer.
TEST(Porter, StemsAsNltkDoes) {
  const std::vector<std::pair<std::string, std::string>> stems = {{"caresses", "caress"},
                                                                  {"ponies", "poni"},
                                                                  {"ties", "tie"},
                                                                  {"cats", "cat"},
                                                                  {"feed", "feed"},
                                                                  {"agreed", "agre"},
                                                                  {"plastered", "plaster"},
                                                                  {"motoring", "motor"},
                                                                  {"sing", "sing"},
                                                                  {"conflated", "conflat"},
                                                                  {"hopping", "hop"},
                                                                  {"falling", "fall"},
                                                                  {"filing", "file"},
                                                                  {"happy", "happi"},
                                                                  {"enjoy", "enjoy"},
                                                                  {"relational", "relat"},
                                                                  {"geology", "geolog"},
                                                                  {"formally", "formal"},
                                                                  {"adoption", "adopt"},
                                                                  {"controlling", "control"},
                                                                  {"skies", "sky"},
                                                                  {"dying", "die"},
                                                                  {"generalizations", "gener"},
                                                                  {"xyz", "xyz"}};
  for (const auto& [word, stem] : stems) EXPECT_EQ(porter_stem(word), stem);
}

TEST(Bleu, TokensOf13a) {
  EXPECT_EQ(tokenize_13a("It's $3.14, i.e. 1,000-2,000 (net)."),
            (Texts{"It's", "$", "3.14", ",", "i", ".", "e", ".", "1,000", "-", "2,000", "(", "net",
                   ")", "."}));
  EXPECT_EQ(tokenize_13a("state-of-the-art &quot;x&quot;"),
            (Texts{"state-of-the-art", "\"", "x", "\""}));
  EXPECT_EQ(tokenize_13a("hy-\nphen\nline"), (Texts{"hyphen", "line"}));
  EXPECT_EQ(tokenize_13a(" \n"), Texts{});
}

TEST(Bleu, HandMadeCounts) {
  // Orders match 5/6, 3/5, 1/4 and 0/3, which is smoothed to 1/(2*3); lengths are equal.
  const BleuCounts counts = count_bleu("the cat sat on the mat", Texts{"the cat lay on the mat"});
  EXPECT_EQ(counts.match, (std::array<std::int64_t, 4>{5, 3, 1, 0}));
  EXPECT_EQ(counts.total, (std::array<std::int64_t, 4>{6, 5, 4, 3}));
  EXPECT_NEAR(bleu(counts), 100 * std::pow(5.0 / 6 * 3 / 5 * 1 / 4 * 1 / 6, 0.25), 1e-9);
  // All of 4 words right, 6 expected: brevity penalty exp(1 - 6/4).
  EXPECT_NEAR(bleu(count_bleu("the cat sat on", Texts{"the cat sat on the mat"})),
              100 * std::exp(-0.5), 1e-9);
  EXPECT_EQ(bleu(count_bleu("", Texts{"the cat"})), 0);
  EXPECT_EQ(bleu(count_bleu("the cat sat", Texts{"the cat sat"})), 0);  // no 4-gram
  EXPECT_EQ(bleu(count_bleu("a b c d", Texts{"e f g h"})), 0);
}

TEST(Bleu, TheNearestReferenceGivesTheLengthAndAnyTheMatches) {
  const BleuCounts counts = count_bleu("a b c", Texts{"a x x x", "c y", "b"});
  EXPECT_EQ(counts.match[0], 3);
  EXPECT_EQ(counts.reference_length, 2);  // 4 and 2 are equally near: the shorter one
}

TEST(Chrf, HandMadeCounts) {
  // "ab c" has abc, the reference abd: characters 2/3, bigrams 1/2, trigrams 0/1 on both sides, so
  // P = R = F = (2/3 + 1/2 + 0) / 3.
  EXPECT_NEAR(chrf(count_chrf("ab c", Texts{"abd"})), 100 * (2.0 / 3 + 0.5) / 3, 1e-9);
  EXPECT_NEAR(chrf(count_chrf("\u00E9t\u00E9", Texts{"\u00E9 t\u00E9"})), 100, 1e-9);
  EXPECT_EQ(chrf(count_chrf("", Texts{"abd"})), 0);
  // P = 1 and R = 1/2 in characters, the only order: 5 P R / (4 P + R) = 2.5 / 4.5.
  EXPECT_NEAR(chrf(count_chrf("a", Texts{"ab"})), 100 * 2.5 / 4.5, 1e-9);
  EXPECT_NEAR(chrf(count_chrf("a", Texts{"zz", "ab"})), 100 * 2.5 / 4.5, 1e-9);
}

TEST(LongBench, NumbersAndParagraphs) {
  EXPECT_DOUBLE_EQ(longbench_count("There are 4, no: 5 or 4", "4"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(longbench_count("four", "4"), 0);
  EXPECT_DOUBLE_EQ(longbench_count("14", "4"), 0);
  EXPECT_DOUBLE_EQ(longbench_retrieval("Paragraph 12", "Paragraph 12"), 1);
  EXPECT_DOUBLE_EQ(longbench_retrieval("12 or 13", "Paragraph 12"), 0.5);
  EXPECT_DOUBLE_EQ(longbench_retrieval("12", "paragraph 12"), 0);
}

TEST(LongBench, ClassesShareTheCredit) {
  const Texts classes = {"City", "Other location", "location", "Date"};
  EXPECT_DOUBLE_EQ(longbench_classification("City", "City", classes), 1);
  EXPECT_DOUBLE_EQ(longbench_classification("City or Date", "City", classes), 0.5);
  EXPECT_DOUBLE_EQ(longbench_classification("Date", "City", classes), 0);
  EXPECT_DOUBLE_EQ(longbench_classification("", "City", classes), 0);
  // "location" is part of the gold and does not count.
  EXPECT_DOUBLE_EQ(longbench_classification("Other location", "Other location", classes), 1);
}

TEST(LongBench, CodeIsItsFirstLineOfCode) {
  EXPECT_DOUBLE_EQ(longbench_code_similarity("\n```\n# note\nreturn x\ny", "return x"), 1);
  // LCS of "ab" and "abcd" is 2: 4/6, to hundredths.
  EXPECT_DOUBLE_EQ(longbench_code_similarity("ab", "abcd"), 0.67);
  EXPECT_DOUBLE_EQ(longbench_code_similarity("# only\n// comments", "x"), 0);
}

TEST(InfiniteBench, FirstNumberAndWord) {
  EXPECT_EQ(infinitebench_first_number("It is 42, not 7", "42"), 1);
  EXPECT_EQ(infinitebench_first_number("7, or 42", "42"), 0);
  EXPECT_EQ(infinitebench_first_number("", "42"), 0);
  EXPECT_EQ(infinitebench_key_value("{\"k\": \"ab-12\"}", "ab-12"), 1);
  EXPECT_EQ(infinitebench_key_value("ab-123", "ab-12"), 0);
}

std::vector<Classified> pairs(const std::vector<std::int64_t>& golds,
                              const std::vector<std::int64_t>& predictions) {
  std::vector<Classified> out;
  for (std::size_t i = 0; i < golds.size(); ++i) out.push_back({golds[i], predictions[i]});
  return out;
}

// Values of scikit-learn 1.9.0.
TEST(Classification, AgreesWithScikitLearn) {
  const auto two = pairs({0, 1, 1, 0, 1, 0, 0, 1, 1, 0}, {0, 1, 0, 0, 1, 1, 0, 1, 1, 1});
  EXPECT_NEAR(matthews_correlation(two), 0.408248290463863, 1e-12);
  EXPECT_NEAR(f1_of_class(two, 1), 0.7272727272727273, 1e-12);
  EXPECT_NEAR(f1_of_class(two, 0), 0.6666666666666666, 1e-12);
  EXPECT_NEAR(macro_f1(two), 0.696969696969697, 1e-12);
  const auto four = pairs({0, 1, 2, 2, 1, 0, 2, 3, 3, 1}, {0, 2, 2, 2, 1, 1, 0, 3, 0, 1});
  EXPECT_NEAR(matthews_correlation(four), 0.4657971306985123, 1e-12);
  EXPECT_NEAR(macro_f1(four), 0.6, 1e-12);
  EXPECT_EQ(matthews_correlation(pairs({1, 1, 1}, {0, 1, 1})), 0);
  EXPECT_NEAR(macro_f1(pairs({0, 1, 1}, {0, 1, 2})), 0.5555555555555555, 1e-12);
}

TEST(Classification, BrierIsTheSquaredDistanceToGold) {
  // (0.7 - 1)^2 + 0.2^2 + 0.1^2 = 0.14; surely wrong: 2; two equal: 0.5.
  EXPECT_NEAR(brier_score(std::vector<double>{0.7, 0.2, 0.1}, 0), 0.14, 1e-12);
  EXPECT_DOUBLE_EQ(brier_score(std::vector<double>{0, 1}, 0), 2);
  EXPECT_DOUBLE_EQ(brier_score(std::vector<double>{0.5, 0.5}, 1), 0.5);
}

}  // namespace
}  // namespace yardstick::tasks
