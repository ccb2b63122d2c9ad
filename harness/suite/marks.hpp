// Places of a configuration value that was put together from several files.
#pragma once

#include "core/yaml.hpp"

namespace yardstick::harness {

/// Gives every part of the value at `at` of `to` the places that `value_place` and `key_place` say
/// for its pointer.
template <typename ValuePlace, typename KeyPlace>
void mark_tree(Located& to, const nlohmann::json::json_pointer& at, const nlohmann::json& value,
               const ValuePlace& value_place, const KeyPlace& key_place) {
  const std::string pointer = at.to_string();
  to.mark(pointer, value_place(pointer), key_place(pointer));
  if (value.is_object()) {
    for (const auto& [key, child] : value.items())
      mark_tree(to, at / key, child, value_place, key_place);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      mark_tree(to, at / i, value[i], value_place, key_place);
  }
}

}  // namespace yardstick::harness
