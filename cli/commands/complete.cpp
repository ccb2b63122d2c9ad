// `yardstick complete`: the continuation of one prompt, greedy or sampled, as one JSON line.
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/open_model.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "models/backend.hpp"
#include "models/model_folder.hpp"

namespace yardstick::cli {
namespace {

Sampling sampling_of(const CompleteOptions& options) {
  const auto refuse = [&](std::string_view flag) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{} has no effect on a greedy completion; add --temp, for example "
                            "--temp 0.8, or remove it",
                            flag));
  };
  if (!options.temperature && options.top_k) refuse("--top-k");
  if (!options.temperature && options.top_p) refuse("--top-p");
  if (!options.temperature && options.seed) refuse("--seed");
  Sampling sampling;
  sampling.temperature = options.temperature.value_or(sampling.temperature);
  sampling.top_k = options.top_k.value_or(sampling.top_k);
  sampling.top_p = options.top_p.value_or(sampling.top_p);
  sampling.seed = options.seed.value_or(sampling.seed);
  return sampling;
}

Request request_of(const CompleteOptions& options, const TextCodec& codec) {
  Request request{.tokens = codec.window_prefix(), .max_new_tokens = options.max_new_tokens};
  const std::vector<TokenId> prompt = codec.encode(options.prompt);
  const bool brings_bos =
      !prompt.empty() && !request.tokens.empty() && prompt.front() == request.tokens.back();
  if (brings_bos) request.tokens.pop_back();
  request.tokens.insert(request.tokens.end(), prompt.begin(), prompt.end());
  request.score_from = std::ssize(request.tokens);
  request.stop_tokens = codec.end_of_generation();
  request.sampling = sampling_of(options);
  return request;
}

/// Why a completion ended: at a stop token, or with all new tokens that it may have.
std::string_view finish_of(const Request& request, const Response& response) {
  return std::ssize(response.generated) < request.max_new_tokens ? "stop" : "length";
}

}  // namespace

int complete(const CompleteOptions& options) {
  const models::EngineOptions engine_options{.device = options.device,
                                             .dtype = models::parse_compute_type(options.dtype),
                                             .threads = options.threads};
  const models::ModelFolder folder = open_model(options.model, options.position, options.bos);
  const Request request = request_of(options, folder.codec());
  if (request.tokens.empty()) {
    throw Error(ErrorKind::kData,
                "--prompt is empty and this model puts no BOS token in front of a text; give at "
                "least one character");
  }
  const std::unique_ptr<models::Engine> engine =
      models::load_backend().load(folder, engine_options);
  const Response response = engine->respond({&request, 1}, {}).front();
  nlohmann::ordered_json line = {{"prompt_tokens", request.tokens.size()},
                                 {"text", folder.codec().decode(response.generated)},
                                 {"ids", response.generated},
                                 {"nll", response.generated_nll}};
  if (response.status == ResponseStatus::kOk) {
    line["finish"] = finish_of(request, response);
  } else {
    line["status"] = "non-finite";
  }
  fmt::print("{}\n", escaped(line.dump()));
  return response.status == ResponseStatus::kOk ? kDone : kSomeFailed;
}

}  // namespace yardstick::cli
