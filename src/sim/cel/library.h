// The functions and operators an expression may call: for each its signatures (for the checker) and its code.
//
// The code dispatches on what it is given, because an int-or-string is only known when it is seen; what no signature
// covers answers "no such overload".
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cel/ast.h"
#include "sim/cel/type.h"
#include "sim/cel/value.h"

namespace drover::sim::cel {

using Arguments = std::span<const Value>;
using Code = Value (*)(Arguments arguments, Meter& meter, const Node& call);

struct Overload {
  bool on_target = false;
  std::vector<TypeRef> takes;
  TypeRef gives;
};
struct Function {
  std::string name;
  std::vector<Overload> overloads;
  Code code = nullptr;
};

class Library {
 public:
  // Signatures are written "string.(string) bool" for methods and "(list(A), list(A)) list(A)" for plain functions.
  void add(std::string_view name, std::initializer_list<std::string_view> signatures, Code code);
  const Function* find(std::string_view name) const;

 private:
  std::map<std::string, Function, std::less<>> functions_;
};

// The whole language; made once.
const Library& library();
// Functions that a real API server has and this evaluator has not, to refuse them by name.
bool is_left_out(std::string_view name);

// Longest text or list that an expression may make.
inline constexpr std::size_t kMostMade = 4U << 20U;
inline Value too_large() { return failure("result too large"); }

// What the parts of the language add.
void add_operators(Library& library);
void add_conversions(Library& library);
void add_text(Library& library);
void add_format(Library& library);
void add_lists(Library& library);
void add_time(Library& library);
void add_kubernetes(Library& library);
void add_optional(Library& library);

// indexOf and lastIndexOf of a list: strings have them too.
Value index_in_list(Arguments arguments, Meter& meter, bool last);

// For `string.format` and string(): the text of a scalar, or a Failure.
Value text_value(const Value& value);

}  // namespace drover::sim::cel
