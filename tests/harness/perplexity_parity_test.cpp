// llama-perplexity's two protocols on a real model, through the engine: its printed results for
// stories260K (shared/models/stories260K/reference.json, float32 cache) to 1e-4.
#include <atomic>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/json.hpp"
#include "harness/scheduler/run_suite.hpp"
#include "tests/harness/database_text.hpp"
#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

using test::query;

class PerplexityParity : public testing::Test {
 protected:
  void SetUp() override {
    YARDSTICK_SKIP_WITHOUT_SHARED();
    ::setenv("YARDSTICK_BACKEND", YARDSTICK_TEST_BACKEND, 1);
    model_ = std::filesystem::absolute(yardstick::test::shared_path("models/stories260K")).string();
    reference_ = read_json(model_ + "/reference.json");
  }

  /// Runs one task of these keys over the reference's text, and gives its database.
  std::filesystem::path run(const std::string& keys, std::int64_t length) {
    const std::filesystem::path suite = folder_ / "suite.yaml";
    const std::filesystem::path database = folder_ / fmt::format("r{}.db", runs_++);
    write_file_atomically(suite, fmt::format("name: parity\n"
                                             "models: [{{name: stories, path: {0}}}]\n"
                                             "lengths: [{1}]\n"
                                             "devices: ['cpu:1']\n"
                                             "tasks:\n"
                                             "  - {{name: t, kind: perplexity, {2}, "
                                             "data: {0}/wp100k.txt}}\n",
                                             model_, length, keys));
    const OpenedSuite opened = open_suite(read_suite(suite, {}), FolderModels(), tasks::make_task);
    RunSettings settings;
    settings.database = database;
    settings.run = {"parity", "yardstick run", "0", "cpu", "{}"};
    settings.chunk = chunk_limits(opened.suite);
    settings.stop = &stop_;
    settings.warn = [](const std::string&) {};
    const RunResult result = run_suite(opened, make_plan(opened), settings);
    EXPECT_EQ(result.left, 0);
    return database;
  }

  double perplexity(const std::string& keys, std::int64_t length) {
    return std::stod(
        query(run(keys, length), "SELECT value FROM results WHERE metric = 'perplexity'"));
  }

  yardstick::test::TemporaryFolder folder_;
  std::string model_;
  nlohmann::json reference_;
  std::atomic<bool> stop_{false};
  int runs_ = 0;
};

// 32 windows of 512, 16 of 1024: the text's first 16,383 tokens behind the BOS of tokenising.
TEST_F(PerplexityParity, TheSecondHalfOfWindowsIsLlamaCpps) {
  const nlohmann::json& printed = reference_.at("llama_perplexity");
  const auto of_512 = printed.at("n_ctx 512, 32 chunks").get<double>();
  EXPECT_NEAR(perplexity("protocol: llama.cpp, max_tokens: 16383", 512), of_512, 1e-4 * of_512);
  const auto of_1024 = printed.at("n_ctx 1024, 16 chunks").get<double>();
  EXPECT_NEAR(perplexity("protocol: llama.cpp, max_tokens: 16383", 1024), of_1024, 1e-4 * of_1024);
}

// -c 512 --ppl-stride 256: the estimates that it prints after one, two and three windows (with a
// BOS before the second, that one would be 49.9784), and the last of eight. n tokens with the BOS
// make ceil((n - 640) / 256) windows.
TEST_F(PerplexityParity, TheStridedFormIsLlamaCpps) {
  const auto last = reference_.at("llama_perplexity")
                        .at("stride: -c 512 --ppl-stride 256, 8 chunks")
                        .get<double>();
  const std::vector<std::pair<int, double>> printed = {
      {800, 51.7686}, {1100, 50.4517}, {1300, 51.3218}, {2600, last}};
  for (const auto& [tokens, expected] : printed) {
    const std::string keys =
        fmt::format("protocol: llama.cpp-strided, stride: 256, max_tokens: {}", tokens);
    EXPECT_NEAR(perplexity(keys, 512), expected, 1e-4 * expected) << tokens;
  }
}

// The float64 losses of the first 1024 tokens, BOS first; float32's own error is 2e-4 at most.
TEST_F(PerplexityParity, TheLossAtEveryIndexIsTheReferences) {
  const auto expected = reference_.at("nll").get<std::vector<double>>();
  const std::filesystem::path database =
      run("protocol: nested, positions: every, max_tokens: 1023", 1024);
  std::istringstream rows(query(database, "SELECT sum_nll FROM position_loss ORDER BY first"));
  std::string row;
  std::size_t index = 0;
  for (; std::getline(rows, row) && index < expected.size(); ++index)
    ASSERT_NEAR(std::stod(row), expected[index], 2e-4) << "token " << index + 1;
  EXPECT_EQ(index, expected.size());
  const auto all = reference_.at("ppl_all").get<double>();
  EXPECT_NEAR(std::stod(query(database, "SELECT value FROM results WHERE metric = 'perplexity'")),
              all, 1e-4 * all);
}

}  // namespace
}  // namespace yardstick::harness
