#include "tasks/template/parser.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/text.hpp"
#include "tasks/template/expression_parser.hpp"
#include "tasks/template/filters.hpp"
#include "tasks/template/limits.hpp"

namespace yardstick::tasks::jinja {
namespace {

constexpr std::array<std::string_view, 3> kFunctions = {"range", "dict", "namespace"};

class Parser {
 public:
  explicit Parser(std::string_view source) : tokens_(tokenize(source)), expressions_(tokens_) {}

  Body run() {
    Body out = body({});
    if (!tokens_.is(TokenKind::kEnd)) unexpected_block();
    check_calls();
    check_markup();
    return out;
  }

 private:
  // Statements up to a block whose name is in `ends`; its "{%" is taken, its name is not.
  Body body(const std::set<std::string_view>& ends) {
    Body out;
    while (true) {
      const std::size_t offset = tokens_.current().offset;
      if (tokens_.is(TokenKind::kData)) {
        out.push_back({.node = Data{tokens_.next().text}, .offset = offset});
      } else if (tokens_.is(TokenKind::kPrintBegin)) {
        out.push_back({.node = print(), .offset = offset});
      } else if (tokens_.is(TokenKind::kBlockBegin)) {
        tokens_.next();
        if (!tokens_.is(TokenKind::kName)) tokens_.fail("the name of a block");
        if (ends.contains(tokens_.current().text)) return out;
        out.push_back(statement(offset));
      } else if (ends.empty()) {
        return out;
      } else {
        throw Fault(fmt::format("'{{% {} %}}' is not closed; expected {}", open_.back().first,
                                listed(ends)),
                    open_.back().second);
      }
    }
  }

  static std::string listed(const std::set<std::string_view>& names) {
    std::string out;
    for (const std::string_view name : names) {
      out += fmt::format("{}'{}'", out.empty() ? "" : " or ", name);
    }
    return out;
  }

  Print print() {
    tokens_.next();
    if (tokens_.is(TokenKind::kPrintEnd)) tokens_.fail("an expression");
    Print out{expressions_.tuple_with_if()};
    const auto* last = std::get_if<Filtering>(&out.expression.node);
    if (last != nullptr && makes_markup(*last->filter)) expressions_.markup().pop_back();
    tokens_.expect(TokenKind::kPrintEnd, "'}}'");
    return out;
  }

  Statement statement(std::size_t offset) {
    const std::string name = tokens_.next().text;
    open_.emplace_back(name, offset);
    if (std::ssize(open_) > kMaxNesting) {
      throw Fault(fmt::format("blocks are nested more than {} deep", kMaxNesting), offset);
    }
    Statement out{.node = Data{}, .offset = offset};
    if (name == "if") {
      out.node = if_block();
    } else if (name == "for") {
      out.node = for_block();
    } else if (name == "set") {
      set_block(out);
    } else if (name == "with") {
      out.node = with_block();
    } else if (name == "macro") {
      out.node = macro_block(offset);
    } else {
      unknown_block(name, offset);
    }
    open_.pop_back();
    return out;
  }

  [[noreturn]] void unexpected_block() { tokens_.fail("the end of the template"); }

  [[noreturn]] void unknown_block(const std::string& name, std::size_t offset) const {
    constexpr std::array<std::string_view, 9> kInner = {
        "elif", "else", "endif", "endfor", "endset", "endwith", "endmacro", "endraw", "endfilter"};
    if (std::find(kInner.begin(), kInner.end(), name) != kInner.end()) {
      throw Fault(fmt::format("'{}' closes no block that is open", name), offset);
    }
    throw Fault(unknown_name("block", name, {"if", "for", "set", "with", "macro", "raw"}), offset);
  }

  void end_of_block() { tokens_.expect(TokenKind::kBlockEnd, "'%}'"); }

  // Takes the block's closing name and "%}".
  void close() {
    tokens_.next();
    end_of_block();
  }

  If if_block() {
    If out;
    do {
      Expression condition = expressions_.tuple_without_if();
      end_of_block();
      Body inside = body({"elif", "else", "endif"});
      out.branches.push_back({.condition = std::move(condition), .body = std::move(inside)});
    } while (tokens_.skip_name("elif"));
    if (tokens_.skip_name("else")) {
      end_of_block();
      out.otherwise = body({"endif"});
    }
    close();
    return out;
  }

  // One name, or several with commas.
  std::vector<std::string> targets(bool& unpacks) {
    std::vector<std::string> out;
    const bool has_parentheses = tokens_.skip_operator("(");
    unpacks = has_parentheses;
    do {
      if (!out.empty() &&
          (tokens_.is_operator("=") || tokens_.is_operator(")") || tokens_.is_name("in"))) {
        break;
      }
      out.push_back(target());
    } while (tokens_.skip_operator(",") && (unpacks = true));
    if (has_parentheses) tokens_.expect_operator(")");
    return out;
  }

