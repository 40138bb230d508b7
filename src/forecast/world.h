// Pods in a forecast: which are on which node, which go, which are made again and where, and what the budgets make of
// it. The API server's, the scheduler's and the workload controllers' part, as far as it decides when a node is empty.
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
  // Input and clock must outlive this. `chance` names pods that do not exist yet.
  World(ForecastInput& input, Clock& clock, base::Random chance);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // As this policy sees them, by its index.
  std::vector<core::PodView> pods_on(const std::string& node, std::size_t policy) const;
  int device_pods_on(const std::string& node, std::size_t policy) const;
  bool is_replacement(const std::string& pod) const;

  // Asks for an eviction; false when it is too early to ask again or a budget refuses.
  bool evict(const std::string& pod);
  // Deletes, whatever its budgets say.
  void remove(const std::string& pod);
  // The budget that refused the pod's eviction the last time, or nullptr.
  const observe::Budget* held_by(const std::string& pod) const;
  // When a refused eviction is asked for again; nothing when no answer would be another than before.
  std::optional<base::Span> ask_again_at() const;

  // Places pods that wait for room, on nodes that are open for them.
  void place_waiting();
  // A node was cordoned or given back, or its labels changed (no value: the label goes).
  void change_node(const std::string& node, const std::map<std::string, std::optional<std::string>>& labels = {});
  // A preflight pod of ours is on the node for a while: it is not evicted, but counts for the load.
  void add_preflight(const std::string& node) { ++preflights_[node]; }
  void remove_preflight(const std::string& node) { --preflights_[node]; }

 private:
  struct Entry {
    PlacedPod pod;
    base::Span not_before = {};  // to be asked again
    base::Span asked_at = {};    // the last time
    int refusals = 0;
    bool found_no_room = false;
    std::optional<std::size_t> held_by = {};
  };

  void begin_deletion(const std::string& key);
  void end_deletion(const std::string& key);
  void replace_soon(const PlacedPod& pod);
  void replace(const PlacedPod& pod);
  void restore_daemon_pods(const std::string& node);
  bool is_open(const std::string& node) const;
  bool suits(const PlacedPod& daemon_pod, const std::string& node) const;
  void become_ready(const std::string& key);
  void retry_waiting_soon();
  bool place(Entry& entry);
  bool fits(const PlacedPod& pod, const std::string& node, const NodeCapacity& capacity) const;
  std::int64_t load_of(const std::string& node, const NodeCapacity& capacity) const;
  std::optional<std::size_t> budget_without_room(const PlacedPod& pod) const;
  void settle(const PlacedPod& pod);

  ForecastInput& input_;
  Clock& clock_;
  std::map<std::string, std::vector<const core::NodeView*>, std::less<>> views_;  // of the policies, by node
  std::map<std::string, Entry> pods_;                                             // by "ns/name"
  std::map<std::string, std::set<std::string>> on_;                               // keys, by node
  std::map<std::string, Amounts> used_;                                           // by node
  std::map<std::string, std::set<std::string>> images_;                           // there already, by node
  std::map<std::string, int> preflights_;                                         // by node
  std::map<std::string, std::vector<PlacedPod>> missing_;           // by owner: to be made again in a moment
  std::map<std::string, std::vector<PlacedPod>> daemon_pods_away_;  // by node
  std::vector<std::string> waiting_;                                // keys, in their order
  base::Random chance_;
  bool retry_is_set_ = false;
  bool retry_is_due_ = false;
};

}  // namespace drover::forecast
