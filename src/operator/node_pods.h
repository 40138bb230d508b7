// The pods of nodes that are being emptied: watched from the cordon to the swap, and not longer.
//
// While few nodes are in flight each has a watch of its own, which costs nothing to the rest of the cluster. Beyond
// that one watch of all pods serves all further nodes, and keeps only what is on them. A node's pods count as known
// only when they were listed after it was asked for, which is after its cordon was seen.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"
#include "kube/cache.h"
#include "kube/reflector.h"
#include "observe/pod_facts.h"
#include "vendors/work_profile.h"

namespace drover::operate {

inline constexpr std::size_t kMostOwnWatches = 32;

class NodePods {
 public:
  using Pods = kube::Cache<observe::PodFacts>;

  // `changed` is told the name of a node whose pods changed.
  NodePods(kube::Api& api, base::Loop& loop, base::Random random, const vendors::WorkProfile& profile,
           std::function<void(const std::string& node)> changed);

  // From now on exactly these nodes.
  void want(const std::set<std::string>& nodes);

  // A watch may stand still: the node's pods are listed again, and are not known until then.
  void renew(const std::string& node);

  // By node; nothing of a node until its pods were listed.
  std::map<std::string, const Pods*> known() const;
  // By node: when its pods were last heard of, by an event, a bookmark or a list.
  std::map<std::string, base::Instant> heard_at() const;
  const Pods* of(const std::string& node) const;
  // Watches that are open now.
  std::size_t watches() const { return own_watches_ + (wide_ ? 1 : 0); }

 private:
  struct Watched {
    explicit Watched(Pods::Make make) : pods(std::move(make)) {}
    Pods pods;
    bool is_known = false;
    base::Instant listed_at = {};               // by itself
    std::unique_ptr<kube::Reflector> own = {};  // none: the wide watch serves it

    // Served by the wide watch: its pods are listed once by themselves, unless the wide list had them all.
    kube::Call listing = {};
    base::Timer again = {};
    bool is_listing = false;
    bool is_swept = false;            // the wide list that is under way began with it
    std::set<std::string> gone = {};  // keys that went while its own list was under way
  };

  void begin(const std::string& node);
  void watch_alone(const std::string& node, Watched& watched);
  void widen();
  void list(const std::string& node);
  kube::Listener wide_listener();
  // The node's entry, if the wide watch serves it.
  Watched* served(const std::string& node);

  kube::Api& api_;
  base::Loop& loop_;
  base::Random random_;
  const vendors::WorkProfile& profile_;
  std::function<void(const std::string& node)> changed_;
  std::map<std::string, std::unique_ptr<Watched>, std::less<>> watched_;
  std::size_t own_watches_ = 0;
  std::unique_ptr<kube::Reflector> wide_;
};

}  // namespace drover::operate
