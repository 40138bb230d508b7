// What the DaemonSet controller does: counting seats, creating and deleting pods, rolling updates, history, status.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/controllers/daemonset.h"
#include "sim/controllers/objects.h"

namespace drover::sim {

namespace {

constexpr std::string_view kDaemonSetSource = "daemonset-controller";
// A daemon pod that keeps failing (a kubelet that refuses it) is replaced ever more slowly.
constexpr base::Span kFirstFailureWait = std::chrono::seconds(1);
constexpr base::Span kLongestFailureWait = std::chrono::minutes(15);

}  // namespace

// -- counting ---------------------------------------------------------------------------------------------------------

void DaemonSetController::Sums::add(const Sums& other, int sign) {
  desired += sign * other.desired;
  current += sign * other.current;
  ready += sign * other.ready;
  available += sign * other.available;
  updated += sign * other.updated;
  misscheduled += sign * other.misscheduled;
}

bool DaemonSetController::is_updated(const Fleet& fleet, const DaemonPod& pod) {
  return (!fleet.hash.empty() && pod.hash == fleet.hash) ||
         (!fleet.template_generation.empty() && pod.generation == fleet.template_generation);
}

bool DaemonSetController::is_available(const Fleet& fleet, const DaemonPod& pod, base::WallTime now) const {
  if (!pod.ready_since) return false;
  return fleet.min_ready <= base::Span::zero() || *pod.ready_since + fleet.min_ready <= now;
}

DaemonSetController::RolloutState DaemonSetController::rollout_state_of(const Fleet& fleet, const Seat& seat,
                                                                        base::WallTime now) const {
  if (seat.pods.empty()) return RolloutState::Vacant;
  const DaemonPod* fresh = nullptr;
  const DaemonPod* old = nullptr;
  for (const DaemonPod& pod : seat.pods) {
    if (pod.deleting) continue;
    const DaemonPod*& place = is_updated(fleet, pod) ? fresh : old;
    if (place) return RolloutState::Excess;
    place = &pod;
  }
  if (fresh && old) return is_available(fleet, *fresh, now) ? RolloutState::SurgeIsDone : RolloutState::SurgeWaits;
  if (fresh) return is_available(fleet, *fresh, now) ? RolloutState::Fresh : RolloutState::Starting;
  if (old) return is_available(fleet, *old, now) ? RolloutState::Outdated : RolloutState::Broken;
  return RolloutState::Leaving;
}

void DaemonSetController::recount(Fleet& fleet) {
  for (const std::string& node : std::exchange(fleet.uncounted, {})) recount_seat(fleet, node);
}

void DaemonSetController::recount_seat(Fleet& fleet, const std::string& node) {
  auto found = fleet.seats.find(node);
  if (found == fleet.seats.end()) return;
  ++seats_counted_;
  Seat& seat = found->second;
  const base::WallTime now = loop().wall();
  Sums counted;
  if (seat.node_exists) {
    const bool scheduled = !seat.pods.empty();
    counted.desired = seat.should_run;
    counted.misscheduled = !seat.should_run && scheduled;
    if (seat.should_run && scheduled) {
      const DaemonPod& pod = seat.pods.front();
      counted.current = 1;
      counted.ready = pod.ready_since.has_value();
      counted.available = is_available(fleet, pod, now);
      counted.updated = is_updated(fleet, pod);
      if (counted.ready && !counted.available) {
        fleet.look_again.emplace(loop().now() + (*pod.ready_since + fleet.min_ready - now), node);
      }
    }
  }
  fleet.sums.add(seat.counted, -1);
  fleet.sums.add(counted, +1);
  seat.counted = counted;

  const RolloutState state = rollout_state_of(fleet, seat, now);
  if (state != seat.state) {
    fleet.by_state[seat.state].erase(node);
    if (state != RolloutState::Fresh && state != RolloutState::Vacant) fleet.by_state[state].insert(node);
    seat.state = state;
  }
  if (!seat.node_exists && seat.pods.empty()) fleet.seats.erase(found);
}

// -- one pod per node -------------------------------------------------------------------------------------------------

Done DaemonSetController::manage(Fleet& fleet, const kube::Object& ds) {
  // What we do to a seat makes it dirty again: it is looked at once more in the next turn, when nothing is left to do.
  const std::set<std::string> dirty = std::exchange(fleet.dirty, {});
  const std::vector<std::string> nodes(dirty.begin(), dirty.end());
  const std::uint64_t begin = store().version();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (static_cast<std::int64_t>(store().version() - begin) >= kBurst) {
      fleet.dirty.insert(nodes.begin() + static_cast<std::ptrdiff_t>(i), nodes.end());
      enqueue(kube::key_of(ds));
      break;
    }
    if (Done done = manage_seat(fleet, ds, nodes[i]); !done) {
      // What refuses one pod (a quota, a namespace that ends) refuses the next: stop, and look at the rest with the
      // retry.
      recount(fleet);
      fleet.dirty.insert(nodes.begin() + static_cast<std::ptrdiff_t>(i), nodes.end());
      return done;
    }
  }
  recount(fleet);
  return {};
}

