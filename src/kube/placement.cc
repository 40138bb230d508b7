#include "kube/placement.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <set>

#include "base/text.h"

namespace drover::kube {

namespace {

bool contains(const json::Array& values, std::string_view wanted) {
  return std::ranges::any_of(values, [&](const json::Value& value) {
    return value.is_string() && std::string_view(value.get_string()) == wanted;
  });
}

// One NodeSelectorRequirement against the value under its key, if the node has one.
bool requirement_holds(const json::Value& requirement, const std::optional<std::string_view>& value) {
  const std::string_view op = json::text_at(requirement, {"operator"});
  const json::Array& values = json::array_at(requirement, {"values"});
  if (op == "In") return value && contains(values, *value);
  if (op == "NotIn") return !value || !contains(values, *value);
  if (op == "Exists") return value.has_value();
  if (op == "DoesNotExist") return !value;
  if (op == "Gt" || op == "Lt") {
    if (!value || values.size() != 1 || !values[0].is_string()) return false;
    auto mine = base::parse_int(*value);
    auto bound = base::parse_int(std::string_view(values[0].get_string()));
    return mine && bound && (op == "Gt" ? *mine > *bound : *mine < *bound);
  }
  return false;
}

// `label` is a function, as LabelOf is one.
template <class Label>
bool term_holds(const json::Value& term, std::string_view name, const Label& label) {
  const json::Array& expressions = json::array_at(term, {"matchExpressions"});
  const json::Array& fields = json::array_at(term, {"matchFields"});
  // An empty term selects nothing.
  if (expressions.empty() && fields.empty()) return false;
  for (const json::Value& expression : expressions) {
    if (!requirement_holds(expression, label(json::text_at(expression, {"key"})))) return false;
  }
  for (const json::Value& field : fields) {
    if (json::text_at(field, {"key"}) != "metadata.name") return false;
    if (!requirement_holds(field, name)) return false;
  }
  return true;
}

// A store may hold what admission would not let in: from none to a lifetime.
base::Span tolerated_for(const json::Value& toleration) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return std::chrono::seconds(std::clamp<std::int64_t>(json::int_at(toleration, {"tolerationSeconds"}), 0, kMost));
}

const json::Value* required_affinity(const json::Value& pod_spec) {
  return json::find(pod_spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
}

template <class Label>
bool selects(const json::Value& pod_spec, std::string_view name, const Label& label) {
  for (const auto& wanted : json::members_at(pod_spec, {"nodeSelector"})) {
    const std::optional<std::string_view> value = label(std::string_view(wanted.key()));
    if (!value || !wanted.value().is_string() || *value != std::string_view(wanted.value().get_string())) return false;
  }
  const json::Value* required = required_affinity(pod_spec);
  if (!required || required->is_null()) return true;
  const json::Array& terms = json::array_at(*required, {"nodeSelectorTerms"});
  return std::ranges::any_of(terms, [&](const json::Value& term) { return term_holds(term, name, label); });
}

}  // namespace

bool toleration_matches(const json::Value& toleration, const json::Value& taint) {
  const std::string_view effect = json::text_at(toleration, {"effect"});
  if (!effect.empty() && effect != json::text_at(taint, {"effect"})) return false;
  const std::string_view key = json::text_at(toleration, {"key"});
  if (!key.empty() && key != json::text_at(taint, {"key"})) return false;
  const std::string_view op = json::text_at(toleration, {"operator"});
  if (op == "Exists") return true;
  if (key.empty()) return false;
  return (op.empty() || op == "Equal") && json::text_at(toleration, {"value"}) == json::text_at(taint, {"value"});
}

const json::Value* untolerated_taint(const json::Array& taints, const json::Array& tolerations,
                                     std::initializer_list<std::string_view> effects) {
  for (const json::Value& taint : taints) {
    if (std::ranges::find(effects, json::text_at(taint, {"effect"})) == effects.end()) continue;
    const bool tolerated = std::ranges::any_of(
        tolerations, [&](const json::Value& toleration) { return toleration_matches(toleration, taint); });
    if (!tolerated) return &taint;
  }
  return nullptr;
}

std::optional<base::Span> stays_for(const json::Array& taints, const json::Array& tolerations) {
  std::optional<base::Span> least;
  for (const json::Value& taint : taints) {
    if (json::text_at(taint, {"effect"}) != "NoExecute") continue;
    bool tolerated = false;
    for (const json::Value& toleration : tolerations) {
      if (!toleration_matches(toleration, taint)) continue;
      tolerated = true;
      const json::Value* seconds = json::find(toleration, {"tolerationSeconds"});
      if (!seconds || seconds->is_null()) continue;
      const base::Span span = tolerated_for(toleration);
      least = least ? std::min(*least, span) : span;
    }
    if (!tolerated) return base::Span::zero();
  }
  return least;
}

bool selects_node(const json::Value& pod_spec, const Object& node) {
  const json::Members& labels = labels_of(node);
  return selects(pod_spec, name_of(node), [&](std::string_view key) -> std::optional<std::string_view> {
    const json::Value* found = labels.if_contains(key);
    return found && found->is_string() ? std::optional(std::string_view(found->get_string())) : std::nullopt;
  });
}

bool selects_node(const json::Value& pod_spec, std::string_view name, const LabelOf& label) {
  return selects(pod_spec, name, label);
}

std::optional<std::vector<std::string>> nodes_named_by(const json::Value& pod_spec) {
  const json::Value* required = required_affinity(pod_spec);
  if (!required) return std::nullopt;
  const json::Array& terms = json::array_at(*required, {"nodeSelectorTerms"});
  if (terms.empty()) return std::nullopt;
  std::set<std::string> names;
  for (const json::Value& term : terms) {
    const json::Value* by_name = nullptr;
    for (const json::Value& field : json::array_at(term, {"matchFields"})) {
      if (json::text_at(field, {"key"}) == "metadata.name" && json::text_at(field, {"operator"}) == "In")
        by_name = &field;
    }
    if (!by_name) return std::nullopt;
    for (const json::Value& value : json::array_at(*by_name, {"values"})) {
      if (value.is_string()) names.emplace(value.get_string());
    }
  }
  return std::vector<std::string>(names.begin(), names.end());
}

std::string target_node(const Object& pod) {
  if (std::string_view bound = json::text_at(pod, {"spec", "nodeName"}); !bound.empty()) return std::string(bound);
  const json::Value* spec = json::find(pod, {"spec"});
  if (!spec) return {};
  auto named = nodes_named_by(*spec);
  return named && named->size() == 1 ? named->front() : std::string{};
}

}  // namespace drover::kube
