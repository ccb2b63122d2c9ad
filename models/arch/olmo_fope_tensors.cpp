// Tensor names of the OLMo/FoPE checkpoints, and the rows of its fused projections.
#include "models/arch/olmo_fope.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/arch/tensor_names.hpp"

namespace yardstick::models {
namespace {

constexpr std::string_view kWrapper = "_fsdp_wrapped_module.";
constexpr std::string_view kGroups = "transformer.block_groups.";
constexpr std::string_view kBlocks = "transformer.blocks.";

std::optional<std::int64_t> leading_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = end != text.data() + text.size() && *end == '.';
  if (error != std::errc{} || !is_whole || value > kMostLayers) return std::nullopt;
  return value;
}

/// Index inside its group of a name "transformer.block_groups.G.I....".
std::optional<std::int64_t> index_in_group(std::string_view name) {
  const std::string_view rest = name.substr(kGroups.size());
  const std::size_t dot = rest.find('.');
  return dot == std::string_view::npos ? std::nullopt : leading_number(rest.substr(dot + 1));
}

/// Rows [begin, begin + slot rows) of a tensor with `total` rows.
struct Rows {
  std::string_view part;  ///< inside the block: "att_proj"
  std::int64_t begin = 0;
  std::int64_t total = 0;
};

class SlotMaker {
 public:
  SlotMaker(const DecoderConfig& config, const UnwrappedSource& source)
      : config_(config), source_(source), naming_(find_block_naming(source)) {}

  TensorSlot make(const DecoderTensor& tensor) const {
    const LayerName name = split_layer(tensor.name);
    if (name.layer < 0) return whole(tensor, outer_name(tensor.name));
    const std::string prefix = block_prefix(naming_, name.layer);
    if (name.rest.starts_with("fope.")) return coefficients(tensor, prefix, name.rest);
    const std::size_t dot = name.rest.find('.');
    const Rows rows = rows_of(name.rest.substr(0, dot), tensor.shape.front());
    TensorSlot slot =
        whole(tensor, fmt::format("{}{}{}", prefix, rows.part, name.rest.substr(dot)));
    slot.source_shape.front() = rows.total;
    slot.row_begin = rows.begin;
    return slot;
  }

 private:
  TensorSlot whole(const DecoderTensor& tensor, const std::string& unwrapped) const {
    return {.name = tensor.name,
            .source = source_.original_name(unwrapped),
            .shape = tensor.shape,
            .source_shape = tensor.shape};
  }

  static std::string outer_name(const std::string& name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOuter = {
        {{"embed.", "transformer.wte."},
         {"positions.", "transformer.wpe."},
         {"embed_norm.", "transformer.emb_norm."},
         {"norm.", "transformer.ln_f."},
         {"head.", "transformer.ff_out."}}};
    for (const auto& [decoder, written] : kOuter) {
      if (name.starts_with(decoder))
        return fmt::format("{}{}", written, name.substr(decoder.size()));
    }
    throw Error(ErrorKind::kInternal, fmt::format("OLMo's layout has no tensor for '{}'", name));
  }

  /// Shared heads: the file's matrix is [n, d]. One basis: its name is fourier_coef.
  TensorSlot coefficients(const DecoderTensor& tensor, const std::string& prefix,
                          std::string_view rest) const {
    const position::Fope& fope = config_.position.fope;
    const bool is_one_basis = fope.basis == position::Fope::Basis::kShared;
    const std::string_view part = is_one_basis ? "fourier_coef" : rest.substr(rest.find('.') + 1);
    TensorSlot slot = whole(tensor, fmt::format("{}pos_emb.{}", prefix, part));
    if (fope.heads == position::Fope::Heads::kShared) {
      slot.shape = {fope.input_count, fope.output_count};
      slot.source_shape = slot.shape;
    }
    return slot;
  }

