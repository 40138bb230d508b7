// Making, naming and comparing types.
#include "sim/cel/type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace drover::sim::cel {

namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(Type::Kind::Param) + 1;

std::array<TypeRef, kKinds> make_plain() {
  std::array<TypeRef, kKinds> made;
  for (std::size_t i = 0; i < kKinds; ++i) made[i] = std::make_shared<Type>(Type{.kind = static_cast<Type::Kind>(i)});
  return made;
}

}  // namespace

const TypeRef& plain(Type::Kind kind) {
  static const std::array<TypeRef, kKinds> kPlain = make_plain();
  return kPlain[static_cast<std::size_t>(kind)];
}

TypeRef list_of(TypeRef item) {
  return std::make_shared<Type>(Type{.kind = Type::Kind::List, .of = {std::move(item)}});
}

TypeRef map_of(TypeRef key, TypeRef value) {
  return std::make_shared<Type>(Type{.kind = Type::Kind::Map, .of = {std::move(key), std::move(value)}});
}

TypeRef type_of(TypeRef type) {
  return std::make_shared<Type>(Type{.kind = Type::Kind::TypeOf, .of = {std::move(type)}});
}

TypeRef optional_of(TypeRef type) {
  return std::make_shared<Type>(Type{.kind = Type::Kind::Optional, .of = {std::move(type)}});
}

TypeRef param(std::string name) {
  return std::make_shared<Type>(Type{.kind = Type::Kind::Param, .name = std::move(name)});
}

std::string text_of(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Error: return "!error!";
    case Type::Kind::Dyn: return "dyn";
    case Type::Kind::Null: return "null";
    case Type::Kind::Bool: return "bool";
    case Type::Kind::Int: return "int";
    case Type::Kind::Uint: return "uint";
    case Type::Kind::Double: return "double";
    case Type::Kind::String: return "string";
    case Type::Kind::Bytes: return "bytes";
    case Type::Kind::Timestamp: return "timestamp";
    case Type::Kind::Duration: return "duration";
    case Type::Kind::Url: return "kubernetes.URL";
    case Type::Kind::Quantity: return "kubernetes.Quantity";
    case Type::Kind::List: return "list(" + (type.of.empty() ? "dyn" : text_of(*type.of[0])) + ")";
    case Type::Kind::Map:
      if (type.of.size() < 2) return "map(dyn, dyn)";
      return "map(" + text_of(*type.of[0]) + ", " + text_of(*type.of[1]) + ")";
    case Type::Kind::TypeOf: return type.of.empty() ? "type" : "type(" + text_of(*type.of[0]) + ")";
    case Type::Kind::Optional: return "optional_type(" + (type.of.empty() ? "dyn" : text_of(*type.of[0])) + ")";
    case Type::Kind::Object:
    case Type::Kind::Param: return type.name;
  }
  return "dyn";
}

bool same(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.name != b.name || a.of.size() != b.of.size()) return false;
  if (a.kind == Type::Kind::Object) return a.fields.size() == b.fields.size();
  for (std::size_t i = 0; i < a.of.size(); ++i) {
    if (!same(*a.of[i], *b.of[i])) return false;
  }
  return true;
}

bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 21> kWords = {
      "as",  "break", "const",     "continue", "else",    "false",  "for",  "function", "if",   "import", "in",
      "let", "loop",  "namespace", "null",     "package", "return", "true", "var",      "void", "while"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

std::optional<std::string> escape(std::string_view property) {
  if (property.empty() || (property[0] >= '0' && property[0] <= '9')) return std::nullopt;
  if (is_reserved(property)) return "__" + std::string(property) + "__";
  std::string name;
  for (std::size_t i = 0; i < property.size(); ++i) {
    const char c = property[i];
    if (property.substr(i, 2) == "__") {
      name += "__underscores__";
      ++i;
    } else if (c == '.') {
      name += "__dot__";
    } else if (c == '-') {
      name += "__dash__";
    } else if (c == '/') {
      name += "__slash__";
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') {
      name += c;
    } else {
      return std::nullopt;
    }
  }
  return name;
}

}  // namespace drover::sim::cel
