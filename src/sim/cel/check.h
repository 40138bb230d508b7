// Does an expression make sense for a type? Every call gets its function here, every name its meaning.
#pragma once

#include "sim/cel/ast.h"
#include "sim/cel/type.h"

namespace drover::sim::cel {

struct Checked {
  TypeRef gives;  // what the expression evaluates to
  bool uses_old_self = false;
};

// Reports undeclared names, fields that the type lacks, calls with arguments that no signature takes, and
// literals (patterns, durations) that are garbled; fills in Node::function and Node::pattern.
// `old_self` is the type of oldSelf.
Checked check(Node& root, const TypeRef& self, const TypeRef& old_self, Complaints& complaints);

}  // namespace drover::sim::cel
