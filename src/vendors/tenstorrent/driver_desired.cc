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
  std::string_view version() const override { return reading_.version; }
  bool brings_driver() const override { return reading_.can_be_rendered; }

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

  const std::vector<json::Value>& daemon_sets() const override { return daemon_sets_; }

 private:
  OperandSettings settings_;
  DriverPolicyReading reading_;
  std::string template_;
  std::vector<json::Value> daemon_sets_;
};

}  // namespace

std::unique_ptr<Desired> tenstorrent_wants(const std::vector<PolicyObject>& policies, std::size_t which,
                                           const std::vector<PoolNode>& /*nodes*/,
                                           const std::vector<DriverSet>& /*sets*/, const OperandSettings& settings) {
  return std::make_unique<TenstorrentWants>(*policies[which].object, settings, older_selectors(policies, which));
}

}  // namespace drover::vendors
