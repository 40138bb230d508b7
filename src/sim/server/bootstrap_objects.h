// The objects that a new cluster has, besides its roles (sim/rbac) and namespaces.
#pragma once

#include <string>
#include <vector>

#include "kube/api.h"

namespace drover::sim {

// Requests that make it; `ca` is the authority's certificate (PEM), which pods find in a ConfigMap.
std::vector<kube::Request> bootstrap_objects(const std::string& ca);

}  // namespace drover::sim
