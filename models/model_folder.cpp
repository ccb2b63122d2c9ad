#include "models/model_folder.hpp"

#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/home_path.hpp"
#include "core/json.hpp"
#include "core/yaml.hpp"
#include "models/arch/registry.hpp"
#include "models/arch/tensor_names.hpp"
#include "models/checkpoint/containers.hpp"
#include "models/checkpoint/gguf.hpp"
#include "models/special_tokens.hpp"
#include "models/text_codec.hpp"
#include "models/unwrap.hpp"

namespace yardstick::models {
namespace {

namespace fs = std::filesystem;

/// Where the models of a hub cache's folder are: models--org--name/snapshots/<revision>.
void refuse_cache_root(const fs::path& folder) {
  std::error_code ignored;
  const fs::path snapshots = folder / "snapshots";
  if (!fs::is_directory(snapshots, ignored)) return;
  std::string found;
  for (const fs::directory_entry& entry : fs::directory_iterator(snapshots, ignored))
    found += (found.empty() ? "" : ", ") + entry.path().string();
  throw Error(ErrorKind::kModel,
              fmt::format("{}: is the folder of a model in a hub cache; name its snapshot: {}",
                          folder.string(), found.empty() ? "it has none, download it" : found));
}

ConfigSource read_config_file(const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("{}: {}; expected a folder with config.json or config.yaml and weights, or a "
                    ".gguf file",
                    folder.string(), fs::exists(folder) ? "is no folder" : "no such model folder"));
  }
  const fs::path json = folder / "config.json";
  if (is_present(json)) return {.values = read_json(json), .file = json.string()};
  const fs::path yaml = folder / "config.yaml";
  if (is_present(yaml)) return {.values = read_yaml(yaml).values(), .file = yaml.string()};
  refuse_cache_root(folder);
  throw Error(ErrorKind::kModel,
              fmt::format("{}: found neither config.json (Hugging Face) nor config.yaml (OLMo); is "
                          "this a model folder?",
                          folder.string()));
}

bool is_gguf_file(const fs::path& path) {
  std::error_code ignored;
  return path.extension() == ".gguf" && fs::is_regular_file(path, ignored);
}

/// What each layer's encoding takes from the checkpoint; empty if none takes anything.
std::vector<position::LayerParameters> read_parameters(const std::vector<TensorSlot>& slots,
                                                       const checkpoint::TensorSource& source,
                                                       std::int64_t layer_count) {
  std::vector<position::LayerParameters> layers;
  for (const TensorSlot& slot : slots) {
    const LayerName name = split_layer(slot.name);
    constexpr std::string_view kPosition = "position.";
    const bool is_fope = name.rest.starts_with("fope.");
    if (name.layer < 0 || (!is_fope && !name.rest.starts_with(kPosition))) continue;
    layers.resize(static_cast<std::size_t>(layer_count));
    position::LayerParameters& layer = layers[static_cast<std::size_t>(name.layer)];
    std::vector<float> values = to_floats(*find_tensor(source, slot.source));
    if (!is_fope) {
      layer.tensors.emplace(name.rest.substr(kPosition.size()), std::move(values));
    } else {
      (name.rest == "fope.cos_coef" ? layer.cos : layer.sin) = std::move(values);
    }
  }
  return layers;
}

std::int64_t element_count(const TensorSlot& slot) {
  std::int64_t count = 1;
  for (const std::int64_t dim : slot.shape) count *= dim;
  return count;
}

/// The object of the configuration that holds bos_token_id and eos_token_id.
const nlohmann::json& token_section(const ConfigSource& config) {
  const auto model = config.values.find("model");
  return model != config.values.end() && model->is_object() ? *model : config.values;
}

}  // namespace

struct ModelFolder::State {
  ModelSpec spec;
  const Architecture* architecture = nullptr;
  std::unique_ptr<checkpoint::TensorSource> tensors;
  DecoderConfig config;
  std::vector<TensorSlot> slots;
  std::unique_ptr<const position::Encoding> encoding;
  fs::path tokenizer_place;  ///< file or folder it is read from; empty if inside a GGUF file
  std::unique_ptr<const tokenizer::Tokenizer> tokenizer;
  BosDecision bos;
  std::optional<TokenId> end_of_text;
  GenerationEnds ends;
  std::unique_ptr<const TextCodec> codec;
  std::vector<std::string> notes;
  std::once_flag hashed;
  std::string fingerprint;

