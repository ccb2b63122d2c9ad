// The shipped task files, and lm-evaluation-harness's own, over real data: every text that a model
// is given equals what other programs gave theirs.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/json.hpp"
#include "tasks/data/records.hpp"
#include "tasks/downstream/question_set.hpp"
#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::tasks {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using testing::ElementsAre;

std::vector<ordered_json> read_all(const std::filesystem::path& file) {
  std::vector<ordered_json> out;
  for (Record& record : read_records(file)) out.push_back(std::move(record.fields));
  return out;
}

std::vector<ordered_json> shared_records(const std::string& name) {
  return read_all(test::shared_path("data/" + name));
}

OutputType type_of(const json& parameters) {
  const std::string type = parameters.at("output_type");
  if (type == "multiple_choice") return OutputType::kMultipleChoice;
  if (type == "loglikelihood") return OutputType::kLoglikelihood;
  if (type == "loglikelihood_rolling") return OutputType::kLoglikelihoodRolling;
  EXPECT_EQ(type, "generate_until");
  return OutputType::kGenerateUntil;
}

/// The keys of a task file whose questions ask `documents`.
class Asking {
 public:
  explicit Asking(Located parameters) : parameters_(std::move(parameters)) {}

  static Asking shipped(const std::string& name) {
    return Asking(read_yaml("configs/tasks/" + name + ".yaml"));
  }

  /// Takes a key away: data that the transforms of a task file were applied to already.
  Asking without(const std::string& key) && {
    parameters_.values().erase(key);
    return std::move(*this);
  }

  [[nodiscard]] std::unique_ptr<const QuestionSet> of(
      const std::vector<ordered_json>& documents) const {
    const test::TemporaryFolder folder;
    std::string lines;
    for (const ordered_json& document : documents) lines += document.dump() + "\n";
    write_file_atomically(folder / "data.jsonl", lines);
    TaskDefinition definition{.name = "probe", .parameters = parameters_, .base = folder / ""};
    definition.parameters.values()["data"] = "data.jsonl";
    Fields fields(definition.parameters, "", "the task");
    const OutputType type = type_of(definition.parameters.values());
    for (const char* const key :
         {"task", "output_type", "metric_list", "generation_kwargs", "boundary"}) {
      static_cast<void>(fields.raw(key));  // what says how it is asked, not what
    }
    std::unique_ptr<const QuestionSet> set = read_question_set(fields, definition, type);
    fields.finish();
    // A whole definition is a task, too: its metrics and settings are known.
    if (definition.parameters.values().contains("task")) {
      static_cast<void>(make_task(definition));
    }
    return set;
  }

 private:
  Located parameters_;
};

Question asked(const QuestionSet& set, std::size_t i) {
  return set.question(i, 0, set.num_fewshot());
}

/// All (context, continuation) pairs of a question of multiple choice.
std::vector<std::pair<std::string, std::string>> requests_of(const QuestionSet& set,
                                                             std::size_t i) {
  const Question question = asked(set, i);
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t k = 0; k < question.choices.size(); ++k) {
    if (question.contexts.empty()) {
      out.emplace_back(question.context, set.target_delimiter() + question.choices[k]);
    } else {
      out.emplace_back(question.contexts[k], set.target_delimiter() + question.targets.front());
    }
  }
  return out;
}

// What the harness hands on for each document (real jinja2; golden/jinja), beside a question.
void expect_as_golden(const Question& question, const ordered_json& row) {
  EXPECT_EQ(question.context, row.at("doc_to_text").at("value"));
  const ordered_json& target = row.at("doc_to_target").at("value");
  if (!row.contains("doc_to_choice")) {
    EXPECT_THAT(question.targets, ElementsAre(target.get<std::string>()));
    return;
  }
  const auto choices = row.at("doc_to_choice").at("value").get<std::vector<std::string>>();
  EXPECT_EQ(question.choices, choices);
  ASSERT_EQ(question.gold.size(), 1U);
  const auto gold = static_cast<std::size_t>(question.gold.front());
  if (target.is_number()) {
    EXPECT_EQ(gold, target.get<std::size_t>());
  } else {
    EXPECT_EQ(choices.at(gold), target);
  }
  EXPECT_THAT(question.targets, ElementsAre(choices.at(gold)));
}

