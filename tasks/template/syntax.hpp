// What the parser makes of a template.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tasks/template/callable.hpp"
#include "tasks/template/operators.hpp"
#include "tasks/template/value.hpp"

namespace yardstick::tasks::jinja {

// The kinds of expression. Their parts are the operands of the Expression, in the order given.

struct Constant {
  Value value;
};
struct Variable {
  std::string name;
};
struct ListDisplay {};   ///< elements
struct TupleDisplay {};  ///< elements
struct DictDisplay {};   ///< key, value, key, value, ...
struct Negation {};      ///< of a number
struct Position {};      ///< unary +
struct Not {};
struct All {};  ///< a and b and ...
struct Any {};  ///< a or b or ...
/// first, then one operand for each operation, from the left
struct ArithmeticChain {
  std::vector<Arithmetic> operations;
};
/// a < b <= c: every neighbouring pair holds
struct ComparisonChain {
  std::vector<Comparison> comparisons;
};
struct Concatenation {};  ///< a ~ b ~ ...
struct Conditional {};    ///< condition, value, and the other value if there is an else
struct Attribute {        ///< object
  std::string name;
};
struct Subscript {};  ///< object, index
struct Slicing {};    ///< object, start, stop, step
/// The operands that are arguments end with the named ones.
struct MethodCall {  ///< object, arguments
  std::string name;
  std::vector<std::string> keywords;
};
struct FunctionCall {  ///< arguments
  std::string name;
  std::vector<std::string> keywords;
};
struct Filtering {  ///< value, arguments
  const Callable* filter = nullptr;
  std::vector<std::string> keywords;
};
struct Testing {  ///< value, arguments
  const Callable* test = nullptr;
  std::vector<std::string> keywords;
};

struct Expression {
  using Node =
      std::variant<Constant, Variable, ListDisplay, TupleDisplay, DictDisplay, Negation, Position,
                   Not, All, Any, ArithmeticChain, ComparisonChain, Concatenation, Conditional,
                   Attribute, Subscript, Slicing, MethodCall, FunctionCall, Filtering, Testing>;
  Node node;
  std::vector<Expression> operands;
  std::size_t offset = 0;
  int height = 1;  ///< levels of expressions, this one included
};

struct Statement;
using Body = std::vector<Statement>;

struct Data {
  std::string text;
};
struct Print {
  Expression expression;
};
struct If {
  struct Branch {
    Expression condition;
    Body body;
  };
  std::vector<Branch> branches;
  Body otherwise;
};
struct For {
  std::vector<std::string> targets;  ///< several where the element is unpacked
  bool unpacks = false;
  Expression iterable;
  std::optional<Expression> condition;
  Body body;
  Body otherwise;
};
struct Assign {
  std::vector<std::string> targets;
  bool unpacks = false;
  std::string attribute;  ///< of the namespace targets[0], or empty
  Expression value;
};
/// {% set name %}...{% endset %}
struct AssignBlock {
  std::string target;
  Body body;
};
struct With {
  std::vector<std::pair<std::string, Expression>> variables;
  Body body;
};
struct MacroDefinition {
  std::string name;
  std::vector<std::pair<std::string, std::optional<Expression>>> parameters;
  Body body;
};

struct Statement {
  std::variant<Data, Print, If, For, Assign, AssignBlock, With, std::shared_ptr<MacroDefinition>>
      node;
  std::size_t offset = 0;
};

}  // namespace yardstick::tasks::jinja
