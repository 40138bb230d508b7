// Authorization: the request's attributes, the user it acts as (impersonation), and the 403.
#pragma once

#include "sim/door/context.h"

namespace drover::sim::door {

rbac::Attributes attributes_of(const Wanted& wanted, const rbac::User& user);

// The caller, or the user that it may impersonate (Impersonate-User and related headers).
Answer<Caller> speaking_as(const DoorContext& context, const HttpRequest& request, const Wanted& wanted, Caller caller);

// Nothing, or a 403 word for word as kube-apiserver says it.
Answer<void> authorize(const DoorContext& context, const Wanted& wanted, const Caller& caller);

}  // namespace drover::sim::door
