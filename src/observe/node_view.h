// One node as the rules see it: its own facts, and the pods and requests that concern it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/view.h"
#include "observe/node_facts.h"
#include "observe/pod_facts.h"
#include "observe/recorded_state.h"
#include "vendors/work_profile.h"

namespace drover::observe {

// What the policy wants a node to have.
struct DesiredDriver {
  std::string digest;              // of everything that matters to the driver; empty: nothing is wanted
  std::string version;             // for people
  std::string image;               // of the driver: compared where a pod says no digest
  std::string daemon_set;          // that brings it, "acme-system/acme-driver"
  bool is_settled = false;         // the DaemonSet that would bring it is there, and its controller has seen it
  bool carrier_is_gone = false;    // there is no such DaemonSet, and none is to come
  std::string template_mark = {};  // what its pods are made of besides the driver; empty: it is not compared
  bool forces = false;             // they may end what holds the device
};

// Everything around a node that its view is made of; what is not there is nullptr.
struct NodeInputs {
  const PodFacts* driver = nullptr;
  const PodFacts* validator = nullptr;
  const PodFacts* preflight = nullptr;
  std::optional<std::vector<core::PodView>> pods = {};  // listed after the cordon
  std::optional<int> device_pods = {};
  DesiredDriver desired = {};
  bool is_selected = true;
  bool driver_is_host_managed = false;
  bool needs_preflight = true;
  std::optional<std::string_view> gates = {};  // to be paused, comma-separated; not set: those of the vendor
  bool is_untouched = false;
  std::string deleted_driver = {};  // uid of the driver's pod that this process deleted last
  base::Span proving_for = {};      // since the preflight pod was first seen
  std::string proof_trouble = {};   // why there can be none
  std::string misfit = {};          // why no pod of the wanted template could be here
};

// Without what the clock alone changes of it: Fleet measures that.
core::NodeView node_view(const NodeFacts& facts, const RecordedState& recorded, const NodeInputs& around,
                         const vendors::WorkProfile& profile);

}  // namespace drover::observe
