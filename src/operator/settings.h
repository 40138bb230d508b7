// How an operator is told to work: what the command line says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/policy.h"
#include "kube/leader.h"
#include "vendors/desired.h"
#include "vendors/work_profile.h"

namespace drover::operate {

// One vendor that is served, and how its operands are started.
struct Served {
  const vendors::WorkProfile* profile;
  vendors::OperandSettings operands;
};

struct Settings {
  std::vector<Served> vendors;
  std::optional<core::Share> max_unavailable = {};  // over all policies (core/limit.h)
  std::optional<kube::LeaseTerms> lease = {};       // none: the only one, for tests and demos
  std::string instance = "drover";                  // shown as the source of Events
};

}  // namespace drover::operate
