// What holds for every kind of needle task.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct NeedleKind {
  std::string name;
  std::string keys;
};

void PrintTo(const NeedleKind& kind, std::ostream* out) { *out << kind.name; }

/// The last part of an id; others may name the cell.
std::string number_of(const std::string& id) { return id.substr(id.rfind('/') + 1); }

class NeedleKinds : public testing::TestWithParam<NeedleKind> {
 protected:
  NeedleKinds() {
    write_file_atomically(
        folder_ / "questions.jsonl",
        R"({"id": "1", "question": "who", "answers": ["a fox"], "ctxs": [{"title": "A",)"
        R"( "text": "Then a fox came.", "isgold": true}, {"title": "B", "text": "No one.",)"
        R"( "isgold": false}]})"
        "\n");
  }

  test::TemporaryFolder folder_;
};

// LongBench issue 25: a prompt that was too long lost its middle, where the needle stood. A length
// that is too short is a reason here, and nothing is asked; where it suffices, the prompt has its
// beginning, its end and its answer.
TEST_P(NeedleKinds, B87NeverTruncate) {
  const auto task = test::task_from(GetParam().keys, folder_.path());
  const test::WordCodec codec;
  const auto build = [&](std::int64_t length) {
    const std::vector<std::int64_t> lengths = {length};
    return task->build(task->cells(lengths).at(0), {.codec = codec, .seed = 1, .subset = {}});
  };
  const Task::Built short_of = build(24);
  EXPECT_TRUE(short_of.samples.empty());
  ASSERT_FALSE(short_of.skipped.empty());
  for (const SampleScore& skipped : short_of.skipped) {
    EXPECT_EQ(skipped.status, SampleStatus::kSkipped);
    const std::string reason = skipped.reason;
    ASSERT_THAT(reason, StartsWith("infeasible: needs >= "));
    EXPECT_THAT(reason, HasSubstr("the length is 24"));
    const std::int64_t least = std::stoll(reason.substr(reason.find(">= ") + 3));
    bool is_asked = false;
    for (const Sample& sample : build(least).samples) {
      if (number_of(sample.id) != number_of(skipped.sample_id)) continue;
      is_asked = true;
      const std::string prompt = codec.decode(sample.requests.at(0).tokens);
      for (const auto& answer : sample.facts.at("answers"))
        EXPECT_THAT(prompt, HasSubstr(answer.get<std::string>()));
      EXPECT_LE(std::ssize(sample.requests[0].tokens) + sample.requests[0].max_new_tokens, least);
    }
    EXPECT_TRUE(is_asked) << skipped.sample_id << " at " << least;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tasks, NeedleKinds,
    testing::Values(
        NeedleKind{"niah", R"(
kind: niah
needle: "The special magic number for {{key}} is {{value}}."
question: "What is the special magic number for {{key}}?"
answer: "{{value}}"
depths: [0.5]
samples: 3
)"},
        NeedleKind{"ruler", "kind: ruler\ntask: niah_single_1\nnum_samples: 3\n"},
        NeedleKind{"ruler_vt", "kind: ruler\ntask: vt\nnum_samples: 3\n"},
        NeedleKind{"kv_retrieval", "kind: kv_retrieval\nsamples: 3\ndepths: [0.5]\n"},
        NeedleKind{"document_qa", "kind: document_qa\ndata: questions.jsonl\ndepths: [0.5]\n"},
        NeedleKind{"passkey", "kind: passkey\nsamples: 3\ndepths: [0.5]\n"},
        NeedleKind{"passkey_uniform", "kind: passkey\nsamples: 3\nplacement: uniform\n"}),
    [](const testing::TestParamInfo<NeedleKind>& kind) { return kind.param.name; });

}  // namespace
}  // namespace yardstick::tasks
