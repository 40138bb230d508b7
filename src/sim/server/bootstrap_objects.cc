#include "sim/server/bootstrap_objects.h"

#include <string_view>
#include <utility>

namespace drover::sim {
namespace {

constexpr std::string_view kAboutRootCa =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters.";

kube::Request made(const kube::Resource& resource, const char* ns, kube::Object object) {
  kube::Request request = kube::create(resource, ns, std::move(object));
  request.field_manager = "kube-apiserver";
  return request;
}

kube::Object priority_class(std::string_view name, std::int64_t value, std::string_view about) {
  return {{"metadata", json::Members{{"name", name}}}, {"value", value}, {"description", about}};
}

}  // namespace

std::vector<kube::Request> bootstrap_objects(const std::string& ca) {
  const kube::Resource priorities{"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", kube::Scope::Cluster};
  std::vector<kube::Request> requests;
  requests.push_back(made(priorities, "",
                          priority_class("system-node-critical", 2'000'001'000,
                                         "Used for system critical pods that must not be moved from their current "
                                         "node.")));
  requests.push_back(made(priorities, "",
                          priority_class("system-cluster-critical", 2'000'000'000,
                                         "Used for system critical pods that must run in the cluster, but can be moved "
                                         "to another node if necessary.")));
  requests.push_back(
      made(kube::kServices, "default",
           {{"metadata",
             {{"name", "kubernetes"},
              {"namespace", "default"},
              {"labels", json::Members{{"component", "apiserver"}, {"provider", "kubernetes"}}}}},
            {"spec",
             {{"clusterIP", "10.96.0.1"},
              {"clusterIPs", json::Array{"10.96.0.1"}},
              {"ipFamilies", json::Array{"IPv4"}},
              {"ipFamilyPolicy", "SingleStack"},
              {"ports", json::Array{json::Value{{"name", "https"}, {"port", 443}, {"targetPort", 6443}}}}}}}));
  if (!ca.empty()) {
    for (const char* ns : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
      requests.push_back(made(kube::kConfigMaps, ns,
                              {{"metadata",
                                {{"name", "kube-root-ca.crt"},
                                 {"namespace", ns},
                                 {"annotations", json::Members{{"kubernetes.io/description", kAboutRootCa}}}}},
                               {"data", json::Members{{"ca.crt", ca}}}}));
      requests.back().field_manager = "kube-controller-manager";
    }
  }
  return requests;
}

}  // namespace drover::sim
