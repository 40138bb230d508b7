// What only a process knows: pods of nodes in flight, which budget refused which eviction, what was tried. A value: the
// operator fills it from what it watches and from the answers to its writes, the command line from what it has listed.
// Lost with the process, and nothing depends on it but waiting times.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "core/phase.h"
#include "core/reason.h"
#include "kube/cache.h"
#include "kube/heard_api.h"
#include "observe/pod_facts.h"
#include "observe/pod_generations.h"

namespace drover::observe {

// The phase of a claim whose work this process has tried whole.
struct Attempt {
  std::string claim;
  core::Phase phase = core::Phase::Idle;
};

// A write that the API server refused. It is tried again until what the server says is mended.
struct Refusal {
  enum class Of : std::uint8_t { NodePatch, NodeWork, DaemonSet, Pods };
  Of of = Of::NodePatch;
  core::Reason reason = core::Reason::WriteRefused;
  std::string text = {};  // what was to be done, and what the server said
  base::Instant at = {};  // the last time
};
// By what it is about, then by the key of the write.
using Refusals = std::map<std::string, std::map<std::string, Refusal>>;

struct RuntimeFacts {
  std::map<std::string, const kube::Cache<PodFacts>*> pods = {};  // by node; only where listed after the cordon
  const std::map<std::string, int>* device_pods = nullptr;        // by node; none: not counted yet
  bool pods_are_counted = true;                                   // or given up on
  std::map<std::string, std::string> blocked_by = {};             // by pod's uid: the budget
  std::map<std::string, std::string> untouched = {};              // by node: the claim under which no pod has gone yet
  std::map<std::string, std::string> deleted_drivers = {};        // by node: uid of the driver's pod deleted last
  std::map<std::string, std::string> probe_refused = {};  // by node: why no pod that proves the image can be made
  Refusals refused = {};                                  // by node
  Refusals operands_refused = {};                         // by DaemonSet
  PodGenerations generations = {};
  std::map<std::string, Attempt> attempts = {};             // by node
  bool has_tried_everything = false;                        // what looks only once has nothing to try
  kube::HeardTime heard = {};                               // time counts only while the API server was heard
  std::optional<base::WallTime> leader_before_until = {};   // when the leader before was last heard of, by its clock
  std::map<std::string, base::Instant> pods_heard_at = {};  // by node in flight: when its pods were last heard of
  base::Instant operands_heard_at = {};                     // the same of the nodes and the pods of ours on them
  std::map<std::string, base::Instant> asked_at = {};       // by node: when it was asked for last, because of a limit
  base::Instant now = {};

  // How many pods use the node's devices; nothing before they were counted.
  std::optional<int> device_pods_on(const std::string& node) const {
    if (device_pods == nullptr) return {};
    const auto at = device_pods->find(node);
    return at == device_pods->end() ? 0 : at->second;
  }
};

}  // namespace drover::observe
