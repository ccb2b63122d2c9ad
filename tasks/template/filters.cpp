#include "tasks/template/filters.hpp"

namespace yardstick::tasks::jinja {

const Callable* find_filter(std::string_view name) {
  for (const auto table : {text_filters(), number_filters(), list_filters(), selection_filters()}) {
    if (const Callable* found = find(table, name)) return found;
  }
  return nullptr;
}

std::vector<std::string> filter_names() {
  std::vector<std::string> out;
  for (const auto table : {text_filters(), number_filters(), list_filters(), selection_filters()}) {
    for (const Callable& filter : table) out.emplace_back(filter.name);
  }
  return out;
}

bool makes_markup(const Callable& filter) {
  return filter.name == "escape" || filter.name == "e" || filter.name == "tojson";
}

}  // namespace yardstick::tasks::jinja
