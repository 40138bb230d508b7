// What was done for each policy, counted from the results of its writes. Lost with the process, as counters are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "act/write.h"
#include "observe/policy_set.h"
#include "vendors/metric_family.h"

namespace drover::operate {

class Counters {
 public:
  void count(const act::WriteResult& result);
  vendors::PolicyCounters of(const observe::PolicyRef& policy) const {
    const auto at = counters_.find(policy);
    return at == counters_.end() ? vendors::PolicyCounters{} : at->second;
  }
  // Of all policies, those that are gone included.
  std::uint64_t forced_deletions() const { return forced_deletions_; }
  void forget(const observe::PolicyRef& policy) { counters_.erase(policy); }

 private:
  void count(const act::WriteResult& result, vendors::Operation operation);

  std::map<observe::PolicyRef, vendors::PolicyCounters> counters_;
  std::uint64_t forced_deletions_ = 0;
};

}  // namespace drover::operate
