// What Kubernetes adds for its own values: URLs and quantities.
#include <fmt/format.h>

#include <map>

#include "sim/cel/library.h"
#include "sim/cel/url.h"

namespace drover::sim::cel {

namespace {

using UrlRef = std::shared_ptr<const Url>;
using QuantityRef = std::shared_ptr<const Quantity>;

Value make_url(Arguments args, Meter& meter, const Node&) {
  const auto* text = args[0].get<std::string>();
  if (text == nullptr) return no_such_overload();
  if (!meter.spend(text->size() / 10)) return failure(std::string(kTooCostly));
  std::string why;
  auto url = parse_url(*text, &why);
  if (!url) return failure("URL parse error during conversion from string: " + why);
  return Value{std::make_shared<const Url>(std::move(*url))};
}

Value is_url(Arguments args, Meter& meter, const Node&) {
  const auto* text = args[0].get<std::string>();
  if (text == nullptr) return no_such_overload();
  if (!meter.spend(text->size() / 10)) return failure(std::string(kTooCostly));
  return Value{parse_url(*text).has_value()};
}

template <class Getter>
Value part_of_url(Arguments args, Getter part) {
  if (const auto* url = args[0].get<UrlRef>()) return Value{std::string(part(**url))};
  return no_such_overload();
}
Value scheme(Arguments args, Meter&, const Node&) {
  return part_of_url(args, [](const Url& url) { return url.scheme; });
}
Value host(Arguments args, Meter&, const Node&) {
  return part_of_url(args, [](const Url& url) { return url.host; });
}
Value host_name(Arguments args, Meter&, const Node&) {
  return part_of_url(args, [](const Url& url) { return split_host(url.host).first; });
}
Value port(Arguments args, Meter&, const Node&) {
  return part_of_url(args, [](const Url& url) { return split_host(url.host).second; });
}
Value escaped_path(Arguments args, Meter&, const Node&) {
  return part_of_url(args, [](const Url& url) { return url.escaped_path; });
}
Value query(Arguments args, Meter&, const Node&) {
  const auto* url = args[0].get<UrlRef>();
  if (url == nullptr) return no_such_overload();
  std::map<std::string, std::vector<Value>> grouped;
  for (auto& [key, value] : split_query((*url)->query)) grouped[key].push_back(Value{std::move(value)});
  std::vector<std::pair<Value, Value>> entries;
  for (auto& [key, values] : grouped) entries.emplace_back(Value{key}, make_list(std::move(values)));
  return make_dict(std::move(entries));
}

Value make_quantity(Arguments args, Meter&, const Node&) {
  const auto* text = args[0].get<std::string>();
  if (text == nullptr) return no_such_overload();
  auto quantity = Quantity::parse(*text);
  if (!quantity) {
    return failure("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  return Value{std::make_shared<const Quantity>(std::move(*quantity))};
}
Value is_quantity(Arguments args, Meter&, const Node&) {
  const auto* text = args[0].get<std::string>();
  return text == nullptr ? no_such_overload() : Value{Quantity::parse(*text).has_value()};
}

template <class Apply>
Value on_two(Arguments args, Apply apply) {
  const auto* a = args[0].get<QuantityRef>();
  const auto* b = args[1].get<QuantityRef>();
  return a == nullptr || b == nullptr ? no_such_overload() : apply(**a, **b);
}
Value is_greater(Arguments args, Meter&, const Node&) {
  return on_two(args, [](const Quantity& a, const Quantity& b) { return Value{a.compare(b) > 0}; });
}
Value is_less(Arguments args, Meter&, const Node&) {
  return on_two(args, [](const Quantity& a, const Quantity& b) { return Value{a.compare(b) < 0}; });
}
Value compare_to(Arguments args, Meter&, const Node&) {
  return on_two(args,
                [](const Quantity& a, const Quantity& b) { return Value{static_cast<std::int64_t>(a.compare(b))}; });
}

Value shifted(Arguments args, bool up) {
  const auto* a = args[0].get<QuantityRef>();
  if (a == nullptr) return no_such_overload();
  Quantity by;
  if (const auto* b = args[1].get<QuantityRef>()) {
    by = **b;
  } else if (const auto* whole = args[1].get<std::int64_t>()) {
    by = Quantity(*whole);
  } else {
    return no_such_overload();
  }
  return Value{std::make_shared<const Quantity>((*a)->plus(up ? by : by.negated()))};
}
Value add_quantity(Arguments args, Meter&, const Node&) { return shifted(args, true); }
Value subtract_quantity(Arguments args, Meter&, const Node&) { return shifted(args, false); }

Value sign(Arguments args, Meter&, const Node&) {
  const auto* quantity = args[0].get<QuantityRef>();
  return quantity == nullptr ? no_such_overload() : Value{static_cast<std::int64_t>((*quantity)->sign())};
}
Value is_integer(Arguments args, Meter&, const Node&) {
  const auto* quantity = args[0].get<QuantityRef>();
  return quantity == nullptr ? no_such_overload() : Value{(*quantity)->integer().has_value()};
}
Value as_integer(Arguments args, Meter&, const Node&) {
  const auto* quantity = args[0].get<QuantityRef>();
  if (quantity == nullptr) return no_such_overload();
  if (const auto whole = (*quantity)->integer()) return Value{*whole};
  return failure("cannot convert value to integer");
}
Value as_float(Arguments args, Meter&, const Node&) {
  const auto* quantity = args[0].get<QuantityRef>();
  return quantity == nullptr ? no_such_overload() : Value{(*quantity)->approximate()};
}

}  // namespace

void add_kubernetes(Library& library) {
  library.add("url", {"(string) url"}, make_url);
  library.add("isURL", {"(string) bool"}, is_url);
  library.add("getScheme", {"url.() string"}, scheme);
  library.add("getHost", {"url.() string"}, host);
  library.add("getHostname", {"url.() string"}, host_name);
  library.add("getPort", {"url.() string"}, port);
  library.add("getEscapedPath", {"url.() string"}, escaped_path);
  library.add("getQuery", {"url.() map(string, list(string))"}, query);
  library.add("quantity", {"(string) quantity"}, make_quantity);
  library.add("isQuantity", {"(string) bool"}, is_quantity);
  library.add("isGreaterThan", {"quantity.(quantity) bool"}, is_greater);
  library.add("isLessThan", {"quantity.(quantity) bool"}, is_less);
  library.add("compareTo", {"quantity.(quantity) int"}, compare_to);
  library.add("add", {"quantity.(quantity) quantity", "quantity.(int) quantity"}, add_quantity);
  library.add("sub", {"quantity.(quantity) quantity", "quantity.(int) quantity"}, subtract_quantity);
  library.add("sign", {"(quantity) int"}, sign);
  library.add("isInteger", {"quantity.() bool"}, is_integer);
  library.add("asInteger", {"quantity.() int"}, as_integer);
  library.add("asApproximateFloat", {"quantity.() double"}, as_float);
}

}  // namespace drover::sim::cel
