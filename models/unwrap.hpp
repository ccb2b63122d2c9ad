// Inside the room: the language model within what training and multimodal code wrap around it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/arch/architecture.hpp"
#include "models/checkpoint/tensor.hpp"

namespace yardstick::models {

/// The text model's part of a multimodal model's configuration (its object text_config), or nothing
/// for any other. @throws Error(kModel) if text_config does not say what model it is.
[[nodiscard]] std::optional<ConfigSource> text_model(const ConfigSource& config);

enum class ModelPart { kWhole, kText };

struct Unwrapped {
  std::unique_ptr<checkpoint::TensorSource> tensors;
  std::vector<std::string> notes;  ///< what was taken off, a sentence each
};

/// Takes `module.` (data-parallel training), `_orig_mod.` (torch.compile) and `base_model.model.`
/// (adapters) off tensor names where all carry them; of a multimodal model's text part, those of
/// language_model are left.
[[nodiscard]] Unwrapped unwrap(std::unique_ptr<checkpoint::TensorSource> tensors, ModelPart part);

}  // namespace yardstick::models
