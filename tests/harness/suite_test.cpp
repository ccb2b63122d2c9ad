#include "harness/suite/suite.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using yardstick::test::error_message;
using yardstick::test::TemporaryFolder;

constexpr const char* kGood = R"(name: demo
seed: 7
dtype: bfloat16
devices: [cpu:2, "cuda:1"]
lengths: [64, 4k, 131_072, 1e6]
limit: 50
batch_tokens: 2k
models:
  - name: rope
    path: models/a
    position: {rope_type: yarn, factor: 1e-5, mode: off}
    bos: never
  - path: models/b/
    lengths: 64
tasks:
  - name: ppl
    kind: perplexity
    data: text.txt
    lengths: 512
  - name: choice
    kind: multiple_choice
report:
  formats: [html, csv]
)";

class SuiteFile {
 public:
  SuiteFile() {
    std::filesystem::create_directories(folder_ / "models/a");
    std::filesystem::create_directories(folder_ / "models/b");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] Suite read(const std::string& text, const SuiteOverrides& overrides = {}) const {
    write("s.yaml", text);
    return read_suite(folder_ / "s.yaml", overrides);
  }
  /// The message without the folder's name.
  [[nodiscard]] std::string message(const std::string& text,
                                    const SuiteOverrides& overrides = {}) const {
    std::string found = error_message([&] { static_cast<void>(read(text, overrides)); });
    const std::string prefix = folder_.path().string() + "/";
    for (std::size_t at = found.find(prefix); at != std::string::npos; at = found.find(prefix))
      found.erase(at, prefix.size());
    return found;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST(Suite, EveryKeyIsRead) {
  const SuiteFile file;
  const Suite suite = file.read(kGood);
  EXPECT_EQ(suite.name, "demo");
  EXPECT_EQ(suite.seed, 7U);
  EXPECT_EQ(suite.dtype, models::ComputeType::kBFloat16);
  EXPECT_THAT(suite.devices, ElementsAre(DeviceSlot{"cpu", 2}, DeviceSlot{"cuda:1", 1}));
  EXPECT_EQ(suite.subset.limit, 50);
  EXPECT_EQ(suite.batch_tokens, 2048);
  EXPECT_THAT(suite.report_formats, ElementsAre("html", "csv"));
  ASSERT_EQ(suite.models.size(), 2U);
  EXPECT_EQ(suite.models[0].spec.name, "rope");
  EXPECT_EQ(suite.models[0].spec.folder, file.path() / "models/a");
  EXPECT_EQ(suite.models[0].spec.bos, models::BosPolicy::kNever);
  EXPECT_EQ(suite.models[0].spec.overrides.position,
            nlohmann::json({{"rope_type", "yarn"}, {"factor", 1e-5}, {"mode", "off"}}));
  EXPECT_EQ(suite.models[1].spec.name, "b") << "the folder's name";
  EXPECT_THAT(suite.models[1].lengths, ElementsAre(64));
  ASSERT_EQ(suite.tasks.size(), 2U);
  EXPECT_EQ(suite.tasks[0].definition.name, "ppl");
  EXPECT_EQ(suite.tasks[0].definition.base, file.path());
  EXPECT_EQ(suite.tasks[0].definition.parameters.values(),
            nlohmann::json({{"kind", "perplexity"}, {"data", "text.txt"}}));
  EXPECT_EQ(suite.tasks[0].definition.parameters.where("/data"),
            (file.path() / "s.yaml").string() + ":18:11");
  EXPECT_THAT(suite.tasks[0].lengths, ElementsAre(512));
  EXPECT_THAT(suite.tasks[1].lengths, ElementsAre(64, 4096, 131072, 1000000));
}

TEST(Suite, DefaultsAreTheFilesNameOneCpuSlotAndFloat32) {
  const SuiteFile file;
  const Suite suite = file.read("models: [{path: models/a}]\ntasks: [{name: t, kind: x}]\n");
  EXPECT_EQ(suite.name, "s");
  EXPECT_EQ(suite.dtype, models::ComputeType::kFloat32);
  ASSERT_EQ(suite.devices.size(), 1U);
  EXPECT_EQ(suite.devices[0].device, "cpu");
  EXPECT_GE(suite.devices[0].threads, 1);
  EXPECT_THAT(suite.report_formats, ElementsAre("html"));
}

struct Broken {
  const char* what;
  const char* text;
  const char* place;
  const char* says;
};

class BrokenSuite : public testing::TestWithParam<Broken> {};

TEST_P(BrokenSuite, IsRefusedWithPlaceAndReason) {
  const SuiteFile file;
  file.write("include.yaml", "kind: x\ninclude: other.yaml\n");
  file.write("list.yaml", "- 1\n");
  const std::string message = file.message(GetParam().text);
  EXPECT_THAT(message, testing::StartsWith(GetParam().place));
  EXPECT_THAT(message, HasSubstr(GetParam().says));
}

constexpr const char* kModelsOnly = "models: [{path: models/a}]\n";

INSTANTIATE_TEST_SUITE_P(
    Suite, BrokenSuite,
    testing::Values(
        Broken{"UnknownKey", "nmae: x\nmodels: [{path: models/a}]\ntasks: [{name: t}]\n",
               "s.yaml:1:1", "unknown key 'nmae' in a suite (did you mean 'name'?)"},
        Broken{"UnknownModelKey", "models:\n  - path: models/a\n    boss: auto\ntasks: []\n",
               "s.yaml:3:5", "(did you mean 'bos'?)"},
        Broken{"DuplicateKey", "seed: 1\nseed: 2\n", "s.yaml:2:1", "s.yaml:1:1"},
        Broken{"WrongType", "seed: many\n", "s.yaml:1:7", "expected a whole number"},
        Broken{"NegativeSeed", "seed: -1\n", "s.yaml:1:7", "found -1"},
        Broken{"BadDtype", "dtype: float99\n", "s.yaml:1:8", ""},
        Broken{"BadDevice", "devices: [gpu]\n", "s.yaml:1:10", "found 'gpu', expected cpu"},
        Broken{"BadThreads", "devices: cpu:0\n", "s.yaml:1:10", "found 'cpu:0'"},
        Broken{"BadLength", "lengths: [64, 4q]\n", "s.yaml:1:10", "\"4q\""},
        Broken{"ZeroLength", "lengths: 0\n", "s.yaml:1:10", "expected lengths"},
        Broken{"LengthTwice", "lengths: [4k, 4096]\n", "s.yaml:1:10", "4k stands twice"},
        Broken{"BadLimit", "limit: 0\n", "s.yaml:1:8", "found 0"},
        Broken{"TwoLimits", "limit: 3\nfirst_n: 3\n", "s.yaml:2:10", "beside 'limit'"},
        Broken{"MissingFolder", "models:\n  - name: a\n    path: models/zz\n", "s.yaml:3:11",
               "there is no folder with a model at 'models/zz'"},
        Broken{"MissingPath", "models:\n  - name: a\n", "s.yaml:2:5", "needs the key 'path'"},
        Broken{"MissingTokenizer", "models: [{path: models/a, tokenizer: tok}]\n", "s.yaml:1:38",
               "there is no tokenizer at 'tok'"},
        Broken{"BadBos", "models: [{path: models/a, bos: maybe}]\n", "s.yaml:1:32",
               "it is one of: auto, always, never"},
        Broken{"PositionNoMapping", "models: [{path: models/a, position: yarn}]\n", "s.yaml:1:37",
               "position must be a mapping"},
        Broken{"SameModelName", "models:\n  - path: models/a\n  - {path: models/b, name: a}\n",
               "s.yaml:3:5", "a second model is called 'a' (the first is at s.yaml:2:5)"},
        Broken{"SameTaskName",
               "models: [{path: models/a}]\ntasks:\n  - {name: t, kind: x}\n  - {name: t}\n",
               "s.yaml:4:5", "a second task is called 't'"},
        Broken{"NameWithSlash", "name: a/b\nmodels: [{path: models/a}]\n", "s.yaml:1:7",
               "without '/'"},
        Broken{"NameWithDelete", "name: \"a\\x7f\"\nmodels: [{path: models/a}]\n", "s.yaml:1:7",
               "without control characters"},
        Broken{"NameWithC1", "name: \"a\\x9b31mb\"\nmodels: [{path: models/a}]\n", "s.yaml:1:7",
               "without control characters"},
        Broken{"NoModel", "tasks: [{name: t, kind: x}]\n", "s.yaml:1:1", "at least one model"},
        Broken{"NoTask", kModelsOnly, "s.yaml:1:1", "at least one task"},
        Broken{"TaskWithoutName", "models: [{path: models/a}]\ntasks: [{kind: x}]\n", "s.yaml:2:9",
               "a task needs the key 'name'"},
        Broken{"TasksNoList", "models: [{path: models/a}]\ntasks: {name: t}\n", "s.yaml:2:8",
               "expected a list"},
        Broken{"TaskLength",
               "models: [{path: models/a}]\ntasks:\n  - name: t\n    lengths: [1.5]\n",
               "s.yaml:4:14", "found 1.5"},
        Broken{"MissingInclude", "models: [{path: models/a}]\ntasks: [{include: no.yaml}]\n",
               "s.yaml:2:19", "there is no file 'no.yaml'"},
        Broken{"NestedInclude",
               "models: [{path: models/a}]\ntasks: [{name: t, include: include.yaml}]\n",
               "include.yaml:2:10", "there is no file"},
        Broken{"IncludeOfAList",
               "models: [{path: models/a}]\ntasks: [{name: t, include: list.yaml}]\n", "list.yaml",
               "is not a mapping"},
        Broken{"UnknownReport", "report: {format: html}\n", "s.yaml:1:10", "unknown key 'format'"},
        Broken{"UnknownFormat", "report: {formats: [htm]}\n", "s.yaml:1:19",
               "unknown format 'htm' (did you mean 'html'?)"},
        Broken{"NotYaml", "models: [\n", "s.yaml:", "not valid YAML"},
        Broken{"NotAMapping", "- 1\n", "s.yaml:1:1", "must be a mapping"}),
    [](const testing::TestParamInfo<Broken>& test) { return std::string(test.param.what); });

TEST(Suite, AnIncludedTaskKeepsItsOwnPlacesAndFolder) {
  const SuiteFile file;
  std::filesystem::create_directories(file.path() / "tasks/data");
  file.write("tasks/arc.yaml",
             "name: arc\nkind: multiple_choice\ndata: data/arc.jsonl\nshots: 5\n");
  const Suite suite = file.read(
      "models: [{path: models/a}]\ntasks:\n  - include: tasks/arc.yaml\n    shots: 0\n"
      "  - include: tasks/arc.yaml\n    name: mine\n    data: my.jsonl\n");
  const Located& arc = suite.tasks[0].definition.parameters;
  EXPECT_EQ(suite.tasks[0].definition.name, "arc");
  EXPECT_EQ(arc.values(),
            nlohmann::json(
                {{"kind", "multiple_choice"}, {"data", "tasks/data/arc.jsonl"}, {"shots", 0}}));
  EXPECT_THAT(arc.where("/kind"), HasSubstr("tasks/arc.yaml:2:7"));
  EXPECT_THAT(arc.where("/shots"), HasSubstr("s.yaml:4:12"));
  EXPECT_EQ(suite.tasks[1].definition.name, "mine");
  EXPECT_EQ(suite.tasks[1].definition.parameters.values()["data"], "my.jsonl");
}

TEST(Suite, TheDataOfAnIncludedTaskStartsFromItsFolderInEitherForm) {
  const SuiteFile file;
  std::filesystem::create_directories(file.path() / "tasks");
  file.write("tasks/a.yaml", "name: a\ndata: {path: ../d/x.jsonl, field: text}\n");
  const Suite suite = file.read("models: [{path: models/a}]\ntasks: [{include: tasks/a.yaml}]\n");
  EXPECT_EQ(suite.tasks[0].definition.parameters.values()["data"]["path"], "d/x.jsonl");
}

TEST(Suite, FilesOfAHaystackAreRelativeToTheTaskFileThatNamesThem) {
  const SuiteFile file;
  std::filesystem::create_directories(file.path() / "tasks");
  file.write("tasks/a.yaml", "name: a\nhaystack: [one.txt, ../two.txt]\nwords: list.txt\n");
  const Suite suite = file.read("models: [{path: models/a}]\ntasks: [{include: tasks/a.yaml}]\n");
  const nlohmann::json& values = suite.tasks.at(0).definition.parameters.values();
  EXPECT_EQ(values.at("haystack"), nlohmann::json({"tasks/one.txt", "two.txt"}));
  EXPECT_EQ(values.at("words"), "tasks/list.txt");
}

TEST(Suite, SetReachesKeysIndicesAndNames) {
  const SuiteFile file;
  file.write("tok.json", "{}");
  const std::string absolute = (file.path() / "models/b").string();
  const Suite suite =
      file.read(kGood, {{"seed=9", "models.rope.path=" + absolute, "models.rope.position.factor=4",
                         "tasks.0.lengths=[128, 1k]", "tasks.choice.shots=3",
                         "models.1.name=llama-3.1", "models.llama-3.1.bos=always", "limit="},
                        {},
                        {}});
  EXPECT_EQ(suite.seed, 9U);
  EXPECT_EQ(suite.models[0].spec.folder, absolute);
  EXPECT_EQ(suite.models[0].spec.overrides.position["factor"], 4);
  EXPECT_THAT(suite.tasks[0].lengths, ElementsAre(128, 1024));
  EXPECT_EQ(suite.tasks[1].definition.parameters.values()["shots"], 3);
  EXPECT_EQ(suite.models[1].spec.name, "llama-3.1");
  EXPECT_EQ(suite.models[1].spec.bos, models::BosPolicy::kAlways) << "a name with a dot in it";
  EXPECT_FALSE(suite.subset.limit.has_value()) << "an empty value unsets";
  EXPECT_EQ(suite.config["seed"], 9) << "the merged suite is what the run records";
}

TEST(Suite, AnEmptySetTakesAnElementOutOfItsList) {
  const SuiteFile file;
  const Suite suite = file.read(kGood, {{"models.rope=", "tasks.choice="}, {}, {}});
  ASSERT_EQ(suite.models.size(), 1U);
  EXPECT_EQ(suite.models[0].spec.name, "b");
  ASSERT_EQ(suite.tasks.size(), 1U);
  EXPECT_EQ(suite.tasks[0].definition.name, "ppl");
  EXPECT_THAT(suite.models[0].place, HasSubstr("s.yaml:13:5")) << "places move up with the rest";
  EXPECT_EQ(file.read(kGood, {{"lengths.0="}, {}, {}}).config["lengths"].size(), 3U);
  EXPECT_THAT(file.message(kGood, {{"models.0=", "models.0="}, {}, {}}),
              HasSubstr("a suite needs at least one model"));
}

TEST(Suite, ATaskFileIsToldFromASuite) {
  const SuiteFile file;
  EXPECT_THAT(file.message("task: t\nkind: passkey\n"),
              testing::AllOf(HasSubstr("s.yaml: is a task file, no suite"),
                             HasSubstr("yardstick run --tasks s.yaml --model DIR")));
}

TEST(Suite, AFileGivenWithSetStartsFromTheCurrentFolder) {
  const SuiteFile file;
  const std::string message = file.message(kGood, {{"models.rope.path=elsewhere"}, {}, {}});
  EXPECT_THAT(message, testing::StartsWith("--set models.rope.path: path: there is no folder"));
  EXPECT_THAT(message, HasSubstr((std::filesystem::current_path() / "elsewhere").string()));
}

TEST(Suite, ASetThatLeadsNowhereSaysWhere) {
  const SuiteFile file;
  const auto message = [&](const std::string& set) { return file.message(kGood, {{set}, {}, {}}); };
  EXPECT_THAT(message("models.ropy.path=x"), HasSubstr("no element is called 'ropy' (did you mean "
                                                       "'rope'?); names: rope"));
  EXPECT_THAT(message("models.7.path=x"), HasSubstr("there is no element 7 in a list of 2"));
  EXPECT_THAT(message("seed.x=1"), HasSubstr("'seed' is a single value"));
  EXPECT_THAT(message("seed"), HasSubstr("expected key=value"));
  EXPECT_THAT(message("sead=1"), HasSubstr("--set sead: unknown key 'sead' in a suite (did you "
                                           "mean 'seed'?)"));
  EXPECT_THAT(message("seed=[1"), HasSubstr("--set seed:1:"));
}

TEST(Suite, TheCommandLineWinsOverTheFile) {
  const SuiteFile file;
  const Suite suite = file.read(
      kGood, {.set = {}, .devices = {"cpu", "cpu:3"}, .subset = tasks::Subset{.limit = 4}});
  EXPECT_EQ(suite.subset.limit, 4);
  ASSERT_EQ(suite.devices.size(), 2U);
  EXPECT_EQ(suite.devices[1], (DeviceSlot{"cpu", 3}));
  EXPECT_THAT(file.message(kGood, {{}, {"tpu"}, {}}), testing::StartsWith("--devices: devices:"));
}

TEST(Device, CpuSlotsShareTheProcessors) {
  const std::vector<std::string> two = {"cpu", "cpu", "cuda"};
  EXPECT_THAT(parse_devices(two, 0, 8, "s"),
              ElementsAre(DeviceSlot{"cpu", 4}, DeviceSlot{"cpu", 4}, DeviceSlot{"cuda", 1}));
  EXPECT_THAT(parse_devices(two, 3, 8, "s"),
              ElementsAre(DeviceSlot{"cpu", 3}, DeviceSlot{"cpu", 3}, DeviceSlot{"cuda", 1}));
  EXPECT_EQ(parse_devices(two, 0, 1, "s")[0].threads, 1);
}

}  // namespace
}  // namespace yardstick::harness
