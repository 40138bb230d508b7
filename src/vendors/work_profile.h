// A vendor is a list of answers: how it spells its states, which labels and annotations it documents, what its devices
// are called. No rule reads a vendor's name; what needs to know something about a vendor asks for a field here.
// A field with `= {}` may be left out: the vendor has no such thing.
//
// A vendor does one or several kinds of work on a node (drivers, firmware, recovery). Each has a profile of its own;
// what they share are the vendor's words.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow.h"
#include "core/phase.h"
#include "protocol/keys.h"
#include "vendors/desired.h"
#include "vendors/metric_family.h"
#include "vendors/status.h"

namespace drover::vendors {

struct VendorWords {
  std::string_view name;                   // "acme"
  std::string_view ns;                     // where its operands run unless told otherwise
  std::string_view present_label = {};     // the node has such devices
  std::string_view feature_labels = {};    // by which Node Feature Discovery says so; any of them, comma-separated
  std::string_view device_resources = {};  // prefixes of resource names, comma-separated
  std::string_view device_paths = {};      // prefixes of host paths, comma-separated
  std::string_view claim_driver = {};      // the DRA driver that allocates its devices
  std::string_view own_operator = {};  // a selector for the Deployment of the vendor's own operator; empty: it has none
  std::string_view own_operator_managers = {};  // by which the API server knows it, comma-separated
  std::string_view own_operator_off = {};       // what else to do about it than to scale it to zero
};

struct WorkProfile {
  VendorWords vendor;
  std::string_view kind;      // in the record: "acme/driver"
  protocol::Channel channel;  // by which operator and agents speak of it
  const core::Flow& flow;

  // Its policies.
  struct Kind {
    std::string_view group;
    std::string_view version;
    std::string_view plural;
    std::string_view kind;
    // Fields that drover has added to the vendor's own, comma-separated: a definition may lack them.
    std::string_view own_fields = {};
  };
  Kind policy;                               // the one that its documents begin with
  std::span<const Kind> more_policies = {};  // a server need not know them
  NodeOwnership (*ownership)(const std::vector<PolicyObject>& policies);
  // What `policies[which]` wants; the others are there to be asked.
  std::unique_ptr<Desired> (*read)(const std::vector<PolicyObject>& policies, std::size_t which,
                                   const std::vector<PoolNode>& nodes, const std::vector<DriverSet>& sets,
                                   const OperandSettings& settings);
  DriverSet (*driver_set)(const json::Value& daemon_set);
  // Which driver a pod carries that says no digest of ours; nullptr: its image tells.
  std::string (*carried_by)(const json::Value& pod) = nullptr;
  // The digest of the driver of that version; nullptr: there is more to it than its version.
  std::string (*digest_of)(std::string_view version) = nullptr;
  // How a policy of this vendor says what else its nodes are (status.h); nullptr: as all do.
  void (*fill_status)(const StatusRows& rows, json::Members& status) = nullptr;
  NodeState (*node_state)(const core::NodeView& node, const core::Policy& policy) = nullptr;
  // How its policies spell a condition; nullptr: as all do.
  ConditionWords (*condition_words)(std::string_view type, const ConditionWords& ours) = nullptr;
  // What to say in a status instead of a word that an older definition does not know; "" for nothing. nullptr: nothing.
  std::string_view (*other_word)(std::string_view word) = nullptr;
  // The metrics that its documents name; nullptr: none but those below.
  std::vector<MetricFamily> (*metrics)(const std::vector<PolicyMetrics>& policies) = nullptr;
  bool policies_share_nodes = false;  // several of the first kind count at once

  // On the Node.
  std::string_view state_label = {};
  std::array<std::string_view, core::kPhases> states;  // by phase; "" where the label is absent
  std::string_view skip_label = {};                    // "true" leaves the node out
  std::string_view request_annotation;                 // "true" asks for an upgrade whatever the driver is
  std::string_view found_cordoned_annotation = {};     // the vendor's own operator: cordoned before it came
  std::string_view managed_annotation = {};            // tells the driver's init container that an operator is at work
  std::string_view deploy_label = {};                  // "true" gives it a driver, "false" does not
  std::string_view owner_label = {};                   // which policy has it, where there can be several
  std::string_view carrier_label = {};                 // which DaemonSet brings its driver, likewise
  std::string_view gates = {};                   // labels that keep siblings away from the device, comma-separated
  std::string_view gate_paused = {};             // what a paused gate says
  bool gates_are_made = false;                   // one that is absent is set while it is paused, and goes again
  std::string_view cordon_annotation = {};       // names the policy whose upgrade has cordoned the node
  std::string_view cordon_time_annotation = {};  // since when

  // On pods.
  std::string_view drain_skip_label = {};  // "true" keeps a pod out of the drain step
  // The label that names our pods' part, and what it says for each.
  std::string_view role_label;
  std::string_view template_annotation = {};  // on the driver's pods: what their template is made of besides the driver
  std::string_view force_annotation = {};     // "true": the pod may end what holds the device
  std::string_view driver_role;
  std::string_view validator_role = {};
  std::string_view preflight_role = {};

  // For people.
  std::string_view event_reason;
  std::string_view event_text;            // with {} for the state
  std::string_view metric_prefix = {};    // of the gauges that its documents name: "gpu_operator"; empty: none
  std::string_view metric_switches = {};  // those that say whether upgrades are on, comma-separated

  // What the policy's status calls where a node stands.
  std::string_view state_of(const core::NodeView& node, const core::Policy& its_policy) const {
    return node_state == nullptr ? state(node.phase) : node_state(node, its_policy).state;
  }
  // The same where a word is wanted in any case: its documents' word, or ours where they have none.
  std::string_view shown_state_of(const core::NodeView& node, const core::Policy& its_policy) const {
    const std::string_view word = state_of(node, its_policy);
    return word.empty() ? core::name(node.phase) : word;
  }
  std::string_view shown(core::Phase phase) const { return state(phase).empty() ? core::name(phase) : state(phase); }
  std::size_t policy_kinds() const { return 1 + more_policies.size(); }
  const Kind& policy_kind(std::size_t kind) const { return kind == 0 ? policy : more_policies[kind - 1]; }
  std::string_view state(core::Phase phase) const { return states[static_cast<std::size_t>(phase)]; }
  // The phase that a state label means; nothing for a word that the vendor does not know.
  std::optional<core::Phase> phase(std::string_view word) const;
};

// The parts of a comma-separated answer.
template <class Visit>
void each_part(std::string_view list, const Visit& visit) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    visit(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
}

using WorkProfiles = std::span<const WorkProfile* const>;

// What a vendor's folder gives.
struct VendorModule {
  WorkProfiles works;
};

// Every vendor that is there (cmake/vendors.cmake), for main: all else is handed the work that it serves.
std::span<const VendorModule* const> all();

// All their kinds of work, in this order.
std::vector<const WorkProfile*> works_of(std::span<const VendorModule* const> modules);

}  // namespace drover::vendors
