#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/hash.hpp"
#include "tasks/kinds.hpp"
#include "tasks/needle/gold_place.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using test::kFakeBos;
using test::PieceCodec;
using test::task_from;
using test::WordCodec;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

std::vector<CellAxes> cells_of(const Task& task, std::vector<std::int64_t> lengths) {
  return task.cells(lengths);
}

std::string prompt_of(const Sample& sample, const TextCodec& codec) {
  return codec.decode(sample.requests.at(0).tokens);
}

Sample only_sample(const Task& task, const CellAxes& cell, const TextCodec& codec) {
  Task::Built built = task.build(cell, {.codec = codec, .seed = 1, .subset = {.limit = 1}});
  EXPECT_EQ(built.samples.size(), 1U) << (built.skipped.empty() ? "" : built.skipped[0].reason);
  return std::move(built.samples.at(0));
}

TEST(GoldPlace, IsTheNearestToTheDepth) {
  EXPECT_EQ(gold_place(0, 20), 0);
  EXPECT_EQ(gold_place(1, 20), 19);
  EXPECT_EQ(gold_place(0.5, 11), 5);
  EXPECT_EQ(gold_place(0.5, 1), 0);
}

TEST(KvRetrieval, ThePublishedFormIsReproduced) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "pairs.jsonl",
                        R"({"id": "x", "key": "k2", "value": "v2",)"
                        R"( "ordered_kv_records": [["k1", "v1"], ["k2", "v2"], ["k3", "v3"]]})"
                        "\n");
  const auto task = task_from("kind: kv_retrieval\ndata: pairs.jsonl\nkeys: 3\npositions: [0, 2]\n",
                              folder.path());
  const PieceCodec bytes({.bos = kFakeBos, .end_of_text = std::nullopt});
  const std::vector<CellAxes> cells = cells_of(*task, {512});
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[1].variant, "3 keys");
  EXPECT_FALSE(cells[1].length_tokens.has_value());
  const auto expected = [](const std::string& records) {
    return "Extract the value corresponding to the specified key in the JSON object below.\n\n"
           "JSON data:\n" +
           records + "\n\nKey: \"k2\"\nCorresponding value:";
  };
  const Sample first = only_sample(*task, cells[0], bytes);
  const Sample last = only_sample(*task, cells[1], bytes);
  EXPECT_EQ(prompt_of(first, bytes),
            expected("{\"k2\": \"v2\",\n \"k1\": \"v1\",\n \"k3\": \"v3\"}"));
  EXPECT_EQ(prompt_of(last, bytes),
            expected("{\"k1\": \"v1\",\n \"k3\": \"v3\",\n \"k2\": \"v2\"}"));
  EXPECT_THAT(bytes.decode(last.requests[1].tokens), EndsWith("Corresponding value: \"v2"));
  const auto at = last.facts.at("gold_token").get<std::size_t>();
  EXPECT_EQ(bytes.decode(std::span(last.requests[0].tokens).subspan(at, 10)), "\"k2\": \"v2\"");
  // More keys than the record has: said, never padded.
  const auto four = task_from("kind: kv_retrieval\ndata: pairs.jsonl\nkeys: 4\n", folder.path());
  const Task::Built built =
      four->build(cells_of(*four, {})[0], {.codec = bytes, .seed = 1, .subset = {}});
  EXPECT_EQ(built.skipped.at(0).reason, "the question has 3 keys, this cell needs 4");
}

TEST(KvRetrieval, B76B84DrawnPairsAreUniqueAndFillTheLength) {
  const auto task = task_from("kind: kv_retrieval\nsamples: 3\nmax_new_tokens: 40\n");
  const PieceCodec bytes;
  std::set<std::string> objects;
  for (const CellAxes& cell : cells_of(*task, {1000, 1001, 3333})) {
    for (const std::uint64_t seed : {1U, 2U}) {
      for (const Sample& sample :
           task->build(cell, {.codec = bytes, .seed = seed, .subset = {}}).samples) {
        const std::string prompt = prompt_of(sample, bytes);
        const std::int64_t used = std::ssize(prompt) + 40;
        EXPECT_LE(used, *cell.length_tokens);
        EXPECT_GT(used + 80, *cell.length_tokens);  // a pair: 2 x 36 + 4 quotes, ": ", ",\n "
        const std::size_t begin = prompt.find('{');
        const std::string object = prompt.substr(begin, prompt.rfind('}') + 1 - begin);
        const auto pairs = nlohmann::ordered_json::parse(object);
        std::set<std::string> texts;
        for (const auto& [key, value] : pairs.items()) {
          texts.insert(key);
          texts.insert(value.get<std::string>());
        }
        EXPECT_EQ(texts.size(), 2 * pairs.size());
        EXPECT_EQ(sample.facts.at("keys"), pairs.size());
        const auto key = sample.facts.at("key").get<std::string>();
        EXPECT_EQ(sample.facts.at("answers"), nlohmann::json::array({pairs.at(key)}));
        const auto place = sample.facts.at("gold_place").get<std::size_t>();
        EXPECT_EQ(std::next(pairs.begin(), static_cast<std::ptrdiff_t>(place)).key(), key);
        objects.insert(key);
      }
    }
  }
  EXPECT_EQ(objects.size(), 6U);  // the same three questions of a seed in all of its cells
}