TEST(TaskFiles, EighteenTasksOfTheHarnessReadTwentyDocumentsAsItDoes) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::map<std::string, std::string> shipped = {{"arc_easy", "arc_easy"},
                                                      {"arc_challenge", "arc_challenge"},
                                                      {"openbookqa", "openbookqa"},
                                                      {"piqa", "piqa"},
                                                      {"sciq", "sciq"},
                                                      {"boolq", "boolq"},
                                                      {"rte", "rte"},
                                                      {"commonsense_qa", "commonsense_qa"},
                                                      {"sst2", "sst2"},
                                                      {"social_iqa", "social_iqa"},
                                                      {"mrpc", "mrpc"},
                                                      {"lambada_openai", "lambada"}};
  std::map<std::string, std::vector<ordered_json>> rows;
  for (ordered_json& row : read_all(test::shared_path("golden/jinja/lm_eval_tasks.jsonl"))) {
    rows[row.at("task")].push_back(std::move(row));
  }
  ASSERT_EQ(rows.size(), 18U);
  for (const auto& [task, golden] : rows) {
    SCOPED_TRACE(task);
    ASSERT_EQ(golden.size(), 20U);
    std::vector<ordered_json> documents;
    for (const ordered_json& row : golden) documents.push_back(row.at("doc"));
    json keys = {{"output_type", golden.front().at("output_type")}};
    for (const char* const key : {"doc_to_text", "doc_to_target", "doc_to_choice"}) {
      if (golden.front().contains(key)) keys[key] = json(golden.front().at(key).at("template"));
    }
    const auto theirs = Asking(Located(keys, "task.yaml")).of(documents);
    for (std::size_t i = 0; i < golden.size(); ++i) {
      expect_as_golden(theirs->question(i, 0, 0), golden[i]);
    }
    if (!shipped.contains(task)) continue;
    const auto ours = Asking::shipped(shipped.at(task)).of(documents);
    for (std::size_t i = 0; i < golden.size(); ++i) {
      expect_as_golden(ours->question(i, 0, 0), golden[i]);
    }
  }
}

// BoolQ as SuperGLUE has it: the title in front of the passage, the answer as a number.
ordered_json superglue_boolq(ordered_json record) {
  record["passage"] =
      record.at("title").get<std::string>() + " -- " + record.at("passage").get<std::string>();
  record["label"] = record.at("gold");
  record.erase("title");
  record.erase("answer");
  return record;
}

// HellaSwag's shared copy holds the cleaned query in place of the two parts of the context.
ordered_json cleaned_hellaswag(ordered_json record) {
  record["label"] = std::to_string(record.at("gold").get<int>());
  return record;
}

ordered_json as_it_is(ordered_json record) { return record; }

// The data set of copy colors is not to be had: a record is read back from its prompt.
ordered_json copycolors_record(const ordered_json& document) {
  const std::string query = document.at("query");
  const std::size_t list = query.find("\n A. ");
  ordered_json record = {{"question", query.substr(10, list - 10)},
                         {"choices", {{"label", document.at("choices")}, {"text", json::array()}}}};
  for (std::size_t at = list; query.compare(at, 2, "\n ") == 0;) {
    const std::size_t end = query.find('\n', at + 1);
    record["choices"]["text"].push_back(query.substr(at + 5, end - at - 5));
    at = end;
  }
  record["answerKey"] = document.at("choices").at(document.at("gold").get<std::size_t>());
  return record;
}

struct Variant {
  std::string requests;  // in peer-requests
  std::string task;      // in configs/tasks/olmes
  std::string data;      // in data/downstream
  std::function<ordered_json(ordered_json)> adapt = as_it_is;
};

