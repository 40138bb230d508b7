#include "vendors/tenstorrent/driver_desired.h"

#include "vendors/tenstorrent/driver_operands.h"
#include "vendors/tenstorrent/driver_policy.h"
#include "vendors/tenstorrent/ownership.h"
#include "vendors/tenstorrent/words.h"

namespace drover::vendors {
namespace {

class TenstorrentWants final : public Desired {
 public:
  TenstorrentWants(const json::Value& policy, OperandSettings settings, const std::vector<base::Selector>& older)
      : settings_(std::move(settings)),
        reading_(read_driver_policy(policy)),
        template_(template_hash(reading_, settings_)) {
    if (brings_driver()) daemon_sets_.push_back(render_builder(reading_, settings_, older));
  }

  const PolicyReading& reading() const override { return reading_.upgrade; }
  const std::vector<FieldTrouble>& troubles() const override { return reading_.troubles; }
  // The schema keeps nothing that we do not read.
  const std::vector<std::string>& ignored_fields() const override { return nothing_; }
  const std::vector<std::string>& unmanaged_operands() const override { return nothing_; }
  const std::vector<std::string>& unplaced_nodes() const override { return nothing_; }
  std::string_view version() const override { return reading_.version; }
  bool brings_driver() const override { return reading_.can_be_rendered; }
  bool keeps_what_is_there() const override { return !brings_driver(); }

  bool selects(const LabelsOf& labels) const override {
    return reading_.selects(labels, settings_.needs_feature_label);
  }
  bool is_host_managed(const LabelsOf& labels) const override { return labels(kInstallModeLabel) == kHostMode; }
  DesiredNode desired_on(const LabelsOf& labels) const override {
    if (!brings_driver() || !selects(labels)) return {};
    return {.digest = kmd_digest(reading_.version),
            .version = reading_.version,
            .image = builder_image(reading_, settings_),
            .daemon_set = builder_name(reading_.upgrade.policy.name),
            .template_mark = template_,
            .forces = reading_.kills_holders};
  }
  // The driver is built on the node, for whatever it runs.
  std::string pool_of(const LabelsOf& labels) const override { return selects(labels) ? "any" : "none"; }

  const std::vector<json::Value>& daemon_sets() const override { return daemon_sets_; }
  const std::vector<std::string>& leftovers() const override { return nothing_; }
  // None: the builder that runs already is asked to prepare (messages.h).
  json::Value preflight(const std::string&, const DesiredNode&) const override { return nullptr; }
  NodeMetadata metadata(const LabelsOf&, const LabelsOf&, bool /*may_change_carrier*/) const override { return {}; }

 private:
  OperandSettings settings_;
  DriverPolicyReading reading_;
  std::string template_;
  std::vector<json::Value> daemon_sets_;
  const std::vector<std::string> nothing_ = {};
};

}  // namespace

std::unique_ptr<Desired> tenstorrent_wants(const std::vector<PolicyObject>& policies, std::size_t which,
                                           const std::vector<PoolNode>& /*nodes*/,
                                           const std::vector<DriverSet>& /*sets*/, const OperandSettings& settings) {
  return std::make_unique<TenstorrentWants>(*policies[which].object, settings, older_selectors(policies, which));
}

}  // namespace drover::vendors
