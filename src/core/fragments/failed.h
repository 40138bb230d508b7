// Failed: left at a person's request (also while upgrades are off) or for another version; never by itself.
#pragma once

#include "core/conditions/agent.h"
#include "core/conditions/installed.h"
#include "core/rule.h"

namespace drover::core::fragments {

using enum Phase;
using enum Trait;

inline constexpr Rule kFailed[] = {
    move(Failed, a_new_pod_asks, Required, Reason::NewPodAsks, "its pod was recreated: another attempt")
        .with(ResidentAgent),
    move(Failed, another_version_is_wanted, Required, Reason::AnotherVersion, "another version is wanted"),
    wait(Failed, otherwise, Reason::ActionRequired, "manual action required"),
};

}  // namespace drover::core::fragments