/// The record that a request's document was made of, by its id or its place in the data.
const ordered_json& source_of(const ordered_json& document,
                              const std::vector<ordered_json>& records) {
  if (document.contains("ind")) {
    return *std::find_if(records.begin(), records.end(), [&](const ordered_json& record) {
      return record.at("ind") == document.at("ind");
    });
  }
  for (const char* const key : {"index", "idx", "id"}) {
    if (document.contains(key) && document.at(key).is_number()) {
      return records.at(document.at(key).get<std::size_t>());
    }
  }
  return *std::find_if(records.begin(), records.end(), [&](const ordered_json& record) {
    return record.at("id") == document.at("id");
  });
}

TEST(TaskFiles, EveryStoredRequestOfOlmesIsMadeAgain) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::vector<Variant> variants = {
      {"arc_challenge-mc_5shot", "arc_challenge_mc_5shot", "arc_challenge"},
      {"arc_challenge-rc_0shot", "arc_challenge_rc_0shot", "arc_challenge"},
      {"arc_easy-rc_0shot", "arc_easy_rc_0shot", "arc_easy"},
      {"boolq-mc_5shot", "boolq_mc_5shot", "boolq", superglue_boolq},
      {"boolq-rc_0shot", "boolq_rc_0shot", "boolq", superglue_boolq},
      {"copa-rc_0shot", "copa_rc_0shot", "copa"},
      {"copycolors-10way", "copycolors_mc_3shot", ""},
      {"csqa-mc_5shot", "commonsense_qa_mc_5shot", "commonsense_qa"},
      {"csqa-rc_5shot", "commonsense_qa_rc_5shot", "commonsense_qa"},
      {"hellaswag-rc_5shot", "hellaswag_rc_5shot", "hellaswag", cleaned_hellaswag},
      {"openbookqa-rc_0shot", "openbookqa_rc_0shot", "openbookqa"},
      {"piqa-mc_5shot", "piqa_mc_5shot", "piqa"},
      {"piqa-rc_0shot", "piqa_rc_0shot", "piqa"},
      {"sciq-rc_0shot", "sciq_rc_0shot", "sciq"},
      {"socialiqa-rc_5shot", "social_iqa_rc_5shot", "social_iqa"},
      {"winogrande-mc_5shot", "winogrande_mc_5shot", "winogrande"},
      {"winogrande-rc_0shot", "winogrande_rc_0shot", "winogrande"}};
  constexpr std::int64_t kUnconditional = 1'000'000;  // added to the number of the document
  std::size_t compared = 0;
  for (const Variant& variant : variants) {
    SCOPED_TRACE(variant.requests);
    std::vector<ordered_json> records;
    if (!variant.data.empty()) records = shared_records("downstream/" + variant.data + ".jsonl");
    std::map<std::int64_t, std::vector<ordered_json>> requests;
    for (ordered_json& row :
         shared_records("downstream/peer-requests/" + variant.requests + ".jsonl")) {
      requests[row.at("doc_id").get<std::int64_t>()].push_back(std::move(row));
    }
    std::vector<ordered_json> documents;
    for (const auto& [id, rows] : requests) {
      if (id >= kUnconditional) continue;
      const ordered_json& document = rows.front().at("doc");
      documents.push_back(variant.data.empty() ? copycolors_record(document)
                                               : variant.adapt(source_of(document, records)));
    }
    ASSERT_EQ(documents.size(), 10U);
    Asking asking = Asking::shipped("olmes/" + variant.task);
    if (variant.data == "hellaswag") asking = std::move(asking).without("process_docs");
    const auto set = asking.of(documents);
    std::size_t i = 0;
    for (const auto& [id, rows] : requests) {
      const bool is_unconditional = id >= kUnconditional;
      const std::size_t number = is_unconditional ? i - 10 : i;
      const auto ours = requests_of(*set, number);
      ASSERT_EQ(ours.size(), rows.size());
      for (const ordered_json& row : rows) {
        const auto& [context, continuation] = ours.at(row.at("idx").get<std::size_t>());
        const ordered_json& theirs = row.at("request");
        EXPECT_EQ(is_unconditional ? "Answer:" : context, theirs.at("context"));
        EXPECT_EQ(continuation, theirs.at("continuation"));
        EXPECT_THAT(asked(*set, number).gold, ElementsAre(row.at("label").get<std::int64_t>()));
        ++compared;
      }
      ++i;
    }
  }
  EXPECT_EQ(compared, 930U);
}

