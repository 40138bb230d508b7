// The grammar, by recursive descent. Each nesting is counted on the way down and each tree on the way up, so that no
// text can make a tree too deep to walk.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "sim/cel/ast.h"
#include "sim/cel/lexer.h"

namespace drover::sim::cel {

namespace {

struct Operator {
  std::string_view symbol;
  std::string_view function;
};

constexpr std::array<Operator, 7> kRelations = {
    {{"<", "_<_"}, {"<=", "_<=_"}, {">=", "_>=_"}, {">", "_>_"}, {"==", "_==_"}, {"!=", "_!=_"}, {"in", "@in"}}};
constexpr std::array<Operator, 2> kSums = {{{"+", "_+_"}, {"-", "_-_"}}};
constexpr std::array<Operator, 3> kProducts = {{{"*", "_*_"}, {"/", "_/_"}, {"%", "_%_"}}};

class Parser {
 public:
  Parser(std::vector<Token> tokens, Complaints& complaints) : tokens_(std::move(tokens)), complaints_(complaints) {}

  NodeRef run() {
    NodeRef root = expression();
    if (root && here().kind != Token::Kind::End) root = unexpected("<EOF>");
    return complaints_.empty() ? std::move(root) : nullptr;
  }

 private:
  const Token& here() const { return tokens_[next_]; }
  const Token& ahead(std::size_t by) const { return tokens_[std::min(next_ + by, tokens_.size() - 1)]; }
  bool at_symbol(std::string_view symbol) const { return here().kind == Token::Kind::Symbol && here().text == symbol; }
  bool take(std::string_view symbol) {
    if (!at_symbol(symbol)) return false;
    ++next_;
    return true;
  }

  NodeRef complain(std::size_t at, std::string message) {
    if (complaints_.empty()) complaints_.add(at, std::move(message));
    return nullptr;
  }
  NodeRef unexpected(std::string_view wanted) {
    return complain(here().at, fmt::format("Syntax error: mismatched input '{}' expecting {}", here().text, wanted));
  }
  bool expect(std::string_view symbol) {
    if (take(symbol)) return true;
    unexpected(fmt::format("'{}'", symbol));
    return false;
  }

  // Every node passes here, so that no tree grows too deep, whatever loop or recursion made it.
  NodeRef finish(NodeRef node) {
    if (!node) return nullptr;
    for (const auto& part : node->parts) node->depth = std::max(node->depth, part->depth + 1);
    if (node->depth > kMaxDepth) return complain(node->at, "expression recursion limit exceeded: 250");
    return node;
  }
  NodeRef make(Node::Kind kind, std::size_t at, std::string text = {}) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->at = at;
    node->text = std::move(text);
    return node;
  }
  template <class... Parts>
  NodeRef call(std::string_view function, std::size_t at, Parts... parts) {
    NodeRef node = make(Node::Kind::Call, at, std::string(function));
    (node->parts.push_back(std::move(parts)), ...);
    for (const auto& part : node->parts) {
      if (!part) return nullptr;
    }
    return finish(std::move(node));
  }

  NodeRef expression() {
    if (++nesting_ > kMaxDepth) return complain(here().at, "expression recursion limit exceeded: 250");
    NodeRef node = disjunction();
    const std::size_t at = here().at;
    if (node && take("?")) {
      NodeRef yes = disjunction();
      if (!yes || !expect(":")) return nullptr;
      NodeRef no = expression();
      node = call("_?_:_", at, std::move(node), std::move(yes), std::move(no));
    }
    --nesting_;
    return node;
  }

  // a || b || c is one node of three parts: long chains stay flat.
  template <class Next>
  NodeRef chain(std::string_view symbol, std::string_view function, Next next) {
    NodeRef first = next();
    if (!first || !at_symbol(symbol)) return first;
    NodeRef node = make(Node::Kind::Call, here().at, std::string(function));
    node->parts.push_back(std::move(first));
    while (take(symbol)) {
      NodeRef part = next();
      if (!part) return nullptr;
      node->parts.push_back(std::move(part));
    }
    return finish(std::move(node));
  }
  NodeRef disjunction() {
    return chain("||", "_||_", [this] { return conjunction(); });
  }
  NodeRef conjunction() {
    return chain("&&", "_&&_", [this] { return relation(); });
  }

  template <std::size_t N, class Next>
  NodeRef binary(const std::array<Operator, N>& operators, Next next) {
    NodeRef node = next();
    while (node) {
      const auto found = std::find_if(operators.begin(), operators.end(), [&](const Operator& op) {
        const bool word = op.symbol == "in";
        return here().text == op.symbol && here().kind == (word ? Token::Kind::Ident : Token::Kind::Symbol);
      });
      if (found == operators.end()) break;
      const std::size_t at = here().at;
      ++next_;
      NodeRef right = next();
      if (!right) return nullptr;
      node = call(found->function, at, std::move(node), std::move(right));
    }
    return node;
  }
  NodeRef relation() {
    return binary(kRelations, [this] { return sum(); });
  }
  NodeRef sum() {
    return binary(kSums, [this] { return product(); });
  }
  NodeRef product() {
    return binary(kProducts, [this] { return unary(); });
  }

