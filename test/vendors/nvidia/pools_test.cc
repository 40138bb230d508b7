#include "vendors/nvidia/pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::vendors {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kNfd = "feature.node.kubernetes.io/";

json::Members labels(std::string_view os_id, std::string_view os_version,
                     std::string_view kernel = "6.8.0-90-generic") {
  json::Members labels;
  labels[std::string(kNfd) + "system-os_release.ID"] = os_id;
  labels[std::string(kNfd) + "system-os_release.VERSION_ID"] = os_version;
  labels[std::string(kNfd) + "kernel-version.full"] = kernel;
  return labels;
}

DriverAsk driver(std::string version = "550.54.15") { return {.version = std::move(version)}; }

DriverAsk precompiled() { return {.version = "550", .is_precompiled = true}; }

PoolNode node(std::string name, std::string_view os_version, std::string_view kernel = "6.8.0-90-generic") {
  return {std::move(name), labels("ubuntu", os_version, kernel)};
}

DriverSet ours(std::string name, std::string pool) {
  json::Members match = {{"app", kDriverDaemonSet}, {kDriverSetLabel, name}};
  return {.name = std::move(name), .pool = std::move(pool), .match_labels = std::move(match)};
}

// "ubuntu22.04 by nvidia-driver-daemonset"
std::vector<std::string> who_carries(const Placement& placement) {
  std::vector<std::string> lines;
  for (const auto& carrier : placement.carriers) lines.push_back(carrier.pool.word() + " by " + carrier.name);
  return lines;
}

struct ImageRow {
  DriverAsk driver;
  Pool pool;
  std::string image;
};

TEST(DriverImage, NamesVersionAndSystem) {
  const std::string digest = "sha256:" + std::string(64, '0');
  const Pool ubuntu = {"ubuntu", "22.04", ""};
  const ImageRow rows[] = {
      {driver(), ubuntu, "nvcr.io/nvidia/driver:550.54.15-ubuntu22.04"},
      {driver(), {"rhel", "9.4", ""}, "nvcr.io/nvidia/driver:550.54.15-rhel9.4"},
      {precompiled(),
       {"ubuntu", "22.04", "6.8.0-90-generic"},
       "nvcr.io/nvidia/driver:550-6.8.0-90-generic-ubuntu22.04"},
      {driver(digest), {}, "nvcr.io/nvidia/driver@" + digest},
      {{.image = "a/b:1-x"}, {}, "a/b:1-x"},
      {driver(std::string(64, '5')), {std::string(40, 'u'), std::string(40, '2'), ""}, ""},
  };
  for (const ImageRow& row : rows) EXPECT_EQ(image_for(row.driver, row.pool), row.image);
}

TEST(Pool, IsKnownOnlyWhenTheNodeSaysEnough) {
  EXPECT_EQ(pool_of(driver(), labels("ubuntu", "22.04")), (Pool{"ubuntu", "22.04", ""}));
  EXPECT_EQ(pool_of(precompiled(), labels("ubuntu", "22.04")), (Pool{"ubuntu", "22.04", "6.8.0-90-generic"}));
  EXPECT_EQ(pool_of(driver(), {}), std::nullopt);
  EXPECT_EQ(pool_of(driver(), labels("ubuntu", "")), std::nullopt);
  EXPECT_EQ(pool_of(driver(), labels("ubuntu;x", "22.04")), std::nullopt);
  EXPECT_EQ(pool_of(precompiled(), labels("ubuntu", "22.04", "6.8/..")), std::nullopt);
  EXPECT_EQ(pool_of(driver("sha256:" + std::string(64, '0')), {}), Pool{});
}

TEST(Place, OnePoolHasThePlainName) {
  const Placement placement = place(driver(), {node("a", "22.04"), node("b", "22.04")}, {});
  EXPECT_THAT(who_carries(placement), ElementsAre("ubuntu22.04 by nvidia-driver-daemonset"));
  EXPECT_FALSE(placement.names_systems());
  EXPECT_EQ(placement.carriers[0].nodes, 2);
}

TEST(Place, ANewPoolDoesNotRenameTheFirstOnesDaemonSet) {
  const std::vector<DriverSet> existing = {ours("nvidia-driver-daemonset", "ubuntu24.04")};
  const Placement placement = place(driver(), {node("a", "24.04"), node("b", "22.04")}, existing);
  EXPECT_THAT(who_carries(placement), ElementsAre("ubuntu22.04 by nvidia-driver-daemonset-ubuntu22.04",
                                                  "ubuntu24.04 by nvidia-driver-daemonset"));
  EXPECT_TRUE(placement.names_systems());
  EXPECT_THAT(placement.leftovers, IsEmpty());
}

TEST(Place, SeveralAtOnceShareOutTheNames) {
  const std::vector<PoolNode> nodes = {node("a", "20.04"), node("b", "22.04"), node("c", "24.04")};
  const Placement first = place(driver(), nodes, {});
  EXPECT_THAT(who_carries(first), ElementsAre("ubuntu20.04 by nvidia-driver-daemonset",
                                              "ubuntu22.04 by nvidia-driver-daemonset-ubuntu22.04",
                                              "ubuntu24.04 by nvidia-driver-daemonset-ubuntu24.04"));
  std::vector<DriverSet> existing;
  for (const auto& carrier : first.carriers) existing.push_back(ours(carrier.name, carrier.pool.word()));
  EXPECT_EQ(who_carries(place(driver(), nodes, existing)), who_carries(first)) << "a second look changes nothing";
}