TEST(KvRetrieval, B75AnInfeasibleLengthSaysTheLeastFeasibleOne) {
  const auto task = task_from("kind: kv_retrieval\nsamples: 1\ndepths: [0.5]\n");
  const PieceCodec bytes;
  const auto built = [&](std::int64_t length) {
    return task->build(cells_of(*task, {length})[0], {.codec = bytes, .seed = 1, .subset = {}});
  };
  const std::string reason = built(200).skipped.at(0).reason;
  const std::int64_t least = std::stoll(reason.substr(reason.find(">= ") + 3));
  EXPECT_EQ(built(least).samples.size(), 1U);
  EXPECT_TRUE(built(least - 1).samples.empty());
}

TEST(KvRetrieval, BadParametersAndRecordsAreNamed) {
  const test::TemporaryFolder folder;
  const auto message = [&](const std::string& keys) {
    return test::error_message([&] { task_from("kind: kv_retrieval\n" + keys, folder.path()); });
  };
  EXPECT_THAT(message("keys: 1\n"), HasSubstr("suite.yaml:2:7: keys: found 1"));
  EXPECT_THAT(message("positions: [1]\n"), HasSubstr("needs `keys: N`"));
  EXPECT_THAT(message("keys: [3, 9]\npositions: [3]\n"), HasSubstr("expected places from 0 to 2"));
  EXPECT_THAT(message("keys: 9\npositions: [3]\ndepths: 3\n"), HasSubstr("excludes `depths`"));
  EXPECT_THAT(message("prompt: \"{{records}}\"\n"), HasSubstr("does not say the key"));
  const auto bad = [&](const std::string& pairs) {
    write_file_atomically(folder / "bad.jsonl", R"({"key": "k", "value": "v", )"
                                                R"("ordered_kv_records": )" +
                                                    pairs + "}\n");
    return message("data: bad.jsonl\n");
  };
  EXPECT_THAT(bad(R"([["k", "w"]])"), HasSubstr("bad.jsonl:1: the pair of 'key' and 'value'"));
  EXPECT_THAT(bad(R"([["k", "v"], ["k", "v"]])"), HasSubstr("the key 'k' stands there twice"));
  EXPECT_THAT(bad(R"([["k"]])"), HasSubstr("found [\"k\"] for a pair"));
}

/// Five questions whose documents are named after a planet each.
class DocumentQa : public testing::Test {
 protected:
  DocumentQa() {
    std::string lines;
    for (const char* const name : {"Mars", "Venus", "Pluto", "Saturn", "Ceres"}) {
      lines += nlohmann::json({{"id", name},
                               {"question", std::string("which one is called ") + name},
                               {"answers", {std::string("the ") + name + "!", "nothing"}},
                               {"ctxs",
                                {{{"title", name},
                                  {"text", std::string("This is ") + name + " and it is far."},
                                  {"isgold", true}}}}})
                   .dump() +
               "\n";
    }
    // Its document holds the answer of the first question: never a distractor for that.
    lines += R"({"id": "twin", "question": "q", "answers": ["a red one"], "ctxs": [{"title": "T",)"
             R"( "text": "A red one, not MARS.", "isgold": true}]})"
             "\n";
    write_file_atomically(folder_ / "questions.jsonl", lines);
  }

  [[nodiscard]] std::unique_ptr<const Task> task(const std::string& keys) const {
    return task_from("kind: document_qa\ndata: questions.jsonl\nmax_new_tokens: 20\n" + keys,
                     folder_.path());
  }

  test::TemporaryFolder folder_;
};

