// The border between the harness and models: what planning and scheduling need of a model, as
// interfaces that tests fake and `FolderModels` implements over real checkpoint folders.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/file_stamp.hpp"
#include "harness/store/records.hpp"
#include "models/backend.hpp"
#include "models/engine/engine.hpp"
#include "models/model_folder.hpp"

namespace yardstick::harness {

/// A model that was opened and checked, without its weights being loaded. Immutable, thread-safe.
class OpenedModel {
 public:
  virtual ~OpenedModel() = default;

  [[nodiscard]] virtual const TextCodec& codec() const = 0;
  [[nodiscard]] virtual const std::string& fingerprint() const = 0;
  /// What the files behind the fingerprint were when they were hashed.
  [[nodiscard]] virtual const std::vector<FileStamp>& files() const = 0;
  /// Longest sequence that has positions (a learned table), or nothing for no limit.
  [[nodiscard]] virtual std::optional<std::int64_t> longest_sequence() const = 0;
  /// Which of its sequences may share a prefix.
  [[nodiscard]] virtual position::LengthUse length_use() const = 0;
  [[nodiscard]] virtual bool has_tokenizer() const = 0;
  [[nodiscard]] virtual ModelRecord record() const = 0;
  /// What a reader should know of how the model was read, a sentence each.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

  /// Loads the weights onto a device. The engine must not outlive this object. May be called from
  /// several threads. @throws Error(kDevice), Error(kMemory), Error(kModel).
  [[nodiscard]] virtual std::unique_ptr<models::Engine> load(
      const models::EngineOptions& options) const = 0;
};

/// Where opened models come from.
class ModelSource {
 public:
  virtual ~ModelSource() = default;

  /// @throws Error naming file, key or tensor. May be called from several threads.
  [[nodiscard]] virtual std::unique_ptr<const OpenedModel> open(
      const models::ModelSpec& spec) const = 0;
};

/// Checkpoint folders, computed by the backend library, which is opened on the first load().
class FolderModels final : public ModelSource {
 public:
  [[nodiscard]] std::unique_ptr<const OpenedModel> open(
      const models::ModelSpec& spec) const override;
};

}  // namespace yardstick::harness
