// What runs on the CPU beside a model: tokenising real text, and building 32k-token needle prompts.
// Real tokenizers and text are not the project's to ship: they are looked for in ../shared (or
// YARDSTICK_SHARED), and a benchmark without them says so.
#include <cctype>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

#include "core/file.hpp"
#include "core/yaml.hpp"
#include "models/text_codec.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "tasks/task.hpp"

namespace yardstick::bench {
namespace {

constexpr std::size_t kTextBytes = 10'000'000;
constexpr std::int64_t kLengthTokens = 32768;

std::filesystem::path shared_data() {
  const char* const variable = std::getenv("YARDSTICK_SHARED");
  return std::filesystem::path(variable == nullptr ? "../shared" : variable) / "data";
}

/// `text` again and again, to kTextBytes; cut at a line end.
std::string ten_megabytes(const std::filesystem::path& file) {
  const std::string once = read_file(file);
  std::string text;
  while (text.size() < kTextBytes) text += once;
  return text;
}

/// One word of a megabyte: the letters of `text` without anything between them.
std::string one_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) word += c;
    if (word.size() == 1'000'000) break;
  }
  return word;
}

/// Runs `body` with the named tokenizer, or skips the benchmark with the reason.
template <typename Body>
void with_tokenizer(benchmark::State& state, const char* name, const Body& body) {
  try {
    const auto tokenizer = tokenizer::open_tokenizer(shared_data() / "tokenizers" / name);
    body(*tokenizer);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

enum class Words { kAsWritten, kOne };

void tokenize(benchmark::State& state, const char* name, const char* file,
              Words words = Words::kAsWritten) {
  with_tokenizer(state, name, [&](const tokenizer::Tokenizer& tokenizer) {
    std::string text = ten_megabytes(shared_data() / "text" / file);
    if (words == Words::kOne) text = one_word(text);
    std::size_t tokens = 0;
    for (auto _ : state) tokens = tokenizer.encode(text).size();
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
    state.counters["tokens"] = static_cast<double>(tokens);
  });
}
constexpr const char* kProse = "pg2701-moby-dick.txt";
constexpr const char* kJapanese = "ja-wagahai-wa-neko-de-aru.txt";
BENCHMARK_CAPTURE(tokenize, gpt2_byte_level, "gpt2", kProse)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tokenize, neox_byte_level, "gpt-neox-20b", kProse)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tokenize, llama2_sentencepiece, "llama2", kProse)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tokenize, llama3_ranks, "llama3", kProse)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tokenize, llama2_model, "llama2/tokenizer.model", kProse)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tokenize, unigram_model, "sentencepiece-1k/test_model.model", kProse)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tokenize, gpt2_one_word, "gpt2", kProse, Words::kOne)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tokenize, llama2_one_word, "llama2/tokenizer.model", kProse, Words::kOne)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tokenize, unigram_one_word, "sentencepiece-1k/test_model.model", kProse,
                  Words::kOne)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tokenize, gpt2_japanese, "gpt2", kJapanese)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tokenize, llama2_japanese, "llama2", kJapanese)->Unit(benchmark::kMillisecond);

/// range(0) prompts on range(1) threads.
void passkey(benchmark::State& state, const char* name) {
  with_tokenizer(state, name, [&](const tokenizer::Tokenizer& tokenizer) {
    const auto codec =
        models::make_codec({.tokenizer = &tokenizer, .bos = 1, .vocabulary = tokenizer.size()});
    const auto task = tasks::make_task(
        {.name = "passkey",
         .parameters = parse_yaml("kind: passkey\nplacement: uniform\nsamples: 1000000\n", "bench"),
         .base = "."});
    const std::vector<std::int64_t> lengths = {kLengthTokens};
    const tasks::CellAxes cell = task->cells(lengths).front();
    tbb::task_arena arena(static_cast<int>(state.range(1)));
    std::int64_t built = 0;
    for (auto _ : state) {
      arena.execute([&] {
        built += std::ssize(
            task->build(cell, {.codec = *codec, .seed = 1, .subset = {.limit = state.range(0)}})
                .samples);
      });
    }
    state.SetItemsProcessed(built);
  });
}
BENCHMARK_CAPTURE(passkey, gpt2_byte_level, "gpt2")
    ->ArgNames({"prompts", "threads"})
    ->Args({32, 1})
    ->Args({32, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(passkey, llama2_sentencepiece, "llama2")
    ->ArgNames({"prompts", "threads"})
    ->Args({32, 1})
    ->Args({32, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace yardstick::bench
