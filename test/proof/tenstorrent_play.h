// Tenstorrent's fleet with an operator that may die at any write, and somebody who looks at every commit and every
// module that comes or goes, and says which promise was broken. Reads API objects and machines only, nothing of the
// engine's own reading.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "door.h"
#include "operator/tenstorrent_stage.h"

namespace drover::proof {

class TenstorrentPlay : public operate::testing::TenstorrentStage {
 public:
  explicit TenstorrentPlay(int nodes, std::uint64_t seed = 1, Death death = {});
  ~TenstorrentPlay();

  // What people and fate do; the operator has this long to hear of it.
  base::Span slack = std::chrono::seconds(5);
  bool unloads_are_judged = true;  // false where somebody lets pods stay on purpose

  void rise();
  void fall();
  bool is_up() const { return replica_ != nullptr; }
  // Of the first operator that ran.
  const std::string& writes() const { return writes_; }

  void as_person(kube::Request request);
  void patch_as_person(const std::string& node, json::Value merge);

  const std::vector<std::string>& breaches() const { return breaches_; }
  void blame(std::string what);
  // Runs until the operator has been quiet for a while; false, with a breach, if it never is.
  bool comes_to_rest();
  // Nothing of ours is on any node, and every driver is the wanted one.
  void check_at_rest();
  // What must be the same however often the operator died.
  std::string ending();
  // The last that happened, for a test that failed.
  std::string chronicle() const;

 private:
  struct Marks {
    bool is_cordoned = false;
    std::string claim = {};  // id
    std::string phase = {};
    std::string cordon = {};
    std::string gate = {};
    bool has_outcome = false;
    bool is_done = false;
  };
  static Marks marks_of(const kube::Object& node);
  static bool is_in_flight(const Marks& marks);

  void heard(const sim::Commit& commit);
  void heard_node(const sim::Commit& commit, bool ours);
  void heard_pod(const sim::Commit& commit, bool ours);
  void heard_policy(const sim::Commit& commit);
  void judge_cordon(const std::string& name, const Marks& was, const Marks& now);
  void watch_machines();
  void module_changed(const std::string& node, const std::string& version, bool is_loaded);
  bool is_recent(base::Instant at) const { return world.loop.now() - at < slack; }
  static constexpr const char* kSomebody = "somebody";
  // The cordon, for sure.
  bool is_the_machines(const std::string& node) const {
    const auto by = cordoned_by_.find(node);
    return by == cordoned_by_.end() || (by->second != "person" && by->second != kSomebody);
  }
  void tell(std::string what);

  Death death_;
  bool has_died_ = false;
  struct Replica {
    std::unique_ptr<Door> door;
    std::unique_ptr<operate::Operator> drover;
  };
  std::unique_ptr<Replica> replica_;
  std::vector<std::unique_ptr<Replica>> old_;
  base::Timer revival_;
  std::string writes_;
  int subscription_ = 0;
  std::set<std::string> watched_;  // machines

  std::map<std::string, std::string> cordoned_by_;  // by node: who shut it
  std::map<std::string, int> evictions_;
  std::map<std::string, int> cordons_;
  std::map<std::string, std::deque<base::Instant>> removals_;  // of builders, by node, in the last minute
  std::map<std::string, std::string> gates_of_people_;
  // Nodes whose record a person removed in the middle: with it went what their gates had been, and that they were
  // taken.
  std::set<std::string> forgotten_;
  std::set<std::string> unwritten_;  // those of them that the operator has not written down again
  base::Instant paused_at_ = {};
  bool is_paused_ = false;
  bool is_drained_ = true;
  base::Instant policy_changed_at_ = {};
  std::int64_t at_once_ = 1;
  std::uint64_t operator_writes_ = 0;
  std::vector<std::string> breaches_;
  std::vector<std::string> chronicle_;
};

}  // namespace drover::proof
