// The tokens of a template one after the other.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tasks/template/fault.hpp"
#include "tasks/template/lexer.hpp"

namespace yardstick::tasks::jinja {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  [[nodiscard]] const Token& following() const {
    return tokens_[std::min(at_ + 1, tokens_.size() - 1)];
  }
  [[nodiscard]] bool is(TokenKind kind) const { return current().kind == kind; }
  [[nodiscard]] bool is_operator(std::string_view text) const {
    return is(TokenKind::kOperator) && current().text == text;
  }
  [[nodiscard]] bool is_name(std::string_view text) const {
    return is(TokenKind::kName) && current().text == text;
  }

  Token next() {
    Token out = current();
    if (at_ + 1 < tokens_.size()) ++at_;
    return out;
  }
  bool skip_operator(std::string_view text) {
    const bool found = is_operator(text);
    if (found) next();
    return found;
  }
  bool skip_name(std::string_view text) {
    const bool found = is_name(text);
    if (found) next();
    return found;
  }
  void expect_operator(std::string_view text) {
    if (!skip_operator(text)) fail(fmt::format("'{}'", text));
  }
  Token expect(TokenKind kind, std::string_view what) {
    if (!is(kind)) fail(what);
    return next();
  }
  [[noreturn]] void fail(std::string_view expected) const {
    throw Fault(fmt::format("expected {}, found {}", expected, describe(current())),
                current().offset);
  }

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace yardstick::tasks::jinja
