// The pods of nodes that are being emptied: watched from the cordon to the swap, and not longer.
//
// There is no watch of all pods while few nodes are in flight; one watch for each such node costs nothing to the rest
// of the cluster. A node's pods count as known only when they were listed after it was asked for, which is after its
// cordon was seen.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"
#include "kube/cache.h"
#include "kube/reflector.h"
#include "observe/pod_facts.h"
#include "vendors/profile.h"

namespace drover::operate {

class NodePods {
 public:
  // `changed` is told the name of a node whose pods changed.
  NodePods(kube::Api& api, base::Loop& loop, base::Random random, const vendors::Profile& profile,
           std::function<void(const std::string& node)> changed);

  // From now on exactly these nodes.
  void want(const std::set<std::string>& nodes);

  // Nothing until they were listed.
  const kube::Cache<observe::PodFacts>* of(const std::string& node) const;
  std::size_t watches() const { return watched_.size(); }

 private:
  struct Watched {
    explicit Watched(kube::Cache<observe::PodFacts>::Make make) : pods(std::move(make)) {}
    kube::Cache<observe::PodFacts> pods;
    std::unique_ptr<kube::Reflector> reflector = {};
  };

  kube::Api& api_;
  base::Loop& loop_;
  base::Random random_;
  const vendors::Profile& profile_;
  std::function<void(const std::string& node)> changed_;
  std::map<std::string, std::unique_ptr<Watched>> watched_;
};

}  // namespace drover::operate