TEST(Place, ADaemonSetKeepsItsNameWhenTheOthersHaveGone) {
  const std::vector<DriverSet> existing = {ours("nvidia-driver-daemonset", "ubuntu20.04"),
                                           ours("nvidia-driver-daemonset-ubuntu22.04", "ubuntu22.04")};
  const Placement placement = place(driver(), {node("b", "22.04")}, existing);
  EXPECT_THAT(who_carries(placement), ElementsAre("ubuntu22.04 by nvidia-driver-daemonset-ubuntu22.04"));
  EXPECT_THAT(placement.leftovers, ElementsAre("nvidia-driver-daemonset"));
  EXPECT_FALSE(placement.names_systems());
}

TEST(Place, ALabelThatIsGoneForAMomentCostsNoDaemonSet) {
  const std::vector<DriverSet> existing = {ours("nvidia-driver-daemonset", "ubuntu22.04")};
  const Placement placement = place(driver(), {{"a", {}}, {"b", {}}}, existing);
  EXPECT_THAT(placement.carriers, IsEmpty());
  EXPECT_THAT(placement.leftovers, IsEmpty());
  EXPECT_THAT(placement.unplaced, ElementsAre("a", "b"));
}

TEST(Place, TheVendorsOwnDaemonSetIsTakenOverWithItsSelector) {
  const DriverSet theirs = driver_set_of(json::parse(R"({"metadata": {"name": "nvidia-driver-daemonset",
      "ownerReferences": [{"kind": "ClusterPolicy", "name": "cluster-policy"}]},
      "spec": {"selector": {"matchLabels": {"app": "nvidia-driver-daemonset"}}}})")
                                             .value());
  EXPECT_TRUE(theirs.has_owner);
  const Placement placement = place(driver(), {node("a", "20.04"), node("b", "22.04"), node("c", "22.04")}, {theirs});
  EXPECT_THAT(who_carries(placement), ElementsAre("ubuntu20.04 by nvidia-driver-daemonset-ubuntu20.04",
                                                  "ubuntu22.04 by nvidia-driver-daemonset"));
  EXPECT_EQ(placement.carriers[1].match_labels, theirs.match_labels);
}

TEST(Place, WhatWeDidNotMakeIsNoLeftover) {
  const DriverSet other = {.name = "nvidia-driver-daemonset-5.15.0-69-generic-ubuntu22.04"};
  EXPECT_THAT(place(driver(), {node("a", "22.04"), node("b", "24.04")}, {other}).leftovers, IsEmpty());
}

TEST(Place, OneForOneIsChangedInPlaceWhateverItsWordWas) {
  const std::vector<DriverSet> existing = {ours("nvidia-driver-daemonset", "ubuntu22.04")};
  const Placement by_kernel = place(precompiled(), {node("a", "22.04")}, existing);
  EXPECT_THAT(who_carries(by_kernel), ElementsAre("ubuntu22.04-6.8.0-90-generic by nvidia-driver-daemonset"));
  EXPECT_THAT(by_kernel.leftovers, IsEmpty());
  const Placement pinned = place(driver("sha256:" + std::string(64, '0')), {node("a", "22.04")}, existing);
  EXPECT_THAT(who_carries(pinned), ElementsAre("any by nvidia-driver-daemonset"));
}

TEST(Place, PoolsByKernelTakeOverFromOneBySystemAndLeaveItsPodsAlone) {
  const std::vector<DriverSet> existing = {ours("nvidia-driver-daemonset", "ubuntu22.04")};
  const Placement placement =
      place(precompiled(), {node("a", "22.04", "6.8.0-90"), node("b", "22.04", "6.8.0-91")}, existing);
  EXPECT_THAT(who_carries(placement),
              ElementsAre("ubuntu22.04-6.8.0-90 by nvidia-driver-daemonset-ubuntu22.04-6.8.0-90",
                          "ubuntu22.04-6.8.0-91 by nvidia-driver-daemonset-ubuntu22.04-6.8.0-91"));
  EXPECT_THAT(placement.leftovers, ElementsAre("nvidia-driver-daemonset"));
}

TEST(Place, ALongOrOddKernelStillMakesAName) {
  const std::vector<DriverSet> existing = {ours("nvidia-driver-daemonset", "other")};
  const Placement placement = place(precompiled(),
                                    {node("a", "22.04", "5.14.0-427.13.1.el9_4.x86_64"),
                                     node("b", "22.04", "5.14.0-427.13.1.el9-4.x86_64"), node("c", "22.04", "6")},
                                    existing);
  ASSERT_EQ(placement.carriers.size(), 3U);
  EXPECT_NE(placement.carriers[0].name, placement.carriers[1].name);
  for (const auto& carrier : placement.carriers) {
    EXPECT_LE(carrier.name.size(), 63U);
    EXPECT_EQ(carrier.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-"), std::string::npos);
  }
}

TEST(Place, WithoutNodesEverythingOfOursIsLeftOver) {
  EXPECT_THAT(place(driver(), {}, {ours("nvidia-driver-daemonset", "ubuntu22.04")}).leftovers,
              ElementsAre("nvidia-driver-daemonset"));
}

}  // namespace
}  // namespace drover::vendors
