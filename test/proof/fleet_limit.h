// The limit over all policies, as it looks from outside: how many nodes with accelerators are out of service whenever
// the operator takes another one. A node with devices of two vendors is one node.
//
// Reads API objects only. What the operator had not been shown of people, fate and policies does not count.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker.h"

namespace drover::proof {

// Of all nodes that policies manage: 25% unless the operator is told otherwise.
struct LimitTerms {
  std::int64_t amount = 25;
  bool is_percent = true;
  bool is_asked_for = false;  // else it holds only where several policies have nodes
};

class FleetLimit {
 public:
  // What it finds is blamed through the checker.
  FleetLimit(std::vector<const Vendor*> vendors, sim::World& world, Checker& checker, LimitTerms terms);
  ~FleetLimit();
  FleetLimit(const FleetLimit&) = delete;
  FleetLimit& operator=(const FleetLimit&) = delete;

  std::int64_t max_unavailable() const;
  // As far as it knows no other node may be taken.
  bool is_reached() const;

 private:
  struct Tracked {
    std::vector<NodeMarks> marks;  // beside the vendors
    Change down_by_others_at = {};
  };

  void heard(const sim::Commit& commit);
  void heard_node(const sim::Commit& commit);
  void check_take(const std::string& name) const;
  void note_change(const sim::Commit& commit);
  bool is_managed(const Tracked& node) const;
  bool is_down(const Tracked& node) const;
  std::int64_t managed() const;

  std::vector<const Vendor*> vendors_;
  sim::World& world_;
  Checker& checker_;
  LimitTerms terms_;
  int subscription_;
  std::vector<bool> has_policy_;  // beside the vendors
  std::map<std::string, Tracked> nodes_;
  std::deque<Change> changes_;  // of which nodes are managed, and by how many policies
};

}  // namespace drover::proof
