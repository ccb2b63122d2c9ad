// Task files by name: libraries, groups, tags, patterns, includes of includes.
#include "harness/suite/task_library.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fields.hpp"
#include "harness/plan/plan.hpp"
#include "harness/suite/suite.hpp"
#include "tests/harness/fakes.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using yardstick::test::error_message;
using yardstick::test::TemporaryFolder;

class LibraryFolder {
 public:
  LibraryFolder() {
    write("arc.yaml", "task: arc_easy\ntag: [science, short]\nkind: multiple_choice\n");
    write("ruler/vt.yaml", "task: variable_tracking\ntag: ruler\nkind: ruler\n");
    write("ruler/cwe.yaml", "task: common_words\ntag: ruler\nkind: ruler\n");
    write("all.yaml", "group: everything\ntask: [arc_easy, ruler]\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] TaskLibrary library() const { return TaskLibrary({folder_.path()}); }
  [[nodiscard]] std::vector<std::string> found(const std::string& name) const {
    std::vector<std::string> names;
    for (const FoundTask& task : library().find(name, folder_.path())) names.push_back(task.name);
    return names;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST(TaskLibrary, ANameIsAPathATaskATagAGroupOrAPattern) {
  const LibraryFolder folder;
  EXPECT_THAT(folder.found("ruler/vt"), ElementsAre("ruler/vt"));
  EXPECT_THAT(folder.found("arc_easy"), ElementsAre("arc_easy"));
  EXPECT_THAT(folder.found("science"), ElementsAre("arc"));
  EXPECT_THAT(folder.found("ruler"), ElementsAre("ruler/cwe", "ruler/vt"));
  EXPECT_THAT(folder.found("all"), ElementsAre("arc_easy", "ruler/cwe", "ruler/vt"));
  EXPECT_THAT(folder.found("everything"), ElementsAre("arc_easy", "ruler/cwe", "ruler/vt"));
  EXPECT_THAT(folder.found("ruler/*"), ElementsAre("ruler/cwe", "ruler/vt"));
  EXPECT_THAT(folder.found("ruler/c?e"), ElementsAre("ruler/cwe"));
}

TEST(TaskLibrary, AFileIsNamedByItsPath) {
  const LibraryFolder folder;
  EXPECT_THAT(folder.found("arc.yaml"), ElementsAre("arc_easy"));
  EXPECT_THAT(folder.found("all.yaml"), ElementsAre("arc_easy", "ruler/cwe", "ruler/vt"));
}

TEST(TaskLibrary, WhatCannotBeFoundIsNamedWithTheNearest) {
  const LibraryFolder folder;
  const auto message = [&](const std::string& name) {
    return error_message([&] { static_cast<void>(folder.found(name)); });
  };
  EXPECT_THAT(message("ruler/vr"), HasSubstr("did you mean 'ruler/vt'?"));
  EXPECT_THAT(message("no.yaml"), HasSubstr("there is no task file"));
  folder.write("loop.yaml", "group: loop\ntask: [loop]\n");
  EXPECT_THAT(message("loop"), HasSubstr("holds itself"));
  folder.write("ring.yaml", "group: ring\ntask: [ring.yaml]\n");
  EXPECT_THAT(message("ring.yaml"), HasSubstr("holds itself"));
  folder.write("changed.yaml", "group: changed\ntask:\n  - {task: arc_easy, num_fewshot: 3}\n");
  EXPECT_THAT(message("changed"), HasSubstr("changed.yaml:3:5"));
  folder.write("broken.yaml", "task: [\n");
  EXPECT_THAT(message("broken"), HasSubstr("not valid YAML"));
}

class LibrarySuite : public testing::Test {
 protected:
  LibrarySuite() { std::filesystem::create_directories(folder_.path() / "models/a"); }
  [[nodiscard]] Suite read(const std::string& tasks) const {
    folder_.write("s.yaml", "models: [{path: models/a}]\n" + lengths_ + "tasks: " + tasks + "\n");
    return read_suite(folder_.path() / "s.yaml", {.set = {},
                                                  .devices = {},
                                                  .subset = {},
                                                  .num_fewshot = shots_,
                                                  .lengths = forced_,
                                                  .task_folders = {folder_.path()},
                                                  .data_folders = {},
                                                  .haystack = haystack_,
                                                  .questions = questions_});
  }
  std::vector<std::string> notes(const std::string& tasks) const {
    static test::EngineEvents events;
    return notes_of(open_suite(read(tasks), test::FakeModels(events), yardstick::tasks::make_task));
  }

  LibraryFolder folder_;
  std::string lengths_ = "lengths: [64]\n";
  std::vector<std::int64_t> forced_;
  std::optional<std::int64_t> shots_;
  std::filesystem::path haystack_;
  std::filesystem::path questions_;
};

TEST_F(LibrarySuite, EntriesMayBeNamesAndIncludesMayNameTheLibrary) {
  const Suite suite = read("[everything, {include: ruler/vt, name: mine, samples: 3}]");
  ASSERT_EQ(suite.tasks.size(), 4U);
  EXPECT_EQ(suite.tasks[1].definition.name, "ruler/cwe");
  EXPECT_EQ(suite.tasks[1].definition.parameters.values()["kind"], "ruler");
  EXPECT_THAT(suite.tasks[1].definition.parameters.where("/kind"), HasSubstr("cwe.yaml:3:7"));
  EXPECT_THAT(suite.tasks[1].lengths, ElementsAre(64));
  EXPECT_EQ(suite.tasks[3].definition.name, "mine");
  EXPECT_EQ(suite.tasks[3].definition.parameters.values()["samples"], 3);
}

TEST_F(LibrarySuite, AnIncludedFileMayIncludeOthersAndKeepsItsFiles) {
  folder_.write("base/_base", "kind: niah\nhaystack: book.txt\nnoise: words\n");
  folder_.write("base/book.txt", "text");
  folder_.write("base/child.yaml", "include: _base\ntask: child\nnoise: none\n");
  const Suite suite = read("[{include: base/child.yaml}]");
  const Located& parameters = suite.tasks[0].definition.parameters;
  EXPECT_EQ(suite.tasks[0].definition.name, "child");
  EXPECT_EQ(parameters.values()["haystack"], "base/book.txt");
  EXPECT_EQ(parameters.values()["noise"], "none");
  EXPECT_THAT(parameters.where("/haystack"), HasSubstr("_base:2:11"));
  folder_.write("base/self.yaml", "include: self.yaml\nkind: x\n");
  EXPECT_THAT(error_message([&] { static_cast<void>(read("[{include: base/self.yaml}]")); }),
              HasSubstr("includes itself"));
}

TEST_F(LibrarySuite, WorkedExamplesOfTheCommandLineGoToTasksOfQuestions) {
  shots_ = 5;
  const Suite suite = read("[arc_easy, ruler/vt]");
  EXPECT_EQ(suite.tasks[0].definition.parameters.values()["num_fewshot"], 5);
  EXPECT_EQ(suite.tasks[0].definition.parameters.where("/num_fewshot"), "--num-fewshot");
  EXPECT_FALSE(suite.tasks[1].definition.parameters.values().contains("num_fewshot"));
  // Without output_type a task of questions is generate_until.
  folder_.write("bare.yaml", "task: bare\ndoc_to_text: q\ndoc_to_target: a\n");
  EXPECT_EQ(read("[{include: bare.yaml}]").tasks[0].definition.parameters.values()["num_fewshot"],
            5);
}

TEST_F(LibrarySuite, KeysOfAGroupAreOnesThatAGroupHas) {
  folder_.write("mean.yaml",
                "group: mean\ntask: [arc_easy]\naggregate_metric_list:\n  - {metric: acc}\n");
  const Suite suite = read("[mean]");
  EXPECT_THAT(suite.tasks.at(0).notes,
              ElementsAre(testing::AllOf(HasSubstr("mean.yaml:4:3: aggregate_metric_list"),
                                         HasSubstr("has no effect"))));
  EXPECT_THAT(read("[mean.yaml]").tasks.at(0).notes, testing::SizeIs(1));
  folder_.write("shots.yaml", "group: shots\ntask: [arc_easy]\nnum_fewshot: 5\n");
  EXPECT_THAT(error_message([&] { static_cast<void>(read("[shots]")); }),
              HasSubstr("shots.yaml:3:1: unknown key 'num_fewshot' in a group of tasks"));
}

TEST_F(LibrarySuite, AnIncludeThatIsNotThereNamesTheNearest) {
  EXPECT_THAT(error_message([&] { static_cast<void>(read("[{include: ruler/vtt}]")); }),
              HasSubstr("did you mean 'ruler/vt'?"));
}

TEST_F(LibrarySuite, LengthsThatNoTaskTakesAreRefusedAndThoseThatSomeDoNotAreNoted) {
  folder_.write("q.jsonl", "{\"q\":\"x\",\"o\":[\"a\",\"b\"],\"t\":0}\n");
  folder_.write("plain.yaml",
                "task: plain\ndata: q.jsonl\noutput_type: multiple_choice\ndoc_to_text: q\n"
                "doc_to_choice: o\ndoc_to_target: t\n");
  folder_.write("key.yaml", "task: key\nkind: passkey\nsamples: 1\n");
  EXPECT_THAT(notes("[plain.yaml, key.yaml]"),
              testing::IsEmpty());  // the suite's are for the second
  EXPECT_THAT(notes("[plain.yaml]"),
              ElementsAre(HasSubstr("lengths: the task 'plain' is not asked at lengths")));
  EXPECT_THAT(error_message([&] { notes("[{include: plain.yaml, lengths: [64]}]"); }),
              HasSubstr("s.yaml:3:9: lengths: the task 'plain' is not asked at lengths"));
  forced_ = {128};
  EXPECT_THAT(notes("[plain.yaml, key.yaml]"),
              ElementsAre(HasSubstr("--lengths: the task 'plain' is not asked at lengths")));
  EXPECT_THAT(error_message([&] { notes("[plain.yaml]"); }),
              HasSubstr("--lengths: the task 'plain' is not asked at lengths"));
  forced_.clear();
  shots_ = 1;
  EXPECT_THAT(read("[plain.yaml, key.yaml]").tasks.at(1).notes,
              ElementsAre(HasSubstr("--num-fewshot: the task 'key' has no worked examples")));
  EXPECT_THAT(error_message([&] { static_cast<void>(read("[key.yaml]")); }),
              HasSubstr("--num-fewshot: none of the tasks has worked examples"));
}

TEST_F(LibrarySuite, FilesOfTheCommandLineGoToTheTasksThatTakeThem) {
  folder_.write("ruler/single.yaml", "kind: ruler\ntask: niah_single_2\ntype_haystack: essay\n");
  folder_.write("ruler/qa.yaml", "kind: ruler\ntask: qa_1\n");
  haystack_ = "essays.txt";
  questions_ = "squad.json";
  const Suite suite = read("[ruler/single, ruler/qa, ruler/vt]");
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(suite.tasks[0].definition.parameters.values()["haystack"], here + "/essays.txt");
  EXPECT_EQ(suite.tasks[1].definition.parameters.values()["data"], here + "/squad.json");
  EXPECT_FALSE(suite.tasks[2].definition.parameters.values().contains("haystack"));
  EXPECT_THAT(error_message([&] { static_cast<void>(read("[ruler/vt]")); }),
              HasSubstr("--haystack: none of the tasks hides anything in a text"));
}

TEST_F(LibrarySuite, WhatCannotBeOpenedIsLeftOut) {
  folder_.write("key.yaml", "task: key\nkind: passkey\nsamples: 1\n");
  static test::EngineEvents events;
  const auto opened = [&](const std::string& tasks) {
    return keep_opened(
        open_parts(read(tasks), test::FakeModels(events), yardstick::tasks::make_task));
  };
  const OpenedSuite kept = opened("[{name: bad, kind: niah, depths: deep}, key.yaml]");
  ASSERT_EQ(kept.tasks.size(), 1U);
  EXPECT_EQ(kept.suite.tasks.at(0).definition.name, "key");
  EXPECT_EQ(kept.task_fingerprints.size(), 1U);
  EXPECT_EQ(kept.task_files.size(), 1U) << "else a task is checked against another one's files";
  EXPECT_FALSE(make_plan(kept).empty());
  EXPECT_THAT(error_message([&] { opened("[{name: bad, kind: niah, depths: deep}]"); }),
              HasSubstr("task 'bad'"));
}

TEST(ShippedTasks, AreSoundAndFoundByTheirTags) {
  const TaskLibrary library({"configs/tasks"});
  for (const LibraryTask& task : library.tasks()) EXPECT_EQ(task.broken, "") << task.name;
  EXPECT_EQ(library.find("ruler", {}).size(), 13U);
  EXPECT_EQ(library.find("fope", {}).size(), 9U) << "the nine accuracies of the FoPE paper";
}

}  // namespace
}  // namespace yardstick::harness
