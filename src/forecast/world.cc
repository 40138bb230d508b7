#include "forecast/world.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "act/executor.h"
#include "kube/placement.h"

namespace drover::forecast {
namespace {

using base::Span;

// A controller collects changes of its pods for a moment before it makes others, of many pods for longer: all that went
// at once is made again at once, owner by owner.
constexpr Span kCollects = std::chrono::milliseconds(20);
constexpr Span kCollectsPerPod = std::chrono::microseconds(500);
// After this the scheduler tries pods again that did not fit.
constexpr Span kRetryAfter = std::chrono::seconds(1);

bool is_made_by(const PlacedPod& pod, std::string_view kind) {
  return pod.view.owner.starts_with(kind) && pod.view.owner.substr(kind.size()).starts_with(' ');
}

}  // namespace

World::World(ForecastInput& input, Clock& clock, base::Random chance)
    : input_(input), clock_(clock), chance_(std::move(chance)) {
  for (const PolicyFleet& policy : input.policies) {
    for (const core::NodeView& node : policy.fleet.nodes) views_[node.name].push_back(&node);
  }
  for (PlacedPod& listed : input.pods) {
    const std::string key = listed.view.full_name();
    const PlacedPod& pod = pods_.emplace(key, Entry{.pod = std::move(listed)}).first->second.pod;
    if (pod.node.empty()) {
      waiting_.push_back(key);
      continue;
    }
    settle(pod);
    if (pod.view.is_going) clock_.after(pod.grace, [this, key] { end_deletion(key); });
    if (!pod.is_ready && !pod.view.is_going) clock_.after(pod.starts_in, [this, key] { become_ready(key); });
  }
  input.pods.clear();
}

std::vector<core::PodView> World::pods_on(const std::string& node, std::size_t policy) const {
  std::vector<core::PodView> pods;
  const auto keys = on_.find(node);
  if (keys == on_.end()) return pods;
  for (const std::string& key : keys->second) {
    const Entry& entry = pods_.at(key);
    const PlacedPod::Part& part = entry.pod.by_policy[policy];
    core::PodView& view = pods.emplace_back(entry.pod.view);
    view.uses_device = part.uses_device;
    view.is_ours = part.is_ours;
    view.is_waited_for = part.is_waited_for;
    view.is_drained = part.is_drained;
    if (entry.held_by) view.held_by = input_.budgets[*entry.held_by].full_name();
  }
  return pods;
}

int World::device_pods_on(const std::string& node, std::size_t policy) const {
  const auto keys = on_.find(node);
  if (keys == on_.end()) return 0;
  return static_cast<int>(std::count_if(keys->second.begin(), keys->second.end(), [&](const std::string& key) {
    return pods_.at(key).pod.by_policy[policy].uses_device;
  }));
}

bool World::is_replacement(const std::string& pod) const {
  const auto at = pods_.find(pod);
  return at != pods_.end() && at->second.pod.is_replacement;
}

// ---- going

std::optional<std::size_t> World::budget_without_room(const PlacedPod& pod) const {
  for (const std::size_t index : pod.budgets) {
    const observe::Budget& budget = input_.budgets[index];
    // One that is not healthy takes nothing from a budget that has what it wants.
    const int needed = pod.is_ready ? budget.wanted_healthy + 1 : budget.wanted_healthy;
    if (budget.healthy < needed) return index;
  }
  return {};
}

bool World::evict(const std::string& pod) {
  const auto at = pods_.find(pod);
  if (at == pods_.end() || clock_.now() < at->second.not_before) return false;
  Entry& entry = at->second;
  entry.held_by = budget_without_room(entry.pod);
  entry.asked_at = clock_.now();
  if (entry.held_by) {
    entry.not_before = clock_.now() + act::wait_for_budget(entry.pod.view.uid, entry.refusals++);
    return false;
  }
  begin_deletion(pod);
  return true;
}

void World::remove(const std::string& pod) {
  if (pods_.contains(pod)) begin_deletion(pod);
}

const observe::Budget* World::held_by(const std::string& pod) const {
  const auto at = pods_.find(pod);
  return at == pods_.end() || !at->second.held_by ? nullptr : &input_.budgets[*at->second.held_by];
}

std::optional<Span> World::ask_again_at() const {
  std::optional<Span> next;
  for (const auto& [key, entry] : pods_) {
    if (!entry.held_by || entry.pod.view.is_going || entry.asked_at > clock_.last_change_at()) continue;
    if (entry.not_before <= clock_.now()) continue;  // no longer to go, or it would have been asked
    next = std::min(next.value_or(entry.not_before), entry.not_before);
  }
  return next;
}

void World::begin_deletion(const std::string& key) {
  PlacedPod& pod = pods_.at(key).pod;
  pod.view.is_going = true;
  if (pod.is_ready) {
    for (const std::size_t budget : pod.budgets) --input_.budgets[budget].healthy;
  }
  pod.is_ready = false;
  clock_.after(pod.grace, [this, key] { end_deletion(key); });
  // A StatefulSet waits until its pod is gone; the others do not.
  if (!is_made_by(pod, "StatefulSet")) replace_soon(pod);
}

void World::end_deletion(const std::string& key) {
  const auto at = pods_.find(key);
  if (at == pods_.end()) return;
  PlacedPod pod = std::move(at->second.pod);
  pods_.erase(at);
  on_[pod.node].erase(key);
  for (const auto& [resource, amount] : pod.requests) used_[pod.node][resource] -= amount;
  if (is_made_by(pod, "StatefulSet")) replace_soon(pod);
  retry_waiting_soon();
  if (!pod.view.is_daemon || pod.view.is_mirror) return;
  const std::string node = pod.node;
  daemon_pods_away_[node].push_back(std::move(pod));
  restore_daemon_pods(node);
}

// ---- coming

// A bare pod is not made again, and a daemon's comes back to its own node.
void World::replace_soon(const PlacedPod& pod) {
  const std::string& owner = pod.view.owner;
  if (owner.empty() || pod.view.is_daemon || pod.view.is_mirror) return;
  std::vector<PlacedPod>& missing = missing_[owner];
  missing.push_back(pod);
  if (missing.size() > 1) return;
  const auto pods =
      std::count_if(pods_.begin(), pods_.end(), [&](const auto& one) { return one.second.pod.view.owner == owner; });
  clock_.after(std::max(kCollects, kCollectsPerPod * pods), [this, owner] {
    for (const PlacedPod& one : std::exchange(missing_[owner], {})) replace(one);
  });
}

// Its name matters: evictions are asked for in the order of names.
void World::replace(const PlacedPod& pod) {
  PlacedPod next = pod;
  if (!is_made_by(pod, "StatefulSet")) {
    const std::string_view owner = pod.view.owner;
    next.view.name = std::string(owner.substr(owner.find('/') + 1)) + "-" + chance_.name_suffix();
  }
  next.view.uid = chance_.uuid();
  next.view.is_going = false;
  next.node.clear();
  next.is_ready = false;
  next.is_replacement = true;
  const std::string key = next.view.full_name();
  pods_.emplace(key, Entry{.pod = std::move(next)});
  waiting_.push_back(key);
}

// A DaemonSet ignores a cordon, but not our taint unless its pods tolerate it.
bool World::suits(const PlacedPod& daemon_pod, const std::string& node) const {
  const auto capacity = input_.capacities.find(node);
  if (capacity == input_.capacities.end() || !kube::selects_node(daemon_pod.placement, capacity->second.node))
    return false;
  const auto views = views_.find(node);
  return daemon_pod.view.returns || views == views_.end() ||
         std::none_of(views->second.begin(), views->second.end(), [](const auto* view) { return view->is_tainted; });
}

void World::change_node(const std::string& node, const std::map<std::string, std::optional<std::string>>& labels) {
  const auto capacity = input_.capacities.find(node);
  if (capacity == input_.capacities.end()) return;
  for (const auto& [key, value] : labels) {
    if (value) json::ensure(capacity->second.node, {"metadata", "labels", key}) = *value;
    if (!value) json::remove(capacity->second.node, {"metadata", "labels", key});
  }
  const std::set<std::string> keys = labels.empty() ? std::set<std::string>() : on_[node];
  for (const std::string& key : keys) {
    const PlacedPod& pod = pods_.at(key).pod;
    const bool is_deleted = pod.view.is_daemon && !pod.view.is_going && !pod.view.is_mirror &&
                            !kube::selects_node(pod.placement, capacity->second.node);
    if (is_deleted) begin_deletion(key);
  }
  restore_daemon_pods(node);
  if (is_open(node)) retry_waiting_soon();
}

void World::restore_daemon_pods(const std::string& node) {
  std::vector<PlacedPod> away = std::exchange(daemon_pods_away_[node], {});
  for (PlacedPod& pod : away) {
    if (!suits(pod, node)) {
      daemon_pods_away_[node].push_back(std::move(pod));
      continue;
    }
    pod.view.is_going = false;
    const std::string key = pod.view.full_name();
    settle(pod);
    clock_.after(pod.starts_in, [this, key] { become_ready(key); });
    pods_.emplace(key, Entry{.pod = std::move(pod)});
  }
}

void World::become_ready(const std::string& key) {
  const auto at = pods_.find(key);
  if (at == pods_.end() || at->second.pod.view.is_going || at->second.pod.is_ready) return;
  at->second.pod.is_ready = true;
  for (const std::size_t budget : at->second.pod.budgets) ++input_.budgets[budget].healthy;
}

// A new pod is tried at once; one that found no room before is tried again a moment after there may be room.
void World::place_waiting() {
  const bool all = std::exchange(retry_is_due_, false);
  std::erase_if(waiting_, [&](const std::string& key) {
    const auto at = pods_.find(key);
    if (at == pods_.end()) return true;
    if (at->second.found_no_room && !all) return false;
    at->second.found_no_room = !place(at->second);
    return !at->second.found_no_room;
  });
}

void World::retry_waiting_soon() {
  if (waiting_.empty() || std::exchange(retry_is_set_, true)) return;
  clock_.after(kRetryAfter, [this] {
    retry_is_set_ = false;
    retry_is_due_ = true;
  });
}

bool World::is_open(const std::string& node) const {
  const auto views = views_.find(node);
  return views == views_.end() || std::all_of(views->second.begin(), views->second.end(), [](const auto* view) {
           return !view->is_cordoned && !view->is_tainted && view->is_ready;
         });
}

// Least loaded first, then by name: as near to the scheduler's scores as a forecast needs.
bool World::place(Entry& entry) {
  std::optional<std::tuple<std::int64_t, std::string>> best;
  for (const auto& [name, capacity] : input_.capacities) {
    if (!capacity.is_open || !is_open(name) || !fits(entry.pod, name, capacity)) continue;
    const std::tuple<std::int64_t, std::string> here(load_of(name, capacity), name);
    if (!best || here < *best) best = here;
  }
  if (!best) return false;
  entry.pod.node = std::get<1>(*best);
  const bool is_fetched = images_[entry.pod.node].contains(entry.pod.image);
  settle(entry.pod);
  const Span starts_in = entry.pod.starts_in - (is_fetched ? entry.pod.fetches_in : Span::zero());
  clock_.after(starts_in, [this, key = entry.pod.view.full_name()] { become_ready(key); });
  return true;
}

bool World::fits(const PlacedPod& pod, const std::string& node, const NodeCapacity& capacity) const {
  if (kube::untolerated_taint(kube::taints_of(capacity.node), kube::tolerations_of(pod.placement),
                              {"NoSchedule", "NoExecute"})) {
    return false;
  }
  if (!kube::selects_node(pod.placement, capacity.node)) return false;
  const auto used = used_.find(node);
  const auto amount_in = [](const Amounts& amounts, const std::string& resource) {
    const auto at = amounts.find(resource);
    return at == amounts.end() ? 0 : at->second;
  };
  return std::all_of(pod.requests.begin(), pod.requests.end(), [&](const auto& wanted) {
    const std::int64_t taken = used == used_.end() ? 0 : amount_in(used->second, wanted.first);
    return wanted.second <= amount_in(capacity.allocatable, wanted.first) - taken;
  });
}

std::int64_t World::load_of(const std::string& node, const NodeCapacity& capacity) const {
  std::int64_t load = 0;
  const auto add = [&](const std::string& resource, std::int64_t used) {
    const auto all = capacity.allocatable.find(resource);
    if (all != capacity.allocatable.end() && all->second > 0)
      load += used / std::max<std::int64_t>(1, all->second / 1000);
  };
  if (const auto used = used_.find(node); used != used_.end()) {
    for (const char* resource : {"cpu", "memory"}) {
      const auto at = used->second.find(resource);
      if (at != used->second.end()) add(resource, at->second);
    }
  }
  const auto keys = on_.find(node);
  const auto preflights = preflights_.find(node);
  const std::size_t pods = (keys == on_.end() ? 0 : keys->second.size()) +
                           static_cast<std::size_t>(preflights == preflights_.end() ? 0 : preflights->second);
  add("pods", static_cast<std::int64_t>(pods) * 1000);
  return load;
}

void World::settle(const PlacedPod& pod) {
  images_[pod.node].insert(pod.image);
  on_[pod.node].insert(pod.view.full_name());
  for (const auto& [resource, amount] : pod.requests) used_[pod.node][resource] += amount;
}

}  // namespace drover::forecast
