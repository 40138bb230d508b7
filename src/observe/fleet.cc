#include "observe/fleet.h"

#include <algorithm>
#include <utility>

namespace drover::observe {
namespace {

using core::Phase;

vendors::LabelsOf labels_of(const NodeFacts& facts) {
  return [&facts](std::string_view key) { return facts.label(key); };
}

// A record or a state label of this kind: the node has to be looked after until they are gone.
bool carries_marks(const NodeFacts& facts, const vendors::Profile& profile) {
  if (facts.has_label(profile.state_label) || facts.is_tainted) return true;
  if (!facts.annotation(profile.managed_annotation).empty()) return true;
  if (!facts.record) return false;
  const bool is_held = facts.record->held && facts.record->held->kind == profile.kind;
  return is_held || facts.record->last.contains(profile.kind);
}

// What goes with the policy. The labels that give a node its driver stay, as the driver does.
vendors::Dress undressed(const NodeFacts& facts, const vendors::Profile& profile) {
  vendors::Dress dress;
  if (!facts.annotation(profile.managed_annotation).empty()) {
    dress.annotations.emplace(profile.managed_annotation, std::nullopt);
  }
  return dress;
}

// The policy of nodes that no policy wants any more: they are given back, and nothing is taken.
core::Policy nobodys_policy() {
  core::Policy policy;
  policy.name = "(deleted)";
  policy.is_ending = true;
  return policy;
}

}  // namespace

Fleet::Fleet(Sources sources, const vendors::Profile& profile, vendors::OperandSettings settings, Company company)
    : sources_(sources), profile_(profile), settings_(std::move(settings)), company_(std::move(company)) {}

const kube::Object* Fleet::policy() const {
  return policy_key_.empty() ? nullptr : sources_.policies.find(policy_key_);
}

void Fleet::node_changed(const std::string& name) {
  const NodeFacts* facts = sources_.nodes.find(name);
  const auto known = at_.find(name);
  const bool is_new = known == at_.end();
  // Who comes, who goes and who changes its system changes what is rendered; the rest is one view.
  if (is_new && facts != nullptr) {
    if (concerns(*facts)) is_stale_ = true;
    return;
  }
  if (is_new) return;
  if (facts == nullptr || !concerns(*facts) || pool_of(*facts) != places_[known->second].pool) {
    is_stale_ = true;
  } else {
    dirty_.insert(name);
  }
}

void Fleet::pod_changed(const std::string& key) {
  const PodFacts* pod = sources_.operand_pods.find(key);
  if (pod != nullptr && pod->label(profile_.role_label) == profile_.preflight_role) {
    preflight_pods_.try_emplace(key);
  } else if (!preflight_pods_.empty()) {
    preflight_pods_.erase(key);
  }
  const auto before = node_of_.find(key);
  if (before != node_of_.end()) {
    const std::string node = before->second.str();
    dirty_.insert(node);
    if (pod != nullptr && pod->node == node) return;
    auto& keys = pods_of_[node];
    std::erase(keys, key);
    if (keys.empty()) pods_of_.erase(node);
    node_of_.erase(before);
  }
  if (pod == nullptr || pod->node.empty()) return;
  node_of_[key] = pod->node;
  auto& keys = pods_of_[pod->node];
  keys.insert(std::lower_bound(keys.begin(), keys.end(), key), key);
  dirty_.insert(pod->node);
}

bool Fleet::concerns(const NodeFacts& facts) const {
  return (wants_ != nullptr && wants_->selects(labels_of(facts))) || carries_marks(facts, profile_);
}

std::string Fleet::pool_of(const NodeFacts& facts) const {
  return wants_ == nullptr ? std::string() : wants_->pool_of(labels_of(facts));
}

void Fleet::read_policy() {
  std::vector<const kube::Object*> policies;
  std::vector<std::string> keys;
  sources_.policies.each([&](const std::string& key, const kube::Object& object) {
    policies.push_back(&object);
    keys.push_back(key);
  });
  const auto counts = profile_.policy_that_counts(policies);
  if (!counts) {
    policy_key_.clear();
    wants_.reset();
    return;
  }
  policy_key_ = keys[*counts];
  const kube::Object& policy = *policies[*counts];
  std::vector<vendors::DriverSet> sets;
  sources_.daemon_sets.each([&](const std::string&, const DaemonSetFacts& facts) {
    if (facts.role == profile_.driver_role && !facts.is_going) sets.push_back(facts.set);
  });
  // Who is selected does not depend on the nodes, so a reading without them tells.
  const auto first = profile_.read(policy, {}, sets, settings_);
  std::vector<vendors::PoolNode> nodes;
  sources_.nodes.each([&](const std::string&, const NodeFacts& facts) {
    if (!first->selects(labels_of(facts)) || first->is_the_hosts_own(labels_of(facts))) return;
    vendors::PoolNode node{.name = facts.name, .labels = {}};
    for (const auto& [key, value] : facts.labels) node.labels[key.str()] = value.str();
    nodes.push_back(std::move(node));
  });
  wants_ = profile_.read(policy, nodes, sets, settings_);
}

const core::FleetView& Fleet::look(base::WallTime now) {
  if (is_stale_) {
    make_all(now);
  } else {
    for (const std::string& name : dirty_) {
      const auto at = at_.find(name);
      const NodeFacts* facts = at == at_.end() ? nullptr : sources_.nodes.find(name);
      if (facts != nullptr) make(at->second, *facts, now);
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].moves || dirty_.contains(view_.nodes[i].name)) continue;
      if (const NodeFacts* facts = this->facts(i)) make(i, *facts, now);
    }
  }
  dirty_.clear();
  view_.policy.nodes_at_start = nodes_at_start_;
  view_.room_elsewhere = may_take_ ? core::FleetView{}.room_elsewhere : 0;
  return view_;
}

