// Task files over made-up data, followed by hand.
#include "tasks/downstream/question_set.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/hash.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::tasks {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

/// A folder with data, and task files that read it.
class QuestionSetTest : public testing::Test {
 protected:
  using Sets = std::unique_ptr<const QuestionSet>;

  void write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write_file_atomically(folder_ / name, content);
  }

  Sets read(const std::string& yaml, OutputType type = OutputType::kMultipleChoice) {
    const TaskDefinition definition{.name = "probe",
                                    .parameters = parse_yaml(yaml, "task.yaml"),
                                    .base = folder_ / "",
                                    .data_folders = data_folders_};
    Fields fields(definition.parameters, "", "the task 'probe'");
    for (const char* const key : {"task", "output_type"}) static_cast<void>(fields.raw(key));
    Sets set = read_question_set(fields, definition, type);
    fields.finish();
    return set;
  }

  std::string refusal(const std::string& yaml, OutputType type = OutputType::kMultipleChoice) {
    return test::error_message([&] { static_cast<void>(read(yaml, type)); });
  }

  static std::string key_of(const QuestionSet& set) {
    Fingerprint fingerprint;
    set.describe(fingerprint);
    return fingerprint.hex();
  }

  const test::TemporaryFolder folder_;
  std::vector<std::filesystem::path> data_folders_;
};

constexpr const char* kCapitals =
    R"({"q":"Capital of Italy?","options":["Rome","Oslo"],"a":0,"of":"south"}
{"q":"Capital of Norway?","options":["Rome","Oslo"],"a":1,"of":"north"}
)";
constexpr const char* kAsk = R"(
doc_to_text: q
doc_to_choice: options
doc_to_target: a
)";

TEST_F(QuestionSetTest, FieldsTemplatesAndCategories) {
  write("capitals.jsonl", kCapitals);
  const Sets set = read(std::string("data: capitals.jsonl\ncategory: of\ndescription: 'Say it. '\n"
                                    "gen_prefix: It is") +
                        kAsk);
  ASSERT_EQ(set->size(), 2U);
  EXPECT_THAT(set->categories(), ElementsAre("south", "north"));
  EXPECT_EQ(set->target_delimiter(), " ");
  const Question second = set->question(1, 0, 0);
  EXPECT_EQ(second.id, "line-000002");
  EXPECT_EQ(second.context, "Say it. Capital of Norway? It is");
  EXPECT_THAT(second.choices, ElementsAre("Rome", "Oslo"));
  EXPECT_THAT(second.gold, ElementsAre(1));
  EXPECT_THAT(second.targets, ElementsAre("Oslo"));
  EXPECT_EQ(second.category, "north");
  EXPECT_EQ(second.document["q"], "Capital of Norway?");
}

TEST_F(QuestionSetTest, TheProjectsOwnKeysAreTheSame) {
  write("capitals.jsonl", kCapitals);
  const Sets theirs = read(std::string("data: capitals.jsonl\ntarget_delimiter: ': '") + kAsk);
  const Sets ours = read(R"(
data: {path: capitals.jsonl}
prompt: "{{q}}"
choices: ["{{options[0]}}", "{{options[1]}}"]
answer: "{{a}}"
delimiter: ": "
)");
  EXPECT_EQ(key_of(*ours), key_of(*theirs));
  EXPECT_THAT(refusal(std::string("data: capitals.jsonl\nprompt: x") + kAsk),
              HasSubstr("task.yaml:3:14: doc_to_text: says the same as 'prompt'"));
}

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

