#include "tests/models/golden/golden_models.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "core/npy.hpp"
#include "models/engine/load_engine.hpp"
#include "models/model_folder.hpp"
#include "models/reference/token_lists.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

namespace fs = std::filesystem;

/// Tokens whose logits are stored, one row a token.
struct StoredLogits {
  std::vector<TokenId> tokens;
  std::vector<float> logits;
};

/// hf_transformers: sequences in one file, their logits below each other in another.
std::vector<StoredLogits> read_sequences(const fs::path& folder) {
  const std::vector<float> logits = NpyArray(folder / "logits.npy").floats();
  const models::TokenLists sequences = models::read_token_lists(folder / "tokens.json");
  std::size_t rows = 0;
  for (const auto& sequence : sequences) rows += sequence.size();
  const std::size_t width = logits.size() / rows;
  std::vector<StoredLogits> out;
  auto from = logits.begin();
  for (const std::vector<TokenId>& sequence : sequences) {
    const auto to = from + static_cast<std::ptrdiff_t>(sequence.size() * width);
    out.push_back({sequence, {from, to}});
    from = to;
  }
  return out;
}

/// The others: one sequence, and for methods that depend on the length some beginnings of it.
std::vector<StoredLogits> read_beginnings(const fs::path& folder) {
  const std::vector<TokenId> tokens = models::read_token_lists(folder / "input_ids.npy").front();
  std::vector<StoredLogits> out = {{tokens, NpyArray(folder / "logits.npy").floats()}};
  for (std::size_t length = 1; length < tokens.size(); ++length) {
    const fs::path shorter = folder / ("logits_T" + std::to_string(length) + ".npy");
    if (!fs::exists(shorter)) continue;
    const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(length);
    out.push_back({{tokens.begin(), end}, NpyArray(shorter).floats()});
  }
  return out;
}

double worst_difference(models::Engine& engine, const StoredLogits& stored) {
  const std::size_t width = stored.logits.size() / stored.tokens.size();
  double worst = 0;
  std::size_t seen = 0;
  engine.logits(stored.tokens, [&](std::int64_t first, std::span<const float> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double found = double(rows[i]);
      const double wanted = double(stored.logits.at(static_cast<std::size_t>(first) * width + i));
      worst = std::max(worst, std::isfinite(found) ? std::abs(found - wanted) : 1e30);
    }
    seen += rows.size();
  });
  return seen == stored.logits.size() ? worst : 1e30;
}

}  // namespace

std::vector<GoldenModel> golden_models() {
  constexpr std::array<std::pair<const char*, double>, 3> kFamilies = {
      {{"olmo_fope", 2e-4}, {"hf", 2e-4}, {"hf_transformers", 1e-4}}};
  std::vector<GoldenModel> models;
  for (const auto& [family, tolerance] : kFamilies) {
    const fs::path root = shared_path(std::string("golden/") + family);
    if (!fs::exists(root)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
      if (entry.is_directory()) models.push_back({entry.path(), family, tolerance});
    }
  }
  std::ranges::sort(models, {}, &GoldenModel::folder);
  return models;
}

std::string name_of(const GoldenModel& model) {
  return model.family + "_" + model.folder.filename().string();
}

GoldenResult compare(const GoldenModel& golden) {
  models::ModelSpec spec;
  spec.folder = golden.folder;
  const models::ModelFolder model(std::move(spec));
  const auto engine = models::load_engine(model, {});
  const bool has_sequences = fs::exists(golden.folder / "tokens.json");
  GoldenResult result{.architecture = std::string(model.architecture().name())};
  for (const StoredLogits& stored :
       has_sequences ? read_sequences(golden.folder) : read_beginnings(golden.folder)) {
    result.worst = std::max(result.worst, worst_difference(*engine, stored));
    result.logits += std::ssize(stored.logits);
  }
  return result;
}

}  // namespace yardstick::test
