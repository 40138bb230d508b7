// The status of a pod, rendered from the lives of its containers. Pure.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "sim/kubelet_container.h"

namespace drover::sim {

using Containers = std::vector<std::unique_ptr<ContainerLife>>;

// What a pod remembers beyond its containers.
struct PodFacts {
  base::WallTime started_at;  // admitted by the kubelet
  std::string pod_ip;         // once a container started
  bool is_initialized = false;
  std::string final_phase;  // "Succeeded" or "Failed" when it will never run again
  std::string final_reason;
  std::string final_message;
};

// When each condition last changed; kept between renderings.
struct ConditionTimes {
  struct Since {
    bool holds = false;
    base::WallTime at;
  };
  std::map<std::string, Since, std::less<>> of;
};

// Some main container is not ready, or the pod is over.
bool all_ready(const Containers& init, const Containers& main);

// "Pending", "Running", "Succeeded", "Failed".
std::string phase_of(const PodFacts& facts, const Containers& main);

// A strategic merge patch of status: conditions that are not the kubelet's are not named.
json::Value render_status(const PodSpec& spec, const PodFacts& facts, const Containers& init, const Containers& main,
                          ConditionTimes& times, base::WallTime now);

}  // namespace drover::sim
