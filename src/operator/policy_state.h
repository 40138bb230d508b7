// The nodes of one policy, and what was told of them last. A controller has one for each policy that counts, and one
// for the nodes without a policy.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "act/announcements.h"
#include "act/policy_status.h"
#include "base/time.h"
#include "observe/fleet.h"

namespace drover::operate {

struct PolicyState {
  explicit PolicyState(observe::Fleet its_fleet) : fleet(std::move(its_fleet)) {}

  observe::Fleet fleet;
  // Of the last pass.
  act::Summary summary = {};
  bool upgrades_are_on = false;
  std::optional<base::WallTime> looked_at = {};
  std::set<std::string> in_flight = {};  // nodes whose pods matter
  bool some_are_in_flight = false;       // by our doing
  bool is_waiting = false;               // a node is to be taken
  act::Announcements news = {};
  std::vector<act::ForcedDeletion> forced = {};  // the last few
  // Of the policy's status.
  bool status_is_due = true;
  base::Instant status_not_before = {};
};

}  // namespace drover::operate
