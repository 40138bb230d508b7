// What was done for each policy, counted as the answers come. Lost with the process, as counters are.
#pragma once

#include <map>
#include <optional>

#include "kube/api.h"
#include "observe/estate.h"
#include "vendors/figures.h"

namespace drover::operate {

class Tally {
 public:
  // Whoever was faster, and whatever has gone by itself, is no news.
  void count(const std::optional<observe::PolicyRef>& policy, vendors::Deed deed,
             const kube::Result<kube::Object>& answer) {
    if (!policy) return;
    using Kind = base::Fault::Kind;
    vendors::Tries& tries = deeds_[*policy][deed];
    if (answer) {
      ++tries.done;
    } else if (answer.error().kind == Kind::Blocked) {
      ++tries.held;
    } else if (answer.error().kind != Kind::Conflict && answer.error().kind != Kind::NotFound) {
      ++tries.failed;
    }
  }
  vendors::Deeds of(const observe::PolicyRef& policy) const {
    const auto at = deeds_.find(policy);
    return at == deeds_.end() ? vendors::Deeds{} : at->second;
  }
  void forget(const observe::PolicyRef& policy) { deeds_.erase(policy); }

 private:
  std::map<observe::PolicyRef, vendors::Deeds> deeds_;
};

}  // namespace drover::operate
