// Puts device, weights, decoder and engine together.
#include "models/engine/load_engine.hpp"

#include <algorithm>

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "models/engine/device.hpp"
#include "models/engine/load_weights.hpp"
#include "models/engine/torch_engine.hpp"
#include "models/kernels/vector_level.hpp"

namespace yardstick::models {
namespace {

void check_options(const EngineOptions& options) {
  if (options.threads < 1 || options.batch_tokens < 1 || options.attention_tile_tokens < 1) {
    throw Error(ErrorKind::kConfig,
                fmt::format("engine options: threads {}, batch_tokens {}, attention_tile_tokens "
                            "{}; each must be at least 1",
                            options.threads, options.batch_tokens, options.attention_tile_tokens));
  }
}

/// Ids that may be generated: those the tokenizer can turn into text, or all without one.
std::int64_t generatable_ids(const ModelFolder& folder) {
  const std::int64_t vocabulary = folder.config().vocabulary;
  if (folder.tokenizer() == nullptr) return vocabulary;
  return std::min(folder.tokenizer()->size(), vocabulary);
}

}  // namespace

std::unique_ptr<Engine> load_engine(const ModelFolder& folder, const EngineOptions& options) {
  check_options(options);
  set_compute_threads(options.threads);
  const c10::InferenceMode inference;
  const c10::Device device = parse_device(options.device);
  // A wrong YARDSTICK_ISA is said here, before weights are read and threads begin.
  if (device.is_cpu()) static_cast<void>(kernels::vector_level());
  // The folder outlives the engine, so the shared pointer owns nothing.
  const std::shared_ptr<const position::Encoding> encoding(std::shared_ptr<void>(),
                                                           &folder.encoding());
  WeightLoader loader(folder);
  Decoder decoder(folder.config(), loader.load(device, scalar_type(options.dtype)), encoding,
                  {.attention_tile_tokens = options.attention_tile_tokens,
                   .on_packed = [&](const std::string& name) { loader.release(name); }});
  folder.tensors().check_whole();
  return make_engine({.decoder = std::move(decoder),
                      .encoding = encoding,
                      .device = device,
                      .options = options,
                      .loss = {.generatable_ids = generatable_ids(folder)}});
}

}  // namespace yardstick::models
