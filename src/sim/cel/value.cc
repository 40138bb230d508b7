// Reading JSON by its type, and comparing.
#include "sim/cel/value.h"

#include <cmath>

#include "base/text.h"
#include "base/time.h"
#include "sim/cel/go_text.h"

namespace drover::sim::cel {

namespace {

Value from_string(std::string_view text, const Type& type) {
  switch (type.kind) {
    case Type::Kind::Bytes:
      if (auto data = base::base64_decode(text)) return Value{Bytes{std::move(*data)}};
      return failure("byte string value is not valid base64");
    case Type::Kind::Duration:
      if (const auto nanos = parse_loose_duration(text)) return Value{Duration{*nanos}};
      return failure("invalid duration " + go_quote(text));
    case Type::Kind::Timestamp: {
      const std::string whole = text.size() == 10 ? std::string(text) + "T00:00:00Z" : std::string(text);
      if (const auto at = base::parse_rfc3339(whole)) return Value{Timestamp{at->time_since_epoch().count()}};
      return failure("invalid timestamp " + go_quote(text));
    }
    default: return Value{std::string(text)};
  }
}

Value from_number(const json::Value& value, const Type& type) {
  if (const auto* whole = value.if_int64()) {
    if (type.kind == Type::Kind::Double) return Value{static_cast<double>(*whole)};
    return Value{*whole};
  }
  const double real = value.is_uint64() ? static_cast<double>(value.get_uint64()) : value.get_double();
  // 1.0 is an integer to the schema, so it is one here.
  if (type.kind == Type::Kind::Int && std::trunc(real) == real && std::fabs(real) < 9.2e18) {
    return Value{static_cast<std::int64_t>(real)};
  }
  return Value{real};
}

// A number as a double, for comparing across types; the integers were compared exactly before.
std::optional<double> as_double(const Value& value) {
  if (const auto* v = value.get<std::int64_t>()) return static_cast<double>(*v);
  if (const auto* v = value.get<std::uint64_t>()) return static_cast<double>(*v);
  if (const auto* v = value.get<double>()) return *v;
  return std::nullopt;
}

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

std::optional<int> compare_numbers(const Value& a, const Value& b) {
  const auto* ai = a.get<std::int64_t>();
  const auto* bi = b.get<std::int64_t>();
  const auto* au = a.get<std::uint64_t>();
  const auto* bu = b.get<std::uint64_t>();
  if (ai != nullptr && bi != nullptr) return order(*ai, *bi);
  if (au != nullptr && bu != nullptr) return order(*au, *bu);
  if (ai != nullptr && bu != nullptr) return *ai < 0 ? -1 : order(static_cast<std::uint64_t>(*ai), *bu);
  if (au != nullptr && bi != nullptr) return *bi < 0 ? 1 : order(*au, static_cast<std::uint64_t>(*bi));
  const auto ad = as_double(a);
  const auto bd = as_double(b);
  if (!ad || !bd) return std::nullopt;
  return order(*ad, *bd);
}

bool is_nan(const Value& value) { return value.get<double>() != nullptr && std::isnan(*value.get<double>()); }

// The item of a keyed list that has the same keys.
std::optional<Value> find_by_keys(const List& list, const Value& item, const std::vector<std::string>& keys,
                                  Meter& meter) {
  const auto* wanted = item.get<Record>();
  if (wanted == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!meter.spend(1 + keys.size())) return std::nullopt;
    Value other = list.at(i);
    const auto* record = other.get<Record>();
    if (record == nullptr) continue;
    bool all = true;
    for (const auto& key : keys) {
      const auto mine = wanted->members->find(key);
      const auto theirs = record->members->find(key);
      const bool has_mine = mine != wanted->members->end();
      const bool has_theirs = theirs != record->members->end();
      all = all && has_mine == has_theirs && (!has_mine || mine->value() == theirs->value());
    }
    if (all) return other;
  }
  return std::nullopt;
}

bool equal_lists(const List& a, const List& b, Meter& meter) {
  if (a.size() != b.size()) return false;
  const Type* type = a.type ? a.type.get() : b.type.get();
  const auto listing = type != nullptr ? type->listing : Type::Listing::Atomic;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!meter.spend(1)) return false;
    const Value item = a.at(i);
    bool found = false;
    if (listing == Type::Listing::Set) {
      for (std::size_t j = 0; j < b.size() && !found; ++j) found = equal(item, b.at(j), meter);
    } else if (listing == Type::Listing::Keyed) {
      const auto other = find_by_keys(b, item, type->keys, meter);
      found = other && equal(item, *other, meter);
    } else {
      found = equal(item, b.at(i), meter);
    }
    if (!found) return false;
  }
  return true;
}

