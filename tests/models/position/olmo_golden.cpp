#include "tests/models/position/olmo_golden.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "core/yaml.hpp"

namespace yardstick::test {
namespace {

using nlohmann::json;
using position::PositionPlan;

json model_config(const std::filesystem::path& folder) {
  return read_yaml(folder / "config.yaml").values().at("model");
}

template <typename T>
T little_endian(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.substr(at, sizeof(T)).data(), sizeof(T));
  return value;
}

std::vector<float> as_floats(std::string_view bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

/// Tensors by name from a .safetensors file, all f32.
class Safetensors {
 public:
  explicit Safetensors(const std::filesystem::path& file) : bytes_(read_file(file)) {
    const auto length = little_endian<std::uint64_t>(bytes_, 0);
    header_ = json::parse(std::string_view(bytes_).substr(8, length));
    data_ = 8 + length;
  }

  std::optional<std::vector<float>> find(const std::string& name) const {
    if (!header_.contains(name)) return std::nullopt;
    const std::size_t begin = header_[name]["data_offsets"][0];
    const std::size_t end = header_[name]["data_offsets"][1];
    return as_floats(std::string_view(bytes_).substr(data_ + begin, end - begin));
  }

 private:
  std::string bytes_;
  json header_;
  std::size_t data_ = 0;
};

/// Tensors by name from a torch.save file whose records are stored uncompressed. The storage of a
/// tensor is the first text of digits behind its name in the pickle.
class TorchFile {
 public:
  explicit TorchFile(const std::filesystem::path& file) : bytes_(read_file(file)) {
    const std::string_view all = bytes_;
    const std::size_t end = all.rfind("PK\5\6");
    std::size_t at = little_endian<std::uint32_t>(all, end + 16);
    for (int left = little_endian<std::uint16_t>(all, end + 10); left > 0; --left) {
      const auto size = little_endian<std::uint32_t>(all, at + 24);
      const auto name_length = little_endian<std::uint16_t>(all, at + 28);
      const auto local = little_endian<std::uint32_t>(all, at + 42);
      const std::size_t data = local + 30U + little_endian<std::uint16_t>(all, local + 26) +
                               little_endian<std::uint16_t>(all, local + 28);
      const std::string_view name = all.substr(at + 46, name_length);
      records_[std::string(name.substr(name.find('/') + 1))] = all.substr(data, size);
      at += 46U + name_length + little_endian<std::uint16_t>(all, at + 30) +
            little_endian<std::uint16_t>(all, at + 32);
    }
  }

  std::optional<std::vector<float>> find(const std::string& name) const {
    const std::string_view pickle = records_.at("data.pkl");
    std::size_t at = pickle.find(name);
    if (at == std::string_view::npos) return std::nullopt;
    for (at += name.size(); at + 5 < pickle.size(); ++at) {
      if (pickle[at] != 'X') continue;
      const std::string_view text =
          pickle.substr(at + 5, little_endian<std::uint32_t>(pickle, at + 1));
      if (text.empty() || text.size() > 6 || !std::ranges::all_of(text, ::isdigit)) continue;
      return as_floats(records_.at("data/" + std::string(text)));
    }
    throw std::runtime_error("no storage behind " + name);
  }

 private:
  std::string bytes_;
  std::map<std::string, std::string_view> records_;
};

template <typename File>
std::vector<position::LayerParameters> read_coefficients(const File& file, const json& config) {
  const int layers = config["n_layers"];
  const int group = config["block_group_size"];
  std::vector<position::LayerParameters> out;
  for (int layer = 0; layer < layers; ++layer) {
    const std::string block = group == 1 ? "blocks." + std::to_string(layer)
                                         : "block_groups." + std::to_string(layer / group) + "." +
                                               std::to_string(layer % group);
    const std::string prefix = "transformer." + block + ".pos_emb.";
    if (config["fourier_separate_basis"] == true) {
      out.push_back(
          {file.find(prefix + "cos_coef").value(), file.find(prefix + "sin_coef").value()});
    } else {
      out.push_back({file.find(prefix + "fourier_coef").value(), {}});
    }
  }
  return out;
}

void set_scaling(PositionPlan& plan, const json& config) {
  if (config["len_extra"] != true) return;
  position::Scaling& scaling = plan.scaling;
  const double original = config["len_extra_orig_length"];
  scaling.original_length = config["len_extra_orig_length"];
  if (config["len_extra_type"] == "PI") {
    scaling.kind = position::ScalingKind::kLinear;
    scaling.factor = config["max_sequence_length"].get<double>() / original;
  } else {
    scaling.kind = position::ScalingKind::kYarn;
    scaling.factor = config["len_extra_yarn_scale"];
    scaling.beta_fast = config["len_extra_yarn_beta_fast"];
    scaling.beta_slow = config["len_extra_yarn_beta_slow"];
    scaling.yarn_mix = config["len_extra_yarn_factor"];
    scaling.attention_factor = 1.0;
  }
  plan.clamp_order = config["len_extra_before_clamp"] == true
                         ? position::ClampOrder::kScaleThenClamp
                         : position::ClampOrder::kClampThenScale;
}

void set_fope(PositionPlan& plan, const json& config) {
  using position::Fope;
  plan.kind = position::Kind::kFope;
  Fope& fope = plan.fope;
  fope.heads =
      config["fourier_separate_head"] == true ? Fope::Heads::kSeparate : Fope::Heads::kShared;
  fope.basis =
      config["fourier_separate_basis"] == true ? Fope::Basis::kSeparate : Fope::Basis::kShared;
  fope.coefficients = config["fourier_norm"] == true ? Fope::Coefficients::kColumnNormalised
                                                     : Fope::Coefficients::kAsStored;
  fope.zeros = config["fourier_ignore_zero"] == true ? Fope::Zeros::kDropped : Fope::Zeros::kKept;
  fope.bank_dims = config["fourier_dim"];
}

}  // namespace

PositionPlan olmo_plan(const std::filesystem::path& folder) {
  const json config = model_config(folder);
  PositionPlan plan;
  plan.heads = config["n_heads"];
  plan.kv_heads =
      config["n_kv_heads"].is_null() ? plan.heads : config["n_kv_heads"].get<std::int64_t>();
  plan.head_dim = config["d_model"].get<std::int64_t>() / plan.heads;
  plan.rotary_dims = plan.head_dim;
  plan.training_length = config["max_sequence_length"];
  plan.theta = config["rope_theta"];
  if (config["pos_emb"] != true) return plan;
  if (config["alibi"] == true) {
    plan.kind = position::Kind::kAlibi;
    plan.alibi = {position::SlopeRule::kGeometric, config["alibi_bias_max"].get<double>()};
    return plan;
  }
  if (config["rope"] != true) {
    plan.kind = position::Kind::kLearned;
    plan.table_rows = plan.training_length;
    return plan;
  }
  plan.kind = position::Kind::kRope;
  set_scaling(plan, config);
  if (config["rope_clamp_floor_freq"] == true) {
    plan.floor_frequency = config["rope_floor_freq_ratio"].get<double>() * 2.0 * M_PI /
                           static_cast<double>(plan.training_length);
  }
  if (config["fourier"] == true) set_fope(plan, config);
  return plan;
}

std::vector<position::LayerParameters> olmo_coefficients(const std::filesystem::path& folder) {
  const json config = model_config(folder);
  if (config["fourier"] != true) return {};
  const auto safetensors = folder / "model.safetensors";
  if (std::filesystem::exists(safetensors)) {
    return read_coefficients(Safetensors(safetensors), config);
  }
  return read_coefficients(TorchFile(folder / "model.pt"), config);
}

}  // namespace yardstick::test
