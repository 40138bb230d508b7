#include "vendors/nvidia/driver_desired.h"

#include <algorithm>

#include "vendors/nvidia/crd.h"
#include "vendors/nvidia/module.h"
#include "vendors/nvidia/operand_parts.h"
#include "vendors/nvidia/ownership.h"

namespace drover::vendors {
namespace {

// What a node may be asked about to find its pool.
constexpr std::string_view kSystemLabels[] = {"feature.node.kubernetes.io/system-os_release.ID",
                                              "feature.node.kubernetes.io/system-os_release.VERSION_ID",
                                              "feature.node.kubernetes.io/kernel-version.full"};

json::Members system_of(const LabelsOf& labels) {
  json::Members system;
  for (const std::string_view key : kSystemLabels) {
    if (const std::string_view value = labels(key); !value.empty()) system[key] = value;
  }
  return system;
}

ClusterPolicyReading read(const std::vector<PolicyObject>& policies, std::size_t which) {
  const json::Value& object = *policies[which].object;
  return policies[which].kind == 0 ? read_cluster_policy(object)
                                   : read_nvidia_driver(object, cluster_policy_in(policies));
}

// Among several policies each has its own DaemonSets, and the first of them handles those without a policy.
struct Shares {
  std::vector<DriverSet> own = {};
  std::vector<std::string> unowned = {};
};

Shares share_out(const std::vector<PolicyObject>& policies, std::size_t which, const std::vector<DriverSet>& sets,
                 const std::string& own_word) {
  if (policies[which].kind == 0) return {.own = sets};
  const std::vector<std::string> ignored_because = allot_nvidia(policies).ignored_because;
  std::vector<std::string> words;
  bool is_first = true;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (policies[i].kind == 0 || !ignored_because[i].empty()) continue;
    is_first = is_first && i >= which;
    words.push_back(std::string(kDriverPolicyPrefix).append(json::text_at(*policies[i].object, {"metadata", "name"})));
  }
  Shares shares;
  for (const DriverSet& set : sets) {
    const bool is_owned = std::find(words.begin(), words.end(), set.policy) != words.end();
    if (set.policy == own_word) shares.own.push_back(set);
    // What we did not make we do not remove.
    if (is_first && !is_owned && !set.pool.empty()) shares.unowned.push_back(set.name);
  }
  return shares;
}

class NvidiaWants final : public Desired {
 public:
  NvidiaWants(const std::vector<PolicyObject>& policies, std::size_t which, const std::vector<PoolNode>& nodes,
              const std::vector<DriverSet>& sets, OperandSettings settings)
      : settings_(std::move(settings)), reading_(read(policies, which)) {
    Shares shares = share_out(policies, which, sets, parts::policy_word(reading_));
    operands_ = render_drivers(reading_, nodes, shares.own, settings_);
    if (operands_.unplaced.empty())
      operands_.leftovers.insert(operands_.leftovers.end(), shares.unowned.begin(), shares.unowned.end());
    for (const DriverOperand& driver : operands_.drivers) daemon_sets_.push_back(driver.daemon_set);
    if (brings_driver()) daemon_sets_.push_back(render_validator(reading_, settings_));
  }

  const PolicyReading& reading() const override { return reading_.upgrade; }
  const std::vector<FieldTrouble>& troubles() const override { return reading_.troubles; }
  const std::vector<std::string>& ignored_fields() const override { return reading_.ignored; }
  const std::vector<std::string>& unmanaged_operands() const override { return reading_.unmanaged; }
  const std::vector<std::string>& unplaced_nodes() const override { return operands_.unplaced; }
  bool brings_driver() const override { return reading_.driver.is_enabled && reading_.can_be_rendered; }
  bool keeps_what_is_there() const override { return !brings_driver() && !reading_.driver.is_said_elsewhere; }

