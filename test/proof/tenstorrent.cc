// Tenstorrent, as its "Upgrades" and "Migrating from DKMS" pages spell it.
#include <fmt/format.h>

#include "vendor.h"
#include "vendors/tenstorrent/module.h"

namespace drover::proof {
namespace {

using namespace std::string_view_literals;

const kube::Resource kTtDriverPolicy{"driver.tenstorrent.com", "v1alpha1", "tenstorrentdriverpolicies",
                                     "TenstorrentDriverPolicy", kube::Scope::Cluster};
constexpr std::array kTtDefinitions = {"charts/drover/crds/driver.tenstorrent.com_tenstorrentdriverpolicies.yaml"sv};
constexpr Vendor::Pair kTtSentences[] = {
    {"version", R"({"spec": {"version": "$1"}})"}, {"pause", R"({"spec": {"paused": true}})"},
    {"resume", R"({"spec": {"paused": false}})"},  {"upgrade-policy", R"({"spec": {"upgradePolicy": {$1}}})"},
    {"driver-spec", R"({"spec": {$1}})"},
};

constexpr Vendor::Pair kTtStates[] = {{"required", "Pending"},  {"cordon", "Cordoning"},     {"drain", "Draining"},
                                      {"restart", "Upgrading"}, {"uncordon", "Uncordoning"}, {"done", "Done"},
                                      {"failed", "Failed"}};
// Of the second the agent says so: its driver is DKMS's.
constexpr Vendor::Pair kTtLeftOut[] = {{"driver.tenstorrent.com/skip", "true"},
                                       {"driver.tenstorrent.com/install-mode", "host"}};
constexpr std::array kTtLabels = {"tenstorrent.com/deploy."sv};
constexpr std::array kTtAnnotations = {"drover.dev/upgrade-requested"sv, "driver.tenstorrent.com/cordoned-by"sv,
                                       "driver.tenstorrent.com/cordoned-at"sv};

Terms tt_terms(const kube::Object& policy) {
  static const json::Value kNone = json::Members();
  const json::Value* upgrade = json::find(policy, {"spec", "upgradePolicy"});
  if (upgrade == nullptr) upgrade = &kNone;
  // Evictions that are in vain fail the node: nothing is ever deleted instead.
  const RemovalTerms removal{.force = json::flag_at(*upgrade, {"drain", "force"}),
                             .local_data = json::flag_at(*upgrade, {"drain", "deleteEmptyDir"}, true),
                             .seconds = 0,
                             .gives_up_in = json::int_at(*upgrade, {"drain", "timeoutSeconds"}, 600)};
  Terms terms{.is_there = true,
              .uid = std::string(kube::uid_of(policy)),
              .version = std::string(json::text_at(policy, {"spec", "version"})),
              .is_on = !json::flag_at(policy, {"spec", "paused"}),
              .max_parallel = json::int_at(*upgrade, {"maxParallel"}, 1),
              .away = 100,
              .device_pods = removal,
              .drain = removal};
  terms.cordons = json::flag_at(*upgrade, {"drain", "enable"}, true);
  terms.drains = terms.cordons && json::flag_at(*upgrade, {"drain", "fullNode"}, true);
  // What holds the device has to go, whatever its emptyDir holds.
  terms.device_pods.local_data = true;
  return terms;
}

std::string tt_status_trouble(const kube::Object& policy, bool at_rest) {
  const auto count = [&](std::string_view of) { return json::int_at(policy, {"status", "summary", of}); };
  const std::int64_t matched = count("matched");
  const std::int64_t somewhere = count("upToDate") + count("failed") + count("inProgress");
  if (somewhere > matched) return fmt::format("{} of {} nodes are done, failed or in progress", somewhere, matched);
  if (count("ready") > matched) return fmt::format("{} of {} nodes are ready", count("ready"), matched);
  std::int64_t rows = json::int_at(policy, {"status", "nodesNotListed"});
  for (const json::Value& row : json::array_at(policy, {"status", "nodes"})) {
    ++rows;
    const std::string_view version = json::text_at(row, {"currentVersion"});
    const bool is_another = version != json::text_at(policy, {"status", "desiredVersion"});
    if (at_rest && json::text_at(row, {"state"}) == "Done" && is_another)
      return fmt::format("{} is Done with {}", json::text_at(row, {"name"}), version);
  }
  return rows == matched ? "" : fmt::format("{} of {} nodes are told of", rows, matched);
}

void mount_device(json::Value& pod_spec, int /*devices*/) {
  pod_spec.get_object()["volumes"] = json::Array{{{"name", "tt"}, {"hostPath", {{"path", "/dev/tenstorrent/0"}}}}};
}

std::string any_tt_upgrade(base::Random& random) {
  const auto width = 1 + random.below(2);
  const bool full = random.chance(0.7);
  const bool force = random.chance(0.5);
  const bool local_data = random.chance(0.5);
  return fmt::format(R"("maxParallel": {}, "drain": {{"fullNode": {}, "force": {}, "deleteEmptyDir": {},
                        "timeoutSeconds": {}}})",
                     width, full, force, local_data, 30 + random.below(300));
}