Done DaemonSetController::manage_seat(Fleet& fleet, const kube::Object& ds, const std::string& node) {
  auto found = fleet.seats.find(node);
  if (found == fleet.seats.end()) return {};
  // A copy: creating and deleting changes the seat while we go.
  const Seat seat = found->second;
  if (!seat.node_exists) {
    // Bound pods of a node that is gone are collected by others; a pod that waits for it would wait for ever.
    for (const DaemonPod& pod : seat.pods) {
      if (!pod.bound && !pod.deleting) ASK_VOID(delete_pod(ds, pod));
    }
    return {};
  }
  if (seat.should_run && seat.pods.empty()) return create_pod(fleet, ds, node);
  if (!seat.may_stay) {
    for (const DaemonPod& pod : seat.pods) {
      if (!pod.deleting) ASK_VOID(delete_pod(ds, pod));
    }
    return {};
  }
  int running = 0;
  for (const DaemonPod& pod : seat.pods) {
    if (pod.deleting) continue;
    const std::string where = fmt::format("{}/{} on node {}", kube::namespace_of(ds), pod.name, node);
    if (pod.phase == "Failed") {
      if (!failed_pod_may_go(fleet, found->second, node)) continue;
      events().warning(About::object(kube::kDaemonSets, ds), kDaemonSetSource, "FailedDaemonPod",
                       fmt::format("Found failed daemon pod {}, will try to kill it", where));
      ASK_VOID(delete_pod(ds, pod));
    } else if (pod.phase == "Succeeded") {
      events().normal(About::object(kube::kDaemonSets, ds), kDaemonSetSource, "SucceededDaemonPod",
                      fmt::format("Found succeeded daemon pod {}, will try to delete it", where));
      ASK_VOID(delete_pod(ds, pod));
    } else {
      ++running;
    }
  }
  if (running > 1) return prune_excess(fleet, ds, seat);
  if (running == 0 && fleet.surges && seat.should_run) return create_pod(fleet, ds, node);
  return {};
}

// More than one pod where one belongs. Without surge the first stays; with surge one old and one new may stand side by
// side until the new one is available or the old one breaks.
Done DaemonSetController::prune_excess(Fleet& fleet, const kube::Object& ds, const Seat& seat) {
  const DaemonPod* kept = nullptr;
  const DaemonPod* fresh = nullptr;
  const DaemonPod* old = nullptr;
  for (const DaemonPod& pod : seat.pods) {
    if (pod.deleting || !pod.phase.empty()) continue;
    const DaemonPod*& place = !fleet.surges ? kept : is_updated(fleet, pod) ? fresh : old;
    if (!place) {
      place = &pod;
    } else {
      ASK_VOID(delete_pod(ds, pod));
    }
  }
  if (fresh && old && (!old->ready_since || is_available(fleet, *fresh, loop().wall()))) return delete_pod(ds, *old);
  return {};
}

