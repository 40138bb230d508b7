// All policies of a vendor, of whichever kind, and which of them has which node.
//
// Read again when a policy changes; used by every fleet.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "kube/cache.h"
#include "observe/node_facts.h"
#include "vendors/desired.h"
#include "vendors/work_profile.h"

namespace drover::observe {

vendors::LabelsOf labels_of(const NodeFacts& facts);

// A policy by its kind and its key in the cache.
struct PolicyRef {
  std::size_t kind = 0;
  std::string key;
  auto operator<=>(const PolicyRef&) const = default;
};

// One cache for each kind of policy, in the order of the profile. Its size never changes: others point into it.
using PolicyCaches = std::vector<kube::Cache<kube::Object>>;
PolicyCaches policy_caches(const vendors::WorkProfile& profile);

class PolicySet {
 public:
  PolicySet(const PolicyCaches& caches, const vendors::WorkProfile& profile) : caches_(caches), profile_(profile) {}

  // The policies have changed.
  void read();

  // Those that count, in a fixed order.
  std::vector<PolicyRef> counting() const;
  struct Ignored {
    PolicyRef policy;
    std::string because;
  };
  std::vector<Ignored> ignored() const;
  // Labels of nodes that policies select by, beyond the vendor's own.
  const std::vector<std::string>& label_keys() const { return ownership_.label_keys; }

  const kube::Object* find(const PolicyRef& policy) const { return caches_[policy.kind].find(policy.key); }
  // As the vendor's reader takes them, and where one of them stands among them.
  const std::vector<vendors::PolicyObject>& objects() const { return objects_; }
  std::optional<std::size_t> index_of(const PolicyRef& policy) const;

  // Whether the policy (nothing: no policy) has the node.
  bool is_owner(const std::optional<PolicyRef>& policy, const NodeFacts& facts) const;
  // Whether the policy is one of several that select the node.
  bool is_rival(const PolicyRef& policy, const NodeFacts& facts) const;

 private:
  const PolicyCaches& caches_;
  const vendors::WorkProfile& profile_;
  std::vector<PolicyRef> policies_;
  std::vector<vendors::PolicyObject> objects_;  // beside them
  vendors::NodeOwnership ownership_;
};

}  // namespace drover::observe