TEST_F(QuestionSetTest, TargetsAreIndicesTextsBooleansOrLists) {
  write(
      "a.jsonl",
      R"({"q":"?","o":["A","B","2"],"index":2,"text":"B","flag":true,"digits":"0","many":[0,1],"float":1.0,"half":0.5}
)");
  const auto gold = [&](const std::string& target) {
    return read("data: a.jsonl\ndoc_to_text: q\ndoc_to_choice: o\ndoc_to_target: " + target)
        ->question(0, 0, 0)
        .gold;
  };
  EXPECT_THAT(gold("index"), ElementsAre(2));
  EXPECT_THAT(gold("text"), ElementsAre(1));
  EXPECT_THAT(gold("flag"), ElementsAre(1));
  EXPECT_THAT(gold("float"), ElementsAre(1));  // as pandas writes a column with gaps
  EXPECT_THAT(gold("digits"), ElementsAre(0));
  EXPECT_THAT(gold("many"), ElementsAre(0, 1));
  EXPECT_THAT(gold("1"), ElementsAre(1));
  EXPECT_THAT(gold("B"), ElementsAre(1));
  // Digits out of a template are an index, even where a choice has that very text.
  EXPECT_THAT(gold("'{{index - 1}}'"), ElementsAre(1));
  EXPECT_THAT(gold("'{{\"2\"}}'"), ElementsAre(2));
  EXPECT_THAT(gold("'{{o[1]}}'"), ElementsAre(1));
  EXPECT_THAT(gold("'[1, 2]'"), ElementsAre(1, 2));
  const auto message = [&](const std::string& target) {
    return test::error_message([&] { gold(target); });
  };
  EXPECT_THAT(message("half"), HasSubstr("the target is 0.5, expected an index"));
  EXPECT_THAT(message("'{{\"é\" * 100}}'"),
              HasSubstr("the target '" + repeated("é", 28) + "...' is neither one of"));
}

TEST_F(QuestionSetTest, WhetherATargetIsAnIndexIsDecidedOnceForADataSet) {
  // A column of whole numbers is one, as pandas types it: the index 1 in both rows (arithmetic).
  write("d.csv", "q,a,b,c,label\nx,1,2,3,1\ny,10,20,30,1\n");
  const std::string ask =
      "doc_to_text: '{{q}} ='\ndoc_to_choice: ['{{a}}', '{{b}}', '{{c}}']\ndoc_to_target: ";
  Sets set = read("data: d.csv\n" + ask + "label");
  EXPECT_THAT(set->question(0, 0, 0).gold, ElementsAre(1));
  EXPECT_THAT(set->question(0, 0, 0).targets, ElementsAre("2"));
  EXPECT_THAT(set->question(1, 0, 0).gold, ElementsAre(1));
  EXPECT_THAT(set->notes(), IsEmpty());  // row 2 allows one reading
  // JSON's texts are texts where every one is a choice, and indices where one is not.
  write("texts.jsonl", R"({"q":"x","a":1,"b":2,"c":3,"label":"1"}
{"q":"y","a":10,"b":20,"c":1,"label":"1"}
)");
  set = read("data: texts.jsonl\n" + ask + "label");
  EXPECT_THAT(set->question(0, 0, 0).gold, ElementsAre(0));
  EXPECT_THAT(set->question(1, 0, 0).gold, ElementsAre(2));
  write("indices.jsonl", R"({"q":"x","a":1,"b":2,"c":3,"label":"1"}
{"q":"y","a":10,"b":20,"c":30,"label":"1"}
)");
  set = read("data: indices.jsonl\n" + ask + "label");
  EXPECT_THAT(set->question(0, 0, 0).gold, ElementsAre(1));
  // Every value both: a column of digits is of indices, and a note says so.
  write("both.csv", "q,a,b,c,label\nx,1,2,3,1\ny,0,1,2,2\n");
  set = read("data: both.csv\n" + ask + "label");
  EXPECT_THAT(set->question(0, 0, 0).gold, ElementsAre(1));
  EXPECT_THAT(set->notes(), ElementsAre(AllOf(HasSubstr("read as indices"),
                                              HasSubstr("both.csv:2: '1' is the choice '2'"))));
}

