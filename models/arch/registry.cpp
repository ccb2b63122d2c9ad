// The table of architectures: one line each.
#include "models/arch/registry.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "models/arch/factories.hpp"

namespace yardstick::models {

std::vector<const Architecture*> architectures() {
  return {&llama_architecture(), &olmo_fope_architecture(), &yardstick_architecture()};
}

const Architecture& choose_architecture(const ConfigSource& config) {
  std::vector<std::string> names;
  std::string list;
  for (const Architecture* const architecture : architectures()) {
    if (architecture->accepts(config)) return *architecture;
    names.emplace_back(architecture->name());
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const nlohmann::json type = config.values.is_object()
                                  ? config.values.value("model_type", nlohmann::json())
                                  : nlohmann::json();
  if (type.is_string()) {
    const auto word = type.get<std::string>();
    throw Error(ErrorKind::kModel,
                fmt::format("{}: model_type '{}' is not supported{}; supported architectures: {}",
                            config.file, word, did_you_mean(word, names), list));
  }
  throw Error(ErrorKind::kModel,
              fmt::format("{}: found neither a model_type nor an OLMo training configuration (key "
                          "'model'); supported architectures: {}",
                          config.file, list));
}

}  // namespace yardstick::models
