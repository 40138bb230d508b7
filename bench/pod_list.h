// Pods as an API server sends them, about 8 KB each: managedFields, environments, mounts, probes, conditions. Made from
// the pod's number alone, so that every run measures the same bytes, and one by one, so that no run needs to hold 158
// MB.
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "base/json.h"
#include "kube/projection.h"

namespace drover::bench {

// What the operator asks of pods: who, where, whose, and how it is.
inline kube::Projection pod_projection() {
  return {"metadata.labels",
          "metadata.annotations[drover.dev/record]",
          "metadata.creationTimestamp",
          "metadata.ownerReferences",
          "spec.nodeName",
          "spec.tolerations.key",
          "spec.containers.name",
          "spec.containers.resources.limits",
          "status.phase",
          "status.conditions.type",
          "status.conditions.status",
          "status.containerStatuses.ready",
          "status.containerStatuses.restartCount"};
}

namespace pods {

inline const json::Members kNothing;

// {"f:a":{},"f:b":{}}: how the server notes who set which fields.
inline json::Members fields(std::initializer_list<const char*> names, json::Members more = {}) {
  for (const char* name : names) more[std::string("f:") + name] = kNothing;
  return more;
}

inline json::Value entry_of(const char* manager, json::Value fields_v1) {
  return {{"manager", manager},       {"operation", "Update"},
          {"apiVersion", "v1"},       {"time", "2026-11-15T16:22:04Z"},
          {"fieldsType", "FieldsV1"}, {"fieldsV1", std::move(fields_v1)}};
}

inline json::Value managed_fields(const std::vector<const char*>& containers) {
  json::Members by_container;
  for (const char* name : containers) {
    json::Members env = {{".", kNothing}, {R"(k:{"name":"LOG_LEVEL"})", fields({"name", "value"})}};
    json::Members probe = fields({"failureThreshold", "periodSeconds", "successThreshold", "timeoutSeconds"});
    probe["f:httpGet"] = fields({"path", "port", "scheme"});
    json::Members container = fields({"args", "image", "imagePullPolicy", "name", "terminationMessagePath"});
    container["f:env"] = std::move(env);
    container["f:livenessProbe"] = std::move(probe);
    container["f:ports"] = {
        {R"(k:{"containerPort":9400,"protocol":"TCP"})", fields({"containerPort", "name", "protocol"})}};
    container["f:resources"] = {{"f:limits", fields({"cpu", "memory"})}};
    container["f:volumeMounts"] = {
        {fmt::format(R"(k:{{"mountPath":"/var/lib/{}"}})", name), fields({"mountPath", "name"})}};
    by_container[fmt::format(R"(k:{{"name":"{}"}})", name)] = std::move(container);
  }
  json::Members spec = fields({"dnsPolicy", "restartPolicy", "schedulerName", "securityContext", "tolerations"});
  spec["f:containers"] = std::move(by_container);
  json::Members conditions;
  for (const char* type : {"Initialized", "Ready", "ContainersReady"}) {
    conditions[fmt::format(R"(k:{{"type":"{}"}})", type)] =
        fields({"lastProbeTime", "lastTransitionTime", "status", "type"});
  }
  json::Members status = fields({"containerStatuses", "hostIP", "phase", "podIP", "startTime"});
  status["f:conditions"] = std::move(conditions);
  json::Members metadata = {{"f:labels", fields({"app.kubernetes.io/name", "controller-revision-hash"})}};
  return json::Array{
      entry_of("kube-controller-manager", {{"f:metadata", std::move(metadata)}, {"f:spec", std::move(spec)}}),
      entry_of("kubelet", {{"f:status", std::move(status)}})};
}

inline json::Value container(const char* name, int i) {
  json::Array env = {{{"name", "NODE_NAME"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "spec.nodeName"}}}}}},
                     {{"name", "LOG_LEVEL"}, {"value", "info"}}};
  for (int k = 0; k < 2; ++k) {
    env.push_back({{"name", fmt::format("SETTING_{}", k)},
                   {"value", fmt::format("a longer value with \"quotes\" and a path /opt/{}/{}", name, i % 1000 + k)}});
  }
  return {{"name", name},
          {"image", fmt::format("registry.example.net/platform/{}:v1.{}.3", name, i % 40)},
          {"args", {"--listen=0.0.0.0:9400", "--interval=30s", "--node=$(NODE_NAME)"}},
          {"ports", json::Array{{{"name", "metrics"}, {"containerPort", 9400}, {"protocol", "TCP"}}}},
          {"env", std::move(env)},
          {"resources",
           {{"limits", {{"cpu", "2"}, {"memory", "4Gi"}, {"vendor.example.com/device", fmt::format("{}", i % 8)}}}}},
          {"volumeMounts", json::Array{{{"name", "state"}, {"mountPath", fmt::format("/var/lib/{}", name)}}}},
          {"livenessProbe",
           {{"httpGet", {{"path", "/healthz"}, {"port", 9400}, {"scheme", "HTTP"}}},
            {"timeoutSeconds", 5},
            {"periodSeconds", 10},
            {"failureThreshold", 3}}},
          {"imagePullPolicy", "IfNotPresent"}};
}