TEST_F(QuestionSetTest, AMixtureOfTextsAndIndicesIsRefusedWithBothPlaces) {
  const std::string ask = "doc_to_text: q\ndoc_to_choice: o\ndoc_to_target: ";
  write("a.jsonl", R"({"q":"x","o":["A","B"],"t":"1","n":1}
{"q":"y","o":["A","B"],"t":"A","n":"B"}
)");
  EXPECT_THAT(refusal("data: a.jsonl\n" + ask + "t"),
              AllOf(HasSubstr("a.jsonl:2: task.yaml:4:16: doc_to_target gives 'A', the text of a "
                              "choice, and at "),
                    HasSubstr("a.jsonl:1 the index '1'")));
  EXPECT_THAT(refusal("data: a.jsonl\n" + ask + "n"),
              AllOf(HasSubstr("'B', the text of a choice"), HasSubstr("a.jsonl:1 the index '1'")));
  EXPECT_THAT(refusal("data: a.jsonl\n" + ask + "'{{t}}'"), HasSubstr("a.jsonl:1 the index '1'"));
  // Examples are read as the questions are.
  write("test.jsonl", R"({"q":"x","o":["1","2"],"t":"2"})"
                      "\n");
  write("train.jsonl", R"({"q":"y","o":["7","8"],"t":"1"})"
                       "\n");
  EXPECT_THAT(refusal("data: {test: test.jsonl, train: train.jsonl}\nnum_fewshot: 1\n" + ask + "t"),
              HasSubstr("train.jsonl:1: task.yaml:5:16: the target '1' is neither one of"));
  // WinoGrande's form is that of all documents or of none.
  write("w.jsonl", R"({"q":"0","o":["A","B"],"t":"."}
{"q":"Why?","o":["A","B"],"t":"."}
)");
  EXPECT_THAT(refusal("data: w.jsonl\ndoc_to_text: '{{q}}'\ndoc_to_choice: o\ndoc_to_target: t"),
              AllOf(HasSubstr("w.jsonl:2: task.yaml:2:14: doc_to_text gives 'Why?', and at "),
                    HasSubstr("w.jsonl:1 the index 0")));
  // A list written as text is several references, in all documents or in none.
  write("g.jsonl", R"({"q":"x","t":"[1, 2]"}
{"q":"y","t":"3"}
)");
  const std::string generate = "data: g.jsonl\ndoc_to_text: q\ndoc_to_target: ";
  EXPECT_THAT(refusal(generate + "'{{t}}'", OutputType::kGenerateUntil),
              AllOf(HasSubstr("g.jsonl:1"), HasSubstr("g.jsonl:2 the text '3'")));
  EXPECT_THAT(read(generate + "t", OutputType::kGenerateUntil)->question(0, 0, 0).targets,
              ElementsAre("[1, 2]"));
}

TEST_F(QuestionSetTest, RepeatedIdsAndQuotedColumnsAreNoted) {
  write("a.jsonl", R"({"id":"x","q":"\"Who?\"","a":"I"}
{"id":"y","q":"\"Why?\"","a":"\"No\""}
{"id":"x","q":"\"How?\"","a":"So"}
)");
  const Sets set =
      read("data: a.jsonl\ndoc_to_text: q\ndoc_to_target: a\n", OutputType::kGenerateUntil);
  EXPECT_THAT(set->notes(),
              ElementsAre(HasSubstr("1 records have an 'id' that stands before (\"x\" at 1 and 3)"),
                          HasSubstr("every 'q' begins and ends with a quote")));
}

TEST_F(QuestionSetTest, RenderedChoicesAreReadAsPythonLiterals) {
  write("a.jsonl", R"({"q":"?","x":"it's","y":2})"
                   "\n");
  const Sets set = read(R"(
data: a.jsonl
doc_to_text: q
doc_to_choice: "{% if y == 2 %}['{{y}}', \"{{x}}\", 7, True]{% endif %}"
doc_to_target: 1
)");
  EXPECT_THAT(set->question(0, 0, 0).choices, ElementsAre("2", "it's", "7", "True"));
}

TEST_F(QuestionSetTest, AContextForEachChoice) {
  // WinoGrande's form: doc_to_text is the index, the choices are contexts, the target goes on.
  write("a.jsonl", R"({"s":"The _ ran.","o":["cat","dog"],"a":"2"}
{"s":"A _ sat.","o":["cow","hen"],"a":"1"}
)");
  const Sets set = read(R"(
data: a.jsonl
doc_to_text: "{{a|int - 1}}"
doc_to_choice: "{{[s[:s.index('_')] + o[0], s[:s.index('_')] + o[1]]}}"
doc_to_target: "{{s[s.index('_') + 1:].strip()}}"
num_fewshot: 1
)");
  const Question first = set->question(0, 7, 1);
  EXPECT_THAT(first.contexts, ElementsAre("A cow sat.\n\nThe cat", "A cow sat.\n\nThe dog"));
  EXPECT_THAT(first.choices, ElementsAre("The cat", "The dog"));
  EXPECT_THAT(first.targets, ElementsAre("ran."));
  EXPECT_THAT(first.gold, ElementsAre(1));
}

