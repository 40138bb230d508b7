// What can be asked of an optional value: whether it is there, and what stands in for it.
#include "sim/cel/library.h"

namespace drover::sim::cel {

void add_optional(Library& library) {
  library.add("hasValue", {"optional(A).() bool"}, [](Arguments arguments, Meter&, const Node&) {
    const Maybe* maybe = arguments[0].get<Maybe>();
    return maybe == nullptr ? no_such_overload() : Value{maybe->value != nullptr};
  });
  library.add("value", {"optional(A).() A"}, [](Arguments arguments, Meter&, const Node&) {
    const Maybe* maybe = arguments[0].get<Maybe>();
    if (maybe == nullptr) return no_such_overload();
    return maybe->value ? *maybe->value : failure("optional.none() dereference");
  });
  library.add("orValue", {"optional(A).(A) A"}, [](Arguments arguments, Meter&, const Node&) {
    const Maybe* maybe = arguments[0].get<Maybe>();
    if (maybe == nullptr) return no_such_overload();
    return maybe->value ? *maybe->value : arguments[1];
  });
  library.add("or", {"optional(A).(optional(A)) optional(A)"}, [](Arguments arguments, Meter&, const Node&) {
    const Maybe* maybe = arguments[0].get<Maybe>();
    if (maybe == nullptr) return no_such_overload();
    return maybe->value ? arguments[0] : arguments[1];
  });
}

}  // namespace drover::sim::cel
