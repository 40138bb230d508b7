#include "vendors/nvidia_wants.h"

#include <algorithm>

#include "vendors/profile.h"

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

class NvidiaWants final : public Wants {
 public:
  NvidiaWants(const json::Value& policy, const std::vector<PoolNode>& nodes, const std::vector<DriverSet>& sets,
              OperandSettings settings)
      : settings_(std::move(settings)), reading_(read_cluster_policy(policy)) {
    operands_ = render_drivers(reading_, nodes, sets, settings_);
    for (const DriverOperand& driver : operands_.drivers) daemon_sets_.push_back(driver.daemon_set);
    if (brings_driver()) daemon_sets_.push_back(render_validator(reading_, settings_));
  }

  const PolicyReading& reading() const override { return reading_.upgrade; }
  const std::vector<FieldTrouble>& troubles() const override { return reading_.troubles; }
  const std::vector<std::string>& ignored_fields() const override { return reading_.ignored; }
  const std::vector<std::string>& unmanaged_operands() const override { return reading_.unmanaged; }
  const std::vector<std::string>& unplaced_nodes() const override { return operands_.unplaced; }
  bool brings_driver() const override { return reading_.driver.is_enabled && reading_.can_be_rendered; }

  bool selects(const LabelsOf& labels) const override {
    return reading_.driver.is_enabled && has_gpu(labels) && labels(nvidia().deploy_label) != "false";
  }
  bool is_the_hosts_own(const LabelsOf& labels) const override {
    return labels(nvidia().deploy_label) == "pre-installed";
  }

  NodeWish wish_for(const LabelsOf& labels) const override {
    const auto pool = vendors::pool_of(reading_.driver, system_of(labels));
    if (!pool) return {};
    const auto driver = std::find_if(operands_.drivers.begin(), operands_.drivers.end(),
                                     [&](const DriverOperand& one) { return one.pool == *pool; });
    if (driver == operands_.drivers.end()) return {};
    return {.digest = driver->digest,
            .version = reading_.driver.version.empty() ? driver->image : reading_.driver.version,
            .image = driver->image,
            .daemon_set = driver->name};
  }
  std::string pool_of(const LabelsOf& labels) const override {
    const auto pool = vendors::pool_of(reading_.driver, system_of(labels));
    return pool ? pool->word() : std::string();
  }

  const std::vector<json::Value>& daemon_sets() const override { return daemon_sets_; }
  const std::vector<std::string>& leftovers() const override { return operands_.leftovers; }

  json::Value preflight(const std::string& node, const NodeWish& wish) const override {
    const auto driver = std::find_if(operands_.drivers.begin(), operands_.drivers.end(),
                                     [&](const DriverOperand& one) { return one.digest == wish.digest; });
    return driver == operands_.drivers.end() ? json::Value() : render_preflight(reading_, *driver, node, settings_);
  }

  // A label that somebody has set stands, whatever it says; one that Node Feature Discovery takes away does not cost a
  // driver.
  Dress dress(const LabelsOf& labels, const LabelsOf& annotations) const override {
    Dress dress;
    if (!reading_.driver.is_enabled || !has_gpu(labels)) return dress;
    const auto want = [&](std::string_view key) {
      if (labels(key).empty()) dress.labels.emplace(key, "true");
    };
    want(nvidia().present_label);
    want(nvidia().deploy_label);
    each_part(nvidia().gates, want);
    const bool is_ours = reading_.upgrade.policy.is_on;
    const std::string_view said = annotations(nvidia().managed_annotation);
    if (is_ours && said != "true") dress.annotations.emplace(nvidia().managed_annotation, "true");
    if (!is_ours && !said.empty()) dress.annotations.emplace(nvidia().managed_annotation, std::nullopt);
    return dress;
  }

 private:
  static bool has_gpu(const LabelsOf& labels) {
    bool has = labels(nvidia().present_label) == "true";
    each_part(nvidia().feature_labels, [&](std::string_view key) { has = has || labels(key) == "true"; });
    return has;
  }

  OperandSettings settings_;
  ClusterPolicyReading reading_;
  Operands operands_;
  std::vector<json::Value> daemon_sets_;
};

}  // namespace

std::unique_ptr<Wants> nvidia_wants(const json::Value& policy, const std::vector<PoolNode>& nodes,
                                    const std::vector<DriverSet>& sets, const OperandSettings& settings) {
  return std::make_unique<NvidiaWants>(policy, nodes, sets, settings);
}

}  // namespace drover::vendors
