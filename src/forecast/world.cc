#include "forecast/world.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "act/executor.h"
#include "kube/placement.h"

namespace drover::forecast {
namespace {

using base::Span;

// A set gathers what happens to its pods for a moment before it makes others, a large one for longer: so all that went
// at once is made again at once, set by set.
constexpr Span kGathers = std::chrono::milliseconds(20);
constexpr Span kGathersPerPod = std::chrono::microseconds(500);
// As the scheduler takes up again whoever did not fit.
constexpr Span kRetryAfter = std::chrono::seconds(1);

bool is_made_by(const PlacedPod& pod, std::string_view kind) {
  return pod.view.owner.starts_with(kind) && pod.view.owner.substr(kind.size()).starts_with(' ');
}

}  // namespace

World::World(ForecastInput& input, Clock& clock, base::Random chance)
    : input_(input), clock_(clock), chance_(std::move(chance)) {
  for (PlacedPod& pod : input.pods) {
    const std::string key = pod.view.full_name();
    const auto at = stays_.emplace(key, Stay{.who = std::move(pod)}).first;
    const PlacedPod& who = at->second.who;
    if (who.node.empty()) {
      waiting_.push_back(key);
      continue;
    }
    settle(who);
    if (who.view.is_going) clock_.after(who.grace, [this, key] { gone(key); });
    if (!who.is_ready && !who.view.is_going) clock_.after(who.starts_in, [this, key] { become_ready(key); });
  }
  input.pods.clear();
}

std::vector<core::PodView> World::pods_on(const std::string& node, std::size_t policy_fleet) const {
  std::vector<core::PodView> pods;
  const auto keys = on_.find(node);
  if (keys == on_.end()) return pods;
  for (const std::string& key : keys->second) {
    const Stay& stay = stays_.at(key);
    pods.push_back(stay.who.view);
    pods.back().is_waited_for = stay.who.parts[policy_fleet].is_waited_for;
    pods.back().is_drained = stay.who.parts[policy_fleet].is_drained;
    if (stay.held_by) pods.back().held_by = input_.budgets[*stay.held_by].full_name();
  }
  return pods;
}

int World::device_pods_on(const std::string& node) const {
  const auto keys = on_.find(node);
  if (keys == on_.end()) return 0;
  return static_cast<int>(std::count_if(keys->second.begin(), keys->second.end(),
                                        [this](const auto& key) { return stays_.at(key).who.view.uses_device; }));
}

bool World::is_replacement(const std::string& pod) const {
  const auto at = stays_.find(pod);
  return at != stays_.end() && at->second.who.is_replacement;
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
  const auto at = stays_.find(pod);
  if (at == stays_.end() || clock_.now() < at->second.not_before) return false;
  Stay& stay = at->second;
  stay.held_by = budget_without_room(stay.who);
  stay.asked_at = clock_.now();
  if (stay.held_by) {
    stay.not_before = clock_.now() + act::wait_for_budget(stay.who.view.uid, stay.refusals++);
    return false;
  }
  go(pod);
  return true;
}

void World::remove(const std::string& pod) {
  if (stays_.contains(pod)) go(pod);
}

const observe::Budget* World::held_by(const std::string& pod) const {
  const auto at = stays_.find(pod);
  return at == stays_.end() || !at->second.held_by ? nullptr : &input_.budgets[*at->second.held_by];
}

std::optional<Span> World::ask_again_at() const {
  std::optional<Span> next;
  for (const auto& [key, stay] : stays_) {
    if (!stay.held_by || stay.who.view.is_going || stay.asked_at > clock_.last_news_at()) continue;
    if (stay.not_before <= clock_.now()) continue;  // nobody wants it gone any more, or it would have been asked
    next = std::min(next.value_or(stay.not_before), stay.not_before);
  }
  return next;
}

void World::go(const std::string& key) {
  PlacedPod& who = stays_.at(key).who;
  who.view.is_going = true;
  if (who.is_ready) {
    for (const std::size_t budget : who.budgets) --input_.budgets[budget].healthy;
  }
  who.is_ready = false;
  clock_.after(who.grace, [this, key] { gone(key); });
  // A StatefulSet waits until its pod is gone; the others do not.
  if (!is_made_by(who, "StatefulSet")) miss(who);
}

void World::gone(const std::string& key) {
  const auto at = stays_.find(key);
  if (at == stays_.end()) return;
  const PlacedPod who = std::move(at->second.who);
  stays_.erase(at);
  on_[who.node].erase(key);
  for (const auto& [resource, amount] : who.requests) used_[who.node][resource] -= amount;
  if (is_made_by(who, "StatefulSet")) miss(who);
  room_was_made();
}

// ---- coming

// Nobody makes a bare pod again, and a daemon's comes back to its own node when that is open.
void World::miss(const PlacedPod& gone) {
  const std::string& owner = gone.view.owner;
  if (owner.empty() || gone.view.is_daemon || gone.view.is_mirror) return;
  std::vector<PlacedPod>& missing = missing_[owner];
  missing.push_back(gone);
  if (missing.size() > 1) return;
  const auto pods =
      std::count_if(stays_.begin(), stays_.end(), [&](const auto& one) { return one.second.who.view.owner == owner; });
  clock_.after(std::max(kGathers, kGathersPerPod * pods), [this, owner] {
    for (const PlacedPod& one : std::exchange(missing_[owner], {})) make_again(one);
  });
}

// Its name matters: pods are asked to go in the order of their names.
void World::make_again(const PlacedPod& gone) {
  PlacedPod next = gone;
  if (!is_made_by(gone, "StatefulSet")) {
    const std::string_view owner = gone.view.owner;
    next.view.name = std::string(owner.substr(owner.find('/') + 1)) + "-" + chance_.name_suffix();
  }
  next.view.uid = chance_.uuid();
  next.view.is_going = false;
  next.node.clear();
  next.is_ready = false;
  next.is_replacement = true;
  const std::string key = next.view.full_name();
  stays_.emplace(key, Stay{.who = std::move(next)});
  waiting_.push_back(key);
}

void World::become_ready(const std::string& key) {
  const auto at = stays_.find(key);
  if (at == stays_.end() || at->second.who.view.is_going) return;
  at->second.who.is_ready = true;
  for (const std::size_t budget : at->second.who.budgets) ++input_.budgets[budget].healthy;
}

// A new pod is tried at once; one that found no room before is tried again a moment after room was made.
void World::place_waiting() {
  const bool everybody = std::exchange(retry_is_due_, false);
  std::erase_if(waiting_, [&](const std::string& key) {
    const auto at = stays_.find(key);
    if (at == stays_.end()) return true;
    if (at->second.found_no_room && !everybody) return false;
    at->second.found_no_room = !place(at->second);
    return !at->second.found_no_room;
  });
}

void World::room_was_made() {
  if (waiting_.empty() || std::exchange(retry_is_set_, true)) return;
  clock_.after(kRetryAfter, [this] {
    retry_is_set_ = false;
    retry_is_due_ = true;
  });
}

// Least loaded first, then by name: as near to the scheduler's scores as a forecast needs.
bool World::place(Stay& stay) {
  std::set<std::string_view> closed;
  for (const PolicyFleet& policy_fleet : input_.policies) {
    for (const core::NodeView& node : policy_fleet.fleet.nodes) {
      if (node.is_cordoned || node.is_tainted || !node.is_ready) closed.insert(node.name);
    }
  }
  std::optional<std::tuple<std::int64_t, std::string>> best;
  for (const auto& [name, capacity] : input_.capacities) {
    if (!capacity.is_open || closed.contains(name) || !fits(stay.who, name, capacity)) continue;
    const std::tuple<std::int64_t, std::string> here(load_of(name, capacity), name);
    if (!best || here < *best) best = here;
  }
  if (!best) return false;
  stay.who.node = std::get<1>(*best);
  const bool is_fetched = images_[stay.who.node].contains(stay.who.image);
  settle(stay.who);
  const Span starts_in = stay.who.starts_in - (is_fetched ? stay.who.fetches_in : Span::zero());
  clock_.after(starts_in, [this, key = stay.who.view.full_name()] { become_ready(key); });
  return true;
}

bool World::fits(const PlacedPod& pod, const std::string& node, const NodeCapacity& capacity) const {
  if (kube::untolerated_taint(kube::taints_of(capacity.node), kube::tolerations_of(pod.wishes),
                              {"NoSchedule", "NoExecute"})) {
    return false;
  }
  if (!kube::selects_node(pod.wishes, capacity.node)) return false;
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
  const auto guests = guests_.find(node);
  const std::size_t pods = (keys == on_.end() ? 0 : keys->second.size()) +
                           static_cast<std::size_t>(guests == guests_.end() ? 0 : guests->second);
  add("pods", static_cast<std::int64_t>(pods) * 1000);
  return load;
}

void World::settle(const PlacedPod& pod) {
  images_[pod.node].insert(pod.image);
  on_[pod.node].insert(pod.view.full_name());
  for (const auto& [resource, amount] : pod.requests) used_[pod.node][resource] += amount;
}

}  // namespace drover::forecast
