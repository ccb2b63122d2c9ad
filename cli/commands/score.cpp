// `yardstick score`: the loss of every token of given token ids, one JSON line a sequence, and the
// logits as .npy on request.
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/open_model.hpp"
#include "core/error.hpp"
#include "core/npy.hpp"
#include "models/backend.hpp"
#include "models/model_folder.hpp"
#include "models/reference/token_lists.hpp"

namespace yardstick::cli {
namespace {

/// The result line; a sequence without scored tokens has no perplexity.
nlohmann::ordered_json result_line(std::size_t tokens, const Response& response) {
  nlohmann::ordered_json line = {{"tokens", tokens}, {"scored", response.nll.size()}};
  if (response.status == ResponseStatus::kNonFinite) {
    line["sum_nll"] = nullptr;
    line["nll"] = nullptr;
    line["perplexity"] = nullptr;
    line["status"] = "non-finite";
    return line;
  }
  double sum = 0;
  for (const double nll : response.nll) sum += nll;
  line["sum_nll"] = sum;
  line["nll"] = response.nll;
  if (response.nll.empty()) {
    line["perplexity"] = nullptr;
  } else {
    line["perplexity"] = std::exp(sum / static_cast<double>(response.nll.size()));
  }
  return line;
}

void write_logits(models::Engine& engine, std::span<const TokenId> tokens, std::int64_t vocabulary,
                  const std::filesystem::path& file) {
  NpyWriter writer(file, std::ssize(tokens), vocabulary);
  engine.logits(tokens, [&](std::int64_t, std::span<const float> rows) { writer.append(rows); });
  writer.finish();
}

}  // namespace

int score(const ScoreOptions& options) {
  const models::TokenLists sequences = models::read_token_lists(options.tokens);
  if (options.logits && sequences.size() != 1) {
    throw Error(ErrorKind::kConfig,
                fmt::format("--logits writes the logits of one sequence, but {} has {}",
                            options.tokens.string(), sequences.size()));
  }
  const models::EngineOptions engine_options{.device = options.device,
                                             .dtype = models::parse_compute_type(options.dtype),
                                             .threads = options.threads};
  const models::ModelFolder folder = open_model(options.model, options.position);
  const std::unique_ptr<models::Engine> engine =
      models::load_backend().load(folder, engine_options);
  std::vector<Request> requests;
  for (const std::vector<TokenId>& tokens : sequences)
    requests.push_back({.tokens = tokens, .score_from = 1});
  const std::vector<Response> responses = engine->respond(requests, {});
  int status = kDone;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    fmt::print("{}\n", result_line(sequences[i].size(), responses[i]).dump());
    if (responses[i].status != ResponseStatus::kOk) status = kSomeFailed;
  }
  if (options.logits) {
    write_logits(*engine, sequences.front(), folder.config().vocabulary, *options.logits);
  }
  if (options.profile == ShowProfile::kYes) print_profile(engine->profile());
  return status;
}

}  // namespace yardstick::cli