// Entries of any kind of map, keys as CEL sees them.
std::vector<std::pair<Value, Value>> entries_of(const Value& value) {
  std::vector<std::pair<Value, Value>> entries;
  if (const auto* dict = value.get<Dict>()) return *dict->entries;
  if (const auto* record = value.get<Record>()) {
    for (const auto& member : *record->members) {
      const std::string_view name = member.key();
      if (record->type && record->type->kind == Type::Kind::Object) {
        for (const auto& [cel_name, field] : record->type->fields) {
          if (field.json_name == name) {
            entries.emplace_back(Value{cel_name}, from_json(member.value(), field.type));
          }
        }
      } else {
        const bool typed = record->type && record->type->of.size() == 2;
        entries.emplace_back(Value{std::string(name)},
                             from_json(member.value(), typed ? record->type->of[1] : plain(Type::Kind::Dyn)));
      }
    }
  }
  return entries;
}

// The value under a key of any kind of map.
std::optional<Value> look_up(const Value& map, const Value& key, Meter& meter) {
  if (const auto* record = map.get<Record>()) {
    if (const auto* name = key.get<std::string>()) return record->find(*name);
    return std::nullopt;
  }
  for (const auto& [known, value] : *map.get<Dict>()->entries) {
    if (!meter.spend(1)) return std::nullopt;
    if (equal(known, key, meter)) return value;
  }
  return std::nullopt;
}

bool equal_maps(const Value& a, const Value& b, Meter& meter) {
  const auto left = entries_of(a);
  if (left.size() != entries_of(b).size()) return false;
  for (const auto& [key, value] : left) {
    if (!meter.spend(1)) return false;
    const auto other = look_up(b, key, meter);
    if (!other || !equal(value, *other, meter)) return false;
  }
  return true;
}

bool equal_urls(const Url& a, const Url& b) {
  return a.scheme == b.scheme && a.host == b.host && a.escaped_path == b.escaped_path && a.query == b.query;
}

}  // namespace

std::size_t List::size() const { return array != nullptr ? array->size() : items ? items->size() : 0; }

Value List::at(std::size_t index) const {
  if (array == nullptr) return (*items)[index];
  return from_json((*array)[index], type && !type->of.empty() ? type->of[0] : plain(Type::Kind::Dyn));
}

std::optional<Value> Record::find(std::string_view key) const {
  if (type && type->kind == Type::Kind::Object) {
    const auto field = type->fields.find(key);
    if (field == type->fields.end()) return std::nullopt;
    // A null in a nullable field counts as absent.
    const auto member = members->find(field->second.json_name);
    if (member == members->end() || member->value().is_null()) return std::nullopt;
    return from_json(member->value(), field->second.type);
  }
  const auto member = members->find(key);
  if (member == members->end()) return std::nullopt;
  return from_json(member->value(), type && type->of.size() == 2 ? type->of[1] : plain(Type::Kind::Dyn));
}

Value make_list(std::vector<Value> items) {
  return Value{List{.items = std::make_shared<const std::vector<Value>>(std::move(items))}};
}

Value make_dict(std::vector<std::pair<Value, Value>> entries) {
  return Value{Dict{std::make_shared<const std::vector<std::pair<Value, Value>>>(std::move(entries))}};
}

Value from_json(const json::Value& value, const TypeRef& type) {
  const TypeRef& known = type ? type : plain(Type::Kind::Dyn);
  if (const auto* text = value.if_string()) return from_string(std::string_view(*text), *known);
  if (const auto* flag = value.if_bool()) return Value{*flag};
  if (value.is_number()) return from_number(value, *known);
  if (const auto* array = value.if_array()) {
    return Value{List{.array = array, .type = known->kind == Type::Kind::List ? known : nullptr}};
  }
  if (const auto* object = value.if_object()) {
    const bool fits = known->kind == Type::Kind::Map || known->kind == Type::Kind::Object;
    return Value{Record{object, fits ? known : nullptr}};
  }
  return Value{};
}