  /// att_proj stacks q, k, v. With SwiGLU ff_proj stacks the up projection, then the gate.
  Rows rows_of(std::string_view part, std::int64_t rows) const {
    const std::int64_t query = config_.heads * config_.head_dim;
    const std::int64_t key = config_.kv_heads * config_.head_dim;
    const std::int64_t mlp = config_.mlp_width;
    if (part == "q") return {"att_proj", 0, query + 2 * key};
    if (part == "k") return {"att_proj", query, query + 2 * key};
    if (part == "v") return {"att_proj", query + key, query + 2 * key};
    if (part == "up") return {"ff_proj", 0, config_.mlp == MlpForm::kGated ? 2 * mlp : mlp};
    if (part == "gate") return {"ff_proj", mlp, 2 * mlp};
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWhole = {
        {{"attn_norm", "attn_norm"},
         {"mlp_norm", "ff_norm"},
         {"q_norm", "q_norm"},
         {"k_norm", "k_norm"},
         {"o", "attn_out"},
         {"down", "ff_out"}}};
    for (const auto& [decoder, written] : kWhole) {
      if (part == decoder) return {written, 0, rows};
    }
    throw Error(ErrorKind::kInternal, fmt::format("OLMo's blocks have no tensor for '{}'", part));
  }

  const DecoderConfig& config_;
  const UnwrappedSource& source_;
  BlockNaming naming_;
};

}  // namespace

std::string unwrapped_name(std::string_view source_name) {
  std::string name(source_name);
  for (std::size_t at = name.find(kWrapper); at != std::string::npos; at = name.find(kWrapper)) {
    name.erase(at, kWrapper.size());
  }
  return name;
}

BlockNaming find_block_naming(const checkpoint::TensorSource& source) {
  BlockNaming naming;
  bool has_blocks = false;
  for (const checkpoint::TensorView& view : source.tensors()) {
    const std::string name = unwrapped_name(view.name);
    has_blocks = has_blocks || name.starts_with(kBlocks);
    if (!name.starts_with(kGroups)) continue;
    naming.form = BlockNaming::Form::kGroups;
    naming.group_size = std::max(naming.group_size, index_in_group(name).value_or(0) + 1);
  }
  if (has_blocks && naming.form == BlockNaming::Form::kGroups) {
    throw Error(ErrorKind::kModel, fmt::format("the checkpoint has both '{}' and '{}' tensors; it "
                                               "is a mixture of two",
                                               kBlocks, kGroups));
  }
  return naming;
}

std::string block_prefix(const BlockNaming& naming, std::int64_t layer) {
  if (naming.form == BlockNaming::Form::kBlocks) return fmt::format("{}{}.", kBlocks, layer);
  return fmt::format("{}{}.{}.", kGroups, layer / naming.group_size, layer % naming.group_size);
}

UnwrappedSource::UnwrappedSource(const checkpoint::TensorSource& source) : source_(source) {
  std::vector<std::pair<std::string, const checkpoint::TensorView*>> named;
  for (const checkpoint::TensorView& view : source.tensors()) {
    named.emplace_back(unwrapped_name(view.name), &view);
  }
  std::ranges::sort(named, {}, [](const auto& entry) { return entry.first; });
  for (const auto& [name, view] : named) {
    if (!tensors_.empty() && tensors_.back().name == name) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: the tensors '{}' and '{}' are one without '{}'", view->file,
                              originals_.back(), view->name, kWrapper));
    }
    tensors_.push_back(*view);
    tensors_.back().name = name;
    originals_.push_back(view->name);
  }
}

std::string UnwrappedSource::original_name(const std::string& unwrapped) const {
  const auto found =
      std::ranges::lower_bound(tensors_, unwrapped, {}, &checkpoint::TensorView::name);
  if (found == tensors_.end() || found->name != unwrapped) return unwrapped;
  return originals_[static_cast<std::size_t>(found - tensors_.begin())];
}

std::vector<TensorSlot> olmo_slots(const DecoderConfig& config,
                                   const checkpoint::TensorSource& source) {
  const UnwrappedSource unwrapped(source);
  const SlotMaker maker(config, unwrapped);
  std::vector<TensorSlot> slots;
  for (const DecoderTensor& tensor : checkpoint_tensors(config))
    slots.push_back(maker.make(tensor));
  return slots;
}

}  // namespace yardstick::models