bool DaemonSetController::failed_pod_may_go(Fleet& fleet, Seat& seat, const std::string& node) {
  const base::Instant now = loop().now();
  if (seat.failed_at && now - *seat.failed_at > 2 * kLongestFailureWait) seat.failures = 0;
  const base::Span wait =
      seat.failures == 0
          ? base::Span::zero()
          : std::min(kLongestFailureWait, kFirstFailureWait * (std::int64_t{1} << std::min(seat.failures - 1, 20)));
  if (seat.failed_at && now - *seat.failed_at < wait) {
    fleet.look_again.emplace(*seat.failed_at + wait, node);
    return false;
  }
  ++seat.failures;
  seat.failed_at = now;
  return true;
}

Done DaemonSetController::create_pod(Fleet& fleet, const kube::Object& ds, const std::string& node) {
  kube::Object pod = copy_to_change(fleet.pod);
  json::Value& required = json::ensure(
      pod, {"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  json::Value field = {{"key", "metadata.name"}, {"operator", "In"}, {"values", json::Array{json::Value(node)}}};
  json::Members term;
  term["matchFields"] = json::Array{std::move(field)};
  required = json::Array{std::move(term)};
  auto created = ask(kube::create(kube::kPods, std::string(kube::namespace_of(ds)), std::move(pod)));
  const About about = About::object(kube::kDaemonSets, ds);
  if (!created) {
    events().warning(about, kDaemonSetSource, "FailedCreate",
                     fmt::format("Error creating: {}", created.error().message));
    return std::unexpected(std::move(created).error());
  }
  events().normal(about, kDaemonSetSource, "SuccessfulCreate",
                  fmt::format("Created pod: {}", kube::name_of(**created)));
  return {};
}

Done DaemonSetController::delete_pod(const kube::Object& ds, const DaemonPod& pod) {
  ASK_VOID(ask_unless_gone(kube::remove(kube::kPods, std::string(kube::namespace_of(ds)), pod.name, pod.uid)));
  events().normal(About::object(kube::kDaemonSets, ds), kDaemonSetSource, "SuccessfulDelete",
                  fmt::format("Deleted pod: {}", pod.name));
  return {};
}

// -- rolling updates --------------------------------------------------------------------------------------------------

Done DaemonSetController::roll(Fleet& fleet, const kube::Object& ds) {
  if (json::text_at(ds, {"spec", "updateStrategy", "type"}) == "OnDelete") return {};
  const json::Value* limits = json::find(ds, {"spec", "updateStrategy", "rollingUpdate"});
  const json::Value nothing;
  const std::int64_t desired = fleet.sums.desired;
  const std::int64_t max_surge =
      scaled(json::find(limits ? *limits : nothing, {"maxSurge"}), desired, true).value_or(0);
  std::int64_t max_unavailable =
      scaled(json::find(limits ? *limits : nothing, {"maxUnavailable"}), desired, true).value_or(1);
  // Percentages of a small fleet may both round to nothing; an update must still move.
  if (max_surge == 0 && max_unavailable == 0) max_unavailable = 1;
  Done done = max_surge > 0 ? roll_by_surge(fleet, ds, max_surge) : roll_in_place(fleet, ds, max_unavailable);
  recount(fleet);
  return done;
}

Done DaemonSetController::roll_in_place(Fleet& fleet, const kube::Object& ds, std::int64_t max_unavailable) {
  auto& by_state = fleet.by_state;
  std::int64_t unavailable = 0;
  for (RolloutState state : {RolloutState::Leaving, RolloutState::Excess, RolloutState::Starting, RolloutState::Broken,
                             RolloutState::SurgeWaits, RolloutState::SurgeIsDone}) {
    unavailable += static_cast<std::int64_t>(by_state[state].size());
  }
  // An old pod that is not available costs nothing to replace.
  std::vector<std::string> nodes(by_state[RolloutState::Broken].begin(), by_state[RolloutState::Broken].end());
  for (const std::string& node : by_state[RolloutState::Outdated]) {
    if (unavailable++ >= max_unavailable) break;
    nodes.push_back(node);
  }
  for (const std::string& node : nodes) {
    const Seat seat = fleet.seats[node];
    for (const DaemonPod& pod : seat.pods) {
      if (!pod.deleting) ASK_VOID(delete_pod(ds, pod));
    }
  }
  return {};
}

Done DaemonSetController::roll_by_surge(Fleet& fleet, const kube::Object& ds, std::int64_t max_surge) {
  auto& by_state = fleet.by_state;
  auto surging =
      static_cast<std::int64_t>(by_state[RolloutState::Excess].size() + by_state[RolloutState::SurgeWaits].size());
  const std::set<std::string> broken = by_state[RolloutState::Broken];
  for (const std::string& node : broken) {
    const Seat seat = fleet.seats[node];
    if (seat.should_run) {
      ASK_VOID(create_pod(fleet, ds, node));
    } else {
      for (const DaemonPod& pod : seat.pods) {
        if (!pod.deleting) ASK_VOID(delete_pod(ds, pod));
      }
    }
  }
  std::vector<std::string> candidates;
  for (const std::string& node : by_state[RolloutState::Outdated]) {
    if (surging >= max_surge) break;
    if (!fleet.seats[node].should_run) continue;
    ++surging;
    candidates.push_back(node);
  }
  for (const std::string& node : candidates) ASK_VOID(create_pod(fleet, ds, node));
  const std::set<std::string> finished = by_state[RolloutState::SurgeIsDone];
  for (const std::string& node : finished) {
    const Seat seat = fleet.seats[node];
    for (const DaemonPod& pod : seat.pods) {
      if (!pod.deleting && !is_updated(fleet, pod)) ASK_VOID(delete_pod(ds, pod));
    }
  }
  return {};
}

// -- history and status -----------------------------------------------------------------------------------------------

Done DaemonSetController::trim_history(Fleet& fleet, const kube::Object& ds) {
  const auto keep = static_cast<std::size_t>(count_at(ds, {"spec", "revisionHistoryLimit"}, 10));
  if (fleet.old_revisions.size() <= keep) return {};
  std::size_t too_many = fleet.old_revisions.size() - keep;
  const std::vector<Stored> old = fleet.old_revisions;
  for (const Stored& revision : old) {
    if (too_many == 0) break;
    const auto used = fleet.pods_of_hash.find(std::string(kube::label_of(*revision, "controller-revision-hash")));
    if (used != fleet.pods_of_hash.end() && used->second > 0) continue;
    ASK_VOID(
        ask_unless_gone(kube::remove(kube::kControllerRevisions, std::string(kube::namespace_of(ds)),
                                     std::string(kube::name_of(*revision)), std::string(kube::uid_of(*revision)))));
    std::erase(fleet.old_revisions, revision);
    --too_many;
  }
  return {};
}

Done DaemonSetController::write_status(const Fleet& fleet, const kube::Object& ds) {
  const Sums& sums = fleet.sums;
  const struct {
    std::string_view field;
    std::int64_t value;
    bool shown_at_zero;
  } fields[] = {
      {"currentNumberScheduled", sums.current, true},  {"numberMisscheduled", sums.misscheduled, true},
      {"desiredNumberScheduled", sums.desired, true},  {"numberReady", sums.ready, true},
      {"observedGeneration", fleet.generation, false}, {"updatedNumberScheduled", sums.updated, false},
      {"numberAvailable", sums.available, false},      {"numberUnavailable", sums.desired - sums.available, false},
  };
  json::Members status;
  for (const auto& [field, value, shown_at_zero] : fields) {
    const json::Value* known = json::find(ds, {"status", field});
    const bool shown = shown_at_zero || value != 0;
    if (shown && (!known || json::int_at(ds, {"status", field}) != value)) status[field] = value;
    if (!shown && known) status[field] = nullptr;
  }
  if (status.empty()) return {};
  json::Members body;
  body["status"] = std::move(status);
  return ask_unless_gone(kube::patch(kube::kDaemonSets, std::string(kube::namespace_of(ds)),
                                     std::string(kube::name_of(ds)), kube::PatchKind::Merge, std::move(body),
                                     "status"));
}

}  // namespace drover::sim
