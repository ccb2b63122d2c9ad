// The "model" of a tokenizer.json.
#pragma once

#include <memory>

#include <nlohmann/json.hpp>

#include "core/yaml.hpp"
#include "models/tokenizer/model.hpp"
#include "models/tokenizer/pre_tokenizer.hpp"
#include "models/tokenizer/vocabulary.hpp"

namespace yardstick::tokenizer {

/// The two large values of the object, which are kept out of the tree that holds the rest.
struct ModelTables {
  nlohmann::json vocab;
  nlohmann::json merges;  ///< null where the model has none
};

struct ReadModel {
  Vocabulary vocabulary;
  std::unique_ptr<const Model> model;
};

/// Reads the object at /model. @throws Error naming the model, option or entry that is not
/// supported or contradicts the others.
[[nodiscard]] ReadModel read_model(const Located& file, const ModelTables& tables,
                                   ModelInput input);

}  // namespace yardstick::tokenizer