TEST_F(QuestionSetTest, ReferencesOfGenerationAndTheScoredTextOfLoglikelihood) {
  write("a.jsonl", R"({"q":"?","refs":["x","y"],"n":3}
)");
  const std::string head = "data: a.jsonl\ndoc_to_text: q\ndoc_to_target: ";
  EXPECT_THAT(read(head + "refs", OutputType::kGenerateUntil)->question(0, 0, 0).targets,
              ElementsAre("x", "y"));
  EXPECT_THAT(read(head + "['{{n}}', no]", OutputType::kGenerateUntil)->question(0, 0, 0).targets,
              ElementsAre("3", "no"));
  EXPECT_THAT(read(head + "\"{{refs}}\"", OutputType::kGenerateUntil)->question(0, 0, 0).targets,
              ElementsAre("x", "y"));
  EXPECT_THAT(read(head + "n", OutputType::kGenerateUntil)->question(0, 0, 0).targets,
              ElementsAre("3"));
  const Sets set = read(head + "\"{{' ' + refs[0]}}\"", OutputType::kLoglikelihood);
  EXPECT_EQ(set->target_delimiter(), "");
  EXPECT_THAT(set->question(0, 0, 0).targets, ElementsAre(" x"));
  const Sets rolling = read("data: a.jsonl\ndoc_to_target: q", OutputType::kLoglikelihoodRolling);
  EXPECT_EQ(rolling->question(0, 0, 0).context, "");
  EXPECT_THAT(rolling->question(0, 0, 0).targets, ElementsAre("?"));
}

std::string numbers(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    lines += R"({"q":"Q)" + std::to_string(i) + R"(","t":"A)" + std::to_string(i) + "\"}\n";
  }
  return lines;
}
constexpr const char* kNumbersTask = "\ndoc_to_text: q\ndoc_to_target: t\n";

TEST_F(QuestionSetTest, DrawnExamplesAreNestedSeededAndNeverTheQuestion) {
  write("a.jsonl", numbers(8));
  const Sets set =
      read(std::string("data: a.jsonl\nnum_fewshot: 5") + kNumbersTask, OutputType::kGenerateUntil);
  EXPECT_EQ(set->num_fewshot(), 5);
  EXPECT_EQ(set->fewshot_pool(), 7);
  std::set<std::string> contexts;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::string question = "Q" + std::to_string(i);
    const std::string three = set->question(i, 1, 3).context;
    const std::string five = set->question(i, 1, 5).context;
    EXPECT_THAT(five, EndsWith(three));
    EXPECT_EQ(std::count(five.begin(), five.end(), 'A'), 5);
    EXPECT_THAT(five, EndsWith("\n\n" + question));
    EXPECT_THAT(five, testing::Not(HasSubstr(question + " ")));
    EXPECT_EQ(five, set->question(i, 1, 5).context);
    contexts.insert(set->question(i, 2, 5).context);
    contexts.insert(five);
  }
  EXPECT_GT(contexts.size(), 12U);  // of 16, another seed or question draws others
  EXPECT_EQ(set->question(0, 1, 7).context.size(), std::string("Q0 A0\n\n").size() * 7 + 2);
  EXPECT_THAT(test::error_message([&] { static_cast<void>(set->question(0, 1, 8)); }),
              HasSubstr("8 worked examples are asked for, but there are 7 besides the question"));
}

TEST_F(QuestionSetTest, ExamplesComeFromTheNamedSplitFirstNInOrder) {
  write("a.jsonl", numbers(2));
  write("b.jsonl", numbers(4));
  const Sets set = read(std::string("data: {test: a.jsonl, train: b.jsonl}\nnum_fewshot: 2\n"
                                    "fewshot_delimiter: ' | '\ntarget_delimiter: '='\n"
                                    "fewshot_config: {sampler: first_n}") +
                            kNumbersTask,
                        OutputType::kGenerateUntil);
  EXPECT_EQ(set->question(1, 9, 2).context, "Q0=A0 | Q2=A2 | Q1");  // not itself
  EXPECT_EQ(set->question(0, 9, 2).context, "Q1=A1 | Q2=A2 | Q0");
  EXPECT_EQ(set->fewshot_pool(), 3);
}

