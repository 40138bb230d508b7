#include "sim/print/cells.h"

#include <algorithm>
#include <vector>

#include "base/order.h"
#include "base/selector.h"
#include "sim/crd/columns.h"

namespace drover::sim::print {
namespace {

using Op = base::Selector::Op;

std::string term_text(const base::Selector::Term& term) {
  std::vector<std::string> values = term.values;
  std::sort(values.begin(), values.end());
  std::string list;
  for (const std::string& value : values) list.append(list.empty() ? "" : ",").append(value);
  switch (term.op) {
    case Op::Equals: return term.key + "=" + list;
    case Op::NotEquals: return term.key + "!=" + list;
    case Op::In: return term.key + " in (" + list + ")";
    case Op::NotIn: return term.key + " notin (" + list + ")";
    case Op::Exists: return term.key;
    case Op::NotExists: return "!" + term.key;
    case Op::GreaterThan: return term.key + ">" + list;
    case Op::LessThan: return term.key + "<" + list;
  }
  return term.key;
}

}  // namespace

std::string since(std::string_view timestamp, base::WallTime now) {
  if (timestamp.empty()) return "<unknown>";
  const auto at = base::parse_rfc3339(timestamp);
  return at ? crd::age(*at, now) : "<unknown>";
}

std::string age_of(const kube::Object& object, base::WallTime now) {
  return since(json::text_at(object, {"metadata", "creationTimestamp"}), now);
}

std::string text_or(const json::Value& value, json::Path path, std::string_view fallback) {
  const std::string_view text = json::text_at(value, path);
  return std::string(text.empty() ? fallback : text);
}

std::string labels_text(const json::Value& value, json::Path path) {
  std::vector<std::string> pairs;
  for (const auto& label : json::members_at(value, path)) {
    std::string pair(label.key());
    pair.append("=");
    if (label.value().is_string()) pair.append(std::string_view(label.value().get_string()));
    pairs.push_back(std::move(pair));
  }
  if (pairs.empty()) return "<none>";
  std::sort(pairs.begin(), pairs.end());
  std::string text;
  for (const std::string& pair : pairs) text.append(text.empty() ? "" : ",").append(pair);
  return text;
}

std::string selector_text(const json::Value& value, json::Path path, std::string_view none, std::string_view broken) {
  const json::Value* found = json::find(value, path);
  if (found == nullptr || found->is_null()) return std::string(none);
  const auto selector = base::Selector::from_json(*found);
  if (!selector) return std::string(broken);
  std::vector<base::Selector::Term> terms = selector->terms();
  base::sort_keeping_order(terms, [](const auto& a, const auto& b) { return a.key < b.key; });
  std::string text;
  for (const auto& term : terms) text.append(text.empty() ? "" : ",").append(term_text(term));
  return text.empty() ? std::string(none) : text;
}

std::string joined(const json::Array& items, std::string_view member) {
  std::string text;
  bool first = true;
  for (const json::Value& item : items) {
    if (!first) text.append(",");
    text.append(json::text_at(item, {member}));
    first = false;
  }
  return text;
}

std::string joined_texts(const json::Array& items) {
  std::string text;
  for (const json::Value& item : items) {
    if (!item.is_string()) continue;
    text.append(text.empty() ? "" : ",").append(std::string_view(item.get_string()));
  }
  return text;
}

std::string_view condition_of(const kube::Object& object, std::string_view type) {
  for (const json::Value& condition : json::array_at(object, {"status", "conditions"})) {
    if (json::text_at(condition, {"type"}) == type) return json::text_at(condition, {"status"});
  }
  return {};
}

std::string scalar_text(const json::Value& value, json::Path path, std::string_view fallback) {
  const json::Value* found = json::find(value, path);
  if (found == nullptr || found->is_null()) return std::string(fallback);
  return found->is_string() ? std::string(found->get_string()) : json::text_of(*found);
}

json::Value name_cell(const kube::Object& object) { return json::Value(kube::name_of(object)); }

}  // namespace drover::sim::print