inline json::Value container_status(const char* name, int i) {
  return {{"name", name},
          {"state", {{"running", {{"startedAt", "2026-11-15T16:24:40Z"}}}}},
          {"lastState", kNothing},
          {"ready", true},
          {"restartCount", i % 3},
          {"image", fmt::format("registry.example.net/platform/{}:v1.{}.3", name, i % 40)},
          {"imageID", fmt::format("registry.example.net/platform/{}@sha256:0f6a3c8e5b{:054d}", name, i)},
          {"containerID", fmt::format("containerd://9c1f{:060d}", i)},
          {"started", true}};
}

inline json::Value metadata(int i) {
  return {{"name", fmt::format("train-{:06d}", i)},
          {"generateName", "train-"},
          {"namespace", fmt::format("team-{}", i % 50)},
          {"uid", fmt::format("1b4e28ba-2fa1-11d2-883f-{:012d}", i)},
          {"resourceVersion", fmt::format("{}", 1000000 + i)},
          {"creationTimestamp", "2026-11-15T16:22:04Z"},
          {"labels",
           {{"app.kubernetes.io/instance", "train"},
            {"app.kubernetes.io/name", "train"},
            {"controller-revision-hash", "6b8f7c9d4"},
            {"pod-template-generation", fmt::format("{}", i % 7)}}},
          {"annotations", {{"checksum/config", "d2f0b5a4f1e0c6a6a4c8a4d0f1c1e9a7"}, {"prometheus.io/scrape", "true"}}},
          {"ownerReferences", json::Array{{{"apiVersion", "apps/v1"},
                                           {"kind", "DaemonSet"},
                                           {"name", "train"},
                                           {"uid", fmt::format("5a1c0c7e-8a3a-4f3b-9d0e-{:012d}", i % 97)},
                                           {"controller", true},
                                           {"blockOwnerDeletion", true}}}}};
}

inline json::Value status(const std::vector<const char*>& containers, int i) {
  json::Array conditions;
  for (const char* type : {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    conditions.push_back({{"type", type},
                          {"status", "True"},
                          {"lastProbeTime", nullptr},
                          {"lastTransitionTime", "2026-11-15T16:24:44Z"}});
  }
  json::Array containers_now;
  for (const char* name : containers) containers_now.push_back(container_status(name, i));
  return {{"phase", "Running"},
          {"conditions", std::move(conditions)},
          {"hostIP", fmt::format("10.0.{}.{}", i % 256, i % 251)},
          {"podIP", fmt::format("10.4.{}.{}", i % 256, i % 249)},
          {"startTime", "2026-11-15T16:22:04Z"},
          {"containerStatuses", std::move(containers_now)},
          {"qosClass", "Burstable"}};
}

}  // namespace pods

enum class PodSize { EightKilobytes, FourKilobytes };

inline std::string pod_json(int i, PodSize size = PodSize::EightKilobytes) {
  const bool large = size == PodSize::EightKilobytes;
  const auto containers = large ? std::vector{"worker", "metrics", "proxy"} : std::vector{"worker", "metrics"};
  json::Value metadata = pods::metadata(i);
  if (large) metadata.get_object()["managedFields"] = pods::managed_fields(containers);
  json::Array specs;
  for (const char* name : containers) specs.push_back(pods::container(name, i));
  json::Value spec = {
      {"volumes", json::Array{{{"name", "state"}, {"hostPath", {{"path", "/var/lib/train"}, {"type", "Directory"}}}}}},
      {"containers", std::move(specs)},
      {"restartPolicy", "Always"},
      {"terminationGracePeriodSeconds", 30},
      {"dnsPolicy", "ClusterFirst"},
      {"serviceAccountName", "train"},
      {"nodeName", fmt::format("gpu-{:04d}", i % 2000)},
      {"securityContext", pods::kNothing},
      {"schedulerName", "default-scheduler"},
      {"tolerations",
       json::Array{{{"key", "node.kubernetes.io/not-ready"}, {"operator", "Exists"}, {"effect", "NoExecute"}},
                   {{"key", "node.kubernetes.io/unreachable"}, {"operator", "Exists"}, {"effect", "NoExecute"}}}}};
  return json::text_of(json::Value{
      {"metadata", std::move(metadata)}, {"spec", std::move(spec)}, {"status", pods::status(containers, i)}});
}

}  // namespace drover::bench
