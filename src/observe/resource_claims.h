// Which ResourceClaims hold a vendor's devices: the other way, beside resource requests, for a pod to use one.
//
// A claim that cannot be read (it is gone, or the server refuses) is taken for one that does: a pod that is
// asked to go for nothing is better than one whose device is taken away under it.
#pragma once

#include "kube/cache.h"
#include "kube/object.h"
#include "kube/projection.h"
#include "observe/pod_facts.h"
#include "vendors/work_profile.h"

namespace drover::observe {

// By key of the claim: whether a device of the vendor is allocated to it. Looking at one with admin access is not using
// it.
using ResourceClaims = kube::Cache<bool>;

ResourceClaims claims_of(const vendors::WorkProfile& profile);
kube::Projection claim_projection();

// By requests, paths or claims; nullptr: no claim can be looked up.
bool uses_device(const PodFacts& pod, const ResourceClaims* claims);

}  // namespace drover::observe
