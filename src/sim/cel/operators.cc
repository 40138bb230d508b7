// Arithmetic, order, equality, membership, indexing. && || ?: are not here: they look at their operands one by one
// (evaluate.cc).
#include <fmt/format.h>

#include <cmath>

#include "sim/cel/go_text.h"
#include "sim/cel/library.h"

namespace drover::sim::cel {

namespace {

constexpr std::int64_t kNanosPerMicro = 1000;
// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z.
constexpr std::int64_t kFirstMicro = -62'135'596'800'000'000;
constexpr std::int64_t kLastMicro = 253'402'300'799'999'999;

Value overflow() { return failure("integer overflow"); }
Value unsigned_overflow() { return failure("unsigned integer overflow"); }

bool adds(std::int64_t a, std::int64_t b, std::int64_t& sum) {
  if ((b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b)) return false;
  sum = a + b;
  return true;
}
bool subtracts(std::int64_t a, std::int64_t b, std::int64_t& difference) {
  if ((b < 0 && a > INT64_MAX + b) || (b > 0 && a < INT64_MIN + b)) return false;
  difference = a - b;
  return true;
}
bool multiplies(std::int64_t a, std::int64_t b, std::int64_t& product) {
  if (a == 0 || b == 0) {
    product = 0;
    return true;
  }
  if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)) return false;
  const auto wide = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  if (wide / b != a) return false;
  product = wide;
  return true;
}

Value at_instant(std::int64_t micros) {
  if (micros < kFirstMicro || micros > kLastMicro) return failure("timestamp overflow");
  return Value{Timestamp{micros}};
}

Value shift(const Timestamp& at, std::int64_t nanos) {
  std::int64_t micros = 0;
  if (!adds(at.micros, nanos / kNanosPerMicro, micros)) return failure("timestamp overflow");
  return at_instant(micros);
}

// A set grows by what it has not yet; a keyed list replaces the item with the same keys.
Value join_lists(const List& a, const List& b, Meter& meter) {
  const std::size_t size = a.size() + b.size();
  if (!meter.spend(size / 10 + 1) || size > kMostMade / sizeof(Value)) return failure(std::string(kTooCostly));
  std::vector<Value> items;
  items.reserve(size);
  for (std::size_t i = 0; i < a.size(); ++i) items.push_back(a.at(i));
  const Type* type = a.type.get();
  const auto listing = type != nullptr ? type->listing : Type::Listing::Atomic;
  for (std::size_t i = 0; i < b.size(); ++i) {
    Value item = b.at(i);
    bool placed = false;
    for (std::size_t j = 0; j < items.size() && listing != Type::Listing::Atomic && !placed; ++j) {
      if (!meter.spend(1)) return failure(std::string(kTooCostly));
      if (listing == Type::Listing::Set) {
        placed = equal(items[j], item, meter);
        continue;
      }
      const auto* mine = items[j].get<Record>();
      const auto* theirs = item.get<Record>();
      bool same_keys = mine != nullptr && theirs != nullptr;
      for (const auto& key : type->keys) {
        if (!same_keys) break;
        const auto left = mine->members->find(key);
        const auto right = theirs->members->find(key);
        same_keys = left != mine->members->end() && right != theirs->members->end() && left->value() == right->value();
      }
      if (same_keys) {
        items[j] = item;
        placed = true;
      }
    }
    if (!placed) items.push_back(std::move(item));
  }
  return make_list(std::move(items));
}

Value add(Arguments args, Meter& meter, const Node&) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (const auto *x = a.get<std::int64_t>(), *y = b.get<std::int64_t>(); x != nullptr && y != nullptr) {
    std::int64_t sum = 0;
    return adds(*x, *y, sum) ? Value{sum} : overflow();
  }
  if (const auto *x = a.get<std::uint64_t>(), *y = b.get<std::uint64_t>(); x != nullptr && y != nullptr) {
    return *x > UINT64_MAX - *y ? unsigned_overflow() : Value{*x + *y};
  }
  if (const auto *x = a.get<double>(), *y = b.get<double>(); x != nullptr && y != nullptr) return Value{*x + *y};
  if (const auto *x = a.get<std::string>(), *y = b.get<std::string>(); x != nullptr && y != nullptr) {
    if (!meter.spend((x->size() + y->size()) / 10)) return failure(std::string(kTooCostly));
    if (x->size() + y->size() > kMostMade) return too_large();
    return Value{*x + *y};
  }
  if (const auto *x = a.get<Bytes>(), *y = b.get<Bytes>(); x != nullptr && y != nullptr) {
    if (!meter.spend((x->data.size() + y->data.size()) / 10)) return failure(std::string(kTooCostly));
    if (x->data.size() + y->data.size() > kMostMade) return too_large();
    return Value{Bytes{x->data + y->data}};
  }
  if (const auto *x = a.get<List>(), *y = b.get<List>(); x != nullptr && y != nullptr) return join_lists(*x, *y, meter);
  const auto* first = a.get<Duration>();
  const auto* second = b.get<Duration>();
  if (first != nullptr && second != nullptr) {
    std::int64_t sum = 0;
    return adds(first->nanos, second->nanos, sum) ? Value{Duration{sum}} : failure("duration overflow");
  }
  if (const auto* at = a.get<Timestamp>(); at != nullptr && second != nullptr) return shift(*at, second->nanos);
  if (const auto* at = b.get<Timestamp>(); at != nullptr && first != nullptr) return shift(*at, first->nanos);
  return no_such_overload();
}

