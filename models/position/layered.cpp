// An encoding whose layers follow plans of several kinds: window layers that rotate beside full
// layers that do not, or each kind with frequencies of its own.
#include <algorithm>
#include <utility>

#include "models/position/factories.hpp"

namespace yardstick::position {
namespace {

class Layered final : public Encoding {
 public:
  Layered(std::vector<std::unique_ptr<const Encoding>> kinds, LayerPlans layers)
      : kinds_(std::move(kinds)), layers_(std::move(layers)) {}

  const PositionPlan& plan() const override { return kinds_.front()->plan(); }
  const PositionPlan& layer_plan(std::int64_t layer) const override { return of(layer).plan(); }

  std::optional<RotationShape> rotation(std::int64_t layer) const override {
    std::optional<RotationShape> shape = of(layer).rotation(layer);
    const auto layers = static_cast<std::int64_t>(layers_.of_layer.size());
    if (shape) shape->table_set += layers_.kind(layer) * layers;
    return shape;
  }

  void fill_rotation(const RotationQuery& query, std::span<float> cos,
                     std::span<float> sin) const override {
    of(query.layer).fill_rotation(query, cos, sin);
  }

  std::vector<float> query_scales(std::int64_t layer, std::int64_t first,
                                  std::int64_t count) const override {
    return of(layer).query_scales(layer, first, count);
  }

  std::vector<double> bias_slopes(std::int64_t layer) const override {
    return of(layer).bias_slopes(layer);
  }

  bool has_bias(std::int64_t layer) const override { return of(layer).has_bias(layer); }

  void fill_bias(const BiasQuery& query, std::span<float> bias) const override {
    of(query.layer).fill_bias(query, bias);
  }

  bool adds_to_embedding() const override { return kinds_.front()->adds_to_embedding(); }

  void fill_embedding(std::int64_t position, std::span<float> row) const override {
    kinds_.front()->fill_embedding(position, row);
  }

  LengthUse length_use() const override {
    const auto reads = [](const auto& kind) { return kind->length_use() == LengthUse::kTotal; };
    return std::ranges::any_of(kinds_, reads) ? LengthUse::kTotal : LengthUse::kNone;
  }

  std::optional<std::int64_t> longest_sequence() const override {
    std::optional<std::int64_t> longest;
    for (const auto& kind : kinds_) {
      const std::optional<std::int64_t> own = kind->longest_sequence();
      if (own) longest = std::min(longest.value_or(*own), *own);
    }
    return longest;
  }

  std::vector<double> frequencies(std::int64_t total_length) const override {
    return kinds_.front()->frequencies(total_length);
  }

 private:
  const Encoding& of(std::int64_t layer) const {
    return *kinds_[static_cast<std::size_t>(layers_.kind(layer))];
  }

  std::vector<std::unique_ptr<const Encoding>> kinds_;
  LayerPlans layers_;
};

}  // namespace

std::unique_ptr<const Encoding> make_layered_encoding(PositionPlan plan, const LayerPlans& layers,
                                                      std::vector<LayerParameters> parameters) {
  if (layers.others.empty()) return make_encoding(std::move(plan), std::move(parameters));
  std::vector<PositionPlan> plans = layers.others;
  plans.insert(plans.begin(), std::move(plan));
  std::vector<std::unique_ptr<const Encoding>> kinds;
  for (PositionPlan& kind : plans) {
    const bool takes = kind.kind == Kind::kFope || !encoding_tensors(kind).empty();
    kinds.push_back(
        make_encoding(std::move(kind), takes ? parameters : std::vector<LayerParameters>()));
  }
  return std::make_unique<Layered>(std::move(kinds), layers);
}

}  // namespace yardstick::position
