// What a policy object wants, in the words that all vendors' policies share: which nodes, which driver on each, and
// which objects bring it there. A vendor reads its own kind of policy behind this door; no other code knows its fields.
//
// Pure: made from the policy, the systems of the nodes and the DaemonSets that are there, and again when one of
// them changes.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "vendors/shared/upgrade_policy.h"

namespace drover::vendors {

// How our own containers are started, wherever a vendor's operands need one.
struct OperandSettings {
  std::string ns = "gpu-operator";
  std::string own_image = "drover:latest";
  std::string own_pull_policy = "IfNotPresent";
  std::vector<std::string> own_pull_secrets = {};
  std::string agent_account = "drover-agent";  // its token is mounted into our own containers only
  std::string preflight_priority_class = {};   // empty: the cluster's default
  int preflight_seconds = 1800;

  // For vendors whose driver is built on the node.
  std::string builder_image = {};                                 // where the policy names none; empty: our own
  std::string driver_source = {};                                 // empty: the vendor's own repository
  std::vector<std::pair<std::string, std::string>> proxies = {};  // of the operator's environment, for the builder
  bool needs_feature_label = true;        // only nodes on which Node Feature Discovery has found a device
  std::optional<std::string> gates = {};  // other gates than the vendor's usual ones, comma-separated
};

// A node's labels, one at a time; "" for one that is absent.
using LabelsOf = std::function<std::string_view(std::string_view key)>;

// A policy, and which of its vendor's kinds it is (WorkProfile::policy_kind).
struct PolicyObject {
  std::size_t kind = 0;
  const json::Value* object = nullptr;
};

// Whose a node is.
struct Owner {
  std::optional<std::size_t> policy = {};  // by index among all policies; nothing: no policy has it
  std::vector<std::size_t> rivals = {};    // several policies select it: it stays with the one that has it
};

// How the policies of a vendor share the nodes. Computed again when one of them changes.
struct NodeOwnership {
  std::vector<std::string> ignored_because = {};  // beside the policies; "" for one that counts
  std::vector<std::string> label_keys = {};       // of nodes, beyond those that the vendor's profile names
  std::function<Owner(const LabelsOf& labels)> owner_of = [](const LabelsOf&) { return Owner{}; };
};

// A DaemonSet that is there.
struct DriverSet {
  std::string name;
  std::string policy = {};          // for which of our policies it was made, in its vendor's words
  std::string pool = {};            // what it serves, in its vendor's words; empty: not made by us
  json::Members match_labels = {};  // cannot be changed any more
  bool has_owner = false;           // it would go with its owner: detach it before anything else
  bool operator==(const DriverSet&) const = default;
};

// A node, as far as the choice of an image goes.
struct PoolNode {
  std::string name;
  json::Members labels;
};

// What one node is to have.
struct DesiredNode {
  std::string digest;              // of everything that matters to the driver; empty: nothing is wanted here
  std::string version;             // for people
  std::string image;               // of the driver
  std::string daemon_set;          // what brings it
  std::string template_mark = {};  // of what its pods are made of besides the driver; empty: it is not compared
  bool forces = false;             // they may end what holds the device
};

// What a node is to say of itself besides its state; no value: the key is to be absent. Only what differs.
struct NodeMetadata {
  std::map<std::string, std::optional<std::string>> labels = {};
  std::map<std::string, std::optional<std::string>> annotations = {};
  bool empty() const { return labels.empty() && annotations.empty(); }
};

// What has an answer here need not be said by a vendor to which it does not happen.
class Desired {
 public:
  virtual ~Desired() = default;

  virtual const PolicyReading& reading() const = 0;
  virtual const std::vector<FieldTrouble>& troubles() const = 0;
  virtual const std::vector<std::string>& ignored_fields() const { return no_names(); }
  virtual const std::vector<std::string>& unmanaged_operands() const { return no_names(); }
  virtual const std::vector<std::string>& unplaced_nodes() const { return no_names(); }  // whose system is not known
  // That all its nodes are to have; "": it depends on the node.
  virtual std::string_view version() const { return {}; }
  // False: the driver is not ours to bring (disabled, or the policy cannot be read).
  virtual bool brings_driver() const = 0;
  // It brings none now and may do so again: what it has brought stays.
  virtual bool keeps_what_is_there() const { return !brings_driver(); }

  virtual bool selects(const LabelsOf& labels) const = 0;
  virtual bool is_host_managed(const LabelsOf& /*labels*/) const { return false; }
  virtual DesiredNode desired_on(const LabelsOf& labels) const = 0;
  // Of what the node's image depends on; two nodes with the same word get the same.
  virtual std::string pool_of(const LabelsOf& labels) const { return selects(labels) ? "any" : "none"; }

  virtual const std::vector<json::Value>& daemon_sets() const = 0;                  // for server-side apply
  virtual const std::vector<std::string>& leftovers() const { return no_names(); }  // to delete, their pods orphaned
  // The pod that fetches the driver's image on a node; null: the agent that is there prepares the driver.
  virtual json::Value preflight(const std::string& /*node*/, const DesiredNode& /*request*/) const { return nullptr; }
  // `may_change_carrier`: the node has no driver that it could lose, or is about to lose it anyway.
  virtual NodeMetadata metadata(const LabelsOf& /*labels*/, const LabelsOf& /*annotations*/,
                                bool /*may_change_carrier*/) const {
    return {};
  }

 protected:
  static const std::vector<std::string>& no_names() {
    static const std::vector<std::string> kNone;
    return kNone;
  }
};

}  // namespace drover::vendors
