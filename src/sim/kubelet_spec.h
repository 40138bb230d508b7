// A pod as a kubelet reads it: what to run, how to probe and restart it. Parsed once for each pod; pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "kube/object.h"
#include "kube/projection.h"
#include "sim/images.h"

namespace drover::sim {

// Scripts that a pod brings along: for its main containers, or (with ".NAME") for one container.
inline constexpr std::string_view kScriptAnnotation = "sim.drover.dev/script";

struct ProbeSpec {
  base::Span initial_delay = {};
  base::Span period = std::chrono::seconds(10);
  int failures = 3;
  int successes = 1;
};

enum class RestartPolicy { Always, OnFailure, Never };

struct ContainerSpec {
  Invocation invocation;
  std::string pull_policy;        // "Always", "IfNotPresent", "Never"
  bool is_sidecar = false;        // an init container that is always restarted
  bool failure_says_why = false;  // its last line becomes its status's message (terminationMessagePolicy)
  std::optional<ProbeSpec> startup;
  std::optional<ProbeSpec> readiness;
  std::optional<ProbeSpec> liveness;
  std::vector<std::string> resources;  // extended resources that it asks for ("acme.com/card")

  const std::string& name() const { return invocation.container; }
  const std::string& image() const { return invocation.image; }
};

struct PodSpec {
  std::string ns;
  std::string name;
  std::string uid;
  std::string node;
  RestartPolicy restart = RestartPolicy::Always;
  base::Span grace = std::chrono::seconds(30);
  bool host_network = false;
  std::vector<ContainerSpec> init;
  std::vector<ContainerSpec> main;
  std::vector<std::string> device_paths;  // hostPath volumes under /dev

  std::string key() const { return ns + "/" + name; }
};

// The fields of a Pod that the kubelets read.
kube::Projection pod_projection();

PodSpec pod_spec_of(const kube::Object& pod);

}  // namespace drover::sim
