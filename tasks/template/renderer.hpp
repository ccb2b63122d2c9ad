// Runs a parsed template over one document.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tasks/template/limits.hpp"
#include "tasks/template/syntax.hpp"

namespace yardstick::tasks::jinja {

/// One rendering; not to be used twice.
class Renderer {
 public:
  explicit Renderer(const nlohmann::ordered_json& document);

  /// The text of `body`. @throws Fault with an offset.
  [[nodiscard]] std::string render(const Body& body);
  /// @throws Fault with an offset.
  [[nodiscard]] Value evaluate(const Expression& expression);

 private:
  struct Evaluate;
  class Level;
  using Scope = std::vector<std::pair<std::string_view, Value>>;

  void run(const Body& body, TextBuilder& out);
  void run(const Statement& statement, TextBuilder& out);
  void run(const For& loop, TextBuilder& out);
  void run(const If& branches, TextBuilder& out);
  void run(const Assign& assign);
  std::string call_macro(const MacroDefinition& macro, const Arguments& arguments);

  [[nodiscard]] Value look_up(std::string_view name);
  void set(std::string_view name, Value value);
  void unpack(const std::vector<std::string>& targets, bool unpacks, const Value& value);
  Value call_function(std::string_view name, const Arguments& arguments);
  Value attribute(const Value& object, std::string_view name);
  [[nodiscard]] std::string missing_name(std::string_view name) const;

  const nlohmann::ordered_json& document_;
  Scope fields_;                  // of the document, as they are used
  std::vector<Scope> scopes_;     // from the template's own to the innermost
  std::size_t visible_from_ = 1;  // besides scopes_[0]: a macro does not see where it is called
  std::vector<Scope> namespaces_;
  Budget budget_;
  int level_ = 0;
};

}  // namespace yardstick::tasks::jinja