  bool selects(const LabelsOf& labels) const override {
    return reading_.driver.is_enabled && has_nvidia_gpu(labels) && labels(nvidia_driver().deploy_label) != "false";
  }
  bool is_host_managed(const LabelsOf& labels) const override {
    return labels(nvidia_driver().deploy_label) == "pre-installed";
  }

  DesiredNode desired_on(const LabelsOf& labels) const override {
    const auto pool = vendors::pool_of(reading_.driver, system_of(labels));
    if (!pool) return {};
    const auto driver = std::find_if(operands_.drivers.begin(), operands_.drivers.end(),
                                     [&](const DriverOperand& one) { return one.pool == *pool; });
    if (driver == operands_.drivers.end()) return {};
    return {.digest = driver->digest,
            .version = reading_.driver.version.empty() ? driver->image : reading_.driver.version,
            .image = driver->image,
            .daemon_set = driver->name,
            .template_mark = driver->template_mark};
  }
  std::string pool_of(const LabelsOf& labels) const override {
    const auto pool = vendors::pool_of(reading_.driver, system_of(labels));
    return pool ? pool->word() : std::string();
  }

  const std::vector<json::Value>& daemon_sets() const override { return daemon_sets_; }
  const std::vector<std::string>& leftovers() const override { return operands_.leftovers; }

  json::Value preflight(const std::string& node, const DesiredNode& desired) const override {
    const auto driver = std::find_if(operands_.drivers.begin(), operands_.drivers.end(),
                                     [&](const DriverOperand& one) { return one.digest == desired.digest; });
    return driver == operands_.drivers.end() ? json::Value() : render_preflight(reading_, *driver, node, settings_);
  }

  // A label that is set stands, whatever it says; one that Node Feature Discovery takes away does not cost a
  // driver.
  NodeMetadata metadata(const LabelsOf& labels, const LabelsOf& annotations, bool may_change_carrier) const override {
    NodeMetadata metadata;
    if (!reading_.driver.is_enabled || !has_nvidia_gpu(labels)) return metadata;
    const auto want = [&](std::string_view key) {
      if (labels(key).empty()) metadata.labels.emplace(key, "true");
    };
    want(nvidia_driver().vendor.present_label);
    want(nvidia_driver().deploy_label);
    each_part(nvidia_driver().gates, want);
    belong(labels, may_change_carrier, metadata);
    const bool is_ours = reading_.upgrade.policy.is_on;
    const std::string_view said = annotations(nvidia_driver().managed_annotation);
    if (is_ours && said != "true") metadata.annotations.emplace(nvidia_driver().managed_annotation, "true");
    if (!is_ours && !said.empty()) metadata.annotations.emplace(nvidia_driver().managed_annotation, std::nullopt);
    return metadata;
  }

 private:
  // Whose the node is, and which DaemonSet brings its driver: said only where there can be several.
  void belong(const LabelsOf& labels, bool may_change_carrier, NodeMetadata& metadata) const {
    const std::string_view owner = labels(nvidia_driver().owner_label);
    if (reading_.nvidia_driver.empty()) {
      if (!owner.empty()) metadata.labels.emplace(nvidia_driver().owner_label, std::nullopt);
      return;
    }
    if (owner != reading_.nvidia_driver) metadata.labels.emplace(nvidia_driver().owner_label, reading_.nvidia_driver);
    const std::string carrier = desired_on(labels).daemon_set;
    if (may_change_carrier && !carrier.empty() && labels(nvidia_driver().carrier_label) != carrier)
      metadata.labels.emplace(nvidia_driver().carrier_label, carrier);
  }

  OperandSettings settings_;
  ClusterPolicyReading reading_;
  Operands operands_;
  std::vector<json::Value> daemon_sets_;
};

}  // namespace

std::unique_ptr<Desired> nvidia_wants(const std::vector<PolicyObject>& policies, std::size_t which,
                                      const std::vector<PoolNode>& nodes, const std::vector<DriverSet>& sets,
                                      const OperandSettings& settings) {
  return std::make_unique<NvidiaWants>(policies, which, nodes, sets, settings);
}

}  // namespace drover::vendors