  NodeRef unary() {
    const std::size_t at = here().at;
    const bool negation = at_symbol("!");
    if (!negation && !at_symbol("-")) return member();
    std::size_t times = 0;
    while (take(negation ? "!" : "-")) ++times;
    // -5 is a literal: the smallest int64 has no positive twin.
    if (!negation && (here().kind == Token::Kind::Int || here().kind == Token::Kind::Double)) {
      negative_ = times % 2 == 1;
      literal_at_ = at;
      return member();
    }
    NodeRef node = member();
    if (times % 2 == 0) return node;
    return call(negation ? "!_" : "-_", at, std::move(node));
  }

  NodeRef member() {
    NodeRef node = primary();
    while (node) {
      const std::size_t at = here().at;
      if (take(".")) {
        node = selection(std::move(node), at);
      } else if (take("[")) {
        if (at_symbol("?"))
          return complain(at, "unsupported syntax '[?': optional types are left out of the embedded cluster");
        NodeRef index = expression();
        if (!index || !expect("]")) return nullptr;
        node = call("_[_]", at, std::move(node), std::move(index));
      } else {
        break;
      }
    }
    return node;
  }

  NodeRef selection(NodeRef operand, std::size_t point) {
    if (at_symbol("?")) {
      return complain(point, "unsupported syntax '.?': optional types are left out of the embedded cluster");
    }
    if (here().kind != Token::Kind::Ident || here().text == "in" || here().text == "true" || here().text == "false" ||
        here().text == "null") {
      return complain(here().at, fmt::format("Syntax error: no viable alternative at input '.{}'",
                                             here().kind == Token::Kind::End ? "" : here().text));
    }
    std::string name(here().text);
    ++next_;
    if (!at_symbol("(")) {
      NodeRef node = make(Node::Kind::Select, point, std::move(name));
      node->parts.push_back(std::move(operand));
      return finish(std::move(node));
    }
    const std::size_t open = here().at;
    ++next_;
    auto arguments = list_until(")");
    if (!arguments) return nullptr;
    if (auto macro = loop(name, open, operand, *arguments)) return std::move(*macro);
    NodeRef node = make(Node::Kind::Call, open, std::move(name));
    node->on_target = true;
    node->parts.push_back(std::move(operand));
    for (auto& argument : *arguments) node->parts.push_back(std::move(argument));
    return finish(std::move(node));
  }

  std::optional<std::vector<NodeRef>> list_until(std::string_view close) {
    std::vector<NodeRef> items;
    while (!at_symbol(close)) {
      if (at_symbol("?")) {
        complain(here().at, "unsupported syntax '?': optional types are left out of the embedded cluster");
        return std::nullopt;
      }
      NodeRef item = expression();
      if (!item) return std::nullopt;
      items.push_back(std::move(item));
      if (!take(",")) break;
      if (close == ")" && at_symbol(close)) {
        unexpected("an argument");
        return std::nullopt;
      }
    }
    if (!expect(close)) return std::nullopt;
    return items;
  }

  // The macro that the call is (nullptr inside after a complaint), or nothing when it is an ordinary call.
  std::optional<NodeRef> loop(const std::string& name, std::size_t open, NodeRef& operand,
                              std::vector<NodeRef>& arguments) {
    struct Known {
      std::string_view name;
      std::size_t arguments;
      Node::Macro macro;
    };
    constexpr std::array<Known, 11> kMacros = {{{"all", 2, Node::Macro::All},
                                                {"exists", 2, Node::Macro::Exists},
                                                {"exists_one", 2, Node::Macro::ExistsOne},
                                                {"existsOne", 2, Node::Macro::ExistsOne},
                                                {"map", 2, Node::Macro::Map},
                                                {"map", 3, Node::Macro::Map},
                                                {"filter", 2, Node::Macro::Filter},
                                                {"all", 3, Node::Macro::All},
                                                {"exists", 3, Node::Macro::Exists},
                                                {"existsOne", 3, Node::Macro::ExistsOne},
                                                {"exists_one", 3, Node::Macro::ExistsOne}}};
    const auto known = std::find_if(kMacros.begin(), kMacros.end(), [&](const Known& macro) {
      return macro.name == name && macro.arguments == arguments.size();
    });
    if (known == kMacros.end()) return std::nullopt;
    const bool pairs = known->arguments == 3 && known->macro != Node::Macro::Map;
    NodeRef node = make(Node::Kind::Loop, open, name);
    node->macro = known->macro;
    for (std::size_t i = 0; i < (pairs ? 2U : 1U); ++i) {
      if (arguments[i]->kind != Node::Kind::Ident) return complain(arguments[i]->at, "argument must be a simple name");
      (i == 0 ? node->variable : node->second_variable) = arguments[i]->text;
    }
    node->parts.push_back(std::move(operand));
    for (std::size_t i = pairs ? 2 : 1; i < arguments.size(); ++i) node->parts.push_back(std::move(arguments[i]));
    return finish(std::move(node));
  }

