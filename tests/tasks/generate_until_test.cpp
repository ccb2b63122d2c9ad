#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tasks/downstream/filters.hpp"
#include "tasks/downstream/stop_texts.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using test::kFakeBos;
using test::kFakeEnd;
using test::kFirstPiece;
using test::PieceCodec;
using test::task_from;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(StopTexts, TheFirstOneCuts) {
  const std::vector<std::string> stops = {"\n\n", "Question:", "\n"};
  EXPECT_EQ(cut_at_stop("four\nQuestion: five", stops), "four");
  EXPECT_EQ(cut_at_stop("four Question: five", stops), "four ");
  EXPECT_EQ(cut_at_stop("\nfour", stops), "");
  EXPECT_EQ(cut_at_stop("four", stops), "four");
  EXPECT_EQ(cut_at_stop("four", {}), "four");
}

TEST(StopTexts, TokensThatHoldOneEndGeneration) {
  const PieceCodec codec({}, {".\n\n", "\n", "and\n", "abc"});
  EXPECT_THAT(stop_tokens_of(codec, std::vector<std::string>{"\n"}),
              ElementsAre('\n', kFirstPiece, kFirstPiece + 1, kFirstPiece + 2));
  // Two newlines in two tokens end nothing early.
  EXPECT_THAT(stop_tokens_of(codec, std::vector<std::string>{"\n\n"}), ElementsAre(kFirstPiece));
  EXPECT_THAT(stop_tokens_of(codec, {}), IsEmpty());
}

std::vector<FilterPipeline> filters(const std::string& yaml, std::int64_t repeats = 1) {
  const Located located = parse_yaml("filter_list:\n" + yaml, "task.yaml");
  Fields fields(located, "", "a task");
  return read_filters(fields, repeats);
}

// The strict and the flexible filter of lm-evaluation-harness's GSM8K.
TEST(Filters, NumbersAreTakenOutAsGsm8kDoes) {
  const auto both = filters(R"yaml(
- {name: strict-match, filter: [{function: regex, regex_pattern: "#### (\\-?[0-9\\.\\,]+)"}, {function: take_first}]
}
- {name: flexible-extract, filter: [{function: regex, group_select: -1, regex_pattern: "(-?[$0-9.,]{2,})|(-?[0-9]+)"}, {function: take_first}]}
)yaml");
  EXPECT_THAT(both[0].apply({"so 3 + 4\n#### 7 apples"}), ElementsAre("7"));
  EXPECT_THAT(both[0].apply({"so 3 + 4 is 7"}), ElementsAre("[invalid]"));
  EXPECT_THAT(both[1].apply({"so 3 + 4 is 7"}), ElementsAre("7"));
  EXPECT_THAT(both[1].apply({"$1,200 in 3 years"}), ElementsAre("3"));
  EXPECT_EQ(both[1].name, "flexible-extract");
}

TEST(Filters, EachDoesWhatItsNameSays) {
  const auto one = [&](const std::string& steps, Answers answers, std::int64_t repeats = 1) {
    return filters("- {name: x, filter: [" + steps + "]}\n", repeats)[0].apply(std::move(answers));
  };
  EXPECT_THAT(one("{function: lowercase}", {"\u00c4B"}), ElementsAre("\u00e4b"));
  EXPECT_THAT(one("{function: uppercase}", {"stra\u00dfe"}), ElementsAre("STRASSE"));
  EXPECT_THAT(one("{function: remove_whitespace}", {" a b\n"}), ElementsAre("a b"));
  EXPECT_THAT(one("{function: map, mapping_dict: {A: 'yes', B: 'no'}, default_value: '?'}", {"A"}),
              ElementsAre("yes"));
  EXPECT_THAT(one("{function: map, mapping_dict: {A: 'yes'}, default_value: '?'}", {"C"}),
              ElementsAre("?"));
  EXPECT_THAT(one("{function: take_first_k, k: 2}", {"a", "b", "c"}, 3), ElementsAre("a", "b"));
  EXPECT_THAT(one("{function: majority_vote}", {"b", "a", "c", "a", "b"}, 5), ElementsAre("b"));
  EXPECT_THAT(one("{function: regex, regex_pattern: 'x(y?)', fallback: none}", {"x"}),
              ElementsAre(""));
  EXPECT_THAT(one("{function: regex, regex_pattern: 'q', fallback: none}", {"x"}),
              ElementsAre("none"));
}