// The published MMLU protocol: the dev split's examples of the question's subject, in their order.
TEST_F(QuestionSetTest, ExamplesOfTheQuestionsOwnSubject) {
  write("test.jsonl", R"({"q":"1+1","a":"2","subject":"algebra"}
{"q":"Rome?","a":"Italy","subject":"geography"}
)");
  write("dev.jsonl", R"({"q":"Oslo?","a":"Norway","subject":"geography"}
{"q":"1+2","a":"3","subject":"algebra"}
{"q":"Paris?","a":"France","subject":"geography"}
{"q":"2+2","a":"4","subject":"algebra"}
)");
  const std::string task = R"(
data: {test: test.jsonl, dev: dev.jsonl}
doc_to_text: q
doc_to_target: a
fewshot_split: dev
num_fewshot: 2
)";
  const Sets set = read(task + "fewshot_by: subject\nfewshot_config: {sampler: first_n}\n",
                        OutputType::kLoglikelihood);
  EXPECT_EQ(set->question(0, 0, 2).context, "1+2 3\n\n2+2 4\n\n1+1");
  EXPECT_EQ(set->question(1, 0, 2).context, "Oslo? Norway\n\nParis? France\n\nRome?");
  EXPECT_EQ(set->fewshot_pool(), 1);  // of two in each group one may be the question itself
  EXPECT_THAT(set->notes(), IsEmpty());
  const Sets drawn = read(task + "fewshot_by: subject\n", OutputType::kLoglikelihood);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_THAT(drawn->question(1, seed, 2).context, AllOf(HasSubstr("Oslo"), HasSubstr("Paris")));
  }
  // From all subjects: allowed, and said.
  const Sets mixed = read(task, OutputType::kLoglikelihood);
  EXPECT_THAT(mixed->notes(), ElementsAre(AllOf(HasSubstr("2 kinds of 'subject'"),
                                                HasSubstr("`fewshot_by: subject`"))));
  EXPECT_NE(key_of(*mixed), key_of(*drawn));
  EXPECT_THAT(refusal(task + "fewshot_by: subjet\n", OutputType::kLoglikelihood),
              HasSubstr("did you mean 'subject'"));
  write("dev.jsonl", R"({"q":"Oslo?","a":"Norway","subject":"geography"})"
                     "\n");
  EXPECT_THAT(refusal(task + "fewshot_by: subject\n", OutputType::kLoglikelihood),
              AllOf(HasSubstr("0 of 'algebra' (fewshot_by)"), HasSubstr("test.jsonl:1")));
}

TEST_F(QuestionSetTest, ExamplesWrittenInTheTaskFile) {
  write("a.jsonl", numbers(2));
  const Sets set = read(R"(
data: a.jsonl
doc_to_text: q
doc_to_target: t
num_fewshot: 2
fewshot_config:
  sampler: first_n
  gen_prefix: "So:"
  target_delimiter: "\n"
  doc_to_text: "{{ask}}?"
  samples: [{ask: one, t: "1"}, {ask: two, t: "2"}]
)",
                        OutputType::kGenerateUntil);
  EXPECT_EQ(set->question(0, 0, 2).context, "one?\nSo: 1\n\ntwo?\nSo: 2\n\nQ0");
  EXPECT_EQ(set->fewshot_pool(), 2);
}

TEST_F(QuestionSetTest, ASetWithoutExamplesDoesNotNeedTheirFile) {
  write("set/test.jsonl", numbers(2));
  const std::string yaml = std::string(
      "dataset_path: ./set\ntest_split: test\ntraining_split: train"
      "\nnum_fewshot: ");
  const Sets set = read(yaml + "0" + kNumbersTask, OutputType::kGenerateUntil);
  EXPECT_EQ(set->fewshot_pool(), 0);
  EXPECT_THAT(test::error_message([&] { static_cast<void>(set->question(0, 0, 1)); }),
              HasSubstr("the split 'train' of './set' is not there"));
  EXPECT_THAT(refusal(yaml + "1" + kNumbersTask, OutputType::kGenerateUntil),
              HasSubstr("the split 'train' of './set' is not there"));
}

