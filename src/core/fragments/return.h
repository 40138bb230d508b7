// Back into service. Only a node that comes here from elsewhere can be caught without a driver.
#pragma once

#include "core/conditions/installed.h"
#include "core/rule.h"

namespace drover::core::fragments {

using enum Phase;
using enum Trait;

inline constexpr Rule kReturn[] = {
    move(Uncordon, driver_is_not_ready, Validate, Reason::DriverNotReady, "the driver is not ready").with(Validator),
    move(Uncordon, driver_is_not_ready, kSwap, Reason::DriverNotReady, "the driver is not ready").with(ResidentAgent),
    move(Uncordon, otherwise, Done, Reason::BackInService, "the node is back in service"),
};

}  // namespace drover::core::fragments