TEST(Filters, WhatIsUnknownOrUnsoundIsRefused) {
  const auto message = [](const std::string& step) {
    return test::error_message([&] { filters("- {name: x, filter: [" + step + "]}\n"); });
  };
  EXPECT_THAT(message("{function: take_frist}"), HasSubstr("did you mean 'take_first'?"));
  EXPECT_THAT(message("{function: majority_vote}"), HasSubstr("give the task 'repeats'"));
  EXPECT_THAT(message("{function: regex, regex_pattern: '('}"),
              HasSubstr("task.yaml:2:55: '(' is no regular expression"));
  EXPECT_THAT(message("{function: take_first, k: 1}"), HasSubstr("task.yaml:2:"));
}

class GenerateUntil : public testing::Test {
 protected:
  std::unique_ptr<const Task> task(const std::string& keys) {
    write_file_atomically(folder_ / "a.jsonl",
                          "{\"q\":\"2 + 2?\",\"a\":\"4\"}\n{\"q\":\"1 + 1?\",\"a\":\"2\"}\n");
    return test::task_from(
        "output_type: generate_until\ndata: a.jsonl\ndoc_to_text: q\n"
        "doc_to_target: a\n" +
            keys,
        folder_.path());
  }
  Task::Built build(const Task& task) {
    return task.build(CellAxes{}, {.codec = codec_, .seed = 1, .subset = {}});
  }
  Response says(const std::string& text) {
    Response response;
    response.generated = codec_.encode(text);
    return response;
  }

  test::TemporaryFolder folder_;
  PieceCodec codec_{{.bos = kFakeBos, .end_of_text = kFakeEnd}, {".\n"}};
};

TEST_F(GenerateUntil, AsksGreedilyUpToTheStopText) {
  const auto plain = task("metric_list: [{metric: exact_match}]\n");
  const Task::Built built = build(*plain);
  ASSERT_EQ(built.samples.size(), 2U);
  const Request& request = built.samples[0].requests.at(0);
  EXPECT_EQ(request.tokens.front(), kFakeBos);
  EXPECT_EQ(codec_.decode(request.tokens), "2 + 2?");
  EXPECT_EQ(request.score_from, 7);
  EXPECT_EQ(request.max_new_tokens, 256);
  EXPECT_EQ(request.sampling.temperature, 0);
  EXPECT_THAT(request.stop_tokens, ElementsAre(kFakeEnd));
  EXPECT_THAT(request.end_tokens, IsEmpty());  // no token holds two newlines
  EXPECT_EQ(built.samples[0].facts.at("length_tokens"), 7 + 256);

  const auto line = task(
      "metric_list: [{metric: exact_match}]\n"
      "generation_kwargs: {until: [\"\\n\"], max_gen_toks: 8, do_sample: false, temperature: "
      "0.0}\n");
  EXPECT_THAT(build(*line).samples[0].requests[0].end_tokens, ElementsAre('\n', kFirstPiece));
  EXPECT_EQ(build(*line).samples[0].requests[0].max_new_tokens, 8);
}

TEST_F(GenerateUntil, EachPipelineOfFiltersGivesItsOwnMetric) {
  const auto filtered = task(R"yaml(metric_list: [{metric: exact_match}]
generation_kwargs: {until: ["\n"]}
filter_list:
- {name: whole, filter: [{function: remove_whitespace}, {function: take_first}]}
- {name: number, filter: [{function: regex, regex_pattern: "[0-9]+"}, {function: take_first}]}
)yaml");
  const Task::Built built = build(*filtered);
  const SampleScore first =
      filtered->score(built.samples[0], std::vector<Response>{says(" It is 4.\n\n5")}, codec_);
  EXPECT_DOUBLE_EQ(first.values.at("exact_match,whole"), 0);
  EXPECT_DOUBLE_EQ(first.values.at("exact_match,number"), 1);
  EXPECT_EQ(first.details.at("generated"), nlohmann::json({" It is 4."}));
  EXPECT_EQ(first.details.at("filtered").at("number"), nlohmann::json({"4"}));
  EXPECT_EQ(first.details.at("references"), nlohmann::json({"4"}));
  const SampleScore second =
      filtered->score(built.samples[1], std::vector<Response>{says(" 2")}, codec_);
  const std::vector<MetricValue> metrics =
      filtered->aggregate(std::vector<SampleScore>{first, second}, 1);
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].name, "exact_match,whole");
  EXPECT_DOUBLE_EQ(metrics[0].value, 0.5);
  EXPECT_DOUBLE_EQ(metrics[1].value, 1);
  EXPECT_EQ(filtered->headline().metric, "exact_match,whole");
}

