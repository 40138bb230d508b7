// What an expression evaluates to.
//
// Data at rest: a scalar, a list or map made by the expression, or a view of the JSON under validation together with
// its Type. Views copy nothing; they live as long as the JSON that run() was given. A Failure is a value too, because
// CEL's && and || may absorb one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "sim/cel/quantity.h"
#include "sim/cel/type.h"

namespace drover::sim::cel {

struct Value;

struct Null {};
struct Bytes {
  std::string data;
};
struct Timestamp {
  std::int64_t micros = 0;  // since 1970
};
struct Duration {
  std::int64_t nanos = 0;
};
struct Url {
  std::string scheme;
  std::string host;  // with port
  std::string escaped_path;
  std::string query;
};
struct Failure {
  std::string text;
};

// A list: made by the expression (`items`) or seen in the JSON (`array`, read by the item type of `type`).
struct List {
  std::shared_ptr<const std::vector<Value>> items = {};
  const json::Array* array = nullptr;
  TypeRef type = {};

  std::size_t size() const;
  Value at(std::size_t index) const;
};
// A JSON object, seen as a map or as an object with known fields.
struct Record {
  const json::Members* members = nullptr;
  TypeRef type = {};

  // The value under the name CEL uses, or nothing.
  std::optional<Value> find(std::string_view key) const;
};
// A map made by the expression.
struct Dict {
  std::shared_ptr<const std::vector<std::pair<Value, Value>>> entries = {};
};

// A value that may not be there: oldSelf of a rule with optionalOldSelf.
struct Maybe {
  std::shared_ptr<const Value> value = {};
};

struct Value {
  using Held =
      std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string, Bytes, Timestamp, Duration, List,
                   Record, Dict, TypeRef, std::shared_ptr<const Url>, std::shared_ptr<const Quantity>, Maybe, Failure>;
  Held held = Null{};

  template <class T>
  const T* get() const {
    return std::get_if<T>(&held);
  }
  bool failed() const { return std::holds_alternative<Failure>(held); }
  bool is_true() const { return get<bool>() != nullptr && *get<bool>(); }
  bool is_false() const { return get<bool>() != nullptr && !*get<bool>(); }
};

inline Value failure(std::string text) { return Value{Failure{std::move(text)}}; }
inline Value no_such_overload() { return failure("no such overload"); }
Value make_list(std::vector<Value> items);
Value make_dict(std::vector<std::pair<Value, Value>> entries);

// The JSON value as its type says to read it; what does not fit the type is read as what it is.
Value from_json(const json::Value& value, const TypeRef& type);

// The type that type(x) gives: without the parts of lists and maps.
TypeRef runtime_type(const Value& value);

// How much an evaluation may still cost. Everything that walks data pays before it walks.
class Meter {
 public:
  explicit Meter(std::uint64_t limit) : limit_(limit) {}
  // False when the limit is passed; it stays passed.
  bool spend(std::uint64_t cost) {
    spent_ = cost > kMost - spent_ ? kMost : spent_ + cost;
    return spent_ <= limit_;
  }
  bool empty() const { return spent_ > limit_; }
  std::uint64_t spent() const { return spent_; }

 private:
  static constexpr std::uint64_t kMost = UINT64_MAX / 2;
  std::uint64_t limit_;
  std::uint64_t spent_ = 0;
};
inline constexpr std::string_view kTooCostly = "operation cancelled: actual cost limit exceeded";

// CEL equality: numbers by value across their types, other types never equal to each other, sets and keyed lists
// without order.
bool equal(const Value& a, const Value& b, Meter& meter);
// Negative, zero, positive; a Failure when the two cannot be ordered.
Value compare(const Value& a, const Value& b);

}  // namespace drover::sim::cel
