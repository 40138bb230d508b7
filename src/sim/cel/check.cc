// The type checker. Types of arguments never hold placeholders (an empty list is a list of anything), so each signature
// is fitted on its own and nothing has to be remembered between calls.
#include "sim/cel/check.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "base/time.h"
#include "sim/cel/go_text.h"
#include "sim/cel/library.h"
#include "sim/cel/regex.h"

namespace drover::sim::cel {

namespace {

using Kind = Type::Kind;
using Bindings = std::map<std::string, TypeRef, std::less<>>;

bool fits_anything(const Type& type) { return type.kind == Kind::Dyn || type.kind == Kind::Error; }

bool may_be_null(const Type& type) {
  switch (type.kind) {
    case Kind::Null:
    case Kind::Object:
    case Kind::Timestamp:
    case Kind::Duration:
    case Kind::Url:
    case Kind::Quantity: return true;
    default: return false;
  }
}

// Is `a` the same as `b`, or does it say less?
bool is_as_general(const Type& a, const Type& b) {
  if (a.kind == Kind::Dyn) return true;
  if (b.kind == Kind::Dyn || a.kind != b.kind) return false;
  if (a.kind == Kind::List || a.kind == Kind::Map) {
    for (std::size_t i = 0; i < a.of.size() && i < b.of.size(); ++i) {
      if (!is_as_general(*a.of[i], *b.of[i])) return false;
    }
  }
  return true;
}
const TypeRef& more_general(const TypeRef& a, const TypeRef& b) { return is_as_general(*a, *b) ? a : b; }

// May a `given` stand where `wanted` is asked for?
bool fits(const TypeRef& given, const TypeRef& wanted, Bindings& bindings) {
  if (wanted->kind == Kind::Param) {
    const auto bound = bindings.find(wanted->name);
    if (bound == bindings.end()) {
      bindings.emplace(wanted->name, given);
      return true;
    }
    if (!fits(given, bound->second, bindings)) return false;
    bound->second = more_general(given, bound->second);
    return true;
  }
  if (fits_anything(*given) || fits_anything(*wanted)) return true;
  if (given->kind == Kind::Null) return may_be_null(*wanted);
  if (wanted->kind == Kind::Null) return may_be_null(*given);
  if (given->kind != wanted->kind) return false;
  if (given->kind == Kind::Object) return same(*given, *wanted);
  if (given->kind != Kind::List && given->kind != Kind::Map && given->kind != Kind::Optional) return true;
  for (std::size_t i = 0; i < given->of.size() && i < wanted->of.size(); ++i) {
    if (!fits(given->of[i], wanted->of[i], bindings)) return false;
  }
  return true;
}

TypeRef substitute(const TypeRef& type, const Bindings& bindings) {
  if (type->kind == Kind::Param) {
    const auto bound = bindings.find(type->name);
    return bound == bindings.end() ? plain(Kind::Dyn) : bound->second;
  }
  if (type->of.empty()) return type;
  auto made = std::make_shared<Type>(*type);
  for (auto& part : made->of) part = substitute(part, bindings);
  return made;
}

// int, string, list…: names that stand for types.
std::optional<TypeRef> type_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Kind>, 12> kNames = {{{"bool", Kind::Bool},
                                                                         {"bytes", Kind::Bytes},
                                                                         {"double", Kind::Double},
                                                                         {"int", Kind::Int},
                                                                         {"list", Kind::List},
                                                                         {"map", Kind::Map},
                                                                         {"null_type", Kind::Null},
                                                                         {"string", Kind::String},
                                                                         {"type", Kind::TypeOf},
                                                                         {"uint", Kind::Uint},
                                                                         {"google.protobuf.Timestamp", Kind::Timestamp},
                                                                         {"google.protobuf.Duration", Kind::Duration}}};
  for (const auto& [known, kind] : kNames) {
    if (known == name) return plain(kind);
  }
  return std::nullopt;
}

class Checker {
 public:
  Checker(TypeRef self, TypeRef old_self, Complaints& complaints)
      : self_(std::move(self)), old_self_(std::move(old_self)), complaints_(complaints) {}

  TypeRef check(Node& node) {
    switch (node.kind) {
      case Node::Kind::Literal: return literal(node);
      case Node::Kind::Ident: return ident(node);
      case Node::Kind::Select:
      case Node::Kind::Has: return select(node);
      case Node::Kind::Call: return call(node);
      case Node::Kind::List: return list(node);
      case Node::Kind::Map: return map(node);
      case Node::Kind::Loop: return loop(node);
    }
    return plain(Kind::Error);
  }
  bool uses_old_self() const { return uses_old_self_; }

 private:
  TypeRef complain(std::size_t at, std::string message) {
    complaints_.add(at, std::move(message));
    return plain(Kind::Error);
  }
  TypeRef undeclared(std::size_t at, std::string_view name) {
    if (is_left_out(name)) {
      return complain(at,
                      fmt::format("'{}' is left out of the embedded cluster's CEL: write the rule without it", name));
    }
    return complain(at, fmt::format("undeclared reference to '{}' (in container '')", name));
  }

