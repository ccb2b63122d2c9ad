// Expressions of Jinja's grammar.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tasks/template/syntax.hpp"
#include "tasks/template/token_stream.hpp"

namespace yardstick::tasks::jinja {

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  /// One expression.
  Expression expression();
  /// One without an inline if.
  Expression expression_without_if();
  /// One, or several with commas, which are a tuple. `conditional`: with inline if.
  Expression tuple_with_if();
  Expression tuple_without_if();

  /// Names that were called as functions, with their places.
  [[nodiscard]] const std::vector<std::pair<std::string, std::size_t>>& called() const {
    return called_;
  }
  /// Every variable read.
  [[nodiscard]] const std::vector<std::pair<std::string, std::size_t>>& variables() const {
    return variables_;
  }
  /// Places of filters that make markup, which a later operation would treat differently from text.
  [[nodiscard]] std::vector<std::size_t>& markup() { return markup_; }

 private:
  class Level;
  using Rule = Expression (ExpressionParser::*)();

  Expression make(std::size_t offset, Expression::Node node, std::vector<Expression> operands);
  Expression tuple_of(Rule element);
  bool ends_tuple() const;
  template <typename Node>
  Expression chain_of(Rule operand, std::string_view keyword);

  Expression any();
  Expression all();
  Expression negated();
  Expression comparison();
  Expression sum();
  Expression concatenation();
  Expression product();
  Expression power();
  Expression unary();
  Expression signed_operand();
  Expression primary();
  Expression parenthesized();
  Expression list_display();
  Expression dict_display();
  Expression with_postfixes(Expression object);
  Expression with_filters(Expression value);
  Expression subscript(Expression object);
  Expression attribute(Expression object);
  Expression index_or_slice(Expression object, std::size_t offset);
  Expression call(Expression callee);
  Expression filter(Expression value);
  Expression test(Expression value);
  std::vector<std::string> arguments(std::vector<Expression>& operands);
  std::vector<Expression> test_argument();

  TokenStream& tokens_;
  std::vector<std::pair<std::string, std::size_t>> called_;
  std::vector<std::pair<std::string, std::size_t>> variables_;
  std::vector<std::size_t> markup_;
  int level_ = 0;
};

}  // namespace yardstick::tasks::jinja
