// Carries out a plan: one PATCH for each node that moves, the work of those that stay.
//
// Decides nothing. What was sent and not yet seen in the watch is remembered by node, so that nothing is decided twice
// on the same facts; everything else that it remembers are waits.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "act/errands.h"
#include "base/loop.h"
#include "core/decide.h"
#include "core/drain.h"
#include "kube/event_recorder.h"
#include "observe/fleet.h"
#include "operator/company.h"
#include "operator/tally.h"
#include "vendors/profile.h"

namespace drover::operate {

class Hands {
 public:
  Hands(act::Errands& errands, kube::EventRecorder& events, const base::Loop& loop, Company& company, Tally& tally,
        const vendors::Profile& profile, std::string ns);

  // What `plan` says about the nodes of `fleet`.
  void apply(const observe::Fleet& fleet, const core::FleetView& view, const core::Plan& plan);
  // A node was taken and the watch has not shown it yet: until then nobody can count who is away.
  bool has_taken_unseen(const kube::Cache<observe::NodeFacts>& nodes);
  // DaemonSets as the policy wants them; those that are there may be left as they are.
  void bring_operands(const observe::Fleet& fleet, const kube::Cache<observe::DaemonSetFacts>& sets, bool only_missing);
  // Pods of ours that nobody needs any more.
  void tidy(const std::vector<const observe::Fleet*>& fleets, const observe::OperandPods& index,
            const kube::Cache<observe::PodFacts>& operand_pods);
  // Validators that no policy wants go. Not to be called while a node may still need its word.
  void withdraw(const std::set<std::string>& wanted, const kube::Cache<observe::DaemonSetFacts>& sets);

 private:
  // Those for whom a moment more or less is nothing, a few at a time; first who disturbs least.
  void apply_patiently(const observe::Fleet& fleet, const core::FleetView& view, const core::Plan& plan,
                       const std::vector<std::size_t>& patient);
  // One PATCH for the decision and for what the node is to wear.
  void change(const observe::Fleet& fleet, const core::FleetView& view, const core::Decision& decision,
              const observe::NodeFacts& facts);
  void change(const observe::Fleet& fleet, const core::FleetView& view, const core::Decision& decision,
              const observe::NodeFacts& facts, const vendors::Dress& dress, bool is_to_prepare = false);
  void work(const observe::Fleet& fleet, const core::FleetView& view, const core::Decision& decision);
  void replace_driver(const observe::Fleet& fleet, const core::FleetView& view, const core::Decision& decision);
  void evict(const observe::Fleet& fleet, const core::NodeView& node, const core::Clearing& clearing,
             vendors::Deed deed);
  void remove(const core::NodeView& node, const core::Clearing& clearing);
  // One request that takes a pod off the node, counted while it is under way.
  void take_off(const std::string& node, const std::string& key, kube::Request request, act::Errands::Then then);
  void remove(const observe::PodFacts& pod, base::Span rest);
  void prove_image(const observe::Fleet& fleet, const core::FleetView& view, const core::Decision& decision);
  bool is_behind(const observe::NodeFacts& facts) const;
  void answered(const std::string& node, const kube::Result<kube::Object>& answer);
  void detach(const observe::DaemonSetFacts& set);

  act::Errands& errands_;
  kube::EventRecorder& events_;
  const base::Loop& loop_;
  Company& company_;
  Tally& tally_;
  const vendors::Profile& profile_;
  std::string ns_;
  std::set<std::string> patient_;                 // nodes whose patient write is under way
  std::map<std::string, std::string> overtaken_;  // by node: the version on which our last write was refused
  struct Taking {
    std::string sent;                      // the version that was decided on
    std::string written = {};              // the version that it made, when we were told
    std::optional<base::Instant> until{};  // when nobody told us whether it happened
  };
  std::map<std::string, Taking> takings_;       // by node
  std::map<std::string, int> takes_off_;        // by node: requests under way that take a pod off it
  std::map<std::string, std::string> written_;  // by node: the version that our last write made
  std::map<std::string, std::string> applied_;  // by DaemonSet: digest of what was applied last, and its generation
};

}  // namespace drover::operate
