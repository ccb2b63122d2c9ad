#include "models/checkpoint/renamed.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::checkpoint {

RenamedSource::RenamedSource(std::unique_ptr<TensorSource> source, const Rename& rename)
    : source_(std::move(source)) {
  for (const TensorView& view : source_->tensors()) {
    std::optional<std::string> name = rename(view.name);
    if (!name) continue;
    tensors_.push_back(view);
    tensors_.back().name = *std::move(name);
  }
  std::ranges::sort(tensors_, {}, &TensorView::name);
  const auto twice = std::ranges::adjacent_find(tensors_, {}, &TensorView::name);
  if (twice == tensors_.end()) return;
  throw Error(
      ErrorKind::kModel,
      fmt::format("{}: two tensors become '{}' without what a wrapper wrote before their names",
                  twice->file, twice->name));
}

}  // namespace yardstick::checkpoint
