// The admission plugin ServiceAccount: a pod runs as an account that exists, and finds that account's token in a
// volume.
#include <fmt/format.h>

#include <algorithm>

#include "sim/server/context.h"
#include "sim/server/kinds.h"

namespace drover::sim {
namespace {

constexpr std::string_view kMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

bool mounts_there(const json::Value& container) {
  const json::Array& mounts = json::array_at(container, {"volumeMounts"});
  return std::any_of(mounts.begin(), mounts.end(),
                     [](const json::Value& mount) { return json::text_at(mount, {"mountPath"}) == kMountPath; });
}

json::Value token_volume(const std::string& name) {
  return {{"name", name},
          {"projected",
           {{"sources",
             json::Array{json::Value{{"serviceAccountToken", {{"expirationSeconds", 3607}, {"path", "token"}}}},
                         json::Value{{"configMap",
                                      {{"name", "kube-root-ca.crt"},
                                       {"items", json::Array{json::Value{{"key", "ca.crt"}, {"path", "ca.crt"}}}}}}},
                         json::Value{{"downwardAPI",
                                      json::Members{{"items", json::Array{json::Value{
                                                                  {"path", "namespace"},
                                                                  {"fieldRef",
                                                                   {{"apiVersion", "v1"},
                                                                    {"fieldPath", "metadata.namespace"}}}}}}}}}}},
            {"defaultMode", 420}}}};
}

// Adds the mount to every container that has none there; false when all have.
bool mount_everywhere(json::Value& pod, const std::string& volume) {
  bool any = false;
  for (const std::string_view list : {"initContainers", "containers"}) {
    json::Value* containers = json::find(pod, {"spec", list});
    if (containers == nullptr || !containers->is_array()) continue;
    for (json::Value& container : containers->get_array()) {
      if (!container.is_object() || mounts_there(container)) continue;
      json::Value& mounts = container.get_object()["volumeMounts"];
      if (!mounts.is_array()) mounts.emplace_array();
      mounts.get_array().push_back({{"name", volume}, {"readOnly", true}, {"mountPath", kMountPath}});
      any = true;
    }
  }
  return any;
}

}  // namespace

Answer<void> admit_pod(Context& context, const ResourceRules& rules, kube::Object& pod) {
  if (!kube::annotation_of(pod, "kubernetes.io/config.mirror").empty()) return {};
  const std::string_view account = json::text_at(pod, {"spec", "serviceAccountName"});
  const Stored found = context.store.find("serviceaccounts", fmt::format("{}/{}", kube::namespace_of(pod), account));
  if (!found) {
    return forbidden(rules.resource, kube::name_of(pod),
                     fmt::format("error looking up service account {}/{}: serviceaccount {} not found",
                                 kube::namespace_of(pod), account, quoted(account)));
  }
  const bool wanted = json::flag_at(pod, {"spec", "automountServiceAccountToken"},
                                    json::flag_at(*found, {"automountServiceAccountToken"}, true));
  if (!wanted) return {};
  const std::string name = "kube-api-access-" + context.random.name_suffix();
  if (!mount_everywhere(pod, name)) return {};
  json::Value& volumes = json::ensure(pod, {"spec", "volumes"});
  if (!volumes.is_array()) volumes.emplace_array();
  volumes.get_array().push_back(token_volume(name));
  return {};
}

}  // namespace drover::sim
