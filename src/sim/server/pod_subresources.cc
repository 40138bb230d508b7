// What can be asked of a pod besides itself: bind it to a node; and the scale of a workload.
#include <fmt/format.h>

#include <algorithm>

#include "sim/draft.h"
#include "sim/server/context.h"

namespace drover::sim {

Answer<Stored> bind_pod(Context& context, const ResourceRules& rules, const kube::Request& request) {
  if (request.verb != kube::Verb::Create) return method_not_supported(rules.resource, "get");
  TRY(const Stored pod, look_up(context, rules, request));
  const std::string_view node = json::text_at(request.body, {"target", "name"});
  if (const std::string_view kind = json::text_at(request.body, {"target", "kind"}); !kind.empty() && kind != "Node") {
    return Refusal(Rejection{
        500,
        "",
        fmt::format("target.kind: Unsupported value: {}: supported values: \"Node\", \"<empty>\"", quoted(kind)),
        {}});
  }
  if (node.empty()) {
    return Refusal(Rejection{500, "", "target.name: Required value", {}});
  }
  if (const std::string_view uid = kube::uid_of(request.body); !uid.empty() && uid != kube::uid_of(*pod)) {
    return conflict(
        rules.resource, request.name,
        fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid, kube::uid_of(*pod)));
  }
  kube::Resource binding = rules.resource;
  binding.plural = "pods/binding";
  if (kube::is_being_deleted(*pod)) {
    return conflict(binding, request.name,
                    fmt::format("pod {} is being deleted, cannot be assigned to a host", request.name));
  }
  if (const std::string_view there = json::text_at(*pod, {"spec", "nodeName"}); !there.empty()) {
    return conflict(binding, request.name,
                    fmt::format("pod {} is already assigned to node {}", request.name, quoted(there)));
  }

  Draft fresh(*pod, 512);
  json::ensure(*fresh, {"spec", "nodeName"}) = node;
  for (const auto& annotation : json::members_at(request.body, {"metadata", "annotations"})) {
    json::ensure(*fresh, {"metadata", "annotations", annotation.key()}) = annotation.value();
  }
  json::Value& conditions = json::ensure(*fresh, {"status", "conditions"});
  if (!conditions.is_array()) conditions.emplace_array();
  // A scheduler that failed before has left its word.
  json::Array& list = conditions.get_array();
  list.erase(std::remove_if(list.begin(), list.end(),
                            [](const json::Value& one) { return json::text_at(one, {"type"}) == "PodScheduled"; }),
             list.end());
  list.push_back({{"type", "PodScheduled"},
                  {"status", "True"},
                  {"lastProbeTime", nullptr},
                  {"lastTransitionTime", context.now()}});
  if (!request.dry_run) context.store.put(rules.shelf, std::move(fresh));
  return success();
}

namespace {

const json::Value* find_path(const kube::Object& object, const std::vector<std::string>& path) {
  const json::Value* at = &object;
  for (const std::string& step : path) {
    at = at->is_object() ? at->get_object().if_contains(step) : nullptr;
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::int64_t number_at(const kube::Object& object, const std::vector<std::string>& path) {
  const json::Value* found = find_path(object, path);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

void set_number(kube::Object& object, const std::vector<std::string>& path, std::int64_t number) {
  json::Value* at = &object;
  for (const std::string& step : path) at = &json::ensure(*at, {step});
  *at = number;
}

// Where a kind keeps what its scale shows; a CRD says it.
const crd::Scale& places_of(const ResourceRules& rules) {
  static const crd::Scale kBuiltIn{{"spec", "replicas"}, {"status", "replicas"}, {}};
  return rules.custom && rules.custom->version != nullptr && rules.custom->version->scale
             ? *rules.custom->version->scale
             : kBuiltIn;
}

std::string selector_of(const ResourceRules& rules, const crd::Scale& places, const kube::Object& object) {
  if (rules.is_custom) {
    const json::Value* found = find_path(object, places.label_selector);
    return !places.label_selector.empty() && found != nullptr && found->is_string() ? std::string(found->get_string())
                                                                                    : std::string();
  }
  const json::Value* selector = json::find(object, {"spec", "selector"});
  if (selector == nullptr) return {};
  const auto parsed = base::Selector::from_json(*selector);
  return parsed ? parsed->text() : std::string();
}

}  // namespace

Answer<Stored> serve_scale(Context& context, const ResourceRules& rules, const kube::Request& request) {
  const crd::Scale& places = places_of(rules);
  const auto scale_of = [&](const kube::Object& object) {
    kube::Object scale = {{"kind", "Scale"},
                          {"apiVersion", "autoscaling/v1"},
                          {"metadata",
                           {{"name", kube::name_of(object)},
                            {"namespace", kube::namespace_of(object)},
                            {"uid", kube::uid_of(object)},
                            {"resourceVersion", kube::version_of(object)},
                            {"creationTimestamp", json::text_at(object, {"metadata", "creationTimestamp"})}}},
                          {"spec", json::Members()},
                          {"status", json::Members{{"replicas", number_at(object, places.status_replicas)}}}};
    if (const std::int64_t wanted = number_at(object, places.spec_replicas); wanted != 0) {
      json::ensure(scale, {"spec", "replicas"}) = wanted;
    }
    if (const std::string selector = selector_of(rules, places, object); !selector.empty()) {
      json::ensure(scale, {"status", "selector"}) = selector;
    }
    return std::make_shared<const kube::Object>(std::move(scale));
  };

  TRY(const Stored object, look_up(context, rules, request));
  const Stored scale = scale_of(*object);
  if (request.verb == kube::Verb::Get) return scale;
  kube::Object wish;
  if (request.verb == kube::Verb::Replace) {
    wish = request.body;
  } else if (request.verb == kube::Verb::Patch) {
    TRY(Draft made, patched(context, rules, request, scale.get()));
    wish = *made;
  } else {
    return method_not_supported(rules.resource, "create");
  }
  if (const std::string_view version = kube::version_of(wish);
      !version.empty() && version != kube::version_of(*object)) {
    return modified_since(rules.resource, request.name);
  }
  const std::int64_t replicas = json::int_at(wish, {"spec", "replicas"});
  if (replicas < 0 && !rules.is_custom) {
    FieldErrors errors;
    errors.invalid("spec.replicas", std::to_string(replicas), "must be greater than or equal to 0");
    return invalid("autoscaling", "Scale", request.name, errors);
  }
  Draft fresh(*object, 64);
  set_number(*fresh, places.spec_replicas, replicas);
  kube::Request whole = request;
  whole.subresource.clear();
  context.tracked_as = "scale";
  auto scaled = update_object(context, rules, whole, object, std::move(fresh));
  context.tracked_as = {};
  if (!scaled) return Refusal(std::move(scaled).error());
  return scale_of(**scaled);
}

}  // namespace drover::sim