void Fleet::make_all(base::WallTime now) {
  is_stale_ = false;
  read_policy();
  view_.policy = wants_ == nullptr ? nobodys_policy() : wants_->reading().policy;
  view_.nodes.clear();
  places_.clear();
  at_.clear();
  sources_.nodes.each([&](const std::string& name, const NodeFacts& facts) {
    if (!concerns(facts)) return;
    at_[name] = view_.nodes.size();
    view_.nodes.emplace_back();
    places_.emplace_back();
    make(view_.nodes.size() - 1, facts, now);
  });
}

bool Fleet::is_settled(const vendors::NodeWish& wish) const {
  if (wish.digest.empty()) return true;  // nothing is wanted: nothing will come
  const DaemonSetFacts* set = sources_.daemon_sets.find(settings_.ns + "/" + wish.daemon_set);
  return set != nullptr && set->is_settled && set->digest == wish.digest;
}

void Fleet::make(std::size_t index, const NodeFacts& facts, base::WallTime now) {
  Place& place = places_[index];
  const vendors::LabelsOf labels = labels_of(facts);
  place.standing = standing_of(facts, profile_, view_.policy.uid, now);
  place.wish = wants_ == nullptr ? vendors::NodeWish{} : wants_->wish_for(labels);
  place.pool = pool_of(facts);
  place.is_undressed = !dress_of(facts).empty();

  Surroundings around;
  around.driver = pod_with_role(facts.name, profile_.driver_role);
  around.validator = pod_with_role(facts.name, profile_.validator_role);
  around.preflight = pod_with_role(facts.name, profile_.preflight_role);
  around.wish = {.digest = place.wish.digest,
                 .version = place.wish.version,
                 .image = place.wish.image,
                 .daemon_set = settings_.ns + "/" + place.wish.daemon_set,
                 .is_settled = is_settled(place.wish)};
  around.is_selected = wants_ != nullptr && wants_->selects(labels);
  around.driver_is_the_hosts_own = wants_ != nullptr && wants_->is_the_hosts_own(labels);
  const Phase phase = place.standing.phase;
  if (company_ && (place.standing.held || phase == Phase::Required)) {
    const Beside beside = company_(facts, place.standing, view_.policy);
    around.pods = beside.pods;
    around.device_pods = beside.device_pods;
    around.spent = beside.spent;
    around.tried = beside.tried;
    around.is_untouched = beside.is_untouched;
    around.has_deleted_driver = beside.has_deleted_driver;
    around.proof_trouble = beside.proof_trouble;
  }
  if (around.preflight != nullptr) {
    std::optional<base::WallTime>& since = preflight_pods_[around.preflight->ns + "/" + around.preflight->name];
    if (!since) since = now;
    around.proving_for = std::max(base::Span::zero(), base::Span(now - *since));
  }
  view_.nodes[index] = node_view(facts, place.standing, around, profile_, now);
  const bool is_proving = view_.nodes[index].preflight.state == core::PreflightView::State::Running;
  place.moves = place.standing.held || place.standing.given_back_at || !facts.is_ready || is_proving;
}

const PodFacts* Fleet::pod_with_role(const std::string& node, std::string_view role) const {
  const auto keys = pods_of_.find(node);
  if (keys == pods_of_.end()) return nullptr;
  const PodFacts* found = nullptr;
  for (const std::string& key : keys->second) {
    const PodFacts* pod = sources_.operand_pods.find(key);
    if (pod == nullptr || pod->label(profile_.role_label) != role) continue;
    // One that stays counts before one that goes.
    if (found == nullptr || found->is_going) found = pod;
  }
  return found;
}

vendors::Dress Fleet::dress_of(const NodeFacts& facts) const {
  if (wants_ == nullptr) return undressed(facts, profile_);
  return wants_->dress(labels_of(facts), [&facts](std::string_view key) { return facts.annotation(key); });
}

vendors::Dress Fleet::dress(std::size_t node) const {
  const NodeFacts* facts = this->facts(node);
  return facts == nullptr ? vendors::Dress{} : dress_of(*facts);
}

const PodFacts* Fleet::driver_pod(std::size_t node) const {
  return pod_with_role(view_.nodes[node].name, profile_.driver_role);
}

std::vector<const PodFacts*> Fleet::operand_pods(const std::string& node) const {
  std::vector<const PodFacts*> pods;
  const auto keys = pods_of_.find(node);
  if (keys == pods_of_.end()) return pods;
  for (const std::string& key : keys->second) {
    if (const PodFacts* pod = sources_.operand_pods.find(key)) pods.push_back(pod);
  }
  return pods;
}

}  // namespace drover::observe
