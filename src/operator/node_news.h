// Asks for a node and our pods on it again, where a limit is over by what was heard before it ran out: a watch may
// stand still, and a server that does not answer was not there.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/loop.h"
#include "kube/api.h"
#include "kube/cache.h"
#include "observe/node_facts.h"
#include "observe/pod_facts.h"
#include "vendors/work_profile.h"

namespace drover::operate {

class NodeNews {
 public:
  NodeNews(kube::Api& api, base::Loop& loop, const vendors::WorkProfile& profile, std::string ns,
           kube::Cache<observe::NodeFacts>& nodes, kube::Cache<observe::PodFacts>& pods, std::function<void()> wake);

  // Once at a time for each node.
  void ask(const std::string& node);
  // By node: when it was asked for, of those that were answered.
  const std::map<std::string, base::Instant>& asked_at() const { return asked_at_; }

 private:
  void ask_for_pods(std::string node, base::Instant sent_at);
  void end(std::string node, std::optional<base::Fault> fault);

  kube::Api& api_;
  base::Loop& loop_;
  const vendors::WorkProfile& profile_;
  std::string ns_;
  kube::Cache<observe::NodeFacts>& nodes_;
  kube::Cache<observe::PodFacts>& pods_;
  std::function<void()> wake_;
  std::map<std::string, kube::Call> under_way_;
  std::map<std::string, base::Timer> again_;
  std::map<std::string, base::Instant> asked_at_;
};

}  // namespace drover::operate
