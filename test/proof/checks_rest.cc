// What must hold when nothing happens any more.
#include <fmt/format.h>

#include <algorithm>

#include "checker.h"

namespace drover::proof {

bool Checker::is_blocked(const std::string& node) const {
  const auto at = nodes_.find(node);
  const bool waits = vendor_.agent_asks_first && at->second.claim_is_others && at->second.marks.claim_is_ours() &&
                     at->second.marks.claim->phase == "restart";
  const auto pods = world_.store().pods_on(node);
  return waits && std::any_of(pods.begin(), pods.end(), [&](const sim::Stored& pod) {
           return uses_device(vendor_, *pod) && our_role(vendor_, *pod).empty() && !is_finished(*pod);
         });
}

// Ready is a promise to those who wait for it: every node serves what the policy wants.
void Checker::check_ready(const kube::Object& policy) {
  const bool is_of_now =
      json::int_at(policy, {"status", "observedGeneration"}) == json::int_at(policy, {"metadata", "generation"});
  if (!is_ready(policy) || !is_of_now || is_news(terms_.back().since)) return;
  for (const auto& [name, node] : nodes_) {
    if (!node.marks.is_selected || node.marks.is_skipped || is_news(node.changed_at)) continue;
    const bool has_driver = vendor_.agent_asks_first || has_ready_driver(name);
    if (!has_driver && !is_news(node.driver_lost_at, kUntilToldBroken))
      blame("I20 truthful status", fmt::format("the policy is Ready, and no driver of {} is", name));
    const auto down = down_at_.find(name);
    const bool was_down = down != down_at_.end() && world_.loop.now() - down->second < std::chrono::minutes(3);
    const std::string loaded = loaded_on(name);
    if (has_ready_driver(name) && !was_down && loaded != terms_.back().terms.version)
      blame("I20 truthful status", fmt::format("the policy is Ready, and {} has \"{}\"", name, loaded));
  }
}

void Checker::check_at_rest() {
  being_written_.reset();
  const sim::Stored policy = world_.store().find(vendor_.policy.qualified(), std::string(vendor_.policy_name));
  const std::string trouble = policy ? vendor_.status_trouble(*policy, true) : "";
  if (!trouble.empty()) blame("I20 truthful status", trouble);
  if (policy) check_ready(*policy);
  for (const auto& [name, node] : nodes_) {
    const NodeMarks& marks = node.marks;
    if (is_blocked(name)) continue;
    // What failed after its swap is held, also while it waits for another try.
    const bool waits = marks.claim_is_ours() && marks.claim->phase == "required" && marks.result == "failed";
    const bool holds = marks.claim_is_ours() && (marks.claim->phase == "failed" || (waits && marks.is_cordoned));
    if (marks.claim_is_ours() && !holds) blame("L2 at rest", name + " is still claimed: " + marks.claim->phase);
    if (marks.is_tainted) blame("L2 at rest", name + " is still tainted");
    // Without a policy an agent that asks is not served; it waits, and has the gates.
    const bool waits_in_vain = !terms_.back().terms.is_there && marks.agent_has_paused && marks.asks_for_room();
    if (has_closed_gates(node, marks) && !waits_in_vain) blame("L2 at rest", name + " has a gate that is still closed");
    if (marks.is_cordoned && node.cordon_is_ours && !node.cordon_is_unsure && !holds && !marks.is_held) {
      blame("I4 no lost cordon", name + " is still cordoned by us");
    }
    // Without a policy of its vendor, or under a claim of other work, a note that a person left behind stays.
    const bool is_looked_after = terms_.back().terms.is_there && !marks.claim;
    if (marks.has_cordon_note && is_looked_after)
      blame("L2 at rest", name + " still says whose upgrade has cordoned it");
    const bool is_paused = terms_.back().terms.is_there && !terms_.back().terms.is_on;
    if (vendor_.agent_asks_first && marks.has_order && !marks.claim_is_ours() && !is_paused)
      blame("L2 at rest", name + " still has an order for its agent");
    if (vendor_.is_in_flight(marks.state)) blame("L1 progress", fmt::format("{} still says {}", name, marks.state));
  }
}

bool Checker::is_halted() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [this](const auto& one) { return one.second.marks.is_failed() || is_blocked(one.first); });
}

void Checker::check_drivers(bool others_halt) {
  const Terms& terms = terms_.back().terms;
  if (!terms.is_there) return;
  // Nodes that failed or are blocked halt the rollout for all, and so may nodes that people have cordoned: a share is
  // one of the nodes that there were when the rollout began.
  const auto count = [&](const auto& is_so) { return std::count_if(nodes_.begin(), nodes_.end(), is_so); };
  const auto down = count([](const auto& one) { return one.second.marks.is_selected && one.second.marks.is_down(); });
  const bool is_full =
      !vendor_.is_exempt("I1 budget") && down >= (terms.away_is_percent ? 1 : terms.max_unavailable(managed_nodes()));
  const bool is_halted = is_full || others_halt || this->is_halted();
  for (const auto& [name, node] : nodes_) {
    const std::string loaded = loaded_on(name);
    const NodeMarks& marks = node.marks;
    if (!marks.has_device) continue;
    if (marks.state == vendor_.done() && loaded != terms.version)
      blame("I20 truthful done", fmt::format("{} says done at rest with \"{}\"", name, loaded));
    const bool is_anothers = marks.claim && !marks.claim_is_ours();  // its agent is told nothing meanwhile
    if (marks.state.empty() && !is_anothers) blame("L1 progress", name + " has no state at rest");
    const bool is_inert = !marks.state.empty() && !vendor_.knows(marks.state);
    if (marks.is_selected && terms.is_on && !is_inert && !is_halted && loaded != terms.version)
      blame("L1 progress", fmt::format("{} has \"{}\" at rest, {} is wanted", name, loaded, terms.version));
    // What an agent has unloaded it puts back when the next one does not load.
    if (vendor_.agent_asks_first && loaded.empty()) blame("L1 progress", name + " has no driver at rest");
  }
}

}  // namespace drover::proof
