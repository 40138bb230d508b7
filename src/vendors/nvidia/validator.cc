// The validator's DaemonSet and the preflight pod.
#include "base/text.h"
#include "protocol/keys.h"
#include "vendors/nvidia/operand_parts.h"
#include "vendors/nvidia/operands.h"
#include "vendors/shared/pod_parts.h"
#include "vendors/shared/preflight.h"

namespace drover::vendors {
namespace {

using json::Array;
using json::Members;
using parts::host_volume;
using parts::mount;
using parts::variable_from_field;

constexpr int kADayOfSeconds = 24 * 60 * 60;

// It has to open the devices and to run the driver's own nvidia-smi, which no capability gives.
Members validator_container(const OperandSettings& settings) {
  Members container = {
      {"name", kValidatorDaemonSet}, {"image", settings.own_image}, {"imagePullPolicy", settings.own_pull_policy}};
  container["command"] = Array{parts::kProgram};
  container["args"] = Array{"agent", "validate"};
  container["env"] =
      Array{variable_from_field("NODE_NAME", "spec.nodeName"), variable_from_field("POD_UID", "metadata.uid"),
            parts::variable("NVIDIA_VISIBLE_DEVICES", "void")};
  const Members passed = {{"command", Array{parts::kProgram, "agent", "validate", "--passed"}}};
  // A node is out of service until the first yes, so that is asked for every second; a driver that never works is
  // judged by the operator, not by a restart of its validator.
  container["startupProbe"] =
      Members{{"exec", passed}, {"periodSeconds", 1}, {"timeoutSeconds", 5}, {"failureThreshold", kADayOfSeconds}};
  container["readinessProbe"] =
      Members{{"exec", passed}, {"periodSeconds", 5}, {"timeoutSeconds", 5}, {"failureThreshold", 1}};
  container["securityContext"] = Members{{"privileged", true}, {"readOnlyRootFilesystem", true}, {"runAsUser", 0}};
  container["volumeMounts"] =
      Array{mount("host-root", "/host", true, "HostToContainer"), mount("state", "/run/drover"), parts::token_mount()};
  return container;
}

Members validator_pod_spec(const ClusterPolicyReading& reading, const OperandSettings& settings) {
  Members spec;
  Members nodes = {{"nvidia.com/gpu.deploy.operator-validator", "true"}};
  if (!reading.nvidia_driver.empty()) nodes[kDriverOwnerLabel] = reading.nvidia_driver;
  spec["nodeSelector"] = std::move(nodes);
  // Its gate label keeps it away during a swap, so it need not tolerate the taint.
  spec["tolerations"] = parts::tolerations(reading.daemon_sets);
  spec["priorityClassName"] = reading.daemon_sets.priority_class;
  spec["serviceAccountName"] = settings.agent_account;
  spec["automountServiceAccountToken"] = false;
  // Nothing of it is worth waiting for when its gate closes.
  spec["terminationGracePeriodSeconds"] = 1;
  Array secrets = parts::pull_secrets(settings.own_pull_secrets);
  if (!secrets.empty()) spec["imagePullSecrets"] = std::move(secrets);
  spec["containers"] = Array{validator_container(settings)};
  spec["volumes"] = Array{host_volume("host-root", reading.driver.host_root),
                          Members{{"name", "state"}, {"emptyDir", Members{}}}, parts::token_volume()};
  return spec;
}

Members update_strategy(const DaemonSetsAsk& ask) {
  if (ask.update == DaemonSetsAsk::Update::OnDelete) return {{"type", "OnDelete"}};
  Members strategy = {{"type", "RollingUpdate"}};
  if (!ask.rolling_unavailable.empty()) {
    const auto number = base::parse_int(ask.rolling_unavailable);
    json::Value most = number ? json::Value(*number) : json::Value(ask.rolling_unavailable);
    strategy["rollingUpdate"] = Members{{"maxUnavailable", std::move(most)}};
  }
  return strategy;
}

}  // namespace

json::Value render_validator(const ClusterPolicyReading& reading, const OperandSettings& settings) {
  const std::string name = operand_name(kValidatorDaemonSet, reading.nvidia_driver);
  Members match = {{"app", kValidatorDaemonSet}};
  if (!reading.nvidia_driver.empty()) match[kValidatorSetLabel] = name;
  Members labels = parts::words(reading.daemon_sets.labels);
  for (const auto& member : match) labels[member.key()] = member.value();
  labels["app.kubernetes.io/component"] = kValidatorDaemonSet;
  Members pod = {{"labels", std::move(labels)}};
  if (!reading.daemon_sets.annotations.empty()) pod["annotations"] = parts::words(reading.daemon_sets.annotations);
  Members metadata = {{"name", name}, {"namespace", settings.ns}, {"labels", match}};
  metadata["annotations"] = Members{{protocol::kPolicyAnnotation, parts::policy_word(reading)}};
  return parts::daemon_set(std::move(metadata), match, update_strategy(reading.daemon_sets), std::move(pod),
                           validator_pod_spec(reading, settings));
}

json::Value render_preflight(const ClusterPolicyReading& reading, const DriverOperand& driver, const std::string& node,
                             const OperandSettings& settings) {
  return render_preflight({.node = node,
                           .image = driver.image,
                           .digest = driver.digest,
                           .pull_policy = reading.driver.pull_policy,
                           .pull_secrets = reading.driver.pull_secrets,
                           .labels = {{"app", kPreflightApp}},
                           .owner = parts::owner(reading)},
                          settings);
}

}  // namespace drover::vendors
