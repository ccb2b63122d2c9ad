#include "tasks/template/expression_parser.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "tasks/template/filters.hpp"
#include "tasks/template/limits.hpp"
#include "tasks/template/methods.hpp"
#include "tasks/template/value_tests.hpp"

namespace yardstick::tasks::jinja {
namespace {

Fault too_deep(std::size_t offset) {
  return {fmt::format("the expression is nested more than {} deep", kMaxNesting), offset};
}

std::optional<Comparison> comparison_operator(const Token& token) {
  constexpr std::array kSymbols = {std::pair{std::string_view("=="), Comparison::kEqual},
                                   std::pair{std::string_view("!="), Comparison::kNotEqual},
                                   std::pair{std::string_view("<"), Comparison::kLess},
                                   std::pair{std::string_view("<="), Comparison::kLessEqual},
                                   std::pair{std::string_view(">"), Comparison::kGreater},
                                   std::pair{std::string_view(">="), Comparison::kGreaterEqual}};
  if (token.kind != TokenKind::kOperator) return std::nullopt;
  for (const auto& [symbol, comparison] : kSymbols) {
    if (token.text == symbol) return comparison;
  }
  return std::nullopt;
}

}  // namespace

// Counts the levels of recursion, which the text of a template decides.
class ExpressionParser::Level {
 public:
  explicit Level(ExpressionParser& parser) : parser_(parser) {
    if (++parser_.level_ > kMaxNesting) throw too_deep(parser_.tokens_.current().offset);
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  ~Level() { --parser_.level_; }

 private:
  ExpressionParser& parser_;
};

Expression ExpressionParser::make(std::size_t offset, Expression::Node node,
                                  std::vector<Expression> operands) {
  int height = 1;
  for (const Expression& operand : operands) height = std::max(height, operand.height + 1);
  if (height > kMaxNesting) throw too_deep(offset);
  return {
      .node = std::move(node), .operands = std::move(operands), .offset = offset, .height = height};
}

Expression ExpressionParser::expression() {
  const Level level(*this);
  Expression value = expression_without_if();
  while (tokens_.is_name("if")) {
    const std::size_t offset = tokens_.next().offset;
    std::vector<Expression> operands;
    operands.push_back(expression_without_if());
    operands.push_back(std::move(value));
    if (tokens_.skip_name("else")) operands.push_back(expression());
    value = make(offset, Conditional{}, std::move(operands));
  }
  return value;
}

Expression ExpressionParser::expression_without_if() { return any(); }

Expression ExpressionParser::tuple_with_if() { return tuple_of(&ExpressionParser::expression); }

Expression ExpressionParser::tuple_without_if() {
  return tuple_of(&ExpressionParser::expression_without_if);
}

bool ExpressionParser::ends_tuple() const {
  return tokens_.is(TokenKind::kPrintEnd) || tokens_.is(TokenKind::kBlockEnd) ||
         tokens_.is_operator(")") || tokens_.is_name("recursive");
}

Expression ExpressionParser::tuple_of(Rule element) {
  const std::size_t offset = tokens_.current().offset;
  Expression first = (this->*element)();
  if (!tokens_.is_operator(",")) return first;
  std::vector<Expression> elements;
  elements.push_back(std::move(first));
  while (tokens_.skip_operator(",")) {
    if (ends_tuple()) break;
    elements.push_back((this->*element)());
  }
  return make(offset, TupleDisplay{}, std::move(elements));
}

template <typename Node>
Expression ExpressionParser::chain_of(Rule operand, std::string_view keyword) {
  Expression first = (this->*operand)();
  if (!tokens_.is_name(keyword)) return first;
  const std::size_t offset = tokens_.current().offset;
  std::vector<Expression> operands;
  operands.push_back(std::move(first));
  while (tokens_.skip_name(keyword)) operands.push_back((this->*operand)());
  return make(offset, Node{}, std::move(operands));
}

Expression ExpressionParser::any() { return chain_of<Any>(&ExpressionParser::all, "or"); }

Expression ExpressionParser::all() { return chain_of<All>(&ExpressionParser::negated, "and"); }

Expression ExpressionParser::negated() {
  if (!tokens_.is_name("not")) return comparison();
  const Level level(*this);
  const std::size_t offset = tokens_.next().offset;
  std::vector<Expression> operands;
  operands.push_back(negated());
  return make(offset, Not{}, std::move(operands));
}

Expression ExpressionParser::comparison() {
  Expression first = sum();
  const std::size_t offset = tokens_.current().offset;
  std::vector<Expression> operands;
  ComparisonChain chain;
  while (true) {
    if (const auto found = comparison_operator(tokens_.current())) {
      tokens_.next();
      chain.comparisons.push_back(*found);
    } else if (tokens_.skip_name("in")) {
      chain.comparisons.push_back(Comparison::kIn);
    } else if (tokens_.is_name("not") && tokens_.following().kind == TokenKind::kName &&
               tokens_.following().text == "in") {
      tokens_.next();
      tokens_.next();
      chain.comparisons.push_back(Comparison::kNotIn);
    } else {
      break;
    }
    if (operands.empty()) operands.push_back(std::move(first));
    operands.push_back(sum());
  }
  return operands.empty() ? std::move(first) : make(offset, std::move(chain), std::move(operands));
}

Expression ExpressionParser::sum() {
  Expression first = concatenation();
  const std::size_t offset = tokens_.current().offset;
  std::vector<Expression> operands;
  ArithmeticChain chain;
  while (tokens_.is_operator("+") || tokens_.is_operator("-")) {
    const bool adds = tokens_.next().text == "+";
    chain.operations.push_back(adds ? Arithmetic::kAdd : Arithmetic::kSubtract);
    if (operands.empty()) operands.push_back(std::move(first));
    operands.push_back(concatenation());
  }
  return operands.empty() ? std::move(first) : make(offset, std::move(chain), std::move(operands));
}

Expression ExpressionParser::concatenation() {
  Expression first = product();
  if (!tokens_.is_operator("~")) return first;
  const std::size_t offset = tokens_.current().offset;
  std::vector<Expression> operands;
  operands.push_back(std::move(first));
  while (tokens_.skip_operator("~")) operands.push_back(product());
  return make(offset, Concatenation{}, std::move(operands));
}

Expression ExpressionParser::product() {
  constexpr std::array kSymbols = {std::pair{std::string_view("*"), Arithmetic::kMultiply},
                                   std::pair{std::string_view("/"), Arithmetic::kDivide},
                                   std::pair{std::string_view("//"), Arithmetic::kFloorDivide},
                                   std::pair{std::string_view("%"), Arithmetic::kModulo}};
  Expression first = power();
  const std::size_t offset = tokens_.current().offset;
  std::vector<Expression> operands;
  ArithmeticChain chain;
  while (true) {
    const auto* const found =
        std::find_if(kSymbols.begin(), kSymbols.end(),
                     [&](const auto& symbol) { return tokens_.is_operator(symbol.first); });
    if (found == kSymbols.end()) break;
    tokens_.next();
    chain.operations.push_back(found->second);
    if (operands.empty()) operands.push_back(std::move(first));
    operands.push_back(power());
  }
  return operands.empty() ? std::move(first) : make(offset, std::move(chain), std::move(operands));
}

// Jinja reads powers from the left.
Expression ExpressionParser::power() {
  Expression first = unary();
  const std::size_t offset = tokens_.current().offset;
  std::vector<Expression> operands;
  ArithmeticChain chain;
  while (tokens_.skip_operator("**")) {
    chain.operations.push_back(Arithmetic::kPower);
    if (operands.empty()) operands.push_back(std::move(first));
    operands.push_back(unary());
  }
  return operands.empty() ? std::move(first) : make(offset, std::move(chain), std::move(operands));
}

// A filter binds less than a sign: -3|abs is 3.
Expression ExpressionParser::unary() { return with_filters(signed_operand()); }

Expression ExpressionParser::signed_operand() {
  const bool is_negative = tokens_.is_operator("-");
  if (!is_negative && !tokens_.is_operator("+")) return with_postfixes(primary());
  const Level level(*this);
  const std::size_t offset = tokens_.next().offset;
  std::vector<Expression> operands;
  operands.push_back(signed_operand());
  return is_negative ? make(offset, Negation{}, std::move(operands))
                     : make(offset, Position{}, std::move(operands));
}

Expression ExpressionParser::primary() {
  const Token& token = tokens_.current();
  if (token.kind == TokenKind::kInteger || token.kind == TokenKind::kFloat) {
    const Token number = tokens_.next();
    return make(number.offset, Constant{number.number}, {});
  }
  if (token.kind == TokenKind::kText) {
    const std::size_t offset = token.offset;
    std::string text;
    while (tokens_.is(TokenKind::kText)) text += tokens_.next().text;
    return make(offset, Constant{Value::text(std::move(text))}, {});
  }
  if (tokens_.is_operator("(")) return parenthesized();
  if (tokens_.is_operator("[")) return list_display();
  if (tokens_.is_operator("{")) return dict_display();
  if (token.kind != TokenKind::kName) tokens_.fail("an expression");
  const Token name = tokens_.next();
  if (name.text == "true" || name.text == "True") return make(name.offset, Constant{{true}}, {});
  if (name.text == "false" || name.text == "False") return make(name.offset, Constant{{false}}, {});
  if (name.text == "none" || name.text == "None") return make(name.offset, Constant{}, {});
  if (name.text == "self" || name.text == "super") {
    throw Fault(fmt::format("'{}' is not supported", name.text), name.offset);
  }
  variables_.emplace_back(name.text, name.offset);
  return make(name.offset, Variable{name.text}, {});
}

Expression ExpressionParser::parenthesized() {
  const Level level(*this);
  const std::size_t offset = tokens_.next().offset;
  if (tokens_.skip_operator(")")) return make(offset, TupleDisplay{}, {});
  Expression inside = tuple_with_if();
  tokens_.expect_operator(")");
  return inside;
}

Expression ExpressionParser::list_display() {
  const Level level(*this);
  const std::size_t offset = tokens_.next().offset;
  std::vector<Expression> elements;
  while (!tokens_.is_operator("]")) {
    if (!elements.empty()) tokens_.expect_operator(",");
    if (tokens_.is_operator("]")) break;
    elements.push_back(expression());
  }
  tokens_.expect_operator("]");
  return make(offset, ListDisplay{}, std::move(elements));
}

Expression ExpressionParser::dict_display() {
  const Level level(*this);
  const std::size_t offset = tokens_.next().offset;
  std::vector<Expression> parts;
  while (!tokens_.is_operator("}")) {
    if (!parts.empty()) tokens_.expect_operator(",");
    if (tokens_.is_operator("}")) break;
    parts.push_back(expression());
    tokens_.expect_operator(":");
    parts.push_back(expression());
  }
  tokens_.expect_operator("}");
  return make(offset, DictDisplay{}, std::move(parts));
}

Expression ExpressionParser::with_postfixes(Expression object) {
  while (true) {
    if (tokens_.is_operator(".") || tokens_.is_operator("[")) {
      object = subscript(std::move(object));
    } else if (tokens_.is_operator("(")) {
      object = call(std::move(object));
    } else {
      return object;
    }
  }
}

Expression ExpressionParser::with_filters(Expression value) {
  while (true) {
    if (tokens_.is_operator("|")) {
      value = filter(std::move(value));
    } else if (tokens_.is_name("is")) {
      value = test(std::move(value));
    } else if (tokens_.is_operator("(")) {
      value = call(std::move(value));
    } else {
      return value;
    }
  }
}

Expression ExpressionParser::subscript(Expression object) {
  if (tokens_.is_operator(".")) return attribute(std::move(object));
  const std::size_t offset = tokens_.next().offset;
  const Level level(*this);
  return index_or_slice(std::move(object), offset);
}

Expression ExpressionParser::attribute(Expression object) {
  const std::size_t offset = tokens_.next().offset;
  std::vector<Expression> operands;
  operands.push_back(std::move(object));
  if (tokens_.is(TokenKind::kInteger)) {
    const Token index = tokens_.next();
    operands.push_back(make(index.offset, Constant{index.number}, {}));
    return make(offset, Subscript{}, std::move(operands));
  }
  const Token name = tokens_.expect(TokenKind::kName, "a name or number behind '.'");
  if (name.text.starts_with("__")) {
    throw Fault(fmt::format("'{}': Python's own attributes are not supported", name.text),
                name.offset);
  }
  return make(offset, Attribute{name.text}, std::move(operands));
}

Expression ExpressionParser::index_or_slice(Expression object, std::size_t offset) {
  std::vector<Expression> operands;
  operands.push_back(std::move(object));
  const auto none = [&] { return make(offset, Constant{}, {}); };
  bool is_slice = tokens_.is_operator(":");
  operands.push_back(is_slice ? none() : expression());
  if (tokens_.is_operator(",")) {
    throw Fault("several subscripts in one pair of brackets are not supported",
                tokens_.current().offset);
  }
  for (; operands.size() < 4 && tokens_.skip_operator(":"); is_slice = true) {
    const bool is_open = tokens_.is_operator(":") || tokens_.is_operator("]");
    operands.push_back(is_open ? none() : expression());
  }
  tokens_.expect_operator("]");
  if (!is_slice) return make(offset, Subscript{}, std::move(operands));
  while (operands.size() < 4) operands.push_back(none());
  return make(offset, Slicing{}, std::move(operands));
}

std::vector<std::string> ExpressionParser::arguments(std::vector<Expression>& operands) {
  const Level level(*this);
  tokens_.expect_operator("(");
  std::vector<std::string> keywords;
  bool is_first = true;
  while (!tokens_.is_operator(")")) {
    if (!is_first) tokens_.expect_operator(",");
    if (tokens_.is_operator(")")) break;
    is_first = false;
    if (std::ssize(operands) > kMaxArguments) {
      throw Fault(fmt::format("a call has more than {} arguments", kMaxArguments),
                  tokens_.current().offset);
    }
    if (tokens_.is_operator("*") || tokens_.is_operator("**")) {
      throw Fault(fmt::format("'{}' before an argument is not supported", tokens_.current().text),
                  tokens_.current().offset);
    }
    const bool is_named = tokens_.is(TokenKind::kName) &&
                          tokens_.following().kind == TokenKind::kOperator &&
                          tokens_.following().text == "=";
    if (is_named) {
      keywords.push_back(tokens_.next().text);
      tokens_.next();
    } else if (!keywords.empty()) {
      tokens_.fail("a named argument behind another");
    }
    operands.push_back(expression());
  }
  tokens_.expect_operator(")");
  return keywords;
}

Expression ExpressionParser::call(Expression callee) {
  const std::size_t offset = callee.offset;
  std::vector<Expression> operands;
  if (const auto* variable = std::get_if<Variable>(&callee.node)) {
    FunctionCall call{.name = variable->name, .keywords = {}};
    called_.emplace_back(call.name, offset);
    call.keywords = arguments(operands);
    return make(offset, std::move(call), std::move(operands));
  }
  const auto* method = std::get_if<Attribute>(&callee.node);
  if (method == nullptr) {
    throw Fault("only functions, macros and methods can be called", tokens_.current().offset);
  }
  MethodCall call{.name = method->name, .keywords = {}};
  if (!is_method(call.name)) {
    throw Fault(unknown_name("method", call.name, method_names()), offset);
  }
  operands.push_back(std::move(callee.operands.front()));
  call.keywords = arguments(operands);
  return make(offset, std::move(call), std::move(operands));
}

Expression ExpressionParser::filter(Expression value) {
  tokens_.next();
  const Token name = tokens_.expect(TokenKind::kName, "the name of a filter");
  Filtering filtering{.filter = find_filter(name.text), .keywords = {}};
  if (filtering.filter == nullptr) {
    throw Fault(unknown_name("filter", name.text, filter_names()), name.offset);
  }
  std::vector<Expression> operands;
  operands.push_back(std::move(value));
  if (tokens_.is_operator("(")) filtering.keywords = arguments(operands);
  if (makes_markup(*filtering.filter)) markup_.push_back(name.offset);
  return make(name.offset, std::move(filtering), std::move(operands));
}

// A test takes its one argument without parentheses, too: x is divisibleby 3.
std::vector<Expression> ExpressionParser::test_argument() {
  std::vector<Expression> out;
  const Token& token = tokens_.current();
  const bool is_literal = token.kind == TokenKind::kName || token.kind == TokenKind::kText ||
                          token.kind == TokenKind::kInteger || token.kind == TokenKind::kFloat ||
                          tokens_.is_operator("[") || tokens_.is_operator("{");
  const bool goes_on = tokens_.is_name("else") || tokens_.is_name("or") || tokens_.is_name("and");
  if (!is_literal || goes_on) return out;
  if (tokens_.is_name("is")) tokens_.fail("no further test; put the first into parentheses");
  out.push_back(with_postfixes(primary()));
  return out;
}

Expression ExpressionParser::test(Expression value) {
  tokens_.next();
  const bool is_negated = tokens_.skip_name("not");
  const Token name = tokens_.expect(TokenKind::kName, "the name of a test");
  Testing testing{.test = find_test(name.text), .keywords = {}};
  if (testing.test == nullptr) {
    throw Fault(unknown_name("test", name.text, test_names()), name.offset);
  }
  std::vector<Expression> operands;
  operands.push_back(std::move(value));
  if (tokens_.is_operator("(")) {
    testing.keywords = arguments(operands);
  } else {
    for (Expression& argument : test_argument()) operands.push_back(std::move(argument));
  }
  Expression out = make(name.offset, std::move(testing), std::move(operands));
  if (!is_negated) return out;
  std::vector<Expression> inverted;
  inverted.push_back(std::move(out));
  return make(name.offset, Not{}, std::move(inverted));
}

}  // namespace yardstick::tasks::jinja
