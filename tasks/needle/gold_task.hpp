// The part of lost-in-the-middle tasks that does not depend on what their items are: a prompt of n
// items with the gold one in its place, sized, asked and told apart.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tasks/build_each.hpp"
#include "tasks/needle/gold_place.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// One question among items. Functions are called from one thread.
struct GoldQuestion {
  std::string id;
  std::int64_t least = 1;  ///< items of a context, the gold one among them
  std::int64_t most = 0;   ///< items that there are
  /// The whole prompt with n items; `place` is the gold one's.
  std::function<std::string(std::int64_t n, std::int64_t place)> prompt;
  /// The gold item as it stands in that prompt.
  std::function<std::string(std::int64_t n, std::int64_t place)> gold;
  /// About how many tokens n items take; does not fall.
  std::function<std::int64_t(std::int64_t n)> tokens;
  std::vector<std::string> answers;
  std::string continuation;
  nlohmann::json facts;
};

struct GoldAsking {
  std::string_view kind;  ///< of the task, for messages
  std::string_view unit;  ///< "keys", "documents"
  std::int64_t max_new_tokens = 0;
};

/// The sample of a cell; skipped if its length is too short, or longer than all items.
[[nodiscard]] BuiltSample ask_for_gold(GoldQuestion question, const GoldAsking& asking,
                                       const GoldPlaces& places, const CellAxes& cell,
                                       const TextCodec& codec);

}  // namespace yardstick::tasks