TEST_F(DocumentQa, ThePublishedFormIsReproduced) {
  const auto asked = task("documents: 2\npositions: [1]\n");
  const PieceCodec bytes;
  const std::vector<CellAxes> cells = cells_of(*asked, {});
  ASSERT_EQ(cells.size(), 1U);
  const Task::Built built = asked->build(cells[0], {.codec = bytes, .seed = 4, .subset = {}});
  ASSERT_EQ(built.samples.size(), 6U);
  const std::string prompt = prompt_of(built.samples[0], bytes);
  const std::string head =
      "Write a high-quality answer for the given question using only the provided search results "
      "(some of which might be irrelevant).\n\nDocument [1](Title: ";
  EXPECT_EQ(prompt.substr(0, head.size()), head);
  EXPECT_THAT(prompt, EndsWith("far.\nDocument [2](Title: Mars) This is Mars and it is far.\n\n"
                               "Question: which one is called Mars\nAnswer:"));
  EXPECT_THAT(bytes.decode(built.samples[0].requests[1].tokens), EndsWith("Answer: the Mars!"));
  const auto at = built.samples[0].facts.at("gold_token").get<std::size_t>();
  EXPECT_EQ(prompt.substr(at, 18), "Document [2](Title");
}

TEST_F(DocumentQa, DistractorsNeverHoldAnAnswerAndStayWhenMoreAreAdded) {
  const auto asked = task("documents: [1, 3, 5]\ndepths: [0, 1]\n");
  const PieceCodec bytes;
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::string others;
    for (const CellAxes& cell : cells_of(*asked, {})) {
      const Task::Built built = asked->build(cell, {.codec = bytes, .seed = seed, .subset = {}});
      const std::string prompt = prompt_of(built.samples.at(0), bytes);  // that of Mars
      EXPECT_EQ(prompt.find("MARS"), std::string::npos);
      std::string seen;
      for (const char* const name : {"Venus", "Pluto", "Saturn", "Ceres"}) {
        if (prompt.find(name) != std::string::npos) seen += name;
      }
      const bool is_first = *cell.depth == 0;
      EXPECT_EQ(prompt.find("[1](Title: Mars)") != std::string::npos,
                is_first || cell.variant == "1 documents");
      if (cell.variant == "3 documents" && is_first) others = seen;
      if (cell.variant == "3 documents") {
        EXPECT_EQ(seen, others);
      }
      if (cell.variant == "5 documents") {
        EXPECT_EQ(seen, "VenusPlutoSaturnCeres");
      }
    }
    orders.insert(others);
  }
  EXPECT_GT(orders.size(), 3U);  // of 6 pairs
}

TEST_F(DocumentQa, B84ALengthIsFilledOrTheDocumentsAreSaidToEnd) {
  const auto asked = task("depths: [0.5]\n");
  const WordCodec words;
  for (std::int64_t length = 70; length < 125; ++length) {
    const Task::Built built = asked->build(cells_of(*asked, {length})[0],
                                           {.codec = words, .seed = 1, .subset = {.limit = 1}});
    if (built.samples.empty()) {
      EXPECT_THAT(built.skipped.at(0).reason,
                  testing::ContainsRegex("needs >= |all [56] documents make a prompt of"));
      continue;
    }
    const std::int64_t used = std::ssize(built.samples[0].requests[0].tokens) + 20;
    EXPECT_LE(used, length);
    EXPECT_GT(used + 20, length);  // a document has 17 tokens at most, and a line's end
  }
}

TEST_F(DocumentQa, BestSubspanIsThatOfTheFirstLine) {
  const auto asked = task("documents: 2\ndepths: [0]\n");
  const PieceCodec bytes;
  const Task::Built built =
      asked->build(cells_of(*asked, {})[0], {.codec = bytes, .seed = 1, .subset = {}});
  const auto score = [&](const std::string& output) {
    Response generated;
    generated.generated = bytes.encode(output);
    Response right;
    right.nll.assign(built.samples[0].facts.at("answer_tokens").get<std::size_t>(), 0.5);
    right.is_greedy.assign(right.nll.size(), 0);
    return asked->score(built.samples[0], std::vector<Response>{generated, right}, bytes);
  };
  // Answers: "the Mars!", "nothing". Articles, marks and case do not count.
  EXPECT_DOUBLE_EQ(score(" It is MARS, I think").values.at("best_subspan_em"), 1);
  EXPECT_DOUBLE_EQ(score(" marshland\n").values.at("best_subspan_em"), 1);  // a substring
  EXPECT_DOUBLE_EQ(score(" marshland\n").values.at("strict_match"), 0);
  EXPECT_DOUBLE_EQ(score(" Venus\nDocument: the Mars!").values.at("best_subspan_em"), 0);
  EXPECT_DOUBLE_EQ(score(" Venus\nDocument: the Mars!").values.at("strict_match"), 1);
  const std::vector<SampleScore> scores = {score("mars"), score("venus")};
  const std::vector<MetricValue> metrics = asked->aggregate(scores, 1);
  EXPECT_EQ(metrics.at(0).name, asked->headline().metric);
  EXPECT_DOUBLE_EQ(metrics[0].value, 0.5);
  EXPECT_EQ(metrics[0].n, 2);
}

