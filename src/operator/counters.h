// What was done for each policy, counted from the results of its writes. Lost with the process, as counters are.
#pragma once

#include <map>
#include <optional>

#include "act/write.h"
#include "observe/estate.h"
#include "vendors/figures.h"

namespace drover::operate {

class Counters {
 public:
  void count(const act::WriteResult& result);
  vendors::Deeds of(const observe::PolicyRef& policy) const {
    const auto at = deeds_.find(policy);
    return at == deeds_.end() ? vendors::Deeds{} : at->second;
  }
  void forget(const observe::PolicyRef& policy) { deeds_.erase(policy); }

 private:
  void count(const act::WriteResult& result, vendors::Deed deed);

  std::map<observe::PolicyRef, vendors::Deeds> deeds_;
};

}  // namespace drover::operate
