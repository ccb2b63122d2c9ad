// Gemma 1 (GemmaForCausalLM): norm weights stored less 1, embeddings times sqrt(width), tanh GELU.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_bodies.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Gemma final : public HfFamily {
 public:
  Gemma() : HfFamily("gemma", "GemmaForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_gemma_body(reader, config);
    set_default_kv_heads(reader, config, 16);
    // The first release says "gelu" in hidden_act but computes the tanh form, as does the library.
    reader.ignore(kFirstName);
    config.activation = read_activation(reader, {"hidden_activation"}, Activation::kGeluTanh);
    read_hf_rope(reader, config.position);
  }

  bool is_tied_by_default() const override { return true; }

  static constexpr std::array<std::string_view, 1> kFirstName = {"hidden_act"};
};

}  // namespace

const Architecture& gemma_architecture() {
  static const Gemma kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
