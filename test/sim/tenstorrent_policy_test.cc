// The TenstorrentDriverPolicy of the chart on the embedded cluster: it is taken, fills in its defaults, and refuses
// what must not get further, row by row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "kube/api.h"
#include "kube/yaml.h"
#include "sim/world.h"

namespace drover::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const kube::Resource kDriverPolicies = {"driver.tenstorrent.com", "v1alpha1", "tenstorrentdriverpolicies",
                                        "TenstorrentDriverPolicy", kube::Scope::Cluster};

class DriverPolicies : public ::testing::Test {
 protected:
  World world{1};
  kube::Api& person = world.api("person");

  void SetUp() override {
    const auto text = base::read_file("charts/drover/crds/driver.tenstorrent.com_tenstorrentdriverpolicies.yaml");
    ASSERT_TRUE(text) << "run the tests from the root of the source tree";
    auto documents = kube::parse_manifests(*text);
    ASSERT_TRUE(documents) << documents.error().message;
    ASSERT_EQ(documents->size(), 1U);
    const auto made = ask(kube::create(kube::kCustomResourceDefinitions, "", std::move(documents->front())));
    ASSERT_TRUE(made) << made.error().message;
    world.run_for(5s);
  }

  kube::Result<kube::Object> ask(kube::Request request) {
    std::optional<kube::Result<kube::Object>> outcome;
    auto call =
        person.call(std::move(request), [&](kube::Result<kube::Object> answer) { outcome = std::move(answer); });
    world.run_until([&] { return outcome.has_value(); }, 1min);
    return outcome ? std::move(*outcome) : base::fault(base::Fault::Kind::Unknown, "no answer");
  }
  kube::Result<kube::Object> create(std::string_view spec, std::string_view name = "p") {
    json::Value object = json::Members{{"apiVersion", "driver.tenstorrent.com/v1alpha1"},
                                       {"kind", "TenstorrentDriverPolicy"},
                                       {"metadata", json::Members{{"name", name}}},
                                       {"spec", json::parse(spec).value()}};
    return ask(kube::create(kDriverPolicies, "", std::move(object)));
  }
  // "accepted", or what the server says.
  std::string answer(std::string_view spec) {
    const auto made = create(spec, "row-" + std::to_string(++rows_));
    return made ? "accepted" : made.error().message;
  }
  std::string with(std::string_view upgrade) {
    return answer(std::string(R"({"version": "2.8.0", "nodeAffinity": {}, "upgradePolicy": )") + std::string(upgrade) +
                  "}");
  }

 private:
  int rows_ = 0;
};

TEST_F(DriverPolicies, FillsInTheDocumentsDefaults) {
  const auto made = create(R"({"version": "2.8.0", "nodeAffinity": {},
                               "upgradePolicy": {"drain": {}}, "installer": {}, "unheardOf": 1})");
  ASSERT_TRUE(made) << made.error().message;
  const json::Value spec = *json::find(*made, {"spec"});
  EXPECT_EQ(spec, json::parse(R"({"version": "2.8.0", "nodeAffinity": {}, "paused": false,
    "installer": {"imagePullPolicy": "IfNotPresent"},
    "upgradePolicy": {"maxParallel": 1, "forceUnload": false,
      "drain": {"enable": true, "fullNode": true, "podSelectorLabel": "", "force": false, "deleteEmptyDir": true,
                "timeoutSeconds": 600}}})")
                      .value())
      << json::text_of(spec);
}

TEST_F(DriverPolicies, TakesTheMigrationGuidesPolicyAndItsPatch) {
  ASSERT_TRUE(create(R"({"version": "2.8.0", "nodeAffinity": {"matchLabels": {"kubernetes.io/hostname": "node-1"}},
                         "paused": true, "upgradePolicy": {"drain": {"enable": true}}})",
                     "migration-test"));
  const auto patched = ask(kube::patch(kDriverPolicies, "", "migration-test", kube::PatchKind::Merge,
                                       json::parse(R"({"spec": {"paused": false}})").value()));
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_FALSE(json::flag_at(*patched, {"spec", "paused"}, true));
  EXPECT_TRUE(ask(kube::patch(kDriverPolicies, "", "migration-test", kube::PatchKind::Merge,
                              json::parse(R"({"spec": {"version": "2.9.0"}})").value())));
}