TEST_F(QuestionSetTest, WhatIsAskedDecidesTheKeyAndNothingElse) {
  write("a.jsonl", numbers(4));
  write("b.jsonl", numbers(3) + R"({"q":"Q3","t":"other"})" + "\n");
  const auto key = [&](const std::string& yaml) {
    return key_of(*read(yaml + kNumbersTask, OutputType::kGenerateUntil));
  };
  const std::string plain = key("data: a.jsonl");
  EXPECT_EQ(key("dataset_path: json\ndataset_kwargs: {data_files: a.jsonl}"), plain);
  EXPECT_EQ(key("data: a.jsonl\nmetadata: {version: 3}\ntag: [x]"), plain);
  EXPECT_NE(key("data: b.jsonl"), plain);
  EXPECT_NE(key("data: a.jsonl\nnum_fewshot: 1"), plain);
  EXPECT_NE(key("data: a.jsonl\ndescription: D"), plain);
  EXPECT_NE(key("data: {test: a.jsonl, train: b.jsonl}\nnum_fewshot: 1"),
            key("data: a.jsonl\nnum_fewshot: 1"));
  EXPECT_EQ(key("data: {test: a.jsonl, train: b.jsonl}"), plain);
}

TEST_F(QuestionSetTest, TransformsChangeDocumentsInOrder) {
  write(
      "a.jsonl",
      R"({"text":"a [x] b","parts":[" one ","two"],"lang":"en","qas":[{"q":"1?","t":"1"},{"q":"2?","t":"2"}]}
{"text":"","parts":[],"lang":"fr","qas":[]}
)");
  const Sets set = read(R"(
data: a.jsonl
process_docs:
  - filter: "{{lang == 'en'}}"
  - set: {both: "{{text}}/{{parts[1]}}", kept: "{{parts}}", number: 5}
  - replace: {field: [both, kept], pattern: "\\[(.)\\]|^\\s+", with: "<\\1>"}
  - rename: {both: joined}
  - explode: qas
doc_to_text: "{{joined}} {{kept[0]}} {{number + 1}} {{q}}"
doc_to_target: t
)",
                        OutputType::kGenerateUntil);
  ASSERT_EQ(set->size(), 2U);
  EXPECT_EQ(set->question(0, 0, 0).context, "a <x> b/two <>one  6 1?");
  EXPECT_EQ(set->question(1, 0, 0).id, "line-000001-2");
  EXPECT_THAT(set->question(1, 0, 0).targets, ElementsAre("2"));
}

TEST_F(QuestionSetTest, APatternThatBacktracksTooMuchNamesPlaceFieldAndDocument) {
  write("a.jsonl", "{\"text\":\"" + std::string(40, 'a') + "b\"}\n");
  EXPECT_THAT(refusal(R"(
data: a.jsonl
process_docs: [{replace: {field: text, pattern: "^(a+)+$", with: ""}}]
doc_to_text: text
doc_to_target: x
)",
                      OutputType::kGenerateUntil),
              AllOf(HasSubstr("a.jsonl:1: task.yaml:3:"), HasSubstr("the field 'text'"),
                    HasSubstr("match limit exceeded; simplify it")));
}

TEST_F(QuestionSetTest, ParallelListsExplodeTogether) {
  write("a.jsonl", R"({"in":["a","b"],"out":["x","y"]}
)");
  const std::string task = "\ndoc_to_text: in\ndoc_to_target: out";
  const Sets set = read("data: a.jsonl\nprocess_docs: [{explode: [in, out]}]" + task,
                        OutputType::kGenerateUntil);
  EXPECT_EQ(set->question(1, 0, 0).context, "b");
  EXPECT_THAT(set->question(1, 0, 0).targets, ElementsAre("y"));
  write("a.jsonl", R"({"in":["a","b"],"out":["x"]}
)");
  EXPECT_THAT(
      refusal("data: a.jsonl\nprocess_docs: [{explode: [in, out]}]" + task,
              OutputType::kGenerateUntil),
      HasSubstr("a.jsonl:1: task.yaml:2:26: explode: the field 'out' is array, expected a list "
                "of 2 as in 'in'"));
}

TEST_F(QuestionSetTest, DataSetsAreFoundByTheirHubNames) {
  data_folders_ = {folder_ / "first", folder_ / "second"};
  const std::string yaml = std::string(
                               "task: probe\ndataset_path: who/what\ndataset_name: part\n"
                               "validation_split: validation") +
                           kNumbersTask;
  const auto size = [&] { return read(yaml, OutputType::kGenerateUntil)->size(); };
  write("second/probe.jsonl", numbers(1));
  EXPECT_EQ(size(), 1U);
  write("second/what/part.csv", "q,t\na,b\na,b\n");
  EXPECT_EQ(size(), 2U);
  write("second/who/what/part/val.jsonl", numbers(3));
  EXPECT_EQ(size(), 3U);
  write("first/what/part/dev.json",
        R"([{"q":"1","t":"2"},{"q":"","t":""},{"q":"","t":""},{"q":"","t":""}])");
  EXPECT_EQ(size(), 4U);
}

