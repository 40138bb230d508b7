// A vendor that is in no folder: its machines, its containers and our programs in them, handed in by value.
#include "sim/vendor.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "sim/agent_programs.h"
#include "sim/images.h"
#include "sim/nodes.h"

namespace drover::sim {
namespace {

using ::testing::HasSubstr;

base::Result<agent::MakeProgram> no_program(const agent::Environment&) {
  return base::fault(base::Fault::Kind::Refused, "there is none");
}

constexpr ImageRow kImages[] = {{"*acme-driver:*", "*", "load acme $VERSION; ready; wait forever"}};
constexpr ImageRow kAgentImages[] = {{"*acme-driver:*", "manager", "program acme-manager"}};
constexpr agent::ProgramRow kPrograms[] = {{.name = "acme-manager", .help = "", .read = no_program}};
constexpr SimVendor kAcme = {.node = {.vendor = "acme",
                                      .architecture = "amd64",
                                      .os_id = "debian",
                                      .os_version = "12",
                                      .os_image = "Debian GNU/Linux 12 (bookworm)",
                                      .kernel = "6.1.0-41-amd64",
                                      .pci_labels = "acme",
                                      .resource = "acme.com/card",
                                      .devices = 2,
                                      .module = "acme",
                                      .device_path = "/dev/acme{}",
                                      .more_labels = "acme.com/rack=7",
                                      .furnish = [](HostMakeup& makeup) { makeup.builds = "acme"; }},
                             .images = kImages,
                             .agent_images = kAgentImages,
                             .programs = kPrograms};
constexpr const SimVendor* kVendors[] = {&kAcme};

TEST(Vendor, HandedInByValueHasNodesOfItsKind) {
  const auto fleet = parse_fleet("acme=2,cpu=1", kVendors);
  ASSERT_TRUE(fleet) << fleet.error().message;
  const auto nodes = make_nodes(*fleet, kVendors);
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(kube::label_of(nodes[0], "acme.com/rack"), "7");
  EXPECT_EQ(&template_of(nodes[0], kVendors), &kAcme.node);
  EXPECT_EQ(template_of(nodes[2], kVendors).vendor, "cpu");
  EXPECT_EQ(capacity_of(kAcme.node).at("acme.com/card"), "2");
  EXPECT_EQ(makeup_of(kAcme.node).devices.size(), 2U);
  EXPECT_EQ(makeup_of(kAcme.node).builds, "acme");
}

TEST(Vendor, ThatIsNotInTheListIsRefusedAsAKindOfNode) {
  EXPECT_THAT(parse_fleet("nvidia=1", kVendors).error().message,
              HasSubstr("write for example acme=50,cpu=3; the kinds are acme, cpu"));
}

TEST(Vendor, HandedInByValueHasImagesAndPrograms) {
  ImageTable images = ImageTable::with_vendors(kVendors);
  const Invocation manager{.image = "x/acme-driver:3.1-debian12", .container = "manager"};
  EXPECT_EQ(images.script_for(manager)->steps.front().with, "3.1");
  ASSERT_TRUE(prefer_driver_manager(images, kVendors));
  EXPECT_EQ(images.script_for(manager)->program, "acme-manager");
  EXPECT_EQ(agent_programs(kVendors).size(), 1U);
  EXPECT_TRUE(agent_programs(kVendors).contains("acme-manager"));
}

}  // namespace
}  // namespace drover::sim
