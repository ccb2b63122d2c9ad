#include "models/arch/tensor_rules.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/arch/tensor_names.hpp"

namespace yardstick::models {
namespace {

using Shape = std::vector<std::int64_t>;

/// "q.weight" -> {"q", ".weight"}; a name without such an end has an empty suffix.
std::pair<std::string_view, std::string_view> split_suffix(std::string_view name) {
  for (const std::string_view suffix : {std::string_view(".weight"), std::string_view(".bias")}) {
    if (name.ends_with(suffix)) return {name.substr(0, name.size() - suffix.size()), suffix};
  }
  return {name, ""};
}

/// An encoding's own tensors are called the same everywhere.
bool is_position(const LayerName& name) {
  return name.layer >= 0 && (name.rest.starts_with("position.") || name.rest.starts_with("fope."));
}

TensorRule rule_of(const TensorNames& names, std::string_view tensor) {
  const LayerName name = split_layer(tensor);
  if (is_position(name)) return {};
  const std::string_view part = split_suffix(name.rest).first;
  const std::vector<TensorRule>& rules = name.layer < 0 ? names.outer : names.layer;
  const auto found = std::ranges::find(rules, part, &TensorRule::part);
  check(found != rules.end(), fmt::format("a family has a name for the tensor '{}'", tensor));
  return *found;
}

/// Whether the base stands before the embedding's name in this file.
std::string_view base_in(const TensorNames& names, const checkpoint::TensorSource& source) {
  const std::string bare = stored_name(names, "", "embed.weight");
  const bool is_bare = find_tensor(source, fmt::format("{}{}", names.base, bare)) == nullptr &&
                       find_tensor(source, bare) != nullptr;
  return is_bare ? "" : names.base;
}

/// The shape of a source of `rows` rows whose part has shape `part`.
Shape with_rows(const Shape& part, std::int64_t rows) {
  Shape out = part;
  out.front() = rows;
  return out;
}

/// Where q, k or v begins among the rows of one group.
std::int64_t qkv_offset(std::string_view part, std::int64_t queries, std::int64_t keys) {
  if (part == "q") return 0;
  return part == "k" ? queries : queries + keys;
}

class SlotMaker {
 public:
  SlotMaker(const TensorNames& names, const DecoderConfig& config,
            const checkpoint::TensorSource& source)
      : names_(names), config_(config), base_(base_in(names, source)) {}

  void add(const DecoderTensor& tensor) {
    const LayerName name = split_layer(tensor.name);
    const auto [part, suffix] = split_suffix(name.rest);
    const TensorRule rule = rule_of(names_, tensor.name);
    TensorSlot slot{.name = tensor.name,
                    .source = stored_name(names_, base_, tensor.name),
                    .shape = tensor.shape,
                    .source_shape = tensor.shape,
                    .storage = suffix == ".weight" ? rule.storage : TensorSlot::Storage::kAsIs};
    if (rule.fusion == Fusion::kTensorAHead) {
      add_heads(slot);
      return;
    }
    fuse(rule, part, slot);
    if (slot.storage == TensorSlot::Storage::kTransposed) std::ranges::reverse(slot.source_shape);
    slots_.push_back(std::move(slot));
  }

  std::vector<TensorSlot> take() { return std::move(slots_); }

 private:
  void fuse(const TensorRule& rule, std::string_view part, TensorSlot& slot) const {
    const std::int64_t dim = config_.head_dim;
    const std::int64_t queries = config_.heads * dim;
    const std::int64_t keys = config_.kv_heads * dim;
    switch (rule.fusion) {
      case Fusion::kNone:
      case Fusion::kTensorAHead: return;
      case Fusion::kStackedQkv:
        slot.row_begin = qkv_offset(part, queries, keys);
        slot.source_shape = with_rows(slot.shape, queries + 2 * keys);
        return;
      case Fusion::kGroupedQkv:
        slot.groups = config_.kv_heads;
        slot.row_begin = qkv_offset(part, queries / slot.groups, dim);
        slot.source_shape = with_rows(slot.shape, queries + 2 * keys);
        return;
      case Fusion::kStackedGateUp:
        slot.row_begin = part == "gate" ? 0 : config_.mlp_width;
        slot.source_shape = with_rows(slot.shape, 2 * config_.mlp_width);
        return;
      case Fusion::kHeadRows: slot.source_shape = {slot.shape.front() / dim, dim}; return;
      case Fusion::kFirstTwoUnused:
        slot.row_begin = 2;
        slot.source_shape = with_rows(slot.shape, slot.shape.front() + 2);
        return;
    }
  }

