#include "sim/kubelet_spec.h"

#include <algorithm>
#include <set>

namespace drover::sim {
namespace {

using std::chrono::seconds;

// None of what we play takes longer than a lifetime, whatever an object says.
base::Span seconds_of(const json::Value& value, json::Path path, std::int64_t fallback) {
  return seconds(std::clamp<std::int64_t>(json::int_at(value, path, fallback), 0, INT32_MAX));
}

std::optional<ProbeSpec> probe_of(const json::Value& container, std::string_view key) {
  const json::Value* probe = json::find(container, {key});
  if (probe == nullptr || !probe->is_object()) return std::nullopt;
  ProbeSpec spec;
  spec.initial_delay = seconds_of(*probe, {"initialDelaySeconds"}, 0);
  spec.period = std::max<base::Span>(seconds(1), seconds_of(*probe, {"periodSeconds"}, 10));
  spec.failures =
      static_cast<int>(std::clamp<std::int64_t>(json::int_at(*probe, {"failureThreshold"}, 3), 1, 1'000'000));
  spec.successes =
      static_cast<int>(std::clamp<std::int64_t>(json::int_at(*probe, {"successThreshold"}, 1), 1, 1'000'000));
  return spec;
}

std::string field_of_pod(const kube::Object& pod, std::string_view path) {
  if (path == "metadata.name") return std::string(kube::name_of(pod));
  if (path == "metadata.namespace") return std::string(kube::namespace_of(pod));
  if (path == "metadata.uid") return std::string(kube::uid_of(pod));
  if (path == "spec.nodeName") return std::string(json::text_at(pod, {"spec", "nodeName"}));
  return {};
}

void read_env(Invocation& invocation, const kube::Object& pod, const json::Value& container) {
  for (const auto& variable : json::array_at(container, {"env"})) {
    std::string value(json::text_at(variable, {"value"}));
    if (const auto path = json::text_at(variable, {"valueFrom", "fieldRef", "fieldPath"}); !path.empty()) {
      value = field_of_pod(pod, path);
    }
    invocation.env.emplace_back(json::text_at(variable, {"name"}), std::move(value));
  }
}

void read_argv(Invocation& invocation, const json::Value& container) {
  for (std::string_view key : {"command", "args"}) {
    for (const auto& word : json::array_at(container, {key})) {
      if (word.is_string()) invocation.argv.emplace_back(word.get_string());
    }
  }
}

std::vector<std::string> extended_resources(const json::Value& container) {
  std::set<std::string> names;
  for (std::string_view side : {"limits", "requests"}) {
    for (const auto& entry : json::members_at(container, {"resources", side})) {
      if (entry.key().find('/') != std::string_view::npos) names.emplace(entry.key());
    }
  }
  return {names.begin(), names.end()};
}

ContainerSpec container_of(const kube::Object& pod, const json::Value& container, bool is_init, RestartPolicy restart) {
  ContainerSpec spec;
  auto& invocation = spec.invocation;
  invocation.container = json::text_at(container, {"name"});
  invocation.image = json::text_at(container, {"image"});
  read_argv(invocation, container);
  read_env(invocation, pod, container);
  spec.is_sidecar = is_init && json::text_at(container, {"restartPolicy"}) == "Always";
  invocation.ends_by_itself = !spec.is_sidecar && (is_init || restart != RestartPolicy::Always);
  invocation.annotated = kube::annotation_of(pod, std::string(kScriptAnnotation) + "." + invocation.container);
  if (invocation.annotated.empty() && !is_init) invocation.annotated = kube::annotation_of(pod, kScriptAnnotation);
  spec.pull_policy = json::text_at(container, {"imagePullPolicy"});
  spec.failure_says_why = json::text_at(container, {"terminationMessagePolicy"}) == "FallbackToLogsOnError";
  spec.startup = probe_of(container, "startupProbe");
  spec.readiness = probe_of(container, "readinessProbe");
  spec.liveness = probe_of(container, "livenessProbe");
  spec.resources = extended_resources(container);
  return spec;
}

}  // namespace

kube::Projection pod_projection() {
  return {"metadata.annotations",
          "metadata.deletionGracePeriodSeconds",
          "spec.nodeName",
          "spec.restartPolicy",
          "spec.terminationGracePeriodSeconds",
          "spec.hostNetwork",
          "spec.containers.name",
          "spec.containers.image",
          "spec.containers.imagePullPolicy",
          "spec.containers.terminationMessagePolicy",
          "spec.containers.command",
          "spec.containers.args",
          "spec.containers.env",
          "spec.containers.resources",
          "spec.containers.startupProbe",
          "spec.containers.readinessProbe",
          "spec.containers.livenessProbe",
          "spec.initContainers.name",
          "spec.initContainers.image",
          "spec.initContainers.imagePullPolicy",
          "spec.initContainers.terminationMessagePolicy",
          "spec.initContainers.command",
          "spec.initContainers.args",
          "spec.initContainers.env",
          "spec.initContainers.resources",
          "spec.initContainers.restartPolicy",
          "spec.initContainers.startupProbe",
          "spec.initContainers.readinessProbe",
          "spec.initContainers.livenessProbe",
          "spec.volumes.hostPath.path",
          "status.phase",
          "status.startTime",
          "status.podIP",
          "status.conditions.type",
          "status.conditions.status",
          "status.conditions.lastTransitionTime",
          "status.containerStatuses",
          "status.initContainerStatuses"};
}

PodSpec pod_spec_of(const kube::Object& pod) {
  PodSpec spec;
  spec.ns = kube::namespace_of(pod);
  spec.name = kube::name_of(pod);
  spec.uid = kube::uid_of(pod);
  spec.node = json::text_at(pod, {"spec", "nodeName"});
  const auto restart = json::text_at(pod, {"spec", "restartPolicy"});
  spec.restart = restart == "Never"       ? RestartPolicy::Never
                 : restart == "OnFailure" ? RestartPolicy::OnFailure
                                          : RestartPolicy::Always;
  spec.grace = seconds_of(pod, {"spec", "terminationGracePeriodSeconds"}, 30);
  spec.host_network = json::flag_at(pod, {"spec", "hostNetwork"});
  for (const auto& container : json::array_at(pod, {"spec", "initContainers"})) {
    spec.init.push_back(container_of(pod, container, true, spec.restart));
  }
  for (const auto& container : json::array_at(pod, {"spec", "containers"})) {
    spec.main.push_back(container_of(pod, container, false, spec.restart));
  }
  for (const auto& volume : json::array_at(pod, {"spec", "volumes"})) {
    const auto path = json::text_at(volume, {"hostPath", "path"});
    if (path.starts_with("/dev/")) spec.device_paths.emplace_back(path);
  }
  return spec;
}

}  // namespace drover::sim
