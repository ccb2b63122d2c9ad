#include "harness/plan/opened_model.hpp"

#include <utility>

#include <fmt/format.h>

#include "models/position/plan.hpp"

namespace yardstick::harness {
namespace {

class FolderModel final : public OpenedModel {
 public:
  explicit FolderModel(const models::ModelSpec& spec) : folder_(spec) {
    static_cast<void>(folder_.fingerprint());  // hashed here, where models are opened in parallel
  }

  const TextCodec& codec() const override { return folder_.codec(); }
  const std::string& fingerprint() const override { return folder_.fingerprint(); }
  bool has_tokenizer() const override { return folder_.tokenizer() != nullptr; }

  std::optional<std::int64_t> longest_sequence() const override {
    return folder_.encoding().longest_sequence();
  }

  position::LengthUse length_use() const override { return folder_.encoding().length_use(); }

  ModelRecord record() const override {
    const models::DecoderConfig& config = folder_.config();
    ModelRecord record;
    record.fingerprint = folder_.fingerprint();
    record.architecture = config.architecture;
    record.encoding = std::string(position::to_string(config.position.kind));
    record.parameters = folder_.parameter_count();
    record.weight_dtype = folder_.weight_dtypes();
    if (config.position.training_length > 0)
      record.training_length = config.position.training_length;
    record.position_plan = position::to_json(config.position, config.layer_plans).dump();
    record.tokenizer =
        has_tokenizer() ? folder_.tokenizer()->description() : std::string("none (token ids only)");
    const models::BosDecision& bos = folder_.bos();
    record.bos =
        bos.id ? fmt::format("{} ({})", *bos.id, bos.reason) : fmt::format("none ({})", bos.reason);
    return record;
  }

  std::unique_ptr<models::Engine> load(const models::EngineOptions& options) const override {
    return models::load_backend().load(folder_, options);
  }

 private:
  models::ModelFolder folder_;
};

}  // namespace

std::unique_ptr<const OpenedModel> FolderModels::open(const models::ModelSpec& spec) const {
  return std::make_unique<FolderModel>(spec);
}

}  // namespace yardstick::harness
