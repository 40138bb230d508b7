// What one vendor brings to the simulator: how its nodes look, what its containers do to the machine they run on, and
// which of our own programs run in them.
#pragma once

#include <span>
#include <string_view>

#include "agent/program.h"
#include "sim/sim_host.h"

namespace drover::sim {

// One kind of node: labels as Node Feature Discovery gives them, resources, devices and modules.
struct NodeTemplate {
  std::string_view vendor;  // "acme", or "cpu"
  std::string_view architecture;
  std::string_view os_id;
  std::string_view os_version;
  std::string_view os_image;
  std::string_view kernel;
  std::string_view pci_labels;        // comma-separated, each feature.node.kubernetes.io/pci-<this>.present=true
  std::string_view resource;          // "acme.com/card"; "" for none
  int devices;                        // how many of it
  std::string_view module;            // that makes the devices
  std::string_view device_path;       // with {} for the number
  std::string_view more_labels = {};  // KEY=VALUE, comma-separated
  void (*furnish)(HostMakeup& makeup) = nullptr;  // what else is on the machine
};

// Which script a container follows; patterns are globs (images.h).
struct ImageRow {
  std::string_view image;
  std::string_view container;
  std::string_view script;
};

// What `drover-sim demo` shows of a vendor: one of its policies, and how another driver is asked for.
struct DemoStory {
  std::string_view policy;  // as JSON; four nodes at once
  std::string_view first_driver;
  std::string_view driver;
  std::string_view change;        // the merge patch of the policy that asks for it
  std::string_view command;       // the same as a user would type it
  std::string_view go_on_typing;  // what a user may type afterwards, a line each
};

struct SimVendor {
  NodeTemplate node;
  std::span<const ImageRow> images = {};
  // Before those, where our own agent is to run in the place of a script.
  std::span<const ImageRow> agent_images = {};
  std::span<const agent::ProgramRow> programs = {};
  const DemoStory* demo = nullptr;
};
using SimVendors = std::span<const SimVendor* const>;

// Every vendor that is there (cmake/vendors.cmake), for main, and for tests that do not name their vendors.
SimVendors all();

}  // namespace drover::sim