// lm-evaluation-harness issue 3715: four repeats collapse to one cached answer.
TEST_F(GenerateUntil, B91RepeatsAreFourAnswers) {
  const auto sampled = task(
      "metric_list: [{metric: exact_match}]\nrepeats: 4\n"
      "generation_kwargs: {do_sample: true, temperature: 0.7, top_p: 0.9, top_k: 50}\n");
  const Task::Built built = build(*sampled);
  ASSERT_EQ(built.samples[0].requests.size(), 4U);
  std::set<std::uint64_t> seeds;
  for (const Sample& sample : built.samples) {
    for (const Request& request : sample.requests) seeds.insert(request.sampling.seed);
  }
  EXPECT_EQ(seeds.size(), 8U);
  EXPECT_EQ(built.samples[0].requests[0].sampling.temperature, 0.7);
  EXPECT_EQ(built.samples[0].requests[0].sampling.top_k, 50);
  const SampleScore score = sampled->score(
      built.samples[0], std::vector<Response>{says("4"), says("5"), says("4"), says("4")}, codec_);
  EXPECT_EQ(score.details.at("generated").size(), 4U);
  EXPECT_DOUBLE_EQ(score.values.at("exact_match"), 0.75);
}

TEST_F(GenerateUntil, APatternThatBacktracksTooMuchNamesSampleAndPlace) {
  const PieceCodec codec;
  const auto one = task("metric_list: [{metric: exact_match, regexes_to_ignore: [\"^(a+)+$\"]}]\n");
  const Task::Built built = one->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
  Response response;
  response.generated = codec.encode(std::string(40, 'a') + "b");
  EXPECT_THAT(
      test::error_message([&] {
        static_cast<void>(one->score(built.samples.at(0), std::vector<Response>{response}, codec));
      }),
      AllOf(HasSubstr("line-000001: suite.yaml:"), HasSubstr("simplify it")));
}

TEST_F(GenerateUntil, WhatCannotBeHonouredIsRefused) {
  const auto message = [&](const std::string& keys) {
    return test::error_message([&] { task("metric_list: [{metric: exact_match}]\n" + keys); });
  };
  EXPECT_THAT(message("repeats: 2\n"),
              HasSubstr("greedy answers to one question are all the same"));
  EXPECT_THAT(message("generation_kwargs: {num_beams: 4}\n"), HasSubstr("num_beams"));
  EXPECT_THAT(message("generation_kwargs: {temperature: 0.7}\n"), HasSubstr("do_sample"));
  EXPECT_THAT(message("generation_kwargs: {until: [\"\"]}\n"),
              AllOf(HasSubstr("suite.yaml:"), HasSubstr("until: holds an empty stop text")));
  EXPECT_THAT(message("headline: exact_math\n"), HasSubstr("did you mean 'exact_match'?"));
  EXPECT_THAT(message("generation_kwargs: {max_tokens: 8, max_gen_toks: 8}\n"),
              HasSubstr("suite.yaml:6:33: max_tokens: says the same as 'max_gen_toks'"));
  EXPECT_THAT(test::error_message([&] { task("metric_list: []\n"); }),
              HasSubstr("suite.yaml:5:14: metric_list: is empty"));
}

TEST_F(GenerateUntil, TheMostTokensHaveFourNames) {
  for (const char* const key :
       {"max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens"}) {
    const auto plain = task(std::string("generation_kwargs: {") + key + ": 8}\n");
    EXPECT_EQ(build(*plain).samples[0].requests[0].max_new_tokens, 8) << key;
  }
}

TEST_F(GenerateUntil, WithoutTypeAndMetricItIsExactMatchOfGeneratedText) {
  const auto hex = [](const Task& task) {
    Fingerprint fingerprint;
    task.describe(fingerprint);
    return fingerprint.hex();
  };
  const auto written = task("metric_list: [{metric: exact_match}]\n");
  const auto bare =
      test::task_from("data: a.jsonl\ndoc_to_text: q\ndoc_to_target: a\n", folder_.path());
  EXPECT_EQ(hex(*bare), hex(*written));
  EXPECT_EQ(bare->headline().metric, "exact_match");
  EXPECT_THAT(test::error_message([&] {
                test::task_from("data: a.jsonl\noutput_typ: multiple_choice\ndoc_to_text: q\n",
                                folder_.path());
              }),
              HasSubstr("'output_typ' stands at suite.yaml:2:1: did you mean 'output_type'?"));
}

}  // namespace
}  // namespace yardstick::tasks
