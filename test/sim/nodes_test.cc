#include "sim/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::sim {
namespace {

using ::testing::HasSubstr;

TEST(Fleet, IsReadPartByPart) {
  const auto fleet = parse_fleet("nvidia=50, tenstorrent=2,cpu=3");
  ASSERT_TRUE(fleet) << fleet.error().message;
  ASSERT_EQ(fleet->size(), 3u);
  EXPECT_EQ((*fleet)[0].count, 50);
  EXPECT_EQ((*fleet)[1].vendor, "tenstorrent");
  EXPECT_TRUE(parse_fleet("")->empty());
}

TEST(Fleet, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(parse_fleet("amd=3").error().message, HasSubstr("ascend, nvidia, rebellions, tenstorrent, cpu"));
  EXPECT_THAT(parse_fleet("nvidia").error().message, HasSubstr("how many"));
  EXPECT_THAT(parse_fleet("nvidia=many").error().message, HasSubstr("nvidia=50"));
  EXPECT_THAT(parse_fleet("nvidia=-1").error().message, HasSubstr("how many"));
  EXPECT_THAT(parse_fleet("cpu=1,cpu=2").error().message, HasSubstr("twice"));
  EXPECT_THAT(parse_fleet("nvidia=20000,cpu=1").error().message, HasSubstr("20000"));
  EXPECT_FALSE(parse_fleet("nvidia=1,,cpu=1"));
}

TEST(Node, CarriesTheLabelsThatFeatureDiscoveryGives) {
  const auto nodes = make_nodes(*parse_fleet("nvidia=2,ascend=1"));
  ASSERT_EQ(nodes.size(), 3u);
  const auto& node = nodes[1];
  EXPECT_EQ(kube::name_of(node), "nvidia-2");
  EXPECT_EQ(kube::label_of(node, kSimulatedLabel), "true");
  EXPECT_EQ(kube::label_of(node, "kubernetes.io/hostname"), "nvidia-2");
  EXPECT_EQ(kube::label_of(node, "feature.node.kubernetes.io/pci-10de.present"), "true");
  EXPECT_EQ(kube::label_of(node, "feature.node.kubernetes.io/kernel-version.full"), "6.8.0-90-generic");
  EXPECT_EQ(kube::label_of(node, "feature.node.kubernetes.io/kernel-version.minor"), "8");
  EXPECT_EQ(kube::label_of(node, "feature.node.kubernetes.io/system-os_release.ID"), "ubuntu");
  EXPECT_EQ(kube::label_of(node, "feature.node.kubernetes.io/system-os_release.VERSION_ID"), "22.04");
  EXPECT_EQ(kube::label_of(nodes[2], "workerselector"), "dls-worker-node");
}

TEST(Node, IsRecognisedByItsLabels) {
  for (const auto* kind : node_templates()) EXPECT_EQ(template_of(make_node(*kind, "x")).vendor, kind->vendor);
}

TEST(Node, HasTheVendorsResourceAndDevices) {
  const auto* kind = find_template("nvidia");
  EXPECT_EQ(capacity_of(*kind).at("nvidia.com/gpu"), "8");
  base::Random random(1);
  SimHost host(makeup_of(*kind), random);
  EXPECT_EQ(host.devices_of("nvidia").front(), "/dev/nvidia0");
  EXPECT_EQ(host.kernel_release(), kind->kernel);
  EXPECT_EQ(capacity_of(*find_template("cpu")).if_contains("nvidia.com/gpu"), nullptr);
}

}  // namespace
}  // namespace drover::sim