  static TypeRef literal(const Node& node) { return runtime_type(node.literal); }

  TypeRef ident(Node& node) {
    for (const auto& [name, type] : std::views::reverse(scopes_)) {
      if (name == node.text) return type;
    }
    if (node.text == "self") return self_;
    if (node.text == "oldSelf") {
      uses_old_self_ = true;
      return old_self_;
    }
    if (const auto type = type_named(node.text)) {
      node.kind = Node::Kind::Literal;
      node.literal = Value{*type};
      return type_of(*type);
    }
    return undeclared(node.at, node.text);
  }

  // "google.protobuf.Timestamp" as one name, when the node is nothing but names joined by points.
  std::string qualified(const Node& node) const {
    if (node.kind == Node::Kind::Ident) {
      for (const auto& [name, type] : scopes_) {
        if (name == node.text) return {};
      }
      return node.text;
    }
    if (node.kind != Node::Kind::Select) return {};
    const std::string before = qualified(*node.parts[0]);
    return before.empty() ? before : before + "." + node.text;
  }

  TypeRef select(Node& node) {
    if (node.kind == Node::Kind::Select) {
      if (const auto type = type_named(qualified(node))) {
        node.kind = Node::Kind::Literal;
        node.literal = Value{*type};
        node.parts.clear();
        return type_of(*type);
      }
    }
    const TypeRef operand = check(*node.parts[0]);
    TypeRef found = plain(Kind::Dyn);
    if (operand->kind == Kind::Map) {
      found = operand->of[1];
    } else if (operand->kind == Kind::Object) {
      auto field = operand->fields.find(node.text);
      // A keyword may follow a point unescaped.
      if (field == operand->fields.end() && is_reserved(node.text)) {
        field = operand->fields.find("__" + node.text + "__");
        if (field != operand->fields.end()) node.text = field->first;
      }
      found = field == operand->fields.end() ? complain(node.at, fmt::format("undefined field '{}'", node.text))
                                             : field->second.type;
    } else if (!fits_anything(*operand)) {
      complain(node.at, fmt::format("type '{}' does not support field selection", text_of(*operand)));
    }
    return node.kind == Node::Kind::Has ? plain(Kind::Bool) : found;
  }

  TypeRef call(Node& node) {
    if (node.text == "_&&_" || node.text == "_||_") return logic(node);
    if (node.on_target) {
      const std::string prefix = qualified(*node.parts[0]);
      const std::string name = prefix + "." + node.text;
      const Function* spaced = prefix.empty() ? nullptr : library().find(name);
      if (spaced != nullptr) {
        node.on_target = false;
        node.parts.erase(node.parts.begin());
        node.text = name;
      } else if (!prefix.empty() && is_left_out(name)) {
        return undeclared(node.at, name);
      }
    }
    std::vector<TypeRef> given;
    // format() alone takes lists of mixed items.
    const bool outside = std::exchange(mixed_lists_are_fine_, mixed_lists_are_fine_ || node.text == "format");
    for (const auto& part : node.parts) given.push_back(check(*part));
    mixed_lists_are_fine_ = outside;
    node.function = library().find(node.text);
    if (node.function == nullptr) return undeclared(node.at, node.text);
    return resolve(node, given);
  }

  TypeRef logic(Node& node) {
    bool fine = true;
    for (const auto& part : node.parts) {
      const TypeRef type = check(*part);
      if (type->kind == Kind::Bool || fits_anything(*type)) continue;
      fine = false;
      complain(part->at, fmt::format("expected type 'bool' but found '{}'", text_of(*type)));
    }
    return plain(fine ? Kind::Bool : Kind::Error);
  }

  TypeRef resolve(Node& node, const std::vector<TypeRef>& given) {
    TypeRef result;
    for (const Overload& overload : node.function->overloads) {
      if (overload.on_target != node.on_target || overload.takes.size() != given.size()) continue;
      Bindings bindings;
      bool all = true;
      for (std::size_t i = 0; i < given.size() && all; ++i) all = fits(given[i], overload.takes[i], bindings);
      if (!all) continue;
      const TypeRef gives = substitute(overload.gives, bindings);
      if (!result) {
        result = gives;
      } else if (result->kind != Kind::Dyn && !same(*gives, *result)) {
        result = plain(Kind::Dyn);
      }
    }
    if (!result) return no_overload(node, given);
    check_literal_argument(node);
    return result;
  }

  TypeRef no_overload(const Node& node, const std::vector<TypeRef>& given) {
    std::string signature = "(";
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (node.on_target && i == 0) {
        signature = text_of(*given[0]) + ".(";
        continue;
      }
      if (!signature.ends_with("(")) signature += ", ";
      signature += text_of(*given[i]);
    }
    return complain(node.at, fmt::format("found no matching overload for '{}' applied to '{})'", node.text, signature));
  }

