// `drover migrate` against a simulated cluster: the builder's pods run the real loader, the pods that it makes run the
// real vacate and hand-back; the test gives the loader its permission as the operator would.
#include "vendors/tenstorrent/cli/migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/yaml.h"
#include "observe/ranges.h"
#include "protocol/order.h"
#include "protocol/report.h"
#include "sim/kubelet.h"
#include "sim/nodes.h"
#include "sim/world.h"
#include "sim_cli/crds.h"
#include "vendors/tenstorrent/driver_operands.h"
#include "vendors/tenstorrent/module.h"
#include "vendors/tenstorrent/words.h"

namespace drover::cli {
namespace {

using namespace std::chrono_literals;
using json::Members;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kNs = "tt-k8s-driver-manager-system";
constexpr const char* kNode = "tenstorrent-1";

class Yard {
 public:
  Yard() {
    kubelets.start();
    for (const std::string_view text : sim_cli::embedded_crds()) {
      auto definitions = kube::parse_manifests(text);
      for (kube::Object& definition : *definitions) {
        ask(kube::create(kube::kCustomResourceDefinitions, "", std::move(definition)));
      }
    }
    world.run_for(5s);
    ask(kube::create(kube::kNamespaces, "", Members{{"metadata", Members{{"name", kNs}}}}));
    ask(kube::create(kube::kNamespaces, "", Members{{"metadata", Members{{"name", "ml"}}}}));
    for (kube::Object& node : sim::make_nodes(*sim::parse_fleet("tenstorrent=2"))) {
      ask(kube::create(kube::kNodes, "", std::move(node)));
    }
    world.run_for(5s);
    for (const char* node : {kNode, "tenstorrent-2"}) install_dkms(node);
    const kube::Object policy =
        ask(kube::create(observe::policy_kind_of(vendors::tenstorrent_driver()), "",
                         Members{{"apiVersion", "driver.tenstorrent.com/v1alpha1"},
                                 {"kind", "TenstorrentDriverPolicy"},
                                 {"metadata", Members{{"name", "default"}}},
                                 {"spec", Members{{"version", "2.8.0"}, {"nodeAffinity", Members{}}}}}));
    ask(kube::create(
        kube::kDaemonSets, kNs,
        vendors::render_builder(vendors::read_driver_policy(policy), {.ns = kNs, .own_image = "drover:1"})));
    EXPECT_TRUE(world.run_until([this] { return label(vendors::kInstallModeLabel) == "host"; }, 5min));
  }

  void install_dkms(const std::string& node) {
    sim::SimHost& host = *kubelets.host(node);
    EXPECT_TRUE(host.write("/var/lib/dkms/tenstorrent/2.6.0/source", "x"));
    EXPECT_TRUE(host.write("/usr/src/tenstorrent-2.6.0/dkms.conf", "x"));
    EXPECT_TRUE(host.insert("tenstorrent", "2.6.0"));
  }
  kube::Object ask(kube::Request request) {
    std::optional<kube::Result<kube::Object>> outcome;
    const std::string what = kube::sentence(request);
    const auto call = person.call(std::move(request), [&](auto answer) { outcome = std::move(answer); });
    world.run_until([&] { return outcome.has_value(); }, 1min);
    EXPECT_TRUE(outcome && *outcome) << what << ": " << (outcome && !*outcome ? outcome->error().message : "");
    return outcome && *outcome ? std::move(**outcome) : kube::Object();
  }
  void add_device_user(const std::string& name) {
    const json::Value spec =
        Members{{"nodeSelector", Members{{"kubernetes.io/hostname", kNode}}},
                {"containers", json::Array{Members{{"name", "c"}, {"image", "busybox"}}}},
                {"volumes", json::Array{Members{{"name", "d"}, {"hostPath", Members{{"path", "/dev/tenstorrent"}}}}}}};
    const json::Value labels = Members{{"app", name}};
    ask(kube::create(
        kube::kDeployments, "ml",
        Members{{"metadata", Members{{"name", name}}},
                {"spec", Members{{"selector", Members{{"matchLabels", labels}}},
                                 {"template", Members{{"metadata", Members{{"labels", labels}}}, {"spec", spec}}}}}}));
    world.run_for(30s);
  }
  std::string_view label(std::string_view key) { return kube::label_of(*world.store().find("nodes", kNode), key); }
  bool is_cordoned() { return json::flag_at(*world.store().find("nodes", kNode), {"spec", "unschedulable"}); }
  bool is_marked() { return !kube::annotation_of(*world.store().find("nodes", kNode), kMigrationAnnotation).empty(); }

  // The operator's one part here: every loader that asks may load.
  void permit() {
    const auto report = protocol::parse_report(
        kube::annotation_of(*world.store().find("nodes", kNode), vendors::kTenstorrentDriverChannel.report));
    if (!report || report->wants != protocol::AgentRequest::Load || report->id == permitted) return;
    permitted = report->id;
    const protocol::Order order{.id = report->id, .target = vendors::kmd_digest("2.8.0"), .may_load = true};
    json::Value body;
    json::ensure(body, {"metadata", "annotations", vendors::kTenstorrentDriverChannel.order}) =
        protocol::text_of(order);
    ask(kube::patch(kube::kNodes, "", kNode, kube::PatchKind::Merge, std::move(body)));
  }