TEST_F(QuestionSetTest, AMissingDataSetSaysHowToGetIt) {
  const std::string yaml =
      std::string("dataset_path: who/what\ndataset_name: part\ntest_split: test") + kNumbersTask;
  EXPECT_THAT(refusal(yaml),
              AllOf(HasSubstr("task.yaml:1:15: the split 'test' of 'who/what' (part)"),
                    HasSubstr("--data-dir DIR")));
  data_folders_ = {"no/such/folder"};
  EXPECT_THAT(refusal(yaml), AllOf(HasSubstr("no/such/folder/who/what/part/test.*"),
                                   HasSubstr("load_dataset(\"who/what\", \"part\", split=\"test\")"
                                             ".to_json(\"no/such/folder/what/part/test.jsonl\")")));
}

TEST_F(QuestionSetTest, SplitsAndFilesThatCannotBeAreRefused) {
  write("a.jsonl", numbers(2));
  EXPECT_THAT(refusal(std::string("dataset_path: ./\ntest_split: 'train[:100]'") + kNumbersTask),
              HasSubstr("task.yaml:2:13: test_split: 'train[:100]' is a slice"));
  EXPECT_THAT(refusal(std::string("dataset_path: json\ntest_split: test\ndataset_kwargs:\n  "
                                  "data_files: {tset: a.jsonl}") +
                      kNumbersTask),
              HasSubstr("has no split 'test' (did you mean 'tset'?)"));
  EXPECT_THAT(refusal(std::string("dataset_path: json\ndataset_kwargs: {data_files: "
                                  "'hf://datasets/a/b.jsonl'}") +
                      kNumbersTask),
              HasSubstr("is on the network; download it"));
  EXPECT_THAT(refusal(std::string("data: b.jsonl") + kNumbersTask),
              HasSubstr("task.yaml:1:7: data: there is no file or folder"));
  EXPECT_THAT(refusal(std::string("dataset_path: ./") + kNumbersTask),
              HasSubstr("name it with `test_split`"));
  EXPECT_THAT(refusal(kNumbersTask), HasSubstr("the task names no data"));
}

TEST_F(QuestionSetTest, APromptOfAnotherLibraryIsRefused) {
  write("a.jsonl", numbers(2));
  EXPECT_THAT(refusal("data: a.jsonl\nuse_prompt: 'promptsource:x'"),
              HasSubstr("task.yaml:2:13: use_prompt:"));
}

TEST_F(QuestionSetTest, TransformsThatDoNotFitNameTheirPlace) {
  write("capitals.jsonl", kCapitals);
  const auto message = [&](const std::string& transform) {
    return refusal("data: capitals.jsonl\nprocess_docs:\n  - " + transform + kAsk);
  };
  EXPECT_THAT(
      message("rename: {opt: o}"),
      HasSubstr("capitals.jsonl:1: task.yaml:3:13: rename: the document has no field 'opt'"));
  EXPECT_THAT(message("replace: {field: qq, pattern: x, with: y}"),
              HasSubstr("capitals.jsonl:1: task.yaml:3:14: replace: the document has no field 'qq' "
                        "(did you mean 'q'?)"));
  EXPECT_THAT(message("explode: option"),
              HasSubstr("capitals.jsonl:1: task.yaml:3:14: explode: the document has no field "
                        "'option' (did you mean 'options'?)"));
  EXPECT_THAT(message("filter: \"{{of == 'west'}}\""),
              HasSubstr("capitals.jsonl: the filter at task.yaml:3:13 keeps none of 2 documents"));
}

