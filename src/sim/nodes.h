// What the nodes of each vendor look like: labels as Node Feature Discovery gives them, resources, devices and modules.
//
// "acme=50,cpu=3" is a fleet; its nodes are acme-1 … acme-50 and cpu-1 … cpu-3. Pure: text in, objects out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "kube/object.h"
#include "sim/sim_host.h"
#include "sim/vendor.h"

namespace drover::sim {

// Nodes with this label (="true") are ours to simulate.
inline constexpr std::string_view kSimulatedLabel = "drover.dev/simulated";

// A node without accelerators.
const NodeTemplate& cpu_template();
// The vendors' and cpu's.
std::vector<const NodeTemplate*> node_templates(SimVendors vendors = all());
// "acme, cpu"
std::string known_templates(SimVendors vendors = all());
// By vendor word; nullptr when there is none.
const NodeTemplate* find_template(std::string_view vendor, SimVendors vendors = all());
// The template that a node's labels speak of; cpu when they speak of none.
const NodeTemplate& template_of(const kube::Object& node, SimVendors vendors = all());

struct FleetPart {
  std::string vendor;
  int count = 0;
};
// "acme=50,cpu=3"; Refused says which part is wrong and which vendors there are. At most 20,000 nodes in all.
base::Result<std::vector<FleetPart>> parse_fleet(std::string_view text, SimVendors vendors = all());

// The Node as a kubelet would register it, without status.
kube::Object make_node(const NodeTemplate& kind, const std::string& name);
// All nodes of a fleet, in order.
std::vector<kube::Object> make_nodes(const std::vector<FleetPart>& fleet, SimVendors vendors = all());

// capacity and allocatable.
json::Members capacity_of(const NodeTemplate& kind);
// The machine under such a node: kernel and devices (which appear when the module is loaded).
HostMakeup makeup_of(const NodeTemplate& kind);

}  // namespace drover::sim
