// Filters: {{ value | name(arguments) }}.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/template/callable.hpp"

namespace yardstick::tasks::jinja {

/// Null if there is no such filter.
[[nodiscard]] const Callable* find_filter(std::string_view name);
[[nodiscard]] std::vector<std::string> filter_names();

/// True for escape and tojson: Jinja makes markup of their value, not text.
[[nodiscard]] bool makes_markup(const Callable& filter);

// The tables, by what they work on.
[[nodiscard]] std::span<const Callable> text_filters();
[[nodiscard]] std::span<const Callable> number_filters();
[[nodiscard]] std::span<const Callable> list_filters();
[[nodiscard]] std::span<const Callable> selection_filters();

}  // namespace yardstick::tasks::jinja
