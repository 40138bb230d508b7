#include "fleet_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace drover::proof {
namespace {

bool is_taken(const NodeMarks& was, const NodeMarks& now) {
  return now.claim_is_ours() && now.is_in_flight() && !now.claim->id.starts_with("adopted-") &&
         (!was.claim_is_ours() || was.claim->id != now.claim->id);
}

}  // namespace

FleetLimit::FleetLimit(std::vector<const Vendor*> vendors, sim::World& world, Checker& checker, LimitTerms terms)
    : vendors_(std::move(vendors)),
      world_(world),
      checker_(checker),
      terms_(terms),
      subscription_(world.server().store().subscribe([this](const sim::Commit& commit) { heard(commit); })),
      has_policy_(vendors_.size(), false) {}

FleetLimit::~FleetLimit() { world_.server().store().unsubscribe(subscription_); }

void FleetLimit::heard(const sim::Commit& commit) {
  if (commit.resource == "nodes") return heard_node(commit);
  for (std::size_t i = 0; i < vendors_.size(); ++i) {
    if (commit.resource != vendors_[i]->policy.qualified()) continue;
    if (kube::name_of(*commit.after) != vendors_[i]->policy_name) continue;
    const bool is_there = commit.kind != sim::Commit::Kind::Removed;
    if (has_policy_[i] != is_there) note_change(commit);
    has_policy_[i] = is_there;
  }
}

void FleetLimit::note_change(const sim::Commit& commit) {
  constexpr std::size_t kMostChanges = 50;  // long before the last one is shown those before have been
  changes_.push_back(checker_.change_of(commit));
  if (changes_.size() > kMostChanges) changes_.pop_front();
}

void FleetLimit::heard_node(const sim::Commit& commit) {
  const std::string name(kube::name_of(*commit.after));
  const bool ours = world_.server().asker() == kOperator;
  if (commit.kind == sim::Commit::Kind::Removed) {
    nodes_.erase(name);
    note_change(commit);
    return;
  }
  Tracked& node = nodes_[name];
  const Tracked before = std::exchange(node, {});
  for (const Vendor* vendor : vendors_) node.marks.push_back(marks_of(*vendor, *commit.after));
  const bool was_down = is_down(before);
  node.down_by_others_at = !ours && is_down(node) && !was_down ? checker_.change_of(commit) : before.down_by_others_at;
  if (before.marks.empty() || is_managed(before) != is_managed(node)) note_change(commit);
  if (!ours || before.marks.empty() || was_down) return;
  for (std::size_t i = 0; i < vendors_.size(); ++i) {
    if (is_taken(before.marks[i], node.marks[i])) return check_take(name);
  }
}

// What is in flight for a policy that is gone is cordoned, or serves.
bool FleetLimit::is_down(const Tracked& node) const {
  for (std::size_t i = 0; i < node.marks.size(); ++i) {
    const NodeMarks& marks = node.marks[i];
    if (marks.is_cordoned || !marks.is_ready || (has_policy_[i] && marks.is_in_flight())) return true;
  }
  return false;
}

bool FleetLimit::is_managed(const Tracked& node) const {
  for (std::size_t i = 0; i < vendors_.size(); ++i) {
    if (has_policy_[i] && node.marks[i].is_selected) return true;
  }
  return false;
}

std::int64_t FleetLimit::managed() const {
  return std::count_if(nodes_.begin(), nodes_.end(), [this](const auto& one) { return is_managed(one.second); });
}

std::int64_t FleetLimit::max_unavailable() const {
  const std::int64_t nodes = managed();
  return std::min(nodes, terms_.is_percent ? (terms_.amount * nodes + 99) / 100 : terms_.amount);
}

bool FleetLimit::is_reached() const {
  const auto down = std::count_if(nodes_.begin(), nodes_.end(),
                                  [this](const auto& one) { return is_managed(one.second) && is_down(one.second); });
  return down >= max_unavailable();
}

void FleetLimit::check_take(const std::string& name) const {
  std::size_t policies = 0;
  for (std::size_t i = 0; i < vendors_.size(); ++i) {
    policies += has_policy_[i] && std::any_of(nodes_.begin(), nodes_.end(),
                                              [i](const auto& one) { return one.second.marks[i].is_selected; });
  }
  const bool may_count_others =
      std::any_of(changes_.begin(), changes_.end(), [this](const Change& change) { return checker_.is_news(change); });
  if (may_count_others || (policies < 2 && !terms_.is_asked_for)) return;
  const auto away = std::count_if(nodes_.begin(), nodes_.end(), [&](const auto& one) {
    const Tracked& node = one.second;
    return is_managed(node) && is_down(node) && (one.first == name || !checker_.is_news(node.down_by_others_at));
  });
  if (away > max_unavailable()) {
    checker_.blame("I1 limit over all",
                   fmt::format("{} is taken, and {} of {} nodes are away, of whichever policy", name, away, managed()));
  }
}

}  // namespace drover::proof