  void open_folder();
  void open_gguf();
  void read_weights(const ConfigSource& source);
  void find_tokenizer();
  void find_gguf_tokenizer(checkpoint::GgufTokenizer inside);
  void decide_tokens(const ConfigSource& source, nlohmann::json generation);
  void hash();
};

void ModelFolder::State::open_folder() {
  ConfigSource source = read_config_file(spec.folder);
  ModelPart part = ModelPart::kWhole;
  if (std::optional<ConfigSource> text = text_model(source)) {
    source = *std::move(text);
    part = ModelPart::kText;
  }
  architecture = &choose_architecture(source);
  Unwrapped weights = unwrap(checkpoint::open_folder(spec.folder), part);
  tensors = std::move(weights.tensors);
  notes = std::move(weights.notes);
  read_weights(source);
  find_tokenizer();
  const fs::path generation = spec.folder / "generation_config.json";
  decide_tokens(source, is_present(generation) ? read_json(generation) : nlohmann::json());
}

void ModelFolder::State::open_gguf() {
  checkpoint::GgufModel model = checkpoint::open_gguf(spec.folder);
  const ConfigSource source{.values = std::move(model.config), .file = spec.folder.string()};
  architecture = &choose_architecture(source);
  tensors = std::move(model.tensors);
  read_weights(source);
  find_gguf_tokenizer(std::move(model.tokenizer));
  decide_tokens(source, std::move(model.generation));
}

void ModelFolder::State::read_weights(const ConfigSource& source) {
  config = architecture->read_config(source, spec.overrides, *tensors);
  slots = architecture->slots(config, *tensors);
  check_tensors(*architecture, slots, *tensors);
  try {
    encoding = position::make_layered_encoding(config.position, config.layer_plans,
                                               read_parameters(slots, *tensors, config.layers));
  } catch (const Error& error) {
    throw error.within(source.file);
  }
}

void ModelFolder::State::find_tokenizer() {
  const std::optional<fs::path> file =
      spec.tokenizer ? spec.tokenizer : tokenizer::find_tokenizer(spec.folder);
  tokenizer_place = file.value_or(spec.folder / "tokenizer.json");
  if (file) tokenizer = tokenizer::open_tokenizer(*file);
}

void ModelFolder::State::find_gguf_tokenizer(checkpoint::GgufTokenizer inside) {
  const fs::path folder = spec.folder.parent_path();
  const std::optional<fs::path> beside = tokenizer::find_tokenizer(folder);
  if (spec.tokenizer || (inside.tree.is_null() && beside)) {
    tokenizer_place = spec.tokenizer ? *spec.tokenizer : *beside;
    tokenizer = tokenizer::open_tokenizer(tokenizer_place);
  } else if (!inside.tree.is_null()) {
    tokenizer = tokenizer::make_tokenizer(std::move(inside.tree), spec.folder);
  } else if (!inside.refusal.empty()) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}; put the model's tokenizer.json beside the file, "
                            "or name one with 'tokenizer:'",
                            inside.refusal));
  }
}

