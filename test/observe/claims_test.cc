// Who holds a device by a ResourceClaim.
#include "observe/resource_claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "observe/objects.h"
#include "vendors/nvidia/module.h"

namespace drover::observe::testing {
namespace {

struct ClaimRow {
  const char* name;
  const char* results;  // of the allocation; nullptr: there is no such claim
  bool uses_device;
};

class ClaimTest : public ::testing::TestWithParam<ClaimRow> {};

TEST_P(ClaimTest, TellsWhetherItsPodUsesADevice) {
  ResourceClaims claims = claims_of(vendors::nvidia_driver());
  if (GetParam().results != nullptr) {
    claims.put(parsed(fmt::format(R"({{"metadata": {{"name": "gpus", "namespace": "ml"}},
                                       "status": {{"allocation": {{"devices": {{"results": {}}}}}}}}})",
                                  GetParam().results)));
  }
  kube::Object pod = pod_object("train");
  json::ensure(pod, {"metadata", "namespace"}) = "ml";
  json::ensure(pod, {"spec", "resourceClaims"}) = parsed(R"([{"name": "gpu", "resourceClaimName": "gpus"}])");
  EXPECT_EQ(uses_device(pod_facts(pod, vendors::nvidia_driver()), &claims), GetParam().uses_device);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ClaimTest,
    ::testing::Values(ClaimRow{"OfTheVendor", R"([{"driver": "gpu.nvidia.com"}])", true},
                      ClaimRow{"AmongOthers", R"([{"driver": "nic.example"}, {"driver": "gpu.nvidia.com"}])", true},
                      ClaimRow{"AdminAccess", R"([{"driver": "gpu.nvidia.com", "adminAccess": true}])", false},
                      ClaimRow{"AnotherDriver", R"([{"driver": "gpu.amd.com"}])", false},
                      ClaimRow{"Unallocated", "[]", false}, ClaimRow{"CannotBeLookedUp", nullptr, true}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(ResourceClaims, OfATemplateAreNamedInThePodsStatus) {
  ResourceClaims claims = claims_of(vendors::nvidia_driver());
  claims.put(parsed(R"({"metadata": {"name": "train-gpu-x7k2p", "namespace": "ml"},
                        "status": {"allocation": {"devices": {"results": [{"driver": "gpu.nvidia.com"}]}}}})"));
  kube::Object pod = pod_object("train");
  json::ensure(pod, {"metadata", "namespace"}) = "ml";
  json::ensure(pod, {"spec", "resourceClaims"}) = parsed(R"([{"name": "gpu", "resourceClaimTemplateName": "t"}])");
  EXPECT_FALSE(uses_device(pod_facts(pod, vendors::nvidia_driver()), &claims)) << "nothing was made of it yet";
  json::ensure(pod, {"status", "resourceClaimStatuses"}) =
      parsed(R"([{"name": "gpu", "resourceClaimName": "train-gpu-x7k2p"}])");
  EXPECT_TRUE(uses_device(pod_facts(pod, vendors::nvidia_driver()), &claims));
  EXPECT_TRUE(uses_device(pod_facts(pod, vendors::nvidia_driver()), nullptr)) << "it cannot be looked up";
}

TEST(ResourceClaims, AreNothingToAPodWithoutAny) {
  const ResourceClaims claims = claims_of(vendors::nvidia_driver());
  EXPECT_FALSE(uses_device(pod_facts(pod_object("web"), vendors::nvidia_driver()), &claims));
}

}  // namespace
}  // namespace drover::observe::testing
