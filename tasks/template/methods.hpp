// Methods of values: text.strip(), list.index(x), dict.items().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/template/callable.hpp"

namespace yardstick::tasks::jinja {

/// True if some type of value has this method here.
[[nodiscard]] bool is_method(std::string_view name);
[[nodiscard]] std::vector<std::string> method_names();

/// True if values of this type have the attribute in Python, whether it is supported or not.
[[nodiscard]] bool is_python_attribute(const Value& value, std::string_view name);

/// @throws Fault where the object has no such method, or as the method does.
[[nodiscard]] Value call_method(const Value& object, std::string_view name,
                                const Arguments& arguments, Budget& budget);

// The tables, by type.
[[nodiscard]] std::span<const Callable> text_methods();
[[nodiscard]] std::span<const Callable> sequence_methods();  ///< of lists and tuples
[[nodiscard]] std::span<const Callable> dict_methods();
[[nodiscard]] std::span<const Callable> loop_methods();

}  // namespace yardstick::tasks::jinja