using Asked = std::tuple<std::vector<std::string>, std::vector<std::string>, std::int64_t>;

/// Contexts, continuations and the right one, of every stored question of the harness.
std::multiset<Asked> stored_requests(const std::string& task) {
  std::multiset<Asked> out;
  for (const ordered_json& row :
       read_all(test::shared_path("golden/lmeval_stored/" + task + ".jsonl.gz"))) {
    const auto continuations = row.at("cont").get<std::vector<std::string>>();
    std::vector<std::string> contexts;
    for (std::size_t k = 0; k < continuations.size(); ++k) {
      contexts.push_back(row.at("ctx").is_array() ? row.at("ctx").at(k) : row.at("ctx"));
    }
    out.emplace(contexts, continuations, row.at("gold").get<std::int64_t>());
  }
  return out;
}

std::multiset<Asked> made_requests(const QuestionSet& set) {
  std::multiset<Asked> out;
  for (std::size_t i = 0; i < set.size(); ++i) {
    std::vector<std::string> contexts;
    std::vector<std::string> continuations;
    for (const auto& [context, continuation] : requests_of(set, i)) {
      contexts.push_back(context);
      continuations.push_back(continuation);
    }
    out.emplace(contexts, continuations, asked(set, i).gold.front());
  }
  return out;
}

TEST(TaskFiles, RequestsOfTheStoredHarnessResults) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  for (const std::string task : {"piqa", "winogrande", "copa"}) {
    SCOPED_TRACE(task);
    // The stored version of COPA put one blank before a choice, as OLMo does; today's puts two.
    const auto set = Asking::shipped(task == "copa" ? "olmo/copa" : task)
                         .of(shared_records("downstream/" + task + ".jsonl"));
    EXPECT_TRUE(made_requests(*set) == stored_requests(task));
  }
  const auto records = shared_records("downstream/copa.jsonl");
  const auto one = Asking::shipped("olmo/copa").of(records);
  const auto two = Asking::shipped("copa").of(records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(requests_of(*two, i)[k].first, requests_of(*one, i)[k].first);
      EXPECT_EQ(requests_of(*two, i)[k].second, " " + requests_of(*one, i)[k].second);
    }
  }
}

// The test splits of these are not at hand: their records are read back from the stored requests.
TEST(TaskFiles, RequestsOfTheStoredHarnessResultsOnTestSplits) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  for (const std::string task : {"arc_easy", "arc_challenge", "openbookqa"}) {
    SCOPED_TRACE(task);
    std::vector<ordered_json> documents;
    for (const auto& [contexts, continuations, gold] : stored_requests(task)) {
      const std::string& context = contexts.front();
      ordered_json document = {{"choices", {{"text", json::array()}, {"label", json::array()}}}};
      if (task == "openbookqa") {
        document["question_stem"] = context;
      } else {
        document["question"] = context.substr(10, context.size() - 10 - 8);
      }
      for (std::size_t k = 0; k < continuations.size(); ++k) {
        document["choices"]["text"].push_back(continuations[k].substr(1));
        document["choices"]["label"].push_back(std::string(1, static_cast<char>('A' + k)));
      }
      document["answerKey"] = document["choices"]["label"][static_cast<std::size_t>(gold)];
      documents.push_back(std::move(document));
    }
    EXPECT_TRUE(made_requests(*Asking::shipped(task).of(documents)) == stored_requests(task));
  }
}

