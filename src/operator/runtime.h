// Keeps the facts that only this process knows: from the pods it watches, the pods it has counted, and the answers to
// its writes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "act/write.h"
#include "act/writes_of.h"
#include "base/loop.h"
#include "kube/heard_api.h"
#include "observe/runtime_facts.h"
#include "operator/device_pod_counter.h"
#include "operator/node_pods.h"

namespace drover::operate {

// Which budget a refused eviction names, "ml/train".
std::string budget_in(std::string_view message, const std::string& ns);

// What was heard of the API server, and by whom.
struct Heard {
  kube::HeardTime time = {};
  base::Instant nodes_at = {};                             // when nodes were last heard of
  std::optional<base::WallTime> leader_before_until = {};  // observe/stopwatch.h
};

class Runtime {
 public:
  Runtime(const base::Loop& loop, NodePods& pods, const DevicePodCounter& device_pod_counter);

  // What is to be looked at again because of what came of the writes.
  struct News {
    std::set<std::string> nodes = {};
    bool all_nodes = false;
  };
  News absorb(const std::vector<act::WriteResult>& results);
  // Every pod in the way was asked, on these nodes.
  void absorb(std::vector<std::pair<std::string, observe::Attempt>> attempts);
  // The pods of a node in flight have changed; how often pods came back to it, by its record.
  void see_pods(const std::string& node, int returns);
  // Brings the facts up to now; `operands_at`: when pods of ours were last heard of.
  const observe::RuntimeFacts& look(const Heard& heard, base::Instant operands_at,
                                    const std::map<std::string, base::Instant>& asked_at);
  const observe::RuntimeFacts& facts() const { return facts_; }
  // From now on the pods of exactly these nodes.
  void want_pods(const std::set<std::string>& nodes);
  // Nodes in the queue: one that was refused is not tried again before its turn comes.
  void set_queued(std::set<std::string> nodes) { queued_ = std::move(nodes); }
  // When the next refusal is forgotten.
  std::optional<base::Span> next_in() const;

 private:
  void note_refusal(const act::WriteResult& result, News& news);
  void forget_refusals(News& news);

  const base::Loop& loop_;
  NodePods& pods_;
  const DevicePodCounter& device_pod_counter_;
  observe::RuntimeFacts facts_;
  std::set<std::string> watched_;
  std::set<std::string> queued_;
};

}  // namespace drover::operate
