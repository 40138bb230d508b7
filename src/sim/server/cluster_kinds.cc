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
  if (const json::Value* range = json::find(node, {"spec", "podCIDR"});
      range != nullptr && json::find(node, {"spec", "podCIDRs"}) == nullptr) {
    json::Value copy = *range;
    members["spec"].get_object()["podCIDRs"] = json::Array{std::move(copy)};
  }
  json::Members& status = object_in(members, "status");
  if (const json::Value* capacity = status.if_contains("capacity");
      capacity != nullptr && !status.contains("allocatable")) {
    json::Value copy = *capacity;
    status["allocatable"] = std::move(copy);
  }
  set_default(object_in(object_in(status, "daemonEndpoints"), "kubeletEndpoint"), "Port", 0);
  json::Members& info = object_in(status, "nodeInfo");
  constexpr std::string_view kAlways[] = {
      "machineID",      "systemUUID",       "bootID",          "kernelVersion", "osImage", "containerRuntimeVersion",
      "kubeletVersion", "kubeProxyVersion", "operatingSystem", "architecture"};
  if (info.size() < std::size(kAlways)) {
    for (const std::string_view key : kAlways) {
      if (!info.contains(key)) info[key] = "";
    }
  }
  const json::Value* unschedulable =
      members["spec"].is_object() ? members["spec"].get_object().if_contains("unschedulable") : nullptr;
  if (unschedulable != nullptr && *unschedulable == false) members["spec"].get_object().erase("unschedulable");
  fill_in_conditions(node, {"lastHeartbeatTime", "lastTransitionTime"});
}

// The admission plugin TaintNodesByCondition: a node that has just come is not ready, whatever it says.
void new_node(kube::Object& node) {
  json::Value& taints = json::ensure(node, {"spec", "taints"});
  if (!taints.is_array()) taints.emplace_array();
  constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
  const json::Array& list = taints.get_array();
  const bool has = std::any_of(list.begin(), list.end(), [&](const json::Value& taint) {
    return json::text_at(taint, {"key"}) == kNotReady && json::text_at(taint, {"effect"}) == "NoSchedule";
  });
  if (!has) taints.get_array().push_back({{"key", kNotReady}, {"effect", "NoSchedule"}});
}

namespace {

// A taint as kube's validation prints it.
std::string taint_text(const json::Value& taint) {
  const json::Value* added = json::find(taint, {"timeAdded"});
  return json::text_of({{"Key", json::text_at(taint, {"key"})},
                        {"Value", json::text_at(taint, {"value"})},
                        {"Effect", json::text_at(taint, {"effect"})},
                        {"TimeAdded", added == nullptr ? json::Value() : *added}});
}

}  // namespace

void check_node(const kube::Object& node, const kube::Object* old, FieldErrors& errors) {
  const json::Array& taints = json::array_at(node, {"spec", "taints"});
  if (taints.empty() || (old != nullptr && same(taints, json::array_at(*old, {"spec", "taints"})))) return;
  // An update is checked twice, as a node and as an update of one.
  for (int pass = 0; pass < (old == nullptr ? 1 : 2); ++pass) {
    for (std::size_t i = 0; i < taints.size(); ++i) {
      const std::string field = fmt::format("metadata.taints[{}]", i);
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
             fmt::format("Duplicate value: {}: taints must be unique by key and effect pair", taint_text(taints[i]))});
      }
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

// An address from the service range. Which one depends on the uid only.
void new_service(kube::Object& service) {
  json::Members& spec = object_in(service.get_object(), "spec");
  if (spec["type"] == "ExternalName") return;
  const std::uint64_t hash = base::fnv1a(kube::uid_of(service));
  set_default(spec, "clusterIP", json::Value(fmt::format("10.96.{}.{}", hash % 256, 1 + hash / 256 % 254)));
  json::Value address = spec["clusterIP"];
  if (!spec.contains("clusterIPs")) spec["clusterIPs"] = json::Array{std::move(address)};
  if (!spec.contains("ipFamilies")) spec["ipFamilies"] = json::Array{"IPv4"};
  set_default(spec, "ipFamilyPolicy", "SingleStack");
}

void fill_in_event(kube::Object& event) {
  json::Members& members = event.get_object();
  members["eventTime"];
  object_in(members, "source");
  for (const std::string_view key : {"reportingComponent", "reportingInstance"}) {
    if (!members.contains(key)) members[key] = "";
  }
}

void check_event(const kube::Object& event, const kube::Object* old, FieldErrors& errors) {
  const std::string_view about = json::text_at(event, {"involvedObject", "namespace"});
  const std::string_view ns = kube::namespace_of(event);
  if (old == nullptr && about != ns && !(about.empty() && ns == "default")) {
    errors.invalid("involvedObject.namespace", quoted(about), "does not match event.namespace");
  }
}

}  // namespace drover::sim