TEST_F(DriverPolicies, RefusesVersionsThatMustNotGetFurther) {
  for (const std::string version :
       {"1.2;rm -rf /", "$(id)", "`id`", "../../etc", "-oProxyCommand=x", "2.8", "2.8.0-rc1", "2.8.0 ", " 2.8.0", "",
        "2.8.0\\n", "2.8.0\\u0000", "2\\u20248\\u20240", "v2.8.0"}) {
    EXPECT_THAT(answer(R"({"version": ")" + version + R"(", "nodeAffinity": {}})"), HasSubstr("spec.version"))
        << version;
  }
  EXPECT_THAT(answer(R"({"version": ")" + std::string(300, '1') + R"(.0.0", "nodeAffinity": {}})"),
              HasSubstr("spec.version"));
  EXPECT_THAT(answer(R"({"version": 2, "nodeAffinity": {}})"), HasSubstr("spec.version"));
  EXPECT_THAT(answer(R"({"nodeAffinity": {}})"), HasSubstr("spec.version"));
}

TEST_F(DriverPolicies, WantsExactlyOneSelector) {
  constexpr const char* kWhy = "exactly one of spec.nodeAffinity or spec.nodeSelector must be set";
  EXPECT_THAT(answer(R"({"version": "2.8.0"})"), HasSubstr(kWhy));
  EXPECT_THAT(answer(R"({"version": "2.8.0", "nodeAffinity": {}, "nodeSelector": {}})"), HasSubstr(kWhy));
  EXPECT_EQ(answer(R"({"version": "2.8.0", "nodeSelector": {"matchLabels": {"a": "b"}}})"), "accepted");
  EXPECT_EQ(answer(R"({"version": "2.8.0", "nodeAffinity": {"matchExpressions": [
                       {"key": "a", "operator": "In", "values": ["x"]}, {"key": "b", "operator": "DoesNotExist"}]}})"),
            "accepted");
  EXPECT_THAT(answer(R"({"version": "2.8.0", "nodeAffinity": {"matchExpressions": [{"key": "a", "operator": "In"}]}})"),
              HasSubstr("In and NotIn take values"));
  EXPECT_THAT(
      answer(R"({"version": "2.8.0", "nodeAffinity": {"matchExpressions": [{"key": "a", "operator": "Like"}]}})"),
      HasSubstr("operator"));
}

TEST_F(DriverPolicies, RefusesUpgradeOptionsThatMakeNoSense) {
  const struct {
    const char* upgrade;
    const char* says;
  } rows[] = {
      {R"({"maxParallel": 0})", "maxParallel"},
      {R"({"maxParallel": 4})", "accepted"},
      {R"({"failureBudget": "10%"})", "accepted"},
      {R"({"failureBudget": "110%"})", "must be a number of nodes"},
      {R"({"failureBudget": -1})", "must be a number of nodes"},
      {R"({"forceUnload": "yes"})", "forceUnload"},
      {R"({"drain": {"timeoutSeconds": -1}})", "timeoutSeconds"},
      {R"({"drain": {"timeoutSeconds": 0}})", "accepted"},
      {R"({"drain": {"podSelectorLabel": "app=web,!x"}})", "accepted"},
      {R"({"drain": {"podSelectorLabel": "a;b"}})", "podSelectorLabel"},
      {R"({"drain": {"enable": "true"}})", "enable"},
  };
  for (const auto& row : rows) EXPECT_THAT(with(row.upgrade), HasSubstr(row.says)) << row.upgrade;
  EXPECT_THAT(answer(R"({"version": "2.8.0", "nodeAffinity": {}, "installer": {"image": "a b"}})"), HasSubstr("image"));
  EXPECT_THAT(answer(R"({"version": "2.8.0", "nodeAffinity": {}, "installer": {"imagePullPolicy": "Often"}})"),
              HasSubstr("imagePullPolicy"));
}

TEST_F(DriverPolicies, RefusesANameThatIsNotALabelValue) {
  const auto made = create(R"({"version": "2.8.0", "nodeAffinity": {}})", std::string(64, 'a'));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("not be longer than 63 bytes"));
}

TEST_F(DriverPolicies, StatusTakesEveryStateAndOnlyThose) {
  ASSERT_TRUE(create(R"({"version": "2.8.0", "nodeAffinity": {}})", "default"));
  const auto status = [&](std::string_view state) {
    return ask(kube::patch(
        kDriverPolicies, "", "default", kube::PatchKind::Merge,
        json::Members{
            {"status", json::Members{{"summary", json::Members{{"matched", 1}, {"ready", 1}}},
                                     {"nodes", json::Array{json::Members{{"name", "n"}, {"state", state}}}}}}},
        "status"));
  };
  for (const char* state :
       {"Pending", "Cordoning", "Draining", "Upgrading", "Uncordoning", "Done", "Failed", "HostManaged"})
    EXPECT_TRUE(status(state)) << state;
  EXPECT_FALSE(status("Dreaming"));
}

}  // namespace
}  // namespace drover::sim
