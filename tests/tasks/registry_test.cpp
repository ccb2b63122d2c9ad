#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using test::task_from;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string message_of(const std::string& yaml) {
  return test::error_message([&] { task_from(yaml); });
}

TEST(TaskRegistry, KindsAreSorted) {
  const std::vector<std::string> kinds = task_kinds();
  EXPECT_TRUE(std::is_sorted(kinds.begin(), kinds.end()));
  EXPECT_THAT(kinds, testing::IsSupersetOf({"multiple_choice", "passkey", "perplexity"}));
}

TEST(TaskRegistry, AnUnknownKindOrKeyNamesItsPlaceAndTheNearestName) {
  EXPECT_THAT(message_of("kind: passkye\n"), HasSubstr("suite.yaml:1:7"));
  EXPECT_THAT(message_of("kind: passkye\n"), HasSubstr("did you mean 'passkey'?"));
  EXPECT_THAT(message_of("kind: passkey\nsample: 3\n"), HasSubstr("suite.yaml:2:1"));
  EXPECT_THAT(message_of("kind: passkey\nsample: 3\n"), HasSubstr("did you mean 'samples'?"));
  EXPECT_THAT(message_of("samples: 3\n"), HasSubstr("needs the key 'kind'"));
}

TEST(TaskRegistry, AMisspeltKindIsFoundWhateverStandsBesideIt) {
  EXPECT_THAT(message_of("knid: passkey\nsamples: 3\n"), HasSubstr("did you mean 'kind'?"));
  EXPECT_THAT(message_of("knid: generate_until\ndoc_to_text: q\n"),
              HasSubstr("did you mean 'kind'?"));
  EXPECT_THAT(message_of("outputtype: multiple_choice\nprompt: q\n"),
              HasSubstr("did you mean 'output_type'?"));
}

// Whatever else is wrong with the file: the functions are the reason why it cannot run.
TEST(TaskRegistry, PythonFunctionsAreAllNamedFirst) {
  const std::string message = message_of(R"(output_type: generate_until
doc_to_image: !function utils.image
doc_to_decontamination_query: !function utils.query
process_docs: !function utils.docs
process_results: !function utils.results
metric_list:
  - metric: !function utils.rouge
    aggregation: !function utils.mean
filter_list:
  - name: x
    filter:
      - function: custom
        filter_fn: !function utils.cut
)");
  EXPECT_THAT(message, HasSubstr("suite.yaml:2:15: doc_to_image: calls the Python function "
                                 "'utils.image'"));
  EXPECT_THAT(message, HasSubstr("suite.yaml:4:15: process_docs: calls the Python function "
                                 "'utils.docs'; write a list of transforms"));
  EXPECT_THAT(message, HasSubstr("suite.yaml:5:18: process_results: calls the Python function "
                                 "'utils.results'; write a metric of `metric_list`, such as "
                                 "exact_match"));
  EXPECT_THAT(message, HasSubstr("suite.yaml:7:13: metric: calls the Python function "
                                 "'utils.rouge'"));
  EXPECT_THAT(message, HasSubstr("suite.yaml:8:18: aggregation: "));
  EXPECT_THAT(message, HasSubstr("suite.yaml:13:20: filter_fn: calls the Python function "
                                 "'utils.cut'; write a filter"));
  EXPECT_THAT(message, Not(HasSubstr("utils.query")));
}

TEST(TaskRegistry, AdviceFitsTheKindOfTask) {
  const auto message = [](const std::string& kind, const std::string& key) {
    return message_of("output_type: " + kind + "\n" + key + ": !function utils.f\n");
  };
  EXPECT_THAT(message("multiple_choice", "doc_to_target"), HasSubstr("choices.label.index"));
  EXPECT_THAT(message("loglikelihood_rolling", "doc_to_target"),
              Not(HasSubstr("choices.label.index")));
  EXPECT_THAT(message("loglikelihood_rolling", "doc_to_text"), HasSubstr("leave the key out"));
  EXPECT_THAT(message("loglikelihood", "process_results"), HasSubstr("such as acc or perplexity"));
}

TEST(TaskRegistry, AMissingFileIsNamedAtItsPlace) {
  EXPECT_THAT(message_of("kind: perplexity\ndata: {path: nowhere.txt}\n"),
              HasSubstr("suite.yaml:2:14: path: there is no file 'nowhere.txt'"));
  EXPECT_THAT(message_of("kind: perplexity\n"), HasSubstr("needs the key 'data'"));
}

TEST(TaskRegistry, AFormatMustBeKnownAndUseful) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a.bin", "ab");
  write_file_atomically(folder / "a.dat", "ab");
  write_file_atomically(folder / "a.npy", "ab");
  const auto message = [&](const std::string& data) {
    return test::error_message(
        [&] { task_from("kind: perplexity\ndata: " + data + "\n", folder.path()); });
  };
  EXPECT_THAT(message("a.bin"), HasSubstr("say `dtype: u2` or `dtype: u4`"));
  EXPECT_THAT(message("a.dat"), HasSubstr("add `format:`"));
  EXPECT_THAT(message("{path: a.npy, dtype: u2}"), HasSubstr("only a .bin stream needs it"));
  EXPECT_THAT(message("{path: a.dat, format: jsnl}"), HasSubstr("did you mean 'jsonl'?"));
  EXPECT_NO_THROW(task_from("kind: perplexity\ndata: {path: a.bin, dtype: u2}\n", folder.path()));
}

TEST(TaskRegistry, TheFingerprintFollowsParametersAndDataNotNamesAndPaths) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", "abc");
  write_file_atomically(folder / "b.txt", "abc");
  write_file_atomically(folder / "c.txt", "abd");
  const auto hex = [&](const std::string& keys) {
    Fingerprint fingerprint;
    task_from("kind: perplexity\nprotocol: disjoint\n" + keys, folder.path())
        ->describe(fingerprint);
    return fingerprint.hex();
  };
  const std::string base = hex("data: a.txt\n");
  EXPECT_EQ(hex("data: b.txt\ntask: other\nversion: 3\ndescription: d\n"), base);
  EXPECT_NE(hex("data: c.txt\n"), base);
  EXPECT_NE(hex("data: a.txt\ntail: score\n"), base);
  EXPECT_NE(hex("data: a.txt\nmax_tokens: 3\n"), base);
}

TEST(TaskRegistry, ShippedDefinitionsThatNeedNoDataAreReadable) {
  const auto passkey = make_task({.name = "passkey",
                                  .parameters = read_yaml("configs/tasks/passkey.yaml"),
                                  .base = "configs/tasks"});
  EXPECT_EQ(passkey->kind(), "passkey");
  EXPECT_EQ(passkey->headline().metric, "accuracy");
  const std::vector<std::int64_t> lengths = {512, 1024};
  EXPECT_EQ(passkey->cells(lengths).size(), 10U);
}

// As an entry that includes the file says it: its keys go over those of the file.
TEST(TaskRegistry, TheShippedPassKeyTaskLeavesItsFormsOpen) {
  for (const auto& [key, value] : {std::pair{"placement", "uniform"}, {"preset", "yarn"}}) {
    Located entry = read_yaml("configs/tasks/passkey.yaml");
    entry.values()[key] = value;
    const auto passkey = make_task({.name = "mine", .parameters = entry, .base = "configs/tasks"});
    const std::vector<std::int64_t> lengths = {512};
    ASSERT_EQ(passkey->cells(lengths).size(), 1U) << key;
    EXPECT_FALSE(passkey->cells(lengths)[0].depth.has_value()) << key;
  }
}

}  // namespace
}  // namespace yardstick::tasks