TypeRef runtime_type(const Value& value) {
  static const TypeRef kList = std::make_shared<Type>(Type{.kind = Type::Kind::List});
  static const TypeRef kMap = std::make_shared<Type>(Type{.kind = Type::Kind::Map});
  static const TypeRef kType = std::make_shared<Type>(Type{.kind = Type::Kind::TypeOf});
  const auto type_of_held = [](const auto& held) -> TypeRef {
    using T = std::decay_t<decltype(held)>;
    if constexpr (std::is_same_v<T, bool>) return plain(Type::Kind::Bool);
    if constexpr (std::is_same_v<T, std::int64_t>) return plain(Type::Kind::Int);
    if constexpr (std::is_same_v<T, std::uint64_t>) return plain(Type::Kind::Uint);
    if constexpr (std::is_same_v<T, double>) return plain(Type::Kind::Double);
    if constexpr (std::is_same_v<T, std::string>) return plain(Type::Kind::String);
    if constexpr (std::is_same_v<T, Bytes>) return plain(Type::Kind::Bytes);
    if constexpr (std::is_same_v<T, Timestamp>) return plain(Type::Kind::Timestamp);
    if constexpr (std::is_same_v<T, Duration>) return plain(Type::Kind::Duration);
    if constexpr (std::is_same_v<T, List>) return kList;
    if constexpr (std::is_same_v<T, Dict>) return kMap;
    if constexpr (std::is_same_v<T, TypeRef>) return kType;
    if constexpr (std::is_same_v<T, std::shared_ptr<const Url>>) return plain(Type::Kind::Url);
    if constexpr (std::is_same_v<T, std::shared_ptr<const Quantity>>) return plain(Type::Kind::Quantity);
    if constexpr (std::is_same_v<T, Maybe>) return plain(Type::Kind::Optional);
    if constexpr (std::is_same_v<T, Record>) {
      return held.type && held.type->kind == Type::Kind::Object ? held.type : kMap;
    }
    return plain(Type::Kind::Null);
  };
  return std::visit(type_of_held, value.held);
}

bool equal(const Value& a, const Value& b, Meter& meter) {
  if (!meter.spend(1)) return false;
  if (is_nan(a) || is_nan(b)) return false;
  if (const auto numbers = compare_numbers(a, b)) return *numbers == 0;
  const bool a_is_map = a.get<Record>() != nullptr || a.get<Dict>() != nullptr;
  const bool b_is_map = b.get<Record>() != nullptr || b.get<Dict>() != nullptr;
  if (a_is_map && b_is_map) return equal_maps(a, b, meter);
  if (a.held.index() != b.held.index()) return false;
  if (const auto* text = a.get<std::string>()) {
    return meter.spend(text->size() / 10) && *text == *b.get<std::string>();
  }
  if (const auto* list = a.get<List>()) return equal_lists(*list, *b.get<List>(), meter);
  if (const auto* flag = a.get<bool>()) return *flag == *b.get<bool>();
  if (const auto* bytes = a.get<Bytes>()) return bytes->data == b.get<Bytes>()->data;
  if (const auto* at = a.get<Timestamp>()) return at->micros == b.get<Timestamp>()->micros;
  if (const auto* span = a.get<Duration>()) return span->nanos == b.get<Duration>()->nanos;
  if (const auto* type = a.get<TypeRef>()) {
    const TypeRef& other = *b.get<TypeRef>();
    return (*type)->kind == other->kind && ((*type)->kind != Type::Kind::Object || (*type)->name == other->name);
  }
  if (const auto* url = a.get<std::shared_ptr<const Url>>())
    return equal_urls(**url, **b.get<std::shared_ptr<const Url>>());
  if (const auto* quantity = a.get<std::shared_ptr<const Quantity>>()) {
    return (*quantity)->compare(**b.get<std::shared_ptr<const Quantity>>()) == 0;
  }
  return std::holds_alternative<Null>(a.held);
}

Value compare(const Value& a, const Value& b) {
  const auto answer = [](int order) { return Value{static_cast<std::int64_t>(order)}; };
  if (is_nan(a) || is_nan(b)) {
    if (as_double(a) && as_double(b)) return failure("NaN values cannot be ordered");
    return no_such_overload();
  }
  if (const auto numbers = compare_numbers(a, b)) return answer(*numbers);
  if (a.held.index() != b.held.index()) return no_such_overload();
  if (const auto* text = a.get<std::string>()) return answer(order(*text, *b.get<std::string>()));
  if (const auto* flag = a.get<bool>()) return answer(order(*flag, *b.get<bool>()));
  if (const auto* bytes = a.get<Bytes>()) return answer(order(bytes->data, b.get<Bytes>()->data));
  if (const auto* at = a.get<Timestamp>()) return answer(order(at->micros, b.get<Timestamp>()->micros));
  if (const auto* span = a.get<Duration>()) return answer(order(span->nanos, b.get<Duration>()->nanos));
  return no_such_overload();
}

}  // namespace drover::sim::cel
