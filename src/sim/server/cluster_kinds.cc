// Namespaces, nodes, services and the small kinds.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sim/same.h"
#include "sim/server/kinds.h"
#include "sim/server/names.h"

namespace drover::sim {

void fill_in_namespace(kube::Object& ns) {
  json::ensure(ns, {"metadata", "labels", "kubernetes.io/metadata.name"}) = kube::name_of(ns);
}

void new_namespace(kube::Object& ns) {
  json::ensure(ns, {"spec", "finalizers"}) = json::Array{"kubernetes"};
  ns.get_object()["status"] = json::Members{{"phase", "Active"}};
}

// Only the finalize subresource changes spec.finalizers.
void keep_namespace_finalizers(kube::Object& fresh, const kube::Object& old) {
  if (const json::Value* before = json::find(old, {"spec", "finalizers"})) {
    json::ensure(fresh, {"spec", "finalizers"}) = *before;
  } else {
    json::remove(fresh, {"spec", "finalizers"});
  }
}

void fill_in_node(kube::Object& node) {
  json::Members& members = node.get_object();
  if (!members.contains("spec")) members["spec"].emplace_object();
  json::Members& status = object_in(members, "status");
  if (const json::Value* capacity = status.if_contains("capacity");
      capacity != nullptr && !status.contains("allocatable")) {
    json::Value copy = *capacity;
    status["allocatable"] = std::move(copy);
  }
}

void check_node(const kube::Object& node, const kube::Object* old, FieldErrors& errors) {
  const json::Array& taints = json::array_at(node, {"spec", "taints"});
  if (taints.empty() || (old != nullptr && same(taints, json::array_at(*old, {"spec", "taints"})))) return;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const std::string field = fmt::format("spec.taints[{}]", i);
    const std::string_view key = json::text_at(taints[i], {"key"});
    const std::string_view effect = json::text_at(taints[i], {"effect"});
    for (const std::string& complaint : complaints_about_key(key))
      errors.invalid(field + ".key", quoted(key), complaint);
    if (effect.empty()) {
      errors.required(field + ".effect", "");
    } else if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      errors.not_supported(field + ".effect", quoted(effect), {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
    const bool twice =
        std::any_of(taints.begin(), taints.begin() + static_cast<std::ptrdiff_t>(i), [&](const json::Value& other) {
          return json::text_at(other, {"key"}) == key && json::text_at(other, {"effect"}) == effect;
        });
    if (twice) {
      errors.add(
          {"FieldValueDuplicate", field,
           fmt::format("Duplicate value: {}: taints must be unique by key and effect pair", json::text_of(taints[i]))});
    }
  }
}

void fill_in_secret(kube::Object& secret) {
  set_default(secret.get_object(), "type", "Opaque");
  const json::Members plain = json::members_at(secret, {"stringData"});
  if (plain.empty()) return;
  json::Members& data = object_in(secret.get_object(), "data");
  for (const auto& member : plain) {
    if (member.value().is_string()) data[member.key()] = base::base64_encode(member.value().get_string());
  }
  secret.get_object().erase("stringData");
}

void fill_in_service(kube::Object& service) {
  json::Members& spec = object_in(service.get_object(), "spec");
  set_default(spec, "sessionAffinity", "None");
  set_default(spec, "type", "ClusterIP");
  if (json::Value* ports = spec.if_contains("ports"); ports != nullptr && ports->is_array()) {
    for (json::Value& port : ports->get_array()) {
      if (!port.is_object()) continue;
      set_default(port.get_object(), "protocol", "TCP");
      json::Value number = json::Value(port.get_object()["port"]);
      set_default(port.get_object(), "targetPort", std::move(number));
    }
  }
  if (spec["type"] != "ExternalName") set_default(spec, "internalTrafficPolicy", "Cluster");
  json::ensure(service, {"status", "loadBalancer"});
  json::Value& balancer = *json::find(service, {"status", "loadBalancer"});
  if (!balancer.is_object()) balancer.emplace_object();
}

}  // namespace drover::sim