void ModelFolder::State::decide_tokens(const ConfigSource& source, nlohmann::json generation) {
  if (tokenizer && tokenizer->model_size() > config.vocabulary) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: has token ids up to {}, but the model's embedding has {} rows; is "
                            "it another model's tokenizer?",
                            tokenizer->files().front().string(), tokenizer->model_size() - 1,
                            config.vocabulary));
  }
  TokenDeclarations declared{.model = token_section(source),
                             .model_file = fs::path(source.file).filename().string(),
                             .generation = std::move(generation),
                             .generation_file = is_gguf_file(spec.folder)
                                                    ? spec.folder.filename().string()
                                                    : "generation_config.json",
                             .tokenizer = tokenizer.get(),
                             .vocabulary = config.vocabulary};
  if (!tokenizer_place.empty()) {
    read_token_files(
        fs::is_directory(tokenizer_place) ? tokenizer_place : tokenizer_place.parent_path(),
        declared);
  }
  try {
    bos = decide_bos(spec.bos, declared);
    end_of_text = models::end_of_text(declared);
    ends = decide_generation_ends(declared);
  } catch (const Error& error) {
    throw error.within(spec.folder.string());
  }
  if (tokenizer) {
    const std::vector<std::string> said = tokenizer->notes();
    notes.insert(notes.end(), said.begin(), said.end());
  }
  if (!bos.note.empty()) notes.push_back(bos.note);
  notes.insert(notes.end(), ends.notes.begin(), ends.notes.end());
  codec = make_codec({.tokenizer = tokenizer.get(),
                      .folder = spec.folder.string(),
                      .bos = bos.id,
                      .end_of_text = end_of_text,
                      .end_of_generation = ends.ids,
                      .vocabulary = config.vocabulary});
}

void ModelFolder::State::hash() {
  Fingerprint print;
  print.add("kind", "model folder 1");
  describe(config, print);
  print.add("bos", static_cast<std::int64_t>(bos.id.value_or(-1)));
  print.add("end_of_text", static_cast<std::int64_t>(end_of_text.value_or(-1)));
  for (const TokenId id : ends.ids) {
    print.add("end_of_generation", static_cast<std::int64_t>(id));
  }
  if (tokenizer && !tokenizer_place.empty()) {  // one inside a GGUF file is among the weights
    for (const fs::path& file : tokenizer->files()) print.add("tokenizer", sha256_file(file));
  }
  for (const std::string& file : tensors->files()) print.add("weights", sha256_file(file));
  fingerprint = print.hex();
}

ModelFolder::ModelFolder(ModelSpec spec) : state_(std::make_unique<State>()) {
  state_->spec = std::move(spec);
  if (state_->spec.name.empty()) {
    const fs::path folder = fs::absolute(state_->spec.folder).lexically_normal();
    const bool ends_in_slash = folder.filename().empty();
    const fs::path named = ends_in_slash ? folder.parent_path() : folder;
    state_->spec.name = (is_gguf_file(named) ? named.stem() : named.filename()).string();
  }
  if (is_gguf_file(state_->spec.folder)) {
    state_->open_gguf();
  } else {
    state_->open_folder();
  }
}

ModelFolder::~ModelFolder() = default;
ModelFolder::ModelFolder(ModelFolder&&) noexcept = default;
ModelFolder& ModelFolder::operator=(ModelFolder&&) noexcept = default;

const ModelSpec& ModelFolder::spec() const { return state_->spec; }
const DecoderConfig& ModelFolder::config() const { return state_->config; }
const Architecture& ModelFolder::architecture() const { return *state_->architecture; }
const std::vector<TensorSlot>& ModelFolder::slots() const { return state_->slots; }
const checkpoint::TensorSource& ModelFolder::tensors() const { return *state_->tensors; }
const position::Encoding& ModelFolder::encoding() const { return *state_->encoding; }
const tokenizer::Tokenizer* ModelFolder::tokenizer() const { return state_->tokenizer.get(); }
const BosDecision& ModelFolder::bos() const { return state_->bos; }
const GenerationEnds& ModelFolder::generation_ends() const { return state_->ends; }
const std::vector<std::string>& ModelFolder::notes() const { return state_->notes; }
const TextCodec& ModelFolder::codec() const { return *state_->codec; }

std::int64_t ModelFolder::parameter_count() const {
  std::int64_t count = 0;
  for (const TensorSlot& slot : state_->slots) count += element_count(slot);
  return count;
}

std::string ModelFolder::weight_dtypes() const {
  std::set<std::string_view> names;
  for (const TensorSlot& slot : state_->slots) {
    const checkpoint::TensorView* const view = find_tensor(*state_->tensors, slot.source);
    names.insert(to_string(view->dtype));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

const std::string& ModelFolder::fingerprint() const {
  std::call_once(state_->hashed, [this] { state_->hash(); });
  return state_->fingerprint;
}

}  // namespace yardstick::models
