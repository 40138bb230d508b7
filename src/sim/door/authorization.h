// Is the request allowed: what it asks for in RBAC's words, who really asks, and the 403.
#pragma once

#include "sim/door/context.h"

namespace drover::sim::door {

rbac::Attributes attributes_of(const Wanted& wanted, const rbac::User& user);

// The caller, or whoever he may speak as (Impersonate-User and its companions).
Answer<Caller> speaking_as(const DoorContext& ground, const HttpRequest& request, const Wanted& wanted, Caller caller);

// Nothing, or a 403 word for word as kube-apiserver says it.
Answer<void> authorize(const DoorContext& ground, const Wanted& wanted, const Caller& caller);

}  // namespace drover::sim::door
