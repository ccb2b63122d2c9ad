// A template as tokens: text between tags, and what stands within tags. Lines end in \n afterwards,
// and '-' beside a tag has taken the white space next to it, as in Jinja.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/template/value.hpp"

namespace yardstick::tasks::jinja {

enum class TokenKind {
  kData,        ///< text outside of tags
  kPrintBegin,  ///< {{
  kPrintEnd,    ///< }}
  kBlockBegin,  ///< {%
  kBlockEnd,    ///< %}
  kName,
  kText,  ///< a string literal, decoded
  kInteger,
  kFloat,
  kOperator,  ///< one of + - / // * % ** ~ [ ] ( ) { } == != > >= < <= = . : | , ;
  kEnd
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;        ///< data, name, decoded literal or operator
  Value number;            ///< of kInteger and kFloat
  std::size_t offset = 0;  ///< of its first byte in the source
};

/// Lines of `text` with \n as their only end.
[[nodiscard]] std::string with_plain_line_ends(std::string_view text);

/// @param source with plain line ends, valid UTF-8
/// @throws Fault with an offset for a tag, comment or literal that is not closed, a character or a
/// number that cannot be read.
[[nodiscard]] std::vector<Token> tokenize(std::string_view source);

/// "'name'" for messages.
[[nodiscard]] std::string describe(const Token& token);

}  // namespace yardstick::tasks::jinja
