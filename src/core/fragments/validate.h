// Another pod proves the new driver.
#pragma once

#include "core/conditions/queue.h"
#include "core/conditions/swap.h"
#include "core/rule.h"

namespace drover::core::fragments {

using enum Phase;
using enum Trait;

inline constexpr Rule kValidate[] = {
    move(Validate, new_driver_works, Uncordon, Reason::Validated, "the new driver works"),
    work(Validate, validator_is_stale, Action::ReplaceValidator, Reason::ValidatorOutdated,
         "the validator is older than the driver"),
    move(Validate, validation_ran_out_of_time, Failed, Reason::ValidationTimeout, "the new driver was not validated"),
    move(Validate, node_is_lost, Failed, Reason::NodeLost, "the node was lost"),
    wait(Validate, node_is_not_ready, Reason::NodeNotReady, "the node is not ready"),
    wait(Validate, otherwise, Reason::Validating, "the new driver is being validated"),
};

}  // namespace drover::core::fragments