TEST(TaskFiles, TheRightAnswersOfEveryValidationSetAreFound) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  struct Case {
    std::string task;
    std::string data;
    std::size_t size;  // of the published validation split
    std::function<ordered_json(ordered_json)> adapt = as_it_is;
  };
  const std::vector<Case> cases = {{"arc_easy", "arc_easy", 570},
                                   {"arc_challenge", "arc_challenge", 299},
                                   {"openbookqa", "openbookqa", 500},
                                   {"piqa", "piqa", 1838},
                                   {"hellaswag", "hellaswag", 1000, cleaned_hellaswag},
                                   {"winogrande", "winogrande", 1267},
                                   {"sciq", "sciq", 1000},
                                   {"olmo/sciq", "sciq", 1000},
                                   {"boolq", "boolq", 3270, superglue_boolq},
                                   {"copa", "copa", 100},
                                   {"commonsense_qa", "commonsense_qa", 1221},
                                   {"olmo/commonsense_qa", "commonsense_qa", 1221},
                                   {"social_iqa", "social_iqa", 1954},
                                   {"olmo/social_iqa", "social_iqa", 1954},
                                   {"rte", "rte", 277},
                                   {"sst2", "sst2", 872},
                                   {"olmo/sst2", "sst2", 872},
                                   {"mrpc", "mrpc", 408},
                                   {"olmo/mrpc", "mrpc", 408},
                                   {"basic_arithmetic", "basic_arithmetic", 3000}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.task);
    std::vector<ordered_json> records = shared_records("downstream/" + c.data + ".jsonl");
    for (ordered_json& record : records) record = c.adapt(std::move(record));
    Asking asking = Asking::shipped(c.task);
    if (c.data == "hellaswag") asking = std::move(asking).without("process_docs");
    const auto set = asking.of(records);
    ASSERT_EQ(set->size(), c.size);
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_THAT(set->question(i, 0, 0).gold, ElementsAre(records[i].at("gold").get<int>()));
    }
  }
}

TEST(TaskFiles, HellaSwagIsCleaned) {
  // The rules of lm-evaluation-harness's preprocessing, followed by hand: strip, " [title]" to ".
  // ", other brackets away, two blanks to one.
  const auto set =
      Asking::shipped("hellaswag")
          .of({{{"activity_label", "Home"},
                {"ctx_a", " [header] How to knit [title] Take wool. [step] Any  colour"},
                {"ctx_b", "the Wool"},
                {"endings", {" is [substeps] soft. ", "runs."}},
                {"label", "0"}}});
  const Question question = set->question(0, 0, 0);
  EXPECT_EQ(question.context, "Home:  How to knit. Take wool. Any colour The wool");
  EXPECT_THAT(question.choices, ElementsAre("is soft.", "runs."));
}

TEST(TaskFiles, OlmosOwnPrompts) {
  // From the table of templates of OLMo's olmo/eval/downstream.py, filled in by hand.
  const auto context = [](const std::string& task, ordered_json document) {
    return Asking::shipped("olmo/" + task).of({std::move(document)})->question(0, 0, 0).context;
  };
  EXPECT_EQ(
      context("sst2",
              {{"sentence", "it does n't work , \" he said \" ( loudly ) . "}, {"label", 0}}),
      "it doesn't work,\"he said\"(loudly). \nQuestion: Is this sentence positive or negative?\n"
      "Answer:");
  EXPECT_EQ(context("mrpc", {{"sentence1", "It 's ."}, {"sentence2", "It is ,"}, {"label", 1}}),
            "Sentence 1: It's.\nSentence 2: It is,\nQuestion: Do both sentences mean the same "
            "thing?\nAnswer:");
  const auto boolq = Asking::shipped("olmo/boolq")
                         .of({{{"passage", "P."}, {"question", "is it"}, {"answer", false}}});
  EXPECT_EQ(boolq->question(0, 0, 0).context, "P.\nQuestion: is it?\nAnswer:");
  EXPECT_THAT(boolq->question(0, 0, 0).targets, ElementsAre("no"));
}

