#include "observe/resource_claims.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::observe {

ResourceClaims claims_of(const vendors::WorkProfile& profile) {
  return ResourceClaims([driver = profile.vendor.claim_driver](const kube::Object& claim) {
    const json::Array& devices = json::array_at(claim, {"status", "allocation", "devices", "results"});
    return std::any_of(devices.begin(), devices.end(), [&](const json::Value& device) {
      return json::text_at(device, {"driver"}) == driver && !json::flag_at(device, {"adminAccess"});
    });
  });
}

kube::Projection claim_projection() {
  return {"status.allocation.devices.results.driver", "status.allocation.devices.results.adminAccess"};
}

bool uses_device(const PodFacts& pod, const ResourceClaims* claims) {
  if (pod.uses_device) return true;
  return std::any_of(pod.claims.begin(), pod.claims.end(), [&](const base::InternedString& name) {
    const bool* is_ours = claims == nullptr ? nullptr : claims->find(fmt::format("{}/{}", pod.ns, name));
    return is_ours == nullptr || *is_ours;
  });
}

}  // namespace drover::observe