Value subtract(Arguments args, Meter&, const Node&) {
  const Value& a = args[0];
  const Value& b = args[1];
  std::int64_t difference = 0;
  if (const auto *x = a.get<std::int64_t>(), *y = b.get<std::int64_t>(); x != nullptr && y != nullptr) {
    return subtracts(*x, *y, difference) ? Value{difference} : overflow();
  }
  if (const auto *x = a.get<std::uint64_t>(), *y = b.get<std::uint64_t>(); x != nullptr && y != nullptr) {
    return *x < *y ? unsigned_overflow() : Value{*x - *y};
  }
  if (const auto *x = a.get<double>(), *y = b.get<double>(); x != nullptr && y != nullptr) return Value{*x - *y};
  const auto* at = a.get<Timestamp>();
  if (const auto* other = b.get<Timestamp>(); at != nullptr && other != nullptr) {
    std::int64_t nanos = 0;
    return multiplies(at->micros - other->micros, kNanosPerMicro, nanos) ? Value{Duration{nanos}}
                                                                         : failure("duration overflow");
  }
  if (const auto* span = b.get<Duration>(); at != nullptr && span != nullptr && span->nanos != INT64_MIN) {
    return shift(*at, -span->nanos);
  }
  if (const auto *x = a.get<Duration>(), *y = b.get<Duration>(); x != nullptr && y != nullptr) {
    return subtracts(x->nanos, y->nanos, difference) ? Value{Duration{difference}} : failure("duration overflow");
  }
  return no_such_overload();
}

Value multiply(Arguments args, Meter&, const Node&) {
  if (const auto *x = args[0].get<std::int64_t>(), *y = args[1].get<std::int64_t>(); x != nullptr && y != nullptr) {
    std::int64_t product = 0;
    return multiplies(*x, *y, product) ? Value{product} : overflow();
  }
  if (const auto *x = args[0].get<std::uint64_t>(), *y = args[1].get<std::uint64_t>(); x != nullptr && y != nullptr) {
    return *y != 0 && *x > UINT64_MAX / *y ? unsigned_overflow() : Value{*x * *y};
  }
  if (const auto *x = args[0].get<double>(), *y = args[1].get<double>(); x != nullptr && y != nullptr) {
    return Value{*x * *y};
  }
  return no_such_overload();
}

Value divide(Arguments args, Meter&, const Node&) {
  if (const auto *x = args[0].get<std::int64_t>(), *y = args[1].get<std::int64_t>(); x != nullptr && y != nullptr) {
    if (*y == 0) return failure("division by zero");
    return *x == INT64_MIN && *y == -1 ? overflow() : Value{*x / *y};
  }
  if (const auto *x = args[0].get<std::uint64_t>(), *y = args[1].get<std::uint64_t>(); x != nullptr && y != nullptr) {
    return *y == 0 ? failure("division by zero") : Value{*x / *y};
  }
  if (const auto *x = args[0].get<double>(), *y = args[1].get<double>(); x != nullptr && y != nullptr) {
    if (*y == 0) return Value{*x == 0 || std::isnan(*x) ? NAN : std::copysign(INFINITY, *x) * std::copysign(1.0, *y)};
    return Value{*x / *y};
  }
  return no_such_overload();
}

Value remainder_of(Arguments args, Meter&, const Node&) {
  if (const auto *x = args[0].get<std::int64_t>(), *y = args[1].get<std::int64_t>(); x != nullptr && y != nullptr) {
    if (*y == 0) return failure("modulus by zero");
    return *x == INT64_MIN && *y == -1 ? overflow() : Value{*x % *y};
  }
  if (const auto *x = args[0].get<std::uint64_t>(), *y = args[1].get<std::uint64_t>(); x != nullptr && y != nullptr) {
    return *y == 0 ? failure("modulus by zero") : Value{*x % *y};
  }
  return no_such_overload();
}

Value negate(Arguments args, Meter&, const Node&) {
  if (const auto* x = args[0].get<std::int64_t>()) return *x == INT64_MIN ? overflow() : Value{-*x};
  if (const auto* x = args[0].get<double>()) return Value{-*x};
  return no_such_overload();
}

Value invert(Arguments args, Meter&, const Node&) {
  if (const auto* flag = args[0].get<bool>()) return Value{!*flag};
  return no_such_overload();
}

template <class Test>
Value ordered(Arguments args, Test test) {
  Value order = compare(args[0], args[1]);
  if (order.failed()) return order;
  return Value{test(*order.get<std::int64_t>())};
}
Value less(Arguments args, Meter&, const Node&) {
  return ordered(args, [](std::int64_t order) { return order < 0; });
}
Value less_or_equal(Arguments args, Meter&, const Node&) {
  return ordered(args, [](std::int64_t order) { return order <= 0; });
}
Value greater(Arguments args, Meter&, const Node&) {
  return ordered(args, [](std::int64_t order) { return order > 0; });
}
Value greater_or_equal(Arguments args, Meter&, const Node&) {
  return ordered(args, [](std::int64_t order) { return order >= 0; });
}

