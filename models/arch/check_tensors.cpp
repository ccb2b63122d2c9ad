// Every tensor of a checkpoint accounted for.
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/arch/architecture.hpp"

namespace yardstick::models {
namespace {

using checkpoint::shape_text;

}  // namespace

void check_tensors(const Architecture& architecture, const std::vector<TensorSlot>& slots,
                   const checkpoint::TensorSource& source) {
  std::string problems;
  std::int64_t count = 0;
  const auto add = [&](const std::string& problem) {
    problems += "\n  " + problem;
    ++count;
  };
  std::set<std::string_view> used;
  for (const TensorSlot& slot : slots) {
    if (!used.insert(slot.source).second) continue;  // another part of a fused tensor
    const checkpoint::TensorView* const view = find_tensor(source, slot.source);
    if (view == nullptr) {
      add(fmt::format("missing: '{}', expected {}", slot.source, shape_text(slot.source_shape)));
    } else if (view->shape != slot.source_shape) {
      add(fmt::format("mis-shaped: '{}' is {}, expected {}", slot.source, shape_text(view->shape),
                      shape_text(slot.source_shape)));
    } else if (!checkpoint::is_floating(view->dtype)) {
      add(fmt::format("mis-typed: '{}' is {}, expected floating-point numbers", slot.source,
                      to_string(view->dtype)));
    }
  }
  for (const checkpoint::TensorView& view : source.tensors()) {
    if (used.contains(view.name) || architecture.is_recomputed_buffer(view.name)) continue;
    add(fmt::format("unexpected: '{}' {}", view.name, shape_text(view.shape)));
  }
  if (count == 0) return;
  const std::vector<std::string> files = source.files();
  throw Error(ErrorKind::kModel,
              fmt::format("{}: {} of the tensors do not fit the configuration (architecture {}):{}",
                          files.empty() ? "checkpoint" : files.front(), count, architecture.name(),
                          problems));
}

}  // namespace yardstick::models
