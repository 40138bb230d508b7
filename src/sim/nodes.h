// What the nodes of each vendor look like: labels as Node Feature Discovery gives them, resources, devices and modules.
//
// "nvidia=50,cpu=3" is a fleet; its nodes are nvidia-1 … nvidia-50 and cpu-1 … cpu-3. Pure: text in, objects out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "kube/object.h"
#include "sim/sim_host.h"

namespace drover::sim {

// Nodes with this label (="true") are ours to simulate.
inline constexpr std::string_view kSimulatedLabel = "drover.dev/simulated";

// One kind of node.
struct NodeTemplate {
  std::string_view vendor;  // "nvidia", "tenstorrent", "rebellions", "ascend", "cpu"
  std::string_view architecture;
  std::string_view os_id;
  std::string_view os_version;
  std::string_view os_image;
  std::string_view kernel;
  std::string_view pci_labels;   // comma-separated, each feature.node.kubernetes.io/pci-<this>.present=true
  std::string_view resource;     // "nvidia.com/gpu"; "" for none
  int devices;                   // how many of it
  std::string_view module;       // that makes the devices
  std::string_view device_path;  // with {} for the number
};

const std::vector<NodeTemplate>& node_templates();
// By vendor word; nullptr when there is none.
const NodeTemplate* find_template(std::string_view vendor);
// The template that a node's labels speak of; cpu when they speak of none.
const NodeTemplate& template_of(const kube::Object& node);

struct FleetPart {
  std::string vendor;
  int count = 0;
};
// "nvidia=50,cpu=3"; Refused says which part is wrong and which vendors there are. At most 20,000 nodes in all.
base::Result<std::vector<FleetPart>> parse_fleet(std::string_view text);

// The Node as a kubelet would register it, without status.
kube::Object make_node(const NodeTemplate& kind, const std::string& name);
// All nodes of a fleet, in order.
std::vector<kube::Object> make_nodes(const std::vector<FleetPart>& fleet);

// capacity and allocatable.
json::Members capacity_of(const NodeTemplate& kind);
// The machine under such a node: kernel and devices (which appear when the module is loaded).
HostMakeup makeup_of(const NodeTemplate& kind);

}  // namespace drover::sim
