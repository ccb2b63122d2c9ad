// Reading of a training YAML.
#include "models/train/config.hpp"

#include <array>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/fields.hpp"
#include "core/yaml.hpp"
#include "models/position/encoding.hpp"
#include "models/position/frequencies.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "models/train/small_world/tokenizer_json.hpp"

namespace yardstick::models {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostDims = 1 << 16;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 40;

using DataWord = std::pair<std::string_view, TrainData::Kind>;
constexpr std::array<DataWord, 2> kDataWords = {
    {{"small_world", TrainData::Kind::kSmallWorld}, {"text_file", TrainData::Kind::kTextFile}}};

using EncodingWord = std::pair<std::string_view, position::Kind>;
constexpr std::array<EncodingWord, 4> kEncodingWords = {{{"rope", position::Kind::kRope},
                                                         {"alibi", position::Kind::kAlibi},
                                                         {"fope", position::Kind::kFope},
                                                         {"none", position::Kind::kNone}}};

using HeadWord = std::pair<std::string_view, Head>;
constexpr std::array<HeadWord, 2> kHeadWords = {
    {{"tied", Head::kTied}, {"separate", Head::kSeparate}}};

using ZeroWord = std::pair<std::string_view, position::ZeroPairs>;
constexpr std::array<ZeroWord, 2> kZeroWords = {{{"one_one", position::ZeroPairs::kCosOneSinOne},
                                                 {"paper", position::ZeroPairs::kCosOneSinZero}}};

/// A path as written is relative to the configuration's folder.
fs::path path_beside(const fs::path& config, const std::string& written) {
  return (config.parent_path() / written).lexically_normal();
}

TrainData read_data(Fields& root, const fs::path& file) {
  TrainData data;
  if (!root.has("data")) return data;
  Fields fields(root.located(), root.pointer("data"), "the data");
  data.kind = fields.choice<TrainData::Kind>("kind", data.kind, kDataWords);
  if (data.kind == TrainData::Kind::kTextFile) {
    data.text_file = path_beside(file, fields.text("file"));
    data.tokenizer = path_beside(file, fields.text("tokenizer"));
    if (data.tokenizer.extension() != ".json")  // it is copied into every model's folder
      throw fields.error("tokenizer", "expected a tokenizer.json");
  }
  fields.finish();
  return data;
}

/// A sub-object that has to be there.
Fields section(Fields& root, std::string_view key) {
  if (!root.has(key)) throw root.error(key, "missing; expected an object");
  return {root.located(), root.pointer(key), fmt::format("'{}'", key)};
}

DecoderConfig read_decoder(Fields& root) {
  Fields fields = section(root, "decoder");
  DecoderConfig decoder;
  decoder.architecture = "yardstick";
  decoder.width = fields.integer("width", 1, kMostDims);
  decoder.layers = fields.integer("layers", 1, 1000);
  decoder.heads = fields.integer("heads", 1, kMostDims);
  decoder.kv_heads = fields.optional_integer("kv_heads", 1, kMostDims).value_or(decoder.heads);
  decoder.head_dim = fields.integer("head_dim", 2, kMostDims);
  decoder.mlp_width = fields.integer("mlp_width", 1, 1 << 20);
  decoder.norm.epsilon = fields.optional_number("norm_epsilon", 0.0, 1.0).value_or(1e-5);
  decoder.head = fields.choice<Head>("head", Head::kTied, kHeadWords);
  if (decoder.heads % decoder.kv_heads != 0) {
    throw fields.error("kv_heads", fmt::format("{} does not divide the {} query heads",
                                               decoder.kv_heads, decoder.heads));
  }
  fields.finish();
  return decoder;
}

void read_training(Fields& root, TrainConfig& config) {
  Fields fields = section(root, "training");
  config.window_tokens = fields.optional_length("window").value_or(config.window_tokens);
  config.batch_windows =
      fields.optional_integer("batch_windows", 1, kMostDims).value_or(config.batch_windows);
  config.steps = fields.integer("steps", 1, kMostSteps);
  config.warmup_steps =
      fields.optional_integer("warmup_steps", 0, kMostSteps).value_or(config.warmup_steps);
  config.learning_rate =
      fields.optional_number("learning_rate", 0.0, 1.0).value_or(config.learning_rate);
  config.final_learning_rate_ratio = fields.optional_number("final_learning_rate_ratio", 0.0, 1.0)
                                         .value_or(config.final_learning_rate_ratio);
  config.beta1 = fields.optional_number("beta1", 0.0, 1.0).value_or(config.beta1);
  config.beta2 = fields.optional_number("beta2", 0.0, 1.0).value_or(config.beta2);
  config.weight_decay =
      fields.optional_number("weight_decay", 0.0, 10.0).value_or(config.weight_decay);
  config.clip_norm = fields.optional_number("clip_norm", 0.0, 1e9).value_or(config.clip_norm);
  config.save_every_steps =
      fields.optional_integer("save_every_steps", 1, kMostSteps).value_or(config.save_every_steps);
  config.threads =
      static_cast<int>(fields.optional_integer("threads", 1, 1024).value_or(config.threads));
  if (const auto dtype = fields.optional_text("save_dtype")) {
    if (*dtype != "bfloat16" && *dtype != "float32") {
      throw fields.error("save_dtype",
                         fmt::format("'{}' is not a type; expected bfloat16 or float32", *dtype));
    }
    config.save_dtype = *dtype;
  }
  fields.finish();
}

/// The position plan of one model, complete; the same defaults for every model of the set.
position::PositionPlan read_plan(Fields& fields, const TrainConfig& config) {
  position::PositionPlan plan;
  plan.kind = fields.choice<position::Kind>("encoding", position::Kind::kNone, kEncodingWords);
  plan.heads = config.decoder.heads;
  plan.kv_heads = config.decoder.kv_heads;
  plan.head_dim = config.decoder.head_dim;
  plan.training_length = config.window_tokens;
  const bool rotates = plan.kind == position::Kind::kRope || plan.kind == position::Kind::kFope;
  if (rotates) {
    plan.theta = fields.optional_number("theta", 1.0, 1e12).value_or(plan.theta);
    plan.rotary_dims = plan.head_dim;
  }
  if (plan.kind == position::Kind::kFope) {
    plan.floor_frequency = 2.0 * std::numbers::pi / static_cast<double>(plan.training_length);
    plan.fope.zero_pairs =
        fields.choice<position::ZeroPairs>("zero_pairs", plan.fope.zero_pairs, kZeroWords);
    const position::FopeCounts counts = position::fope_counts(plan);
    plan.fope.input_count = counts.input;
    plan.fope.output_count = counts.output;
  }
  return plan;
}

TrainModel read_model(const Located& located, const std::string& pointer,
                      const TrainConfig& config) {
  Fields fields(located, pointer, "a model");
  TrainModel model;
  model.name = fields.text("name");
  const bool is_plain = !model.name.empty() && model.name != "." && model.name != ".." &&
                        model.name.find_first_of("/\\") == std::string::npos;
  if (!is_plain) {
    throw fields.error("name", fmt::format("'{}' is not the name of a folder", model.name));
  }
  if (!fields.has("encoding")) {
    throw fields.error("name", "this model has no 'encoding': rope, alibi, fope or none");
  }
  model.position = read_plan(fields, config);
  if (model.position.kind == position::Kind::kFope) {
    model.fope_gain = fields.optional_number("gain", 0.0, 10.0).value_or(model.fope_gain);
  }
  fields.finish();
  return model;
}

}  // namespace

TrainConfig read_train_config(const std::filesystem::path& file) {
  const Located located = read_yaml(file);
  Fields root(located, "", "the training configuration");
  TrainConfig config;
  config.name = root.text("name");
  config.seed = static_cast<std::uint64_t>(
      root.optional_integer("seed", 0, std::numeric_limits<std::int64_t>::max()).value_or(0));
  config.data = read_data(root, file);
  config.decoder = read_decoder(root);
  read_training(root, config);
  config.decoder.vocabulary = config.data.tokenizer.empty()
                                  ? small_world::vocabulary_size()
                                  : tokenizer::open_tokenizer(config.data.tokenizer)->size();
  std::set<std::string> names;
  for (const std::string& pointer : root.elements("models")) {
    TrainModel model = read_model(located, pointer, config);
    if (!names.insert(model.name).second) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: two models are named '{}'", located.where(pointer), model.name));
    }
    config.models.push_back(std::move(model));
  }
  if (config.models.empty()) throw root.error("models", "expected at least one model");
  root.finish();
  return config;
}

}  // namespace yardstick::models