  NodeRef primary() {
    const Token& token = here();
    switch (token.kind) {
      case Token::Kind::Int:
      case Token::Kind::Uint:
      case Token::Kind::Double: return number();
      case Token::Kind::String:
      case Token::Kind::Bytes: {
        NodeRef node = make(Node::Kind::Literal, token.at);
        if (token.kind == Token::Kind::Bytes) {
          node->literal = Value{Bytes{token.decoded}};
        } else {
          node->literal = Value{token.decoded};
        }
        ++next_;
        return node;
      }
      case Token::Kind::Ident: return word();
      case Token::Kind::Symbol: return bracketed();
      case Token::Kind::End: break;
    }
    return unexpected(
        "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
        "IDENTIFIER}");
  }

  NodeRef number() {
    const Token& token = here();
    const bool negative = std::exchange(negative_, false);
    NodeRef node = make(Node::Kind::Literal, negative ? literal_at_ : token.at);
    ++next_;
    const auto value = number_value(token, negative);
    if (!value) {
      const std::string_view kind = token.kind == Token::Kind::Double ? "double"
                                    : token.kind == Token::Kind::Uint ? "uint"
                                                                      : "int";
      return complain(node->at, fmt::format("invalid {} literal", kind));
    }
    node->literal = *value;
    return node;
  }

  NodeRef word() {
    const Token& token = here();
    ++next_;
    if (token.text == "true" || token.text == "false" || token.text == "null") {
      NodeRef node = make(Node::Kind::Literal, token.at);
      if (token.text != "null") node->literal = Value{token.text == "true"};
      return node;
    }
    if (token.text == "in") {
      --next_;
      return unexpected("an expression");
    }
    if (is_reserved(token.text)) return complain(token.at, fmt::format("reserved identifier: {}", token.text));
    if (!at_symbol("(")) return make(Node::Kind::Ident, token.at, std::string(token.text));
    const std::size_t open = here().at;
    ++next_;
    auto arguments = list_until(")");
    if (!arguments) return nullptr;
    if (token.text == "has" && arguments->size() == 1) {
      NodeRef node = std::move(arguments->front());
      if (node->kind != Node::Kind::Select) return complain(node->at, "invalid argument to has() macro");
      node->kind = Node::Kind::Has;
      node->at = open;
      return node;
    }
    NodeRef node = make(Node::Kind::Call, open, std::string(token.text));
    node->parts = std::move(*arguments);
    return finish(std::move(node));
  }

  NodeRef bracketed() {
    const std::size_t at = here().at;
    if (take("(")) {
      NodeRef node = expression();
      if (!node || !expect(")")) return nullptr;
      return node;
    }
    if (take("[")) {
      auto items = list_until("]");
      if (!items) return nullptr;
      NodeRef node = make(Node::Kind::List, at);
      node->parts = std::move(*items);
      return finish(std::move(node));
    }
    if (take("{")) return map_literal(at);
    if (at_symbol(".") && ahead(1).kind == Token::Kind::Ident) {
      ++next_;
      return word();
    }
    return unexpected("an expression");
  }

  NodeRef map_literal(std::size_t at) {
    NodeRef node = make(Node::Kind::Map, at);
    while (!at_symbol("}")) {
      NodeRef key = expression();
      if (!key || !expect(":")) return nullptr;
      NodeRef value = expression();
      if (!value) return nullptr;
      node->parts.push_back(std::move(key));
      node->parts.push_back(std::move(value));
      if (!take(",")) break;
    }
    if (!expect("}")) return nullptr;
    return finish(std::move(node));
  }

  std::vector<Token> tokens_;
  Complaints& complaints_;
  std::size_t next_ = 0;
  int nesting_ = 0;
  bool negative_ = false;
  std::size_t literal_at_ = 0;
};

}  // namespace

NodeRef parse(std::string_view text, Complaints& complaints) {
  if (text.size() > kMaxLength) {
    complaints.add(
        0, fmt::format("expression code point size exceeds limit: size: {}, limit {}", text.size(), kMaxLength));
    return nullptr;
  }
  std::vector<Token> tokens = tokenize(text, complaints);
  if (!complaints.empty()) return nullptr;
  return Parser(std::move(tokens), complaints).run();
}

}  // namespace drover::sim::cel
