// Policies that are there and that `drover plan` does not plan: of other vendors than the one whose rollout it
// foresees.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/list_batch.h"
#include "vendors/work_profile.h"

namespace drover::cli {

// "AcmePolicy default", of every vendor but this one, by name.
class OtherPolicies {
 public:
  OtherPolicies(kube::Api& api, const vendors::WorkProfile& planned, vendors::WorkProfiles profiles)
      : lists_(api), planned_(planned), profiles_(profiles) {}

  // `done` is called once, with the first thing that went wrong. A kind that the server does not know has none.
  void begin(std::function<void(base::Result<void>)> done);
  const std::vector<std::string>& names() const { return names_; }

 private:
  ListBatch lists_;
  const vendors::WorkProfile& planned_;
  vendors::WorkProfiles profiles_;
  std::vector<std::string> names_;
};

// What a plan says of them.
std::string not_planned(const std::string& policy, const vendors::WorkProfile& planned);

// "ClusterPolicy or AcmeDriver".
std::string kinds_of(const vendors::WorkProfile& profile);

}  // namespace drover::cli
