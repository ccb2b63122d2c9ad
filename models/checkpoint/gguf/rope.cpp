// Rotary settings: GGUF's rope.* keys as Hugging Face's rope_scaling. What the keys do is read from
// llama.cpp: theta_i = position x base^(-2i/d) / factors_i / factor, and with YaRN an attention
// factor of attn_factor x (1 + 0.1 ln factor).
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "models/checkpoint/gguf/family.hpp"
#include "models/checkpoint/layout.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

using nlohmann::json;

std::optional<std::vector<double>> read_factors(const Facts& facts, std::string_view name,
                                                std::int64_t pairs) {
  const Tensor* const tensor = find_tensor(facts.file, name);
  if (tensor == nullptr) return std::nullopt;
  const std::vector<std::int64_t> expected{pairs};
  if (tensor->shape != expected || tensor->dtype != DType::kFloat32) {
    throw tensor_error(
        facts.file.name, name,
        fmt::format("is {} of shape {}; expected F32 of shape {}, a factor for each "
                    "rotary pair",
                    to_string(tensor->dtype), shape_text(tensor->shape), shape_text(expected)));
  }
  const TensorView view{.name = tensor->name,
                        .dtype = tensor->dtype,
                        .shape = expected,
                        .strides = {1},
                        .storage = tensor->data,
                        .file = facts.file.name};
  std::vector<double> factors;
  for (const float factor : to_floats(view)) {
    if (!std::isfinite(factor) || factor <= 0) {
      throw tensor_error(facts.file.name, name, "holds a factor that is not positive");
    }
    factors.push_back(shortest_decimal(factor));
  }
  return factors;
}

// The converter turns llama3 scaling into a factor for each pair and drops its parameters. All
// published models have low 1, high 4 and original length 8192, which the converter assumes too;
// where these give the file's factors, they are the parameters.
std::optional<json> as_llama3(const std::vector<double>& factors, double theta) {
  constexpr double kLow = 1;
  constexpr double kHigh = 4;
  constexpr double kOriginal = 8192;
  constexpr double kTolerance = 1e-5;  // the converter computes in f32
  const double factor = *std::ranges::max_element(factors);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(factors.size());
    const double wavelength = 2 * std::numbers::pi * std::pow(theta, share);
    double expected = 1;
    if (wavelength > kOriginal / kLow) {
      expected = factor;
    } else if (wavelength >= kOriginal / kHigh) {
      const double smooth = (kOriginal / wavelength - kLow) / (kHigh - kLow);
      expected = 1 / ((1 - smooth) / factor + smooth);
    }
    if (std::abs(factors[i] - expected) > kTolerance * expected) return std::nullopt;
  }
  return json{{"rope_type", "llama3"},
              {"factor", factor},
              {"low_freq_factor", kLow},
              {"high_freq_factor", kHigh},
              {"original_max_position_embeddings", static_cast<std::int64_t>(kOriginal)}};
}

/// One list of factors for every length, in the words of the scaling that divides by a list.
json as_list(const std::vector<double>& factors) {
  return {{"rope_type", "longrope"},
          {"factor", 1.0},
          {"short_factor", factors},
          {"long_factor", factors},
          {"attention_factor", 1.0}};
}

struct Scaling {
  std::string type;  ///< "" if the file has none
  double factor = 1;
  double attention = 1;
  std::optional<std::int64_t> original;
};

Scaling read_keys(const Facts& facts) {
  Metadata& metadata = facts.metadata;
  const std::string key = facts.key("rope.scaling.factor");
  const std::string old_key = facts.key("rope.scale_linear");
  const std::optional<double> factor = metadata.number(key);
  const std::optional<double> old_factor = metadata.number(old_key);
  if (factor && old_factor && *factor != *old_factor) {
    throw metadata.error(old_key, fmt::format("is {}, but {} is {}", *old_factor, key, *factor));
  }
  Scaling scaling;
  scaling.type = metadata.text(facts.key("rope.scaling.type")).value_or("");
  scaling.factor = factor.value_or(old_factor.value_or(1));
  if (scaling.factor == 0) scaling.factor = 1;  // llama.cpp's way to say none
  if (scaling.factor < 0) throw metadata.error(key, "is negative");
  for (const char* const name : {"rope.scaling.attn_factor", "rope.scaling.yarn_attn_factor"}) {
    scaling.attention *= metadata.number(facts.key(name)).value_or(1);
  }
  if (scaling.attention <= 0) {
    throw metadata.error(facts.key("rope.scaling.attn_factor"), "is not positive");
  }
  scaling.original = metadata.size(facts.key("rope.scaling.original_context_length"));
  metadata.ignore(facts.key("rope.scaling.finetuned"));
  return scaling;
}

