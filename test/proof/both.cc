#include "both.h"

#include <fmt/format.h>

#include "sim/nodes.h"

namespace drover::proof {
namespace {

constexpr std::string_view kName = "both";

const sim::NodeTemplate& node_of(std::string_view vendor) { return *sim::find_template(vendor); }

// The GPUs are there already: they are the template's own.
void furnish(sim::HostMakeup& makeup) {
  const sim::HostMakeup cards = sim::makeup_of(node_of("tenstorrent"));
  makeup.devices.insert(makeup.devices.end(), cards.devices.begin(), cards.devices.end());
  makeup.files.insert(cards.files.begin(), cards.files.end());
  makeup.builds = cards.builds;
  node_of("nvidia").furnish(makeup);
}

}  // namespace

// Told from machines with one kind of device by a label of its own; those of Node Feature Discovery are both vendors'.
const sim::SimVendor& nvidia_and_tenstorrent() {
  static const sim::SimVendor kBoth = [] {
    sim::SimVendor both{.node = node_of("nvidia")};
    both.node.vendor = kName;
    both.node.pci_labels = kName;
    both.node.more_labels =
        "feature.node.kubernetes.io/pci-10de.present=true,feature.node.kubernetes.io/pci-0302_10de.present=true,"
        "feature.node.kubernetes.io/pci-1e52.present=true,feature.node.kubernetes.io/pci-1200_1e52.present=true";
    both.node.furnish = furnish;
    return both;
  }();
  return kBoth;
}

}  // namespace drover::proof