  // A garbled literal would fail every time the rule is evaluated, so it fails now.
  void check_literal_argument(Node& node) {
    const bool regex = node.text == "matches" || node.text == "find" || node.text == "findAll";
    const std::size_t index = regex ? 1 : 0;
    if (index >= node.parts.size() || node.parts[index]->kind != Node::Kind::Literal) return;
    const auto* text = node.parts[index]->literal.get<std::string>();
    if (text == nullptr) return;
    if (regex) {
      if (auto pattern = compile_pattern(*text)) {
        node.pattern = *pattern;
      } else {
        complain(node.parts[index]->at, fmt::format("invalid {} argument", node.text));
      }
    } else if ((node.text == "duration" && !go_parse_duration(*text)) ||
               (node.text == "timestamp" && !base::parse_rfc3339(*text))) {
      complain(node.parts[index]->at, fmt::format("invalid {} argument", node.text));
    }
  }

  TypeRef join(std::size_t at, const TypeRef& before, const TypeRef& next) {
    if (!before) return next;
    Bindings none;
    if (fits(before, next, none)) return more_general(before, next);
    if (mixed_lists_are_fine_) return plain(Kind::Dyn);
    return complain(at, fmt::format("expected type '{}' but found '{}'", text_of(*before), text_of(*next)));
  }

  TypeRef list(Node& node) {
    TypeRef item;
    for (const auto& part : node.parts) item = join(part->at, item, check(*part));
    return list_of(item ? item : plain(Kind::Dyn));
  }

  TypeRef map(Node& node) {
    TypeRef key;
    TypeRef value;
    for (std::size_t i = 0; i + 1 < node.parts.size(); i += 2) {
      key = join(node.parts[i]->at, key, check(*node.parts[i]));
      value = join(node.parts[i + 1]->at, value, check(*node.parts[i + 1]));
    }
    return map_of(key ? key : plain(Kind::Dyn), value ? value : plain(Kind::Dyn));
  }

  TypeRef loop(Node& node) {
    const TypeRef range = check(*node.parts[0]);
    const bool pairs = !node.second_variable.empty();
    TypeRef first = plain(Kind::Dyn);
    TypeRef second = plain(Kind::Dyn);
    if (range->kind == Kind::List) {
      first = pairs ? plain(Kind::Int) : range->of[0];
      second = range->of[0];
    } else if (range->kind == Kind::Map) {
      first = range->of[0];
      second = range->of[1];
    } else if (!fits_anything(*range)) {
      complain(node.parts[0]->at,
               fmt::format("expression of type '{}' cannot be range of a comprehension (must be list, map, or dynamic)",
                           text_of(*range)));
    }
    scopes_.emplace_back(node.variable, first);
    if (pairs) scopes_.emplace_back(node.second_variable, second);
    const TypeRef body = check(*node.parts.back());
    const TypeRef filter = node.parts.size() == 3 ? check(*node.parts[1]) : nullptr;
    scopes_.resize(scopes_.size() - (pairs ? 2 : 1));
    return loop_result(node, body, filter, first);
  }

  TypeRef loop_result(const Node& node, const TypeRef& body, const TypeRef& filter, const TypeRef& item) {
    const auto is_bool = [](const TypeRef& type) { return type->kind == Kind::Bool || fits_anything(*type); };
    const auto bad_condition = [&](const TypeRef& condition, const std::string& step) {
      return complain(node.at, fmt::format("found no matching overload for '_?_:_' applied to '({}, {}, {})'",
                                           text_of(*condition), step, step));
    };
    switch (node.macro) {
      case Node::Macro::All:
      case Node::Macro::Exists:
        if (is_bool(body)) return plain(Kind::Bool);
        return complain(node.parts.back()->at, fmt::format("expected type 'bool' but found '{}'", text_of(*body)));
      case Node::Macro::ExistsOne: return is_bool(body) ? plain(Kind::Bool) : bad_condition(body, "int");
      case Node::Macro::Filter: {
        const TypeRef result = list_of(item);
        return is_bool(body) ? result : bad_condition(body, text_of(*result));
      }
      case Node::Macro::Map: {
        const TypeRef result = list_of(body);
        return !filter || is_bool(filter) ? result : bad_condition(filter, text_of(*result));
      }
    }
    return plain(Kind::Error);
  }

  TypeRef self_;
  TypeRef old_self_;
  Complaints& complaints_;
  std::vector<std::pair<std::string, TypeRef>> scopes_;
  bool uses_old_self_ = false;
  bool mixed_lists_are_fine_ = false;
};

}  // namespace

Checked check(Node& root, const TypeRef& self, const TypeRef& old_self, Complaints& complaints) {
  Checker checker(self, old_self, complaints);
  TypeRef gives = checker.check(root);
  return {std::move(gives), checker.uses_old_self()};
}

}  // namespace drover::sim::cel
