// What CEL knows about a value before it sees one.
//
// A Type is built from a structural schema (sim/crd/cel_type.h) and serves twice: the checker refuses rules that cannot
// make sense, and the evaluator reads JSON by it (a "number" is a double even when it is written 1, a list of keyed
// items compares without order, a field called "namespace" is spelled __namespace__). Immutable and shared.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::sim::cel {

struct Type;
using TypeRef = std::shared_ptr<const Type>;

struct Type {
  enum class Kind {
    Error,  // stands for an expression that was already complained about; fits everywhere
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    Url,
    Quantity,
    List,
    Map,
    Object,
    TypeOf,  // the type of a type: type(x), int, string
    Optional,
    Param,  // a placeholder in a function's signature
  };
  enum class Listing { Atomic, Set, Keyed };
  struct Field {
    std::string json_name;
    TypeRef type;
  };

  Kind kind = Kind::Dyn;
  std::string name = {};                                  // Object and Param
  std::vector<TypeRef> of = {};                           // List: item; Map: key, value; TypeOf, Optional: the type
  std::map<std::string, Field, std::less<>> fields = {};  // Object, by the name that CEL uses
  Listing listing = Listing::Atomic;
  std::vector<std::string> keys = {};  // Listing::Keyed
};

// A type without parts.
const TypeRef& plain(Type::Kind kind);
TypeRef list_of(TypeRef item);
TypeRef map_of(TypeRef key, TypeRef value);
TypeRef type_of(TypeRef type);
TypeRef optional_of(TypeRef type);
TypeRef param(std::string name);

// As messages write it: "int", "list(string)", "map(string, int)".
std::string text_of(const Type& type);
bool same(const Type& a, const Type& b);

// The identifier under which CEL sees a property, or nothing when it cannot be spelled.
std::optional<std::string> escape(std::string_view property);
bool is_reserved(std::string_view word);

}  // namespace drover::sim::cel