  std::string target() {
    constexpr std::array<std::string_view, 6> kConstants = {"true",  "True", "false",
                                                            "False", "none", "None"};
    if (tokens_.is_operator("(")) {
      throw Fault("nested targets are not supported", tokens_.current().offset);
    }
    const Token name = tokens_.expect(TokenKind::kName, "the name of a variable");
    if (std::find(kConstants.begin(), kConstants.end(), name.text) != kConstants.end()) {
      throw Fault(fmt::format("'{}' cannot be set", name.text), name.offset);
    }
    assigned_.insert(name.text);
    return name.text;
  }

  For for_block() {
    For out;
    ++inner_blocks_;
    out.targets = targets(out.unpacks);
    if (std::find(out.targets.begin(), out.targets.end(), "loop") != out.targets.end()) {
      throw Fault("'loop' cannot be the variable of a loop", open_.back().second);
    }
    if (!tokens_.skip_name("in")) tokens_.fail("'in'");
    out.iterable = expressions_.tuple_without_if();
    if (tokens_.skip_name("if")) out.condition = expressions_.expression();
    if (tokens_.is_name("recursive")) {
      throw Fault("recursive loops are not supported", tokens_.current().offset);
    }
    end_of_block();
    out.body = body({"else", "endfor"});
    if (tokens_.skip_name("else")) {
      end_of_block();
      out.otherwise = body({"endfor"});
    }
    close();
    --inner_blocks_;
    return out;
  }

  void set_block(Statement& out) {
    Assign assign;
    const bool is_attribute =
        tokens_.following().kind == TokenKind::kOperator && tokens_.following().text == ".";
    if (is_attribute) {
      assign.targets.push_back(tokens_.expect(TokenKind::kName, "the name of a namespace").text);
      tokens_.next();
      assign.attribute = tokens_.expect(TokenKind::kName, "an attribute of the namespace").text;
    } else {
      assign.targets = targets(assign.unpacks);
    }
    if (tokens_.skip_operator("=")) {
      assign.value = expressions_.tuple_with_if();
      end_of_block();
      out.node = std::move(assign);
      return;
    }
    if (assign.unpacks || is_attribute) tokens_.fail("'='");
    if (tokens_.is_operator("|")) {
      throw Fault("a filter on a set block is not supported", tokens_.current().offset);
    }
    end_of_block();
    ++inner_blocks_;
    AssignBlock block{.target = assign.targets.front(), .body = body({"endset"})};
    close();
    --inner_blocks_;
    out.node = std::move(block);
  }

  With with_block() {
    With out;
    ++inner_blocks_;
    while (!tokens_.is(TokenKind::kBlockEnd)) {
      if (!out.variables.empty()) tokens_.expect_operator(",");
      std::string name = target();
      tokens_.expect_operator("=");
      out.variables.emplace_back(std::move(name), expressions_.expression());
    }
    end_of_block();
    out.body = body({"endwith"});
    close();
    --inner_blocks_;
    return out;
  }

  std::shared_ptr<MacroDefinition> macro_block(std::size_t offset) {
    if (inner_blocks_ > 0) {
      throw Fault("a macro inside a loop, with, set or another macro is not supported", offset);
    }
    auto out = std::make_shared<MacroDefinition>();
    ++inner_blocks_;
    out->name = target();
    const std::size_t first_variable = expressions_.variables().size();
    tokens_.expect_operator("(");
    while (!tokens_.is_operator(")")) {
      if (!out->parameters.empty()) tokens_.expect_operator(",");
      std::string name = target();
      std::optional<Expression> fallback;
      if (tokens_.skip_operator("=")) {
        fallback = expressions_.expression();
      } else if (!out->parameters.empty() && out->parameters.back().second) {
        tokens_.fail("'=': parameters with a default come last");
      }
      out->parameters.emplace_back(std::move(name), std::move(fallback));
    }
    tokens_.next();
    end_of_block();
    out->body = body({"endmacro"});
    close();
    --inner_blocks_;
    for (std::size_t i = first_variable; i < expressions_.variables().size(); ++i) {
      const auto& [name, place] = expressions_.variables()[i];
      if (name == "caller" || name == "varargs" || name == "kwargs") {
        throw Fault(fmt::format("'{}' in a macro is not supported", name), place);
      }
    }
    return out;
  }

  // Only functions, macros and variables of the template can be called: a document holds data.
  void check_calls() const {
    for (const auto& [name, offset] : expressions_.called()) {
      const bool is_known =
          assigned_.contains(name) ||
          std::find(kFunctions.begin(), kFunctions.end(), name) != kFunctions.end();
      if (is_known) continue;
      std::vector<std::string> known(kFunctions.begin(), kFunctions.end());
      known.insert(known.end(), assigned_.begin(), assigned_.end());
      throw Fault(unknown_name("function", name, std::move(known)), offset);
    }
  }

  void check_markup() {
    if (expressions_.markup().empty()) return;
    throw Fault("escape and tojson have to be the last filter between {{ and }}",
                expressions_.markup().front());
  }

  TokenStream tokens_;
  ExpressionParser expressions_;
  std::vector<std::pair<std::string, std::size_t>> open_;  // blocks with their places
  std::set<std::string, std::less<>> assigned_;
  int inner_blocks_ = 0;  // open ones with variables of their own
};

}  // namespace

Body parse(std::string_view source) { return Parser(source).run(); }

}  // namespace yardstick::tasks::jinja