json yarn(const Facts& facts, const Scaling& scaling) {
  json out = {
      {"rope_type", "yarn"},
      {"factor", scaling.factor},
      {"original_max_position_embeddings", scaling.original.value_or(facts.dims.context_length)}};
  if (scaling.attention != 1) {
    out["attention_factor"] =
        scaling.attention * (scaling.factor <= 1 ? 1 : 1 + 0.1 * std::log(scaling.factor));
  }
  for (const char* const name : {"beta_fast", "beta_slow"}) {
    const auto value = facts.metadata.number(facts.key(fmt::format("rope.scaling.yarn_{}", name)));
    if (value) out[name] = *value;
  }
  facts.metadata.require(facts.key("rope.scaling.yarn_ext_factor"), 1, "the ramp is not mixed");
  return out;
}

json longrope(const Facts& facts, const Scaling& scaling, std::int64_t pairs) {
  const auto list = [&](std::string_view name) {
    auto factors = read_factors(facts, name, pairs);
    if (!factors) {
      throw facts.metadata.error(facts.key("rope.scaling.type"),
                                 fmt::format("is 'longrope', but there is no tensor '{}'", name));
    }
    return *std::move(factors);
  };
  json out = {{"rope_type", "longrope"},
              {"factor", scaling.factor},
              {"short_factor", list("rope_factors_short.weight")},
              {"long_factor", list("rope_factors_long.weight")},
              {"attention_factor", scaling.attention}};
  if (scaling.original) out["original_max_position_embeddings"] = *scaling.original;
  return out;
}

json scaling_by_keys(const Facts& facts, const Scaling& scaling, std::int64_t pairs) {
  if (scaling.type == "yarn") return yarn(facts, scaling);
  if (scaling.type == "longrope") return longrope(facts, scaling, pairs);
  if (scaling.type != "" && scaling.type != "none" && scaling.type != "linear") {
    throw facts.metadata.error(
        facts.key("rope.scaling.type"),
        fmt::format("is '{}'; supported are none, linear, yarn and longrope", scaling.type));
  }
  if (scaling.attention != 1) {
    throw facts.metadata.error(facts.key("rope.scaling.attn_factor"),
                               "has a meaning with yarn and longrope only");
  }
  if (scaling.type == "none" || scaling.factor == 1) return nullptr;
  return {{"rope_type", "linear"}, {"factor", scaling.factor}};
}

}  // namespace

void add_rope(const Facts& facts, std::string_view theta_key, json& config) {
  Metadata& metadata = facts.metadata;
  const std::optional<double> theta = metadata.number(facts.key("rope.freq_base"));
  if (theta && *theta <= 0) throw metadata.error(facts.key("rope.freq_base"), "is not positive");
  if (theta) config[std::string(theta_key)] = *theta;
  const std::int64_t rotary =
      metadata.size(facts.key("rope.dimension_count")).value_or(facts.dims.head_dim);
  if (rotary % 2 != 0) {
    throw metadata.error(facts.key("rope.dimension_count"),
                         fmt::format("is {}; rotary dimensions come in pairs", rotary));
  }
  const std::int64_t pairs = rotary / 2;
  json scaling = scaling_by_keys(facts, read_keys(facts), pairs);
  if (const auto factors = read_factors(facts, "rope_freqs.weight", pairs)) {
    if (!scaling.is_null()) {
      throw tensor_error(facts.file.name, "rope_freqs.weight",
                         fmt::format("scales the frequencies a second time, beside {}",
                                     facts.key("rope.scaling.type")));
    }
    const bool is_plain = std::ranges::all_of(*factors, [](double f) { return f == 1; });
    constexpr double kDefaultTheta = 10000;
    const std::optional<json> llama3 = as_llama3(*factors, theta.value_or(kDefaultTheta));
    if (!is_plain) scaling = llama3 ? *llama3 : as_list(*factors);
  }
  config["rope_scaling"] = scaling;
}

}  // namespace yardstick::checkpoint::gguf