TEST_F(QuestionSetTest, MoreExamplesThanThereAreAreRefusedWhenTheTaskIsMade) {
  write("a.jsonl", numbers(2));
  write("b.jsonl", numbers(4));
  const std::string yaml = std::string("data: {test: a.jsonl, train: b.jsonl}") + kNumbersTask;
  EXPECT_EQ(read(yaml + "num_fewshot: 3", OutputType::kGenerateUntil)->num_fewshot(), 3);
  EXPECT_THAT(
      refusal(yaml + "num_fewshot: 4", OutputType::kGenerateUntil),
      AllOf(HasSubstr("task.yaml:4:14: num_fewshot: 4 worked examples are asked for, but '"),
            HasSubstr("b.jsonl' has 3 besides the question of "),
            HasSubstr("a.jsonl:1; set it lower, or name a larger split")));
  EXPECT_THAT(refusal(yaml + "num_fewshot: 2\nfewshot_config: {samples: [{q: x, t: y}]}",
                      OutputType::kGenerateUntil),
              HasSubstr("but fewshot_config.samples has 1;"));
}

TEST_F(QuestionSetTest, MistakesNameTheirPlaceAndTheNearestName) {
  write("capitals.jsonl", kCapitals);
  const std::string data = "data: capitals.jsonl\n";
  EXPECT_THAT(
      refusal(data + "doc_to_text: qq\ndoc_to_choice: options\ndoc_to_target: a"),
      HasSubstr("task.yaml:2:14: doc_to_text: 'qq' is neither a field of the documents (did "
                "you mean 'q'?)"));
  EXPECT_THAT(refusal(data + "doc_to_txt: q\ndoc_to_choice: options\ndoc_to_target: a"),
              HasSubstr("needs the key 'doc_to_text'"));
  EXPECT_THAT(refusal(data + "num_fewshots: 2" + kAsk), HasSubstr("did you mean 'num_fewshot'?"));
  EXPECT_THAT(refusal(data + "doc_to_text: q\ndoc_to_choice: options\ndoc_to_target: of"),
              HasSubstr("capitals.jsonl:1: task.yaml:4:16: the target 'south' is neither one of "
                        "the 2 choices nor an index"));
  EXPECT_THAT(refusal(data + "doc_to_text: q\ndoc_to_choice: options\ndoc_to_target: 2"),
              HasSubstr("capitals.jsonl:1: task.yaml:4:16: the target is 2, but the choices are "
                        "numbered from 0 to 1"));
  EXPECT_THAT(refusal(data + "doc_to_text: q\ndoc_to_choice: options\ndoc_to_target: aa"),
              HasSubstr("task.yaml:4:16: the target 'aa' is neither one of the 2 choices nor an "
                        "index; did you mean the field "));
  EXPECT_THAT(
      refusal(data + "doc_to_text: q\ndoc_to_choice: '{{[of]}}'\ndoc_to_target: a"),
      HasSubstr("capitals.jsonl:1: task.yaml:3:16: found 1 choice(s), expected at least 2"));
  EXPECT_THAT(refusal(data + "doc_to_text: q\ndoc_to_choice: '{{[of, \"\"]}}'\ndoc_to_target: a"),
              HasSubstr("capitals.jsonl:1: task.yaml:3:16: choice 1 is empty"));
  EXPECT_THAT(refusal(data + "doc_to_text: '{{q.x}}'\ndoc_to_choice: options\ndoc_to_target: a"),
              HasSubstr("capitals.jsonl:1: task.yaml:2:14: template 1:"));
  EXPECT_THAT(refusal(data + "doc_to_text: q\ndoc_to_choice: [x]\ndoc_to_target: a"),
              HasSubstr("task.yaml:3:16: doc_to_choice: expected at least two choices"));
  EXPECT_THAT(refusal(data + "doc_to_text: q\ndoc_to_choice: of\ndoc_to_target: a"),
              HasSubstr("capitals.jsonl:1: task.yaml:3:16: doc_to_choice gives 'south'"));
  EXPECT_THAT(refusal(data + "fewshot_config: {sampler: balanced}" + kAsk),
              HasSubstr("unknown value 'balanced'"));
  EXPECT_THAT(refusal(data + "process_docs: [{fliter: x}]" + kAsk),
              HasSubstr("did you mean 'filter'?"));
  EXPECT_THAT(refusal(data + "process_docs: [{filter: 'x {{q}}'}]" + kAsk),
              HasSubstr("expected one expression"));
  EXPECT_THAT(
      refusal(data + "process_docs: [{replace: {field: q, pattern: '(', with: ''}}]" + kAsk),
      HasSubstr("task.yaml:2:46: "));
}

}  // namespace
}  // namespace yardstick::tasks
