// The stage with machines of a vendor that no list in src/ knows (test/vendors/acme), and with NVIDIA's beside them.
#pragma once

#include <string>
#include <vector>

#include "operator/stage.h"
#include "vendors/acme/module.h"
#include "vendors/acme/sim/machine.h"
#include "vendors/nvidia/sim/machine.h"

namespace drover::operate::testing {

inline const kube::Resource kAcmeDrivers{"acme.example", "v1", "acmedrivers", "AcmeDriver", kube::Scope::Cluster};
inline constexpr std::string_view kAcmeNamespace = "acme-system";

class AcmeStage : public Stage {
 public:
  explicit AcmeStage(const std::string& nodes = "acme=3")
      : Stage({.nodes = nodes,
               .kubelets = {.events = false, .vendors = kMachines},
               .definitions = {"charts/drover/crds/nvidia.com_clusterpolicies.yaml",
                               "test/vendors/acme/acmedrivers.yaml"},
               .ns = kAcmeNamespace}) {}

  static Served served() {
    return {.profile = &vendors::acme_driver(), .operands = {.ns = std::string(kAcmeNamespace)}};
  }
  void start() { serve(luck, {served()}); }

  // `rollout` are members of spec.rollout as JSON text.
  void want(std::string_view version, std::string_view rollout = "") {
    ask(kube::create(kAcmeDrivers, "",
                     parsed(fmt::format(R"({{"metadata": {{"name": "npus"}},
        "spec": {{"version": "{}", "rollout": {{{}}}}}}})",
                                        version, rollout))));
  }
  void change(std::string_view version) {
    ask(kube::patch(kAcmeDrivers, "", "npus", kube::PatchKind::Merge,
                    parsed(fmt::format(R"({{"spec": {{"version": "{}"}}}})", version))));
  }
  // A fleet that runs 3.1.
  void settle(std::string_view rollout = "") {
    want("3.1", rollout);
    start();
    ASSERT_TRUE(run_until_serving("3.1")) << pods_text(kAcmeNamespace);
  }

  // ---- eyes

  std::string word(const std::string& name) const {
    return std::string(kube::label_of(*node(name), "acme.example/npu-upgrade"));
  }
  std::string loaded_on(const std::string& name) { return kubelets.host(name)->loaded_version("acme").value_or(""); }
  bool is_serving(const std::string& name, std::string_view version) {
    return word(name) == "serving" && loaded_on(name) == version && !is_cordoned(name);
  }
  bool run_until_serving(std::string_view version, base::Span at_most = 1h) {
    return world.run_until(
        [&] {
          const std::vector<std::string> all = names();
          return std::all_of(all.begin(), all.end(), [&](const std::string& name) {
            return !name.starts_with("acme") || is_serving(name, version);
          });
        },
        at_most);
  }
  int cordoned_nodes() const {
    const std::vector<std::string> all = names();
    return static_cast<int>(
        std::count_if(all.begin(), all.end(), [&](const std::string& name) { return is_cordoned(name); }));
  }
  // "True/NpusServe" once everything has been told.
  std::string condition(std::string_view type) {
    world.run_for(11s);
    const sim::Stored policy = world.store().find("acmedrivers.acme.example", "npus");
    for (const json::Value& one : json::array_at(*policy, {"status", "conditions"})) {
      if (json::text_at(one, {"type"}) == type)
        return fmt::format("{}/{}", json::text_at(one, {"status"}), json::text_at(one, {"reason"}));
    }
    return "";
  }

 private:
  static inline const sim::SimVendor* const kMachines[] = {&sim::nvidia(), &sim::acme()};
};

}  // namespace drover::operate::testing