TEST_F(DocumentQa, B81BadRecordsAreNamed) {
  const auto message = [&](const std::string& answers, const std::string& documents) {
    write_file_atomically(folder_ / "bad.jsonl",
                          "\n"
                          R"({"question": "q", "answers": )" +
                              answers + R"(, "ctxs": )" + documents + "}\n");
    return test::error_message(
        [&] { task_from("kind: document_qa\ndata: bad.jsonl\n", folder_.path()); });
  };
  EXPECT_THAT(message(R"(["The"])", R"([{"title": "t", "text": "x", "isgold": true}])"),
              HasSubstr("bad.jsonl:2: nothing is left of the answer 'The'"));
  EXPECT_THAT(message(R"(["a b"])", R"([{"title": "t", "text": "x"}])"),
              HasSubstr("0 documents have \"isgold\": true"));
  EXPECT_THAT(message(R"(["a b"])", R"([{"title": "t"}])"), HasSubstr("without the text 'text'"));
  EXPECT_THAT(message(R"([])", R"([])"), HasSubstr("'answers' is not a list"));
}

TEST_F(DocumentQa, DistractorsOfAFileOrOfTheRecordItself) {
  write_file_atomically(folder_ / "more.jsonl", R"({"title": "X", "text": "Other."})"
                                                "\n");
  const auto asked = task("distractors: more.jsonl\ndocuments: 2\ndepths: [0]\n");
  const PieceCodec bytes;
  EXPECT_THAT(prompt_of(only_sample(*asked, cells_of(*asked, {})[0], bytes), bytes),
              HasSubstr("\nDocument [2](Title: X) Other.\n\n"));
  write_file_atomically(
      folder_ / "own.jsonl",
      R"({"question": "q", "answers": ["A1"], "ctxs": [{"title": "B", "text": "b"},)"
      R"( {"title": "A", "text": "a1", "isgold": true}, {"title": "C", "text": "c"}]})"
      "\n");
  const auto own = task_from("kind: document_qa\ndata: own.jsonl\ndocuments: 3\npositions: [2]\n",
                             folder_.path());
  EXPECT_THAT(prompt_of(only_sample(*own, cells_of(*own, {})[0], bytes), bytes),
              HasSubstr("Document [1](Title: B) b\nDocument [2](Title: C) c\nDocument [3](Title: "
                        "A) a1\n\nQuestion: q"));
}

TEST(LostInTheMiddleData, ShippedTasksRunOnThePublishedSamples) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::filesystem::path data = std::filesystem::absolute(test::shared_path("data/longctx"));
  const PieceCodec bytes;
  const auto task = [&](const std::string& name, const std::string& file, std::int64_t keys) {
    Located parameters = read_yaml("configs/tasks/" + name + ".yaml");
    parameters.values()["data"] = (data / file).string();
    if (keys > 0) parameters.values()["keys"] = keys;
    return make_task({.name = name, .parameters = parameters, .base = "", .data_folders = {}});
  };
  const auto pairs = task("kv_retrieval", "litm-kv-retrieval-75-100.jsonl", 75);
  for (const CellAxes& cell : cells_of(*pairs, {})) {
    const Sample sample = only_sample(*pairs, cell, bytes);
    // 121 bytes around a key of 36, two braces, 75 pairs of 78 bytes and 74 times ",\n ".
    EXPECT_EQ(sample.facts.at("gold_place"), std::llround(*cell.depth * 74));
    EXPECT_EQ(prompt_of(sample, bytes).size(), 121U + 36 + 2 + 75 * 78 + 74 * 3);
  }
  const auto questions = task("document_qa", "litm-nq-open-oracle-500.jsonl", 0);
  const std::vector<CellAxes> cells = cells_of(*questions, {});
  ASSERT_EQ(cells.size(), 5U);
  for (const CellAxes& cell : cells) {
    const Task::Built built =
        questions->build(cell, {.codec = bytes, .seed = 1, .subset = {.limit = 20}});
    ASSERT_EQ(built.samples.size(), 20U);
    for (const Sample& sample : built.samples) {
      EXPECT_THAT(prompt_of(sample, bytes), HasSubstr("\nDocument [20](Title: "));
    }
  }
}

}  // namespace
}  // namespace yardstick::tasks
