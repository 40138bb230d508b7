// A definition that is older than ours, or the vendor's own: what it knows is written, what it lacks is told, and at
// rest nothing is written again and again.
#include <gmock/gmock.h>

#include "operator/counting_api.h"
#include "operator/tenstorrent_stage.h"

namespace drover::operate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kFile = "charts/drover/crds/driver.tenstorrent.com_tenstorrentdriverpolicies.yaml";
constexpr const char* kHostsOwn = "tenstorrent-1";

class AnOlderDefinition : public ::testing::Test {
 protected:
  void SetUp() override { replace(older()); }

  // Closed, without drover's own fields and without the state and the reason that came later.
  static json::Value older() {
    json::Value definition(manifest(std::string(kFile)), boost::json::storage_ptr());
    json::Value& schema =
        *json::find(definition.at("spec").at("versions").as_array()[0], {"schema", "openAPIV3Schema"});
    json::remove(schema, {"properties", "spec", "properties", "upgradePolicy", "properties", "maxParallel"});
    json::remove(schema, {"properties", "status", "x-kubernetes-preserve-unknown-fields"});
    json::remove(schema, {"properties", "status", "properties", "summary", "x-kubernetes-preserve-unknown-fields"});
    json::remove(schema, {"properties", "status", "properties", "nodesNotListed"});
    json::Value& row = *json::find(schema, {"properties", "status", "properties", "nodes", "items", "properties"});
    json::remove(row, {"reason"});
    row.at("state").at("enum") =
        json::Array{"Pending", "Cordoning", "Draining", "Upgrading", "Uncordoning", "Done", "Failed"};
    return definition;
  }
  void replace(const json::Value& definition) {
    stage.ask(kube::patch(
        kube::kCustomResourceDefinitions, "", std::string(kube::name_of(definition)), kube::PatchKind::Json,
        json::Array{json::Members{
            {"op", "replace"}, {"path", "/spec/versions"}, {"value", definition.at("spec").at("versions")}}}));
  }
  std::string condition(std::string_view type) {
    const json::Value status = stage.status();
    for (const json::Value& one : json::array_at(status, {"conditions"})) {
      if (json::text_at(one, {"type"}) == type)
        return fmt::format("{}/{}: {}", json::text_at(one, {"status"}), json::text_at(one, {"reason"}),
                           json::text_at(one, {"message"}));
    }
    return "none";
  }

  TenstorrentStage stage{2};
};

// The fault: a PATCH of the status every five seconds, for ever, as the server cut away what was sent.
TEST_F(AnOlderDefinition, CostsNoRequestAtRest) {
  CountingApi door(stage.luck);
  stage.ask(kube::create(kDriverPolicies, "", driver_policy("2.7.0")));
  stage.start(door);
  ASSERT_TRUE(stage.run_until_loaded("2.7.0"));
  stage.world.run_for(1min);
  door.count.clear();
  stage.world.run_for(9min);
  for (const auto& [what, times] : door.count) {
    EXPECT_TRUE(what.starts_with("watch ")) << what << " " << times << " times while nothing happened";
  }
}

TEST_F(AnOlderDefinition, IsNamedWithWhatItLacksAndTheCommandThatMendsIt) {
  stage.settle("2.7.0");
  EXPECT_THAT(condition("CRDOutdated"),
              AllOf(StartsWith("True/FieldsUnknown: the definition tenstorrentdriverpolicies.driver.tenstorrent.com "),
                    HasSubstr("spec.upgradePolicy.maxParallel"), HasSubstr("status.rollout"),
                    HasSubstr(fmt::format("kubectl apply -f {}", kFile))));
  EXPECT_THAT(condition("Ready"), StartsWith("True/AllReady"));
  replace(manifest(std::string(kFile)));
  stage.world.run_for(10s);
  EXPECT_EQ(condition("CRDOutdated"), "False/None: ");
  EXPECT_THAT(stage.told(), HasSubstr("\"rollout\""));
}

// The fault: one word that the schema does not know made every write of the status a 422.
TEST_F(AnOlderDefinition, IsToldAnotherWordForOneThatItDoesNotKnow) {
  sim::SimHost& machine = *stage.kubelets.host(kHostsOwn);
  ASSERT_TRUE(machine.write("/var/lib/dkms/tenstorrent/2.6.0/source", "x"));
  ASSERT_TRUE(machine.insert("tenstorrent", "2.6.0"));
  stage.ask(kube::create(kDriverPolicies, "", driver_policy("2.8.0")));
  stage.start();
  stage.world.run_for(10min);
  EXPECT_EQ(stage.told_of(kHostsOwn), "Done/");
  EXPECT_EQ(json::int_at(stage.status(), {"observedGeneration"}), 1);
  EXPECT_THAT(condition("CRDOutdated"), HasSubstr("status.nodes[].state=HostManaged"));
}

TEST_F(AnOlderDefinition, LetsARolloutGoOnAcrossARestart) {
  stage.settle("2.7.0");
  stage.want("2.8.0");
  ASSERT_TRUE(stage.world.run_until([&] { return !stage.ever_cordoned.empty(); }, 10min));
  stage.kill_operator();
  stage.start();
  EXPECT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
  EXPECT_EQ(stage.most_cordoned, 1U);
}

TEST(AConditionOfAnother, StaysInTheStatus) {
  Stage stage({.nodes = "nvidia=1"});
  stage.create_policy(cluster_policy("535.129.03"));
  Object younger = cluster_policy("550.54.15");
  younger.at("metadata").as_object()["name"] = "younger";
  stage.world.run_for(2s);
  stage.create_policy(younger);
  for (const char* name : {"cluster-policy", "younger"}) {
    stage.ask(kube::patch(kClusterPolicies, "", name, kube::PatchKind::Merge, parsed(R"({"status": {"conditions": [
      {"type": "Audited", "status": "True", "reason": "Yes", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z"}]}})"),
                          "status"));
  }
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.world.run_for(10s);
  for (const char* name : {"cluster-policy", "younger"}) {
    const sim::Stored policy = stage.world.store().find("clusterpolicies.nvidia.com", name);
    EXPECT_THAT(json::text_of(*json::find(*policy, {"status", "conditions"})),
                AllOf(HasSubstr("Audited"), HasSubstr("Ready")))
        << name;
  }
  EXPECT_THAT(json::text_of(*stage.world.store().find("clusterpolicies.nvidia.com", "younger")),
              Not(HasSubstr("AllServing")));
}

}  // namespace
}  // namespace drover::operate::testing
