// Where pods are in a forecast: who is on which node, who goes, who is made again and where, and what the budgets make
// of it. The API server's, the scheduler's and the workload controllers' part of the world, as far as it decides when a
// node is empty.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "forecast/clock.h"
#include "forecast/input.h"

namespace drover::forecast {

class World {
 public:
  // Clock and ground must outlive this. `chance` names those that do not exist yet.
  World(ForecastInput& input, Clock& clock, base::Random chance);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // As the policy of this plot sees them.
  std::vector<core::PodView> pods_on(const std::string& node, std::size_t policy_fleet) const;
  int device_pods_on(const std::string& node) const;
  bool is_replacement(const std::string& pod) const;

  // Asks for an eviction; false when it is not asked now or a budget says no.
  bool evict(const std::string& pod);
  // Deletes, whatever its budgets say.
  void remove(const std::string& pod);
  // The budget that would not let the pod go the last time, or nullptr.
  const observe::Budget* held_by(const std::string& pod) const;
  // When somebody who was refused is asked again; nothing when no one would answer otherwise than before.
  std::optional<base::Span> ask_again_at() const;

  // Pods that wait for room find it, on nodes that are open for them.
  void place_waiting();
  // A node was opened, or a pod has gone.
  void room_was_made();
  // A pod of ours that proves an image stands on the node for a while: it goes nowhere else, but counts for the load.
  void guest_came(const std::string& node) { ++guests_[node]; }
  void guest_left(const std::string& node) { --guests_[node]; }

 private:
  struct Stay {
    PlacedPod who;
    base::Span not_before = {};  // to be asked again
    base::Span asked_at = {};    // the last time
    int refusals = 0;
    bool found_no_room = false;
    std::optional<std::size_t> held_by = {};
  };

  void go(const std::string& key);
  void gone(const std::string& key);
  void miss(const PlacedPod& gone);
  void make_again(const PlacedPod& gone);
  void become_ready(const std::string& key);
  bool place(Stay& stay);
  bool fits(const PlacedPod& pod, const std::string& node, const NodeCapacity& capacity) const;
  std::int64_t load_of(const std::string& node, const NodeCapacity& capacity) const;
  std::optional<std::size_t> budget_without_room(const PlacedPod& pod) const;
  void settle(const PlacedPod& pod);

  ForecastInput& input_;
  Clock& clock_;
  std::map<std::string, Stay> stays_;                      // by "ns/name"
  std::map<std::string, std::set<std::string>> on_;        // keys, by node
  std::map<std::string, Amounts> used_;                    // by node
  std::map<std::string, std::set<std::string>> images_;    // there already, by node
  std::map<std::string, int> guests_;                      // by node
  std::map<std::string, std::vector<PlacedPod>> missing_;  // by owner: to be made again in a moment
  std::vector<std::string> waiting_;                       // keys, in their order
  base::Random chance_;
  bool retry_is_set_ = false;
  bool retry_is_due_ = false;
};

}  // namespace drover::forecast
