#include "tasks/choice/items.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/data/jsonl.hpp"

namespace yardstick::tasks {
namespace {

std::vector<std::string> choices_of(const ChoiceTemplates& templates,
                                    const nlohmann::ordered_json& doc) {
  std::vector<std::string> out;
  const bool is_list = templates.choices.size() == 1;
  if (!is_list) {
    for (const Template& choice : templates.choices) out.push_back(choice.render(doc));
    return out;
  }
  const Template& only = templates.choices.front();
  const nlohmann::ordered_json list = only.evaluate(doc);
  if (!list.is_array()) {
    throw Error(ErrorKind::kData, fmt::format("{}: '{}' is {}, expected a list of choices",
                                              only.place(), only.text(), list.type_name()));
  }
  for (const nlohmann::ordered_json& choice : list) {
    if (!choice.is_string() && !choice.is_number()) {
      throw Error(ErrorKind::kData, fmt::format("{}: choice {} is {}, expected text", only.place(),
                                                out.size(), choice.dump()));
    }
    out.push_back(choice.is_string() ? choice.get<std::string>() : choice.dump());
  }
  return out;
}

std::int64_t checked_index(std::int64_t index, std::size_t choices) {
  if (index >= 0 && index < static_cast<std::int64_t>(choices)) return index;
  throw Error(ErrorKind::kData,
              fmt::format("the target is {}, but the choices are numbered from 0 to {}", index,
                          static_cast<std::int64_t>(choices) - 1));
}

// An integer is an index; text is the right choice, or else an index in digits.
std::int64_t target_of(const Template& target, const nlohmann::ordered_json& doc,
                       const std::vector<std::string>& choices) {
  if (target.is_expression()) {
    const nlohmann::ordered_json value = target.evaluate(doc);
    if (value.is_number_integer()) {
      return checked_index(value.get<std::int64_t>(), choices.size());
    }
  }
  const std::string text = target.render(doc);
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found != choices.end()) return found - choices.begin();
  const bool is_index =
      !text.empty() && text.size() < 7 && text.find_first_not_of("0123456789") == std::string::npos;
  if (is_index) return checked_index(std::stoll(text), choices.size());
  throw Error(ErrorKind::kData, fmt::format("the target '{}' is neither one of the {} choices nor "
                                            "an index",
                                            text, choices.size()));
}

ChoiceItem make_item(std::int64_t line, const nlohmann::ordered_json& doc,
                     const ChoiceTemplates& templates) {
  ChoiceItem item;
  item.line = line;
  item.context = templates.context.render(doc);
  item.choices = choices_of(templates, doc);
  if (item.choices.size() < 2) {
    throw Error(ErrorKind::kData,
                fmt::format("found {} choice(s), expected at least 2", item.choices.size()));
  }
  for (std::size_t i = 0; i < item.choices.size(); ++i) {
    if (item.choices[i].empty()) {
      throw Error(ErrorKind::kData,
                  fmt::format("choice {} is empty; there is nothing to score", i));
    }
  }
  item.gold = target_of(templates.target, doc, item.choices);
  if (templates.category) item.category = templates.category->render(doc);
  return item;
}

}  // namespace

std::vector<ChoiceItem> read_items(const DataSource& source, const ChoiceTemplates& templates) {
  std::vector<ChoiceItem> items;
  for_each_json_line(source.path, [&](std::int64_t line, nlohmann::ordered_json&& doc) {
    try {
      items.push_back(make_item(line, doc, templates));
    } catch (const Error& error) {
      throw error.within(fmt::format("{}:{}", source.path.string(), line));
    }
    return Proceed::kNext;
  });
  if (items.empty()) {
    throw Error(ErrorKind::kData, fmt::format("{}: holds no items", source.path.string()));
  }
  return items;
}

}  // namespace yardstick::tasks
