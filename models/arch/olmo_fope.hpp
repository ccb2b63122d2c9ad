// Inside the room: the parts of the OLMo/FoPE mapping. Source of all meanings: the OLMo fork of the
// FoPE paper (arXiv 2412.17739), as its training code saves config.yaml.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/arch/architecture.hpp"
#include "models/arch/config_reader.hpp"

namespace yardstick::models {

/// The checkpoint's tensor names without the wrapper that sharded training puts into them.
[[nodiscard]] std::string unwrapped_name(std::string_view source_name);

/// How the blocks of a checkpoint are numbered: "transformer.blocks.N." (group_size 1), or
/// "transformer.block_groups.G.I." with layer = G x group_size + I.
struct BlockNaming {
  std::int64_t group_size = 1;
  enum class Form { kBlocks, kGroups } form = Form::kBlocks;
};

/// As the tensor names show it. @throws Error(kModel) if both forms are mixed.
[[nodiscard]] BlockNaming find_block_naming(const checkpoint::TensorSource& source);

/// "transformer.block_groups.1.0.pos_emb." for layer 2 of groups of two.
[[nodiscard]] std::string block_prefix(const BlockNaming& naming, std::int64_t layer);

/// Where each of the decoder's tensors lies: fused projections by rows.
[[nodiscard]] std::vector<TensorSlot> olmo_slots(const DecoderConfig& config,
                                                 const checkpoint::TensorSource& source);

/// The source's tensors under their unwrapped names. @throws Error(kModel) if two become one.
class UnwrappedSource final : public checkpoint::TensorSource {
 public:
  explicit UnwrappedSource(const checkpoint::TensorSource& source);

  [[nodiscard]] std::span<const checkpoint::TensorView> tensors() const override {
    return tensors_;
  }
  void release(const checkpoint::TensorView& view) const override { source_.release(view); }
  void check_whole() const override { source_.check_whole(); }
  [[nodiscard]] std::vector<std::string> files() const override { return source_.files(); }

  /// The checkpoint's own name of an unwrapped one; itself if there is no such tensor.
  [[nodiscard]] std::string original_name(const std::string& unwrapped) const;

 private:
  const checkpoint::TensorSource& source_;
  std::vector<checkpoint::TensorView> tensors_;  ///< sorted by name
  std::vector<std::string> originals_;           ///< in the same order
};

/// Reads every position key of the model section into config.position, which has its heads.
void read_olmo_position(ConfigReader& model, const UnwrappedSource& source,
                        position::PositionPlan& plan);

}  // namespace yardstick::models
