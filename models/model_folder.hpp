// A model folder (or a GGUF file) opened without computing anything: configuration, position plan,
// tensors accounted for, tokenizer and identity. Free of torch, so that `inspect`, `validate` and
// planning are light.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/arch/architecture.hpp"
#include "models/checkpoint/tensor.hpp"
#include "models/decoder/config.hpp"
#include "models/engine/request.hpp"
#include "models/position/encoding.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace yardstick::models {

enum class BosPolicy { kAuto, kAlways, kNever };

struct ModelSpec {
  std::string name;              ///< as the suite calls it; the folder's name by default
  std::filesystem::path folder;  ///< or a .gguf file
  ModelOverrides overrides;
  BosPolicy bos = BosPolicy::kAuto;                ///< auto = what the tokenizer's files declare
  std::optional<std::filesystem::path> tokenizer;  ///< other than the folder's own
};

struct BosDecision {
  std::optional<TokenId> id;
  std::string reason;  ///< "tokenizer_config.json: add_bos_token true"
  std::string note;    ///< where two files disagree: which counts; usually empty
};

/// What ends a generated answer.
struct GenerationEnds {
  std::vector<TokenId> ids;        ///< ascending
  std::string reason;              ///< "generation_config.json: eos_token_id"
  std::vector<std::string> notes;  ///< ids that were left out
};

class ModelFolder {
 public:
  /// Opens and checks everything. @throws Error(kModel) or Error(kData) naming file, key or tensor.
  explicit ModelFolder(ModelSpec spec);
  ~ModelFolder();
  ModelFolder(ModelFolder&&) noexcept;
  ModelFolder& operator=(ModelFolder&&) noexcept;

  [[nodiscard]] const ModelSpec& spec() const;
  [[nodiscard]] const DecoderConfig& config() const;
  [[nodiscard]] const Architecture& architecture() const;
  [[nodiscard]] const std::vector<TensorSlot>& slots() const;
  [[nodiscard]] const checkpoint::TensorSource& tensors() const;
  [[nodiscard]] const position::Encoding& encoding() const;
  [[nodiscard]] std::int64_t parameter_count() const;
  [[nodiscard]] std::string weight_dtypes() const;  ///< "BF16", or "BF16, F32" when mixed

  /// Nothing if the folder has no tokenizer (pre-tokenised data still works); reading one that is
  /// there but not supported is an error at once.
  [[nodiscard]] const tokenizer::Tokenizer* tokenizer() const;
  [[nodiscard]] const BosDecision& bos() const;
  [[nodiscard]] const GenerationEnds& generation_ends() const;

  /// What a reader should know of how the folder was read, a sentence each.
  [[nodiscard]] const std::vector<std::string>& notes() const;

  /// The tokenizer with the BOS policy applied. Without a tokenizer: encode and decode throw
  /// Error(kModel) saying so; window_prefix() and vocabulary_size() still answer.
  [[nodiscard]] const TextCodec& codec() const;

  /// Content identity: configuration, position plan, tokenizer files and all weight bytes. Never
  /// the path: the same files elsewhere are the same model, other weights under one name are not.
  [[nodiscard]] const std::string& fingerprint() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yardstick::models
