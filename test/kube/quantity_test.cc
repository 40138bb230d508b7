#include "kube/quantity.h"

#include <gtest/gtest.h>

namespace drover::kube {
namespace {

TEST(Requests, AreTheContainersOrTheLargestInitContainer) {
  const Object pod = *json::parse(R"({"spec": {
    "initContainers": [{"resources": {"requests": {"cpu": "3", "memory": "1Gi"}}},
                       {"restartPolicy": "Always", "resources": {"requests": {"cpu": "100m"}}}],
    "containers": [{"resources": {"requests": {"cpu": "500m"}, "limits": {"nvidia.com/gpu": 2}}},
                   {"resources": {"requests": {"cpu": "1", "memory": "2Gi"}}}],
    "overhead": {"cpu": "10m"}}})");
  const auto requests = requests_of(pod);
  EXPECT_EQ(requests.at("cpu"), 3010);
  EXPECT_EQ(requests.at("memory"), std::int64_t{2} * 1024 * 1024 * 1024 * 1000);
  EXPECT_EQ(requests.at("nvidia.com/gpu"), 2000);
}

TEST(Quantities, AreReadInEveryNotationAndNonsenseIsNone) {
  EXPECT_EQ(milli_quantity("500m"), 500);
  EXPECT_EQ(milli_quantity("2"), 2000);
  EXPECT_EQ(milli_quantity("1.5"), 1500);
  EXPECT_EQ(milli_quantity("1Ki"), 1'024'000);
  EXPECT_EQ(milli_quantity("1k"), 1'000'000);
  EXPECT_EQ(milli_quantity("2e3"), 2'000'000);
  EXPECT_EQ(milli_quantity("100n"), 1);
  for (const char* text : {"", "m", "1x", "1.2.3", "--1", "1e99"})
    EXPECT_EQ(milli_quantity(text), std::nullopt) << text;
}

}  // namespace
}  // namespace drover::kube
