#include "vendors/acme/driver.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/text.h"
#include "protocol/keys.h"
#include "vendors/acme/words.h"
#include "vendors/shared/checks.h"
#include "vendors/shared/pod_parts.h"
#include "vendors/shared/preflight.h"
#include "vendors/shared/section.h"

namespace drover::vendors {
namespace {

using json::Array;
using json::Members;

constexpr int kCheckPort = 8090;

// ---- the policy

struct AcmePolicy {
  PolicyReading upgrade;                    // its policy.trouble speaks of every trouble here
  std::string version = {};                 // empty: it cannot be read
  std::vector<FieldTrouble> troubles = {};  // all of them
};

AcmePolicy read_acme_policy(const json::Value& object) {
  AcmePolicy reading{.upgrade = read_upgrade_policy(json::find(object, {"spec", "rollout"}), "spec.rollout")};
  reading.troubles = reading.upgrade.troubles;
  const Section spec(json::find(object, {"spec"}), "spec", reading.troubles);
  reading.version = spec.text("version", "", is_driver_version, "a version such as 3.1 is wanted");
  identify(reading.upgrade.policy, object);
  reading.upgrade.policy.trouble = summary_of(reading.troubles);
  return reading;
}

// ---- what it wants

class AcmeWants final : public Desired {
 public:
  AcmeWants(const json::Value& policy, OperandSettings settings)
      : settings_(std::move(settings)), reading_(read_acme_policy(policy)) {
    if (brings_driver()) daemon_sets_ = {driver(), check()};
  }

  const PolicyReading& reading() const override { return reading_.upgrade; }
  const std::vector<FieldTrouble>& troubles() const override { return reading_.troubles; }
  bool brings_driver() const override { return !reading_.version.empty(); }

  bool selects(const LabelsOf& labels) const override { return labels(kAcmePresent) == "true"; }
  DesiredNode desired_on(const LabelsOf& labels) const override {
    if (!brings_driver() || !selects(labels)) return {};
    const json::Value& set = daemon_sets_.front();
    return {
        .digest = digest(),
        .version = reading_.version,
        .image = image(),
        .daemon_set = std::string(kAcmeDriver),
        .template_mark = std::string(json::text_at(set, {"metadata", "annotations", protocol::kTemplateAnnotation}))};
  }

  const std::vector<json::Value>& daemon_sets() const override { return daemon_sets_; }
  json::Value preflight(const std::string& node, const DesiredNode& desired) const override {
    return render_preflight({.node = node,
                             .image = desired.image,
                             .digest = desired.digest,
                             .labels = {{kAcmePart, kAcmePreflight}},
                             .owner = parts::owner("acme.example/v1", "AcmeDriver", reading_.upgrade.policy)},
                            settings_);
  }
  // A gate that is set stays as it is.
  NodeMetadata metadata(const LabelsOf& labels, const LabelsOf&, bool /*may_change_carrier*/) const override {
    if (!selects(labels) || !labels(kAcmeGate).empty()) return {};
    return {.labels = {{std::string(kAcmeGate), "true"}}};
  }

 private:
  // ---- templates

  std::string image() const { return fmt::format("registry.acme.example/acme-driver:{}", reading_.version); }
  // Of what the driver is made of, and of nothing else.
  std::string digest() const { return fmt::format("{:016x}", base::fnv1a(image())); }

  json::Value driver() const {
    Members container = {{"name", kAcmeDriver}, {"image", image()}, {"securityContext", Members{{"privileged", true}}}};
    container["readinessProbe"] = probe({{"exec", Members{{"command", Array{"test", "-e", "/dev/acme0"}}}}});
    Members swap = {{"key", protocol::kSwapTaint}, {"operator", "Exists"}, {"effect", "NoSchedule"}};
    return daemon_set(kAcmeDriver, "OnDelete", {{kAcmePart, kAcmeDriver}, {protocol::kDigestLabel, digest()}},
                      {{"nodeSelector", Members{{kAcmePresent, "true"}}},
                       {"tolerations", Array{std::move(swap)}},
                       {"containers", Array{std::move(container)}}});
  }
  // The gate takes it off the node during the swap: it proves only a driver that was there before it.
  json::Value check() const {
    Members container = {{"name", kAcmeCheck}, {"image", settings_.own_image}, {"command", Array{parts::kProgram}}};
    container["args"] = Array{"agent", kAcmeCheck, "--listen", fmt::format(":{}", kCheckPort)};
    container["readinessProbe"] = probe({{"httpGet", Members{{"path", "/readyz"}, {"port", kCheckPort}}}});
    return daemon_set(kAcmeCheck, "RollingUpdate", {{kAcmePart, kAcmeCheck}},
                      {{"nodeSelector", Members{{kAcmeGate, "true"}}}, {"containers", Array{std::move(container)}}});
  }
  // Without one a container is ready as soon as it runs. The node is out of service until both are.
  static Members probe(Members question) {
    question["periodSeconds"] = 1;
    return question;
  }
  json::Value daemon_set(std::string_view part, std::string_view strategy, Members labels, Members pod_spec) const {
    pod_spec["automountServiceAccountToken"] = false;
    Members marks = {{protocol::kTemplateAnnotation, parts::template_mark(pod_spec)}};
    Members metadata = {{"name", part}, {"namespace", settings_.ns}, {"annotations", marks}};
    metadata["annotations"].get_object()[protocol::kPolicyAnnotation] = reading_.upgrade.policy.name;
    return parts::daemon_set(std::move(metadata), {{kAcmePart, part}}, {{"type", strategy}},
                             {{"labels", std::move(labels)}, {"annotations", std::move(marks)}}, std::move(pod_spec));
  }

  OperandSettings settings_;
  AcmePolicy reading_;
  std::vector<json::Value> daemon_sets_;
};

}  // namespace

std::unique_ptr<Desired> acme_wants(const std::vector<PolicyObject>& policies, std::size_t which,
                                    const std::vector<PoolNode>& /*nodes*/, const std::vector<DriverSet>& /*sets*/,
                                    const OperandSettings& settings) {
  return std::make_unique<AcmeWants>(*policies[which].object, settings);
}

}  // namespace drover::vendors
