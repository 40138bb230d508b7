// Kubernetes' list functions (isSorted, sum, min, max, indexOf, lastIndexOf) and sets.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "sim/cel/library.h"

namespace drover::sim::cel {

namespace {

Value costly_list() { return failure(std::string(kTooCostly)); }

Value is_sorted(Arguments args, Meter& meter, const Node&) {
  const auto* list = args[0].get<List>();
  if (list == nullptr) return no_such_overload();
  for (std::size_t i = 1; i < list->size(); ++i) {
    if (!meter.spend(1)) return costly_list();
    const Value order = compare(list->at(i - 1), list->at(i));
    if (order.failed()) return order;
    if (*order.get<std::int64_t>() > 0) return Value{false};
  }
  return Value{true};
}

Value sum(Arguments args, Meter& meter, const Node& call) {
  const auto* list = args[0].get<List>();
  if (list == nullptr) return no_such_overload();
  if (list->size() == 0) return Value{std::int64_t{0}};
  const Function* plus = library().find("_+_");
  Value total = list->at(0);
  for (std::size_t i = 1; i < list->size(); ++i) {
    if (!meter.spend(1)) return costly_list();
    const std::array<Value, 2> pair = {total, list->at(i)};
    total = plus->code(pair, meter, call);
    if (total.failed()) return total;
  }
  return total;
}

Value extreme(Arguments args, Meter& meter, bool largest) {
  const auto* list = args[0].get<List>();
  if (list == nullptr) return no_such_overload();
  if (list->size() == 0) return failure(fmt::format("{} called on empty list", largest ? "max" : "min"));
  Value best = list->at(0);
  for (std::size_t i = 1; i < list->size(); ++i) {
    if (!meter.spend(1)) return costly_list();
    Value item = list->at(i);
    const Value order = compare(item, best);
    if (order.failed()) return order;
    if (largest ? *order.get<std::int64_t>() > 0 : *order.get<std::int64_t>() < 0) best = std::move(item);
  }
  return best;
}
Value smallest(Arguments args, Meter& meter, const Node&) { return extreme(args, meter, false); }
Value largest(Arguments args, Meter& meter, const Node&) { return extreme(args, meter, true); }

Value reversed(Arguments args, Meter& meter, const Node&) {
  const auto* list = args[0].get<List>();
  if (list == nullptr) return no_such_overload();
  if (!meter.spend(list->size())) return costly_list();
  std::vector<Value> items;
  for (std::size_t i = list->size(); i-- > 0;) items.push_back(list->at(i));
  return make_list(std::move(items));
}

// 1 when the list has the item, 0 when not, nothing when the evaluation has become too expensive.
std::optional<bool> has(const List& list, const Value& item, Meter& meter) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!meter.spend(1)) return std::nullopt;
    if (equal(list.at(i), item, meter)) return true;
  }
  return false;
}

// Does every (or any) item of `small` stand in `big`?
Value held(const List& big, const List& small, Meter& meter, bool every) {
  for (std::size_t i = 0; i < small.size(); ++i) {
    const auto found = has(big, small.at(i), meter);
    if (!found) return costly_list();
    if (*found != every) return Value{!every};
  }
  return Value{every};
}

Value set_contains(Arguments args, Meter& meter, const Node&) {
  const auto* a = args[0].get<List>();
  const auto* b = args[1].get<List>();
  return a == nullptr || b == nullptr ? no_such_overload() : held(*a, *b, meter, true);
}
Value set_intersects(Arguments args, Meter& meter, const Node&) {
  const auto* a = args[0].get<List>();
  const auto* b = args[1].get<List>();
  return a == nullptr || b == nullptr ? no_such_overload() : held(*a, *b, meter, false);
}
Value set_equivalent(Arguments args, Meter& meter, const Node&) {
  const auto* a = args[0].get<List>();
  const auto* b = args[1].get<List>();
  if (a == nullptr || b == nullptr) return no_such_overload();
  Value one_way = held(*a, *b, meter, true);
  return one_way.is_true() ? held(*b, *a, meter, true) : one_way;
}

}  // namespace

Value index_in_list(Arguments args, Meter& meter, bool last) {
  const auto* list = args[0].get<List>();
  if (list == nullptr || args.size() != 2) return no_such_overload();
  for (std::size_t n = 0; n < list->size(); ++n) {
    const std::size_t i = last ? list->size() - 1 - n : n;
    if (!meter.spend(1)) return costly_list();
    if (equal(list->at(i), args[1], meter)) return Value{static_cast<std::int64_t>(i)};
  }
  return Value{std::int64_t{-1}};
}

void add_lists(Library& library) {
  library.add("isSorted",
              {"list(int).() bool", "list(uint).() bool", "list(double).() bool", "list(bool).() bool",
               "list(duration).() bool", "list(timestamp).() bool", "list(string).() bool", "list(bytes).() bool"},
              is_sorted);
  library.add("sum", {"list(int).() int", "list(uint).() uint", "list(double).() double", "list(duration).() duration"},
              sum);
  for (const bool most : {false, true}) {
    library.add(most ? "max" : "min",
                {"list(int).() int", "list(uint).() uint", "list(double).() double", "list(bool).() bool",
                 "list(duration).() duration", "list(timestamp).() timestamp", "list(string).() string",
                 "list(bytes).() bytes"},
                most ? largest : smallest);
  }
  library.add("reverse", {"list(A).() list(A)"}, reversed);
  library.add("sets.contains", {"(list(A), list(A)) bool"}, set_contains);
  library.add("sets.intersects", {"(list(A), list(A)) bool"}, set_intersects);
  library.add("sets.equivalent", {"(list(A), list(A)) bool"}, set_equivalent);
}

}  // namespace drover::sim::cel