TEST(TaskFiles, MmluAsksEachSubjectUnderItsOwnHeadline) {
  const auto set = Asking::shipped("mmlu").of({{{"question", "What is 2 + 2? "},
                                                {"subject", "abstract_algebra"},
                                                {"choices", {"3", "4", "5", "6"}},
                                                {"answer", 1}}});
  const Question question = set->question(0, 0, 0);
  EXPECT_EQ(question.context,
            "The following are multiple choice questions (with answers) about abstract algebra.\n\n"
            "What is 2 + 2?\nA. 3\nB. 4\nC. 5\nD. 6\nAnswer:");
  EXPECT_THAT(question.targets, ElementsAre("B"));
  EXPECT_EQ(question.category, "abstract_algebra");
}

TEST(TaskFiles, LongBenchsFields) {
  const ordered_json record = {{"context", "CONTEXT"}, {"input", "INPUT"}, {"answers", {"a", "b"}}};
  for (const std::string task :
       {"gov_report", "multi_news", "qmsum", "qasper", "hotpotqa", "narrativeqa", "triviaqa"}) {
    SCOPED_TRACE(task);
    const Question question = Asking::shipped(task).of({record})->question(0, 0, 0);
    EXPECT_THAT(question.context, testing::HasSubstr("CONTEXT"));
    EXPECT_THAT(question.targets, ElementsAre("a", "b"));
    const bool has_input = task != "gov_report" && task != "multi_news";
    EXPECT_EQ(question.context.find("INPUT") != std::string::npos, has_input);
  }
}

TEST(TaskFiles, LEvalsInstructionsAreQuestionsOfTheirOwn) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::map<std::string, std::string> tasks = {{"leval/gov_report", "gov_report_summ"},
                                                    {"leval/multi_news", "news_summ"},
                                                    {"leval/qmsum", "meeting_summ"},
                                                    {"leval/qasper", "scientific_qa"},
                                                    {"leval/natural_question", "natural_question"},
                                                    {"multidoc_qa", "multidoc_qa"}};
  for (const auto& [task, data] : tasks) {
    SCOPED_TRACE(task);
    const auto records = shared_records("longctx/leval-" + data + ".jsonl");
    const auto set = Asking::shipped(task).of(records);
    std::size_t questions = 0;
    for (const ordered_json& record : records) {
      for (std::size_t k = 0; k < record.at("instructions").size(); ++k, ++questions) {
        const Question question = set->question(questions, 0, 0);
        EXPECT_THAT(question.targets, ElementsAre(record.at("outputs").at(k).get<std::string>()));
        EXPECT_THAT(question.context,
                    testing::HasSubstr("\n\nInstruction: " +
                                       record.at("instructions").at(k).get<std::string>()));
      }
    }
    EXPECT_EQ(set->size(), questions);
  }
  const auto longbench =
      Asking::shipped("multi_news").of(shared_records("longctx/longbench-multi_news-100.jsonl"));
  EXPECT_EQ(longbench->size(), 100U);
}

TEST(TaskFiles, EveryShippedDefinitionNamesADataSetToLookFor) {
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("configs/tasks")) {
    if (!entry.is_regular_file()) continue;
    const Located parameters = read_yaml(entry.path());
    if (!parameters.values().contains("output_type")) continue;
    SCOPED_TRACE(entry.path().string());
    const TaskDefinition definition{
        .name = "probe", .parameters = parameters, .data_folders = {"no/such/folder"}};
    Fields fields(definition.parameters, "", "the task");
    try {
      static_cast<void>(read_question_set(fields, definition, type_of(parameters.values())));
      ADD_FAILURE() << "found data in a folder that is not there";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("load_dataset(\""));
    }
    ++found;
  }
  EXPECT_GE(found, 45U);
}

}  // namespace
}  // namespace yardstick::tasks