  base::Result<void> migrate(MigrationTerms terms, base::Span at_most = 30min, bool is_dry_run = false) {
    std::optional<base::Result<void>> outcome;
    Migration migration(world.api("drover-migrate"), world.loop, vendors::tenstorrent_driver(),
                        {.terms = terms, .is_dry_run = is_dry_run, .ns = kNs}, {kNode},
                        [this](const std::string&, std::string_view line) { lines.emplace_back(line); });
    migration.begin([&](base::Result<void> result) { outcome = std::move(result); });
    const base::Instant end = world.loop.now() + at_most;
    while (!outcome && world.loop.now() < end) {
      world.run_for(1s);
      permit();
    }
    return outcome ? *outcome : base::fault(base::Fault::Kind::Unknown, "it was interrupted");
  }

  sim::World world{1};
  kube::Api& person = world.api("person");
  sim::Kubelets kubelets{world.api("kubelets"), world.loop, world.cluster.random("kubelets"),
                         sim::KubeletPlan{.events = false}};
  std::vector<std::string> lines;
  std::string permitted;
};

TEST(Migrate, TakesANodeOverFromDkms) {
  Yard yard;
  yard.add_device_user("train");
  const auto outcome = yard.migrate({});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(yard.kubelets.host(kNode)->loaded_version("tenstorrent"), "2.8.0");
  EXPECT_EQ(yard.label(vendors::kInstallModeLabel), "container");
  EXPECT_FALSE(yard.is_cordoned());
  EXPECT_FALSE(yard.is_marked());
  EXPECT_THAT(yard.lines, Contains(HasSubstr("evicting ml/train-")));
  EXPECT_EQ(yard.lines.back(), "the operator's driver 2.8.0 is loaded");
  EXPECT_EQ(yard.kubelets.host("tenstorrent-2")->loaded_version("tenstorrent"), "2.6.0") << "it was not requested";
}

TEST(Migrate, ADryRunChangesNothing) {
  Yard yard;
  yard.add_device_user("train");
  const std::string before(kube::version_of(*yard.world.store().find("nodes", kNode)));
  ASSERT_TRUE(yard.migrate({}, 1min, true));
  EXPECT_FALSE(yard.is_cordoned());
  EXPECT_EQ(yard.kubelets.host(kNode)->loaded_version("tenstorrent"), "2.6.0");
  EXPECT_THAT(yard.lines, Contains(HasSubstr("would evict ml/train-")));
}

TEST(Migrate, InterruptedAnywhereASecondRunGoesOn) {
  for (int seconds = 1; seconds < 60; seconds += 3) {
    Yard yard;
    yard.add_device_user("train");
    static_cast<void>(yard.migrate({}, std::chrono::seconds(seconds)));
    const auto outcome = yard.migrate({});
    ASSERT_TRUE(outcome) << "interrupted after " << seconds << " s: " << outcome.error().message;
    EXPECT_EQ(yard.kubelets.host(kNode)->loaded_version("tenstorrent"), "2.8.0");
    EXPECT_FALSE(yard.is_cordoned()) << "interrupted after " << seconds << " s";
    EXPECT_FALSE(yard.is_marked());
  }
}

TEST(Migrate, ANodeThatWasCordonedStaysCordoned) {
  Yard yard;
  yard.ask(kube::patch(kube::kNodes, "", kNode, kube::PatchKind::Merge,
                       Members{{"spec", Members{{"unschedulable", true}}}}));
  ASSERT_TRUE(yard.migrate({}));
  EXPECT_TRUE(yard.is_cordoned());
  EXPECT_FALSE(yard.is_marked());
}

TEST(Migrate, SaysWhoHoldsTheDeviceAndGoesOnWhenHeIsGone) {
  Yard yard;
  sim::SimHost& host = *yard.kubelets.host(kNode);
  const auto holder = host.open(host.devices_of("tenstorrent").front(), "", "tt-telemetry");
  ASSERT_TRUE(holder);
  const auto refused = yard.migrate({});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("tt-telemetry"));
  EXPECT_EQ(host.loaded_version("tenstorrent"), "2.6.0");
  EXPECT_TRUE(yard.is_cordoned());
  host.close(*holder);
  const auto outcome = yard.migrate({});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(yard.is_cordoned());
}

TEST(Migrate, BackToTheHost) {
  Yard yard;
  ASSERT_TRUE(yard.migrate({}));
  const MigrationTerms back{.direction = Direction::ToHost};
  ASSERT_FALSE(yard.migrate(back, 5min)) << "the package is not installed";
  EXPECT_FALSE(yard.kubelets.host(kNode)->loaded_version("tenstorrent"));
  EXPECT_THAT(yard.lines, Contains(HasSubstr("apt install --reinstall tenstorrent-dkms")));
  yard.install_dkms(kNode);
  const auto outcome = yard.migrate(back);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(yard.label(vendors::kInstallModeLabel), "host");
  EXPECT_EQ(yard.label(vendors::kKmdVersionLabel), "") << "the host has another one now";
  EXPECT_EQ(yard.label(vendors::kTenstorrentSkipLabel), "true");
  EXPECT_FALSE(yard.is_cordoned());
  EXPECT_EQ(yard.kubelets.host(kNode)->loaded_version("tenstorrent"), "2.6.0");
}

}  // namespace
}  // namespace drover::cli
