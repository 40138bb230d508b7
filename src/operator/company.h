// What only a running operator knows of its nodes: the pods on those in flight, which budget held whom, how long a
// phase has taken, and whether this process has tried its work at all. Lost with the process, and nothing depends on it
// but waiting times.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/loop.h"
#include "core/view.h"
#include "observe/claims.h"
#include "observe/fleet.h"
#include "observe/stopwatch.h"
#include "operator/census.h"
#include "operator/node_pods.h"
#include "protocol/record.h"

namespace drover::operate {

// Which budget a refused eviction names, "ml/train".
std::string budget_in(std::string_view message, const std::string& ns);

class Company {
 public:
  Company(const base::Loop& loop, const NodePods& pods, const Census& census, const observe::Claims& claims,
          const vendors::Profile& profile, std::string our_namespace);

  // Time counts only while we can act at all.
  void set_reach(bool api_is_there) { api_is_there_ = api_is_there; }

  // `reading` is what the node's policy wants; nullptr: nobody wants anything of it.
  observe::Beside beside(const observe::NodeFacts& facts, const observe::Standing& standing,
                         const vendors::PolicyReading* reading);

  // A budget refused, or no longer refuses, the eviction of a pod.
  void held(const std::string& pod_uid, const std::string& budget);
  // This process has asked every pod on the node once, in this phase of this claim.
  void tried(const std::string& node, const core::Claim& claim);
  // This process has taken the node, and (later) a pod goes because of it.
  void took(const std::string& node, const std::string& claim) { untouched_[node] = claim; }
  void touched(const std::string& node) { untouched_.erase(node); }
  // Its driver's pod was deleted by this process.
  void deleted_driver(const std::string& node, const std::string& pod_uid) { deleted_drivers_[node] = pod_uid; }
  // The pod that would prove the image was refused, or (empty) was made.
  void proof_refused(const std::string& node, const std::string& why);
  // Nodes that are to be looked at again because of it.
  std::set<std::string> take_news() { return std::exchange(news_, {}); }
  // How many pods use its devices, as counted last; 0 where nobody knows.
  int device_pods(const std::string& node) const { return census_.on(node).value_or(0); }
  // What a record written now should say about time that did not count.
  base::Span excluded(const std::string& node, const protocol::Held& held) const;

 private:
  void forget(const std::string& node);

  struct Known {
    std::string claim = {};
    core::Phase tried_in = core::Phase::Idle;
    std::vector<core::PodView> pods = {};
  };

  const base::Loop& loop_;
  const NodePods& pods_;
  const Census& census_;
  const observe::Claims& claims_;
  const vendors::Profile& profile_;
  std::string our_namespace_;
  bool api_is_there_ = true;
  observe::Stopwatch stopwatch_;
  std::map<std::string, Known> known_;                  // by node
  std::map<std::string, std::string> held_by_;          // by pod's uid
  std::map<std::string, std::string> refused_;          // by node
  std::map<std::string, std::string> untouched_;        // claims, by node
  std::map<std::string, std::string> deleted_drivers_;  // the last pod's uid, by node
  std::set<std::string> news_;
};

}  // namespace drover::operate
