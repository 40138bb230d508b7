// Which pods came back after others of their owner had been evicted from a node in flight. A pod's generation is 1 more
// than the highest of its owner that was evicted there; pods that were there together are of one generation.
//
// Kept from the cordon on, and lost with the process: the next one goes on from the count in the record.
#pragma once

#include <map>
#include <set>
#include <string>

#include "kube/cache.h"
#include "observe/pod_facts.h"

namespace drover::observe {

class PodGenerations {
 public:
  // The node's pods have changed; `returns`: as its record says.
  void see(const std::string& node, int returns, const kube::Cache<PodFacts>& pods);
  void evicted(const std::string& node, const std::string& pod_uid);
  // The other nodes are no longer in flight.
  void keep(const std::set<std::string>& nodes);

  int of(const std::string& node, const std::string& pod_uid) const;

 private:
  struct Pod {
    std::string owner;
    int generation = 1;
  };
  struct OnNode {
    int first = 1;                            // generation of pods whose owner has lost none yet
    std::map<std::string, Pod> pods = {};     // by uid, those that are gone as well
    std::map<std::string, int> evicted = {};  // by owner: the highest generation
  };
  std::map<std::string, OnNode> nodes_;
};

}  // namespace drover::observe