  void add_heads(const TensorSlot& whole) {
    const std::int64_t heads = whole.shape.front() / config_.head_dim;
    for (std::int64_t head = 0; head < heads; ++head) {
      TensorSlot slot = whole;
      slot.source = fmt::format(fmt::runtime(whole.source), head);
      slot.shape = slot.source_shape = {config_.head_dim};
      slots_.push_back(std::move(slot));
    }
  }

  const TensorNames& names_;
  const DecoderConfig& config_;
  std::string_view base_;
  std::vector<TensorSlot> slots_;
};

std::vector<TensorRule> merged(std::vector<TensorRule> rules,
                               const std::vector<TensorRule>& others) {
  for (const TensorRule& rule : others) {
    const auto found = std::ranges::find(rules, rule.part, &TensorRule::part);
    if (found == rules.end()) {
      rules.push_back(rule);
    } else {
      *found = rule;
    }
  }
  return rules;
}

}  // namespace

TensorNames llama_names() {
  return {.outer = {{"embed", "embed_tokens"}, {"norm", "norm"}, {"head", "lm_head"}},
          .layer = {
              {"attn_norm", "input_layernorm"},
              {"q", "self_attn.q_proj"},
              {"k", "self_attn.k_proj"},
              {"v", "self_attn.v_proj"},
              {"q_norm", "self_attn.q_norm"},
              {"k_norm", "self_attn.k_norm"},
              {"o", "self_attn.o_proj"},
              {"mlp_norm", "post_attention_layernorm"},
              {"gate", "mlp.gate_proj"},
              {"up", "mlp.up_proj"},
              {"down", "mlp.down_proj"},
          }};
}

TensorNames with_outer(TensorNames names, const std::vector<TensorRule>& rules) {
  names.outer = merged(std::move(names.outer), rules);
  return names;
}

TensorNames with_layer(TensorNames names, const std::vector<TensorRule>& rules) {
  names.layer = merged(std::move(names.layer), rules);
  return names;
}

std::string stored_name(const TensorNames& names, std::string_view base, std::string_view tensor) {
  const LayerName name = split_layer(tensor);
  constexpr std::string_view kFope = "fope.";
  if (name.rest.starts_with(kFope) && names.fope == TensorNames::FopePlace::kModel)
    return fmt::format("{}rotary_emb.{}", base, name.rest.substr(kFope.size()));
  if (is_position(name))
    return fmt::format("{}{}{}.self_attn.{}", base, names.layers, name.layer, name.rest);
  const auto [part, suffix] = split_suffix(name.rest);
  const std::string_view source = rule_of(names, tensor).source;
  if (part == "head") return fmt::format("{}{}", source, suffix);
  if (name.layer < 0) return fmt::format("{}{}{}", base, source, suffix);
  return fmt::format("{}{}{}.{}{}", base, names.layers, name.layer, source, suffix);
}

std::vector<TensorSlot> slots_of(const TensorNames& names, const DecoderConfig& config,
                                 const checkpoint::TensorSource& source) {
  SlotMaker maker(names, config, source);
  for (const DecoderTensor& tensor : checkpoint_tensors(config)) maker.add(tensor);
  return maker.take();
}

std::string outer_name(const TensorNames& names, std::string_view tensor,
                       const checkpoint::TensorSource& source) {
  return stored_name(names, base_in(names, source), tensor);
}

}  // namespace yardstick::models
