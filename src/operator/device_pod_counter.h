// How many pods use the devices of each node: counted now and then, by one list of all pods, so that the nodes that
// disturb least can go first. Not kept up to date: an order that was right ten minutes ago is good enough. The first
// count is waited for, but not for ever: without one the order is that of the names.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/loop.h"
#include "kube/api.h"
#include "observe/resource_claims.h"
#include "vendors/work_profile.h"

namespace drover::operate {

class DevicePodCounter {
 public:
  DevicePodCounter(kube::Api& api, base::Loop& loop, const vendors::WorkProfile& profile,
                   const observe::ResourceClaims& claims, std::function<void()> counted);

  // Counts unless it was done a short while ago or is being done; one that is never answered is given up then.
  void wanted();
  // By node; nothing before the first count.
  const std::map<std::string, int>* counts() const { return count_ ? &*count_ : nullptr; }
  // A first count has come, or failed, or took too long.
  bool is_over() const;
  // When a pass that waits for it should look again: the count is due again, or is given up.
  std::optional<base::Span> next_in() const;

 private:
  kube::Api& api_;
  base::Loop& loop_;
  const vendors::WorkProfile& profile_;
  const observe::ResourceClaims& claims_;
  std::function<void()> counted_;
  kube::Call call_ = {};
  bool has_ended_ = false;  // well or not
  std::optional<base::Instant> begun_at_ = {};
  std::map<std::string, int> counting_;
  std::optional<std::map<std::string, int>> count_;
};

}  // namespace drover::operate