constexpr Vendor::Pair kTtFurnishings[] = {{"", ""}};
constexpr std::array kTtTroubles = {"machine <node> device-held"sv, "machine <node> fault make-fails"sv,
                                    R"(driver-spec "installer": {"image": "drover:<n>"})"sv,
                                    R"(upgrade-policy "forceUnload": <flag>)"sv};

constexpr Vendor::Pair kTtExempt[] = {{"I1 budget", "maxParallel (I2) is the only width that its document knows"},
                                      {"I22 unknown is inert", "its nodes show no state that a person could write"}};

}  // namespace

const Vendor& tenstorrent() {
  static const Vendor kTenstorrent = {
      .name = "tenstorrent",
      .kind = "tenstorrent/driver",
      .order = "drover.dev/order-tenstorrent-driver",
      .report = "drover.dev/report-tenstorrent-driver",
      .ns = "tt-k8s-driver-manager-system",
      .module = "tenstorrent",
      .served =
          [] {
            return operate::Served{.profile = &vendors::tenstorrent_driver(),
                                   .operands = {.ns = "tt-k8s-driver-manager-system", .own_image = "drover:1"}};
          },

      .definitions = kTtDefinitions,
      .policy = kTtDriverPolicy,
      .policy_name = "default",
      .policy_text = R"({"apiVersion": "driver.tenstorrent.com/v1alpha1", "kind": "TenstorrentDriverPolicy",
          "metadata": {"name": "default"}, "spec": {"version": "$VERSION", "nodeAffinity": {}}})",
      .sentences = kTtSentences,
      .terms_of = tt_terms,
      .status_trouble = tt_status_trouble,

      .state_label = "",
      .states = kTtStates,
      .skip_label = "driver.tenstorrent.com/skip",
      .request_annotation = "drover.dev/upgrade-requested",
      .found_cordoned_annotation = "",
      .cordon_annotation = "driver.tenstorrent.com/cordoned-by",
      .present_label = "feature.node.kubernetes.io/pci-1200_1e52.present",
      .left_out = kTtLeftOut,
      .our_labels = kTtLabels,
      .our_annotations = kTtAnnotations,
      .gates = "tenstorrent.com/deploy.",
      .a_gate = "tenstorrent.com/deploy.tt-telemetry",
      .gate_closed = "false",
      .closed_gates_are_ours = false,
      .gates_close_with_cordon = true,
      .event_reason = "TenstorrentDriverUpgrade",
      .step_event = "The driver upgrade of this node is",

      .role_label = "app.kubernetes.io/name",
      .driver_role = "tt-kmd-installer",
      .validator_role = "",
      .preflight_role = "",
      .device_resources = "tenstorrent.com/",
      .device_paths = "/dev/tenstorrent",
      .drain_skip_label = "",
      .device = "/dev/tenstorrent/1",
      .use_device = mount_device,

      .agent_asks_first = true,
      .empties_in_one_go = true,
      .own_operator = "tt-k8s-driver-manager",
      .own_operator_label = {"app.kubernetes.io/name", "tt-k8s-driver-manager"},

      .versions = {"2.6.0", "2.7.0", "2.8.0"},
      .any_upgrade_policy = any_tt_upgrade,
      .furnishings = kTtFurnishings,
      .troubles = kTtTroubles,
      .mends = "machine all device-free;;machine all no-fault make-fails",
      .any_width = R"("maxParallel": 9)",
      .any_share = "",

      .exempt = kTtExempt,
  };
  return kTenstorrent;
}

}  // namespace drover::proof
