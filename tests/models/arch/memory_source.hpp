// A checkpoint in memory, so that tests of mappings need no files.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "models/arch/architecture.hpp"
#include "models/arch/registry.hpp"
#include "models/checkpoint/tensor.hpp"

namespace yardstick::test {

class MemorySource final : public checkpoint::TensorSource {
 public:
  /// Adds an f32 tensor whose elements are all `value`.
  MemorySource& add(const std::string& name, const std::vector<std::int64_t>& shape,
                    float value = 0.0F, checkpoint::DType dtype = checkpoint::DType::kFloat32) {
    checkpoint::TensorView view;
    view.name = name;
    view.dtype = dtype;
    view.shape = shape;
    view.strides.resize(shape.size());
    std::int64_t count = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      view.strides[i] = count;
      count *= shape[i];
    }
    data_.push_back(std::make_unique<std::vector<float>>(static_cast<std::size_t>(count), value));
    view.storage = std::as_bytes(std::span<const float>(*data_.back()));
    view.file = "memory.safetensors";
    tensors_.push_back(std::move(view));
    std::ranges::sort(tensors_, {}, &checkpoint::TensorView::name);
    return *this;
  }

  MemorySource& remove(const std::string& name) {
    std::erase_if(tensors_, [&](const checkpoint::TensorView& view) { return view.name == name; });
    return *this;
  }

  std::span<const checkpoint::TensorView> tensors() const override { return tensors_; }
  void release(const checkpoint::TensorView& /*view*/) const override {}
  std::vector<std::string> files() const override { return {"memory.safetensors"}; }

 private:
  std::vector<checkpoint::TensorView> tensors_;
  std::vector<std::unique_ptr<std::vector<float>>> data_;
};

/// Reads a configuration as the registry would.
inline models::DecoderConfig read_values(const nlohmann::json& values,
                                         const checkpoint::TensorSource& source,
                                         const models::ModelOverrides& overrides = {},
                                         const std::string& file = "m/config.json") {
  const models::ConfigSource config{.values = values, .file = file};
  return models::choose_architecture(config).read_config(config, overrides, source);
}

inline const models::Architecture& architecture_named(std::string_view name) {
  for (const models::Architecture* const architecture : models::architectures()) {
    if (architecture->name() == name) return *architecture;
  }
  throw Error(ErrorKind::kInternal, "no such architecture");
}

/// All tensors that the slots of `config` name.
inline void fill(MemorySource& source, const models::DecoderConfig& config,
                 const models::Architecture& architecture) {
  for (const models::TensorSlot& slot : architecture.slots(config, source)) {
    if (find_tensor(source, slot.source) == nullptr) source.add(slot.source, slot.source_shape);
  }
}

/// Source of a plan's field, or "".
inline std::string source_of(const position::PositionPlan& plan, std::string_view field) {
  for (const position::ValueSource& source : plan.sources) {
    if (source.field == field) return source.source;
  }
  return "";
}

}  // namespace yardstick::test