Value same_value(Arguments args, Meter& meter, const Node&) { return Value{equal(args[0], args[1], meter)}; }
Value other_value(Arguments args, Meter& meter, const Node&) { return Value{!equal(args[0], args[1], meter)}; }

Value contained(Arguments args, Meter& meter, const Node&) {
  if (const auto* list = args[1].get<List>()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (!meter.spend(1)) return failure(std::string(kTooCostly));
      if (equal(args[0], list->at(i), meter)) return Value{true};
    }
    return Value{false};
  }
  if (const auto* record = args[1].get<Record>()) {
    const auto* key = args[0].get<std::string>();
    return Value{key != nullptr && record->find(*key).has_value()};
  }
  if (const auto* dict = args[1].get<Dict>()) {
    for (const auto& [key, value] : *dict->entries) {
      if (equal(args[0], key, meter)) return Value{true};
    }
    return Value{false};
  }
  return no_such_overload();
}

// "no such key: x" names the key as Go prints it, without quotes.
Value no_such_key(const Value& key) {
  const Value text = text_value(key);
  return failure("no such key: " + (text.failed() ? std::string("?") : *text.get<std::string>()));
}

Value index(Arguments args, Meter& meter, const Node&) {
  if (const auto* list = args[0].get<List>()) {
    std::optional<std::int64_t> at;
    if (const auto* i = args[1].get<std::int64_t>()) at = *i;
    if (const auto* u = args[1].get<std::uint64_t>()) at = *u > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(*u);
    if (const auto* d = args[1].get<double>(); d != nullptr && std::trunc(*d) == *d && std::fabs(*d) < 9e18) {
      at = static_cast<std::int64_t>(*d);
    }
    if (!at) return no_such_overload();
    if (*at < 0 || static_cast<std::uint64_t>(*at) >= list->size()) {
      return failure(fmt::format("index out of bounds: {}", *at));
    }
    return list->at(static_cast<std::size_t>(*at));
  }
  if (const auto* record = args[0].get<Record>()) {
    const auto* key = args[1].get<std::string>();
    if (key == nullptr) return no_such_key(args[1]);
    if (auto value = record->find(*key)) return std::move(*value);
    return no_such_key(args[1]);
  }
  if (const auto* dict = args[0].get<Dict>()) {
    for (const auto& [key, value] : *dict->entries) {
      if (equal(args[1], key, meter)) return value;
    }
    return no_such_key(args[1]);
  }
  return no_such_overload();
}

Value never_called(Arguments, Meter&, const Node&) { return no_such_overload(); }

}  // namespace

void add_operators(Library& library) {
  library.add("_+_",
              {"(int, int) int", "(uint, uint) uint", "(double, double) double", "(string, string) string",
               "(bytes, bytes) bytes", "(list(A), list(A)) list(A)", "(timestamp, duration) timestamp",
               "(duration, timestamp) timestamp", "(duration, duration) duration"},
              add);
  library.add("_-_",
              {"(int, int) int", "(uint, uint) uint", "(double, double) double", "(timestamp, timestamp) duration",
               "(timestamp, duration) timestamp", "(duration, duration) duration"},
              subtract);
  library.add("_*_", {"(int, int) int", "(uint, uint) uint", "(double, double) double"}, multiply);
  library.add("_/_", {"(int, int) int", "(uint, uint) uint", "(double, double) double"}, divide);
  library.add("_%_", {"(int, int) int", "(uint, uint) uint"}, remainder_of);
  library.add("-_", {"(int) int", "(double) double"}, negate);
  library.add("!_", {"(bool) bool"}, invert);
  struct Order {
    std::string_view name;
    Code code;
  };
  for (const Order& order :
       {Order{"_<_", less}, Order{"_<=_", less_or_equal}, Order{"_>_", greater}, Order{"_>=_", greater_or_equal}}) {
    library.add(order.name,
                {"(bool, bool) bool", "(int, int) bool", "(int, double) bool", "(int, uint) bool", "(uint, uint) bool",
                 "(uint, double) bool", "(uint, int) bool", "(double, double) bool", "(double, int) bool",
                 "(double, uint) bool", "(string, string) bool", "(bytes, bytes) bool", "(timestamp, timestamp) bool",
                 "(duration, duration) bool"},
                order.code);
  }
  library.add("_==_", {"(A, A) bool"}, same_value);
  library.add("_!=_", {"(A, A) bool"}, other_value);
  library.add("@in", {"(A, list(A)) bool", "(A, map(A, B)) bool"}, contained);
  library.add("_[_]", {"(list(A), int) A", "(map(A, B), A) B"}, index);
  library.add("_?_:_", {"(bool, A, A) A"}, never_called);
}

}  // namespace drover::sim::cel
