// A small Common Expression Language: the part that Kubernetes' validation rules use.
//
// Pure: text and a type in, a program out; a program and JSON in, a value out. Nothing here knows what a CRD is. A text
// that cannot be read or does not fit the type is refused when it is compiled, never when it is used; an evaluation is
// bounded in steps and depth. Left out, and refused by name: optional types (but for oldSelf), ip() and cidr(),
// semver(), format.*, message literals, time zones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "sim/cel/type.h"
#include "sim/cel/value.h"

namespace drover::sim::cel {

struct Node;

// A checked expression. Cheap to copy, never changes.
class Expression {
 public:
  const Type& gives() const { return *gives_; }
  bool uses_old_self() const { return uses_old_self_; }

 private:
  friend base::Result<Expression> compile(std::string_view text, const TypeRef& self, bool optional_old_self);
  friend struct Runner;
  std::shared_ptr<const Node> root_;
  TypeRef self_;
  TypeRef gives_;
  bool uses_old_self_ = false;
  bool optional_old_self_ = false;
};

// Refused carries an API server's words: "compilation failed: ERROR: <input>:1:5: undefined field 'x'", the line, a
// caret; or "program instantiation failed: …" when a constant in it cannot be converted.
// With `optional_old_self` oldSelf is an optional value, empty where there was none.
base::Result<Expression> compile(std::string_view text, const TypeRef& self, bool optional_old_self = false);

// What kube allows one rule to cost; its unit is about one step.
inline constexpr std::uint64_t kCostPerRule = 1'000'000;

struct Evaluation {
  Value value;  // a Failure when it could not be evaluated
  std::uint64_t cost = 0;

  bool failed() const { return value.failed(); }
  // Why it failed, in CEL's words; "" when it did not.
  std::string_view error() const {
    return failed() ? std::string_view(value.get<Failure>()->text) : std::string_view();
  }
};

// Evaluates; `old_self` may be absent when the program does not use it, or takes it as optional. The value may look
// into both: they must outlive it.
Evaluation run(const Expression& program, const json::Value& self, const json::Value* old_self = nullptr,
               std::uint64_t cost_limit = kCostPerRule);

}  // namespace drover::sim::cel
