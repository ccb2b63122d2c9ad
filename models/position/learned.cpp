// A learned table added to the token embeddings by the decoder; here it only bounds the length,
// for a position without a row cannot be numbered.
#include <fmt/format.h>

#include "models/position/unrotated.hpp"

namespace yardstick::position {
namespace {

class Learned final : public Unrotated {
 public:
  using Unrotated::Unrotated;

  std::optional<std::int64_t> longest_sequence() const override { return plan().table_rows; }
};

}  // namespace

std::unique_ptr<const Encoding> make_learned(PositionPlan plan, std::vector<LayerParameters>) {
  if (plan.table_rows < 1) {
    throw field_error(plan, "table_rows", fmt::to_string(plan.table_rows),
                      "the number of rows of the learned position table, 1 or more");
  }
  return std::make_unique<Learned>(std::move(plan));
}

}  // namespace yardstick::position
