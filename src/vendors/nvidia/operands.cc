// The driver's DaemonSets and their digest.
#include "vendors/nvidia/operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/time.h"
#include "protocol/keys.h"
#include "vendors/nvidia/operand_parts.h"
#include "vendors/shared/pod_parts.h"

namespace drover::vendors {
namespace {

using json::Array;
using json::Members;
using parts::host_volume;
using parts::mount;
using parts::variable;
using parts::variable_from_field;

// ---- the digest

// What is absent, empty or the default leaves no trace, so that a new field of a later release changes no digest.
void note(Members& into, std::string_view key, const std::string& value, std::string_view usual = "") {
  if (value != usual) into[key] = value;
}

std::string canonical_text(const DriverAsk& driver, const Pool& pool) {
  Members made_of;
  note(made_of, "image", image_for(driver, pool));
  note(made_of, "moduleType", driver.module_type, "auto");
  note(made_of, "secretEnv", driver.secret_env);
  note(made_of, "kernel", pool.kernel);
  note(made_of, "hostRoot", driver.host_root, "/");
  if (!driver.args.empty()) made_of["args"] = parts::arguments(driver.args);
  if (!driver.env.empty()) {
    Members env;
    for (const auto& [name, value] : std::map(driver.env.begin(), driver.env.end())) env[name] = value;
    made_of["env"] = std::move(env);
  }
  return json::text_of(made_of);
}

// ---- containers

// As the vendor ships it; what the policy says takes the place of single numbers. A process, not a shell.
Members probe(const Members& asked, const Members& usual) {
  Members probe = usual;
  for (const auto& member : asked) probe[member.key()] = member.value();
  probe["exec"] = Members{{"command", Array{"nvidia-smi"}}};
  return probe;
}

bool has(const DriverAsk& driver, std::string_view variable_name) {
  return std::any_of(driver.env.begin(), driver.env.end(), [&](const auto& one) { return one.first == variable_name; });
}

Array driver_env(const DriverAsk& driver, const std::string& digest) {
  Array env;
  env.push_back(variable_from_field("NODE_NAME", "spec.nodeName"));
  env.push_back(variable(parts::kDigestVariable, digest));
  // A variable of the policy wins: before there was a field for it, people wrote it there.
  if (!has(driver, "KERNEL_MODULE_TYPE")) env.push_back(variable("KERNEL_MODULE_TYPE", driver.module_type));
  if (driver.module_type == "open" && !has(driver, "OPEN_KERNEL_MODULES_ENABLED"))
    env.push_back(variable("OPEN_KERNEL_MODULES_ENABLED", "true"));
  for (const auto& [name, value] : driver.env) env.push_back(variable(name, value));
  return env;
}

Members driver_container(const DriverAsk& driver, const std::string& image, const std::string& digest) {
  static const Members kStartup = {{"initialDelaySeconds", 60},
                                   {"periodSeconds", 10},
                                   {"timeoutSeconds", 60},
                                   {"successThreshold", 1},
                                   {"failureThreshold", 120}};
  static const Members kLater = {{"periodSeconds", 30}, {"timeoutSeconds", 60}, {"failureThreshold", 3}};
  Members container = {{"name", kDriverContainer}, {"image", image}, {"imagePullPolicy", driver.pull_policy}};
  container["command"] = Array{"nvidia-driver"};
  container["args"] = driver.args.empty() ? Array{"init"} : parts::arguments(driver.args);
  container["env"] = driver_env(driver, digest);
  if (!driver.secret_env.empty())
    container["envFrom"] = Array{Members{{"secretRef", Members{{"name", driver.secret_env}}}}};
  container["securityContext"] = Members{{"privileged", true}, {"seLinuxOptions", Members{{"level", "s0"}}}};
  if (!driver.resources.empty()) container["resources"] = driver.resources;
  container["startupProbe"] = probe(driver.startup_probe, kStartup);
  if (driver.liveness_probe) container["livenessProbe"] = probe(*driver.liveness_probe, kLater);
  if (driver.readiness_probe) container["readinessProbe"] = probe(*driver.readiness_probe, kLater);
  Array mounts;
  mounts.push_back(mount("run-nvidia", "/run/nvidia", false, "Bidirectional"));
  mounts.push_back(mount("run-nvidia-fabricmanager", "/run/nvidia-fabricmanager"));
  mounts.push_back(mount("run-nvidia-topologyd", "/run/nvidia-topologyd"));
  mounts.push_back(mount("var-log", "/var/log"));
  mounts.push_back(mount("dev-log", "/dev/log"));
  mounts.push_back(mount("host-os-release", "/host-etc/os-release", true));
  mounts.push_back(mount("firmware-search-path", "/sys/module/firmware_class/parameters/path"));
  mounts.push_back(mount("nv-firmware", "/lib/firmware"));
  container["volumeMounts"] = std::move(mounts);
  return container;
}

std::string_view word(bool flag) { return flag ? "true" : "false"; }

// Ours: it waits for permission, checks that no process holds the device, and takes the old modules out.
Members manager_container(const ManagerOptions& options, const std::string& digest, const OperandSettings& settings) {
  Members container = {
      {"name", kManagerContainer}, {"image", settings.own_image}, {"imagePullPolicy", settings.own_pull_policy}};
  container["command"] = Array{parts::kProgram};
  container["args"] = Array{"agent", "driver-manager"};
  const auto limit =
      std::chrono::duration_cast<std::chrono::seconds>(options.removal.at_most.value_or(base::Span::zero()));
  Array env;
  env.push_back(variable_from_field("NODE_NAME", "spec.nodeName"));
  env.push_back(variable_from_field("OPERATOR_NAMESPACE", "metadata.namespace"));
  env.push_back(variable_from_field("POD_UID", "metadata.uid"));
  env.push_back(variable(parts::kDigestVariable, digest));
  env.push_back(variable("NVIDIA_VISIBLE_DEVICES", "void"));
  env.push_back(variable("ENABLE_GPU_POD_EVICTION", word(options.evicts_device_pods)));
  env.push_back(variable("ENABLE_AUTO_DRAIN", word(options.drains)));
  env.push_back(variable("DRAIN_USE_FORCE", word(options.removal.takes_bare_pods)));
  env.push_back(variable("DRAIN_POD_SELECTOR_LABEL", options.drained.text()));
  env.push_back(variable("DRAIN_TIMEOUT_SECONDS", fmt::format("{}s", limit.count())));
  env.push_back(variable("DRAIN_DELETE_EMPTYDIR_DATA", word(options.removal.takes_local_data)));
  container["env"] = std::move(env);
  // SYS_MODULE to unload; the others to see which processes hold a device.
  Members capabilities = {{"drop", Array{"ALL"}}, {"add", Array{"SYS_MODULE", "SYS_PTRACE", "DAC_READ_SEARCH"}}};
  // `privileged` is said although it is the default: the vendor's own DaemonSet, where we take it over, has it true.
  container["securityContext"] = Members{{"privileged", false},
                                         {"allowPrivilegeEscalation", false},
                                         {"readOnlyRootFilesystem", true},
                                         {"runAsUser", 0},
                                         {"capabilities", std::move(capabilities)},
                                         {"seccompProfile", Members{{"type", "RuntimeDefault"}}}};
  Array mounts;
  mounts.push_back(mount("run-nvidia", "/run/nvidia", false, "HostToContainer"));
  mounts.push_back(mount("host-root", "/host", true, "HostToContainer"));
  mounts.push_back(parts::token_mount());
  container["volumeMounts"] = std::move(mounts);
  return container;
}

Array driver_volumes(const DriverAsk& driver) {
  Array volumes;
  volumes.push_back(host_volume("run-nvidia", "/run/nvidia", "DirectoryOrCreate"));
  volumes.push_back(host_volume("run-nvidia-fabricmanager", "/run/nvidia-fabricmanager", "DirectoryOrCreate"));
  volumes.push_back(host_volume("run-nvidia-topologyd", "/run/nvidia-topologyd", "DirectoryOrCreate"));
  volumes.push_back(host_volume("var-log", "/var/log"));
  volumes.push_back(host_volume("dev-log", "/dev/log"));
  volumes.push_back(host_volume("host-os-release", "/etc/os-release"));
  volumes.push_back(host_volume("firmware-search-path", "/sys/module/firmware_class/parameters/path"));
  volumes.push_back(host_volume("nv-firmware", "/run/nvidia/driver/lib/firmware", "DirectoryOrCreate"));
  volumes.push_back(host_volume("host-root", driver.host_root));
  volumes.push_back(parts::token_volume());
  return volumes;
}

// ---- the DaemonSet

// A second driver pod on a node waits until the first has gone, whichever DaemonSet made it.
Members one_driver_on_a_node() {
  Members term = {
      {"labelSelector", Members{{"matchLabels", Members{{"app.kubernetes.io/component", "nvidia-driver"}}}}},
      {"topologyKey", "kubernetes.io/hostname"}};
  return {{"podAntiAffinity", Members{{"requiredDuringSchedulingIgnoredDuringExecution", Array{std::move(term)}}}}};
}

// Among several policies each node says which DaemonSet it takes its driver from. That word changes when the driver
// does, not when the node changes hands: a DaemonSet takes its pod away as soon as a node no longer fits.
Members node_selector(const ClusterPolicyReading& reading, const Placement::Carrier& carrier, bool names_systems) {
  const Pool& pool = carrier.pool;
  Members selector = {{"nvidia.com/gpu.deploy.driver", "true"}};
  if (!reading.nvidia_driver.empty()) {
    selector[kDriverSetLabel] = carrier.name;
    return selector;
  }
  if (!names_systems) return selector;
  selector["feature.node.kubernetes.io/system-os_release.ID"] = pool.os_id;
  selector["feature.node.kubernetes.io/system-os_release.VERSION_ID"] = pool.os_version;
  if (!pool.kernel.empty()) selector["feature.node.kubernetes.io/kernel-version.full"] = pool.kernel;
  return selector;
}

Members pod_metadata(const ClusterPolicyReading& reading, const Placement::Carrier& carrier, const std::string& digest,
                     const std::string& template_mark) {
  Members labels = parts::words(reading.daemon_sets.labels);
  labels["app"] = kDriverDaemonSet;
  labels["app.kubernetes.io/component"] = "nvidia-driver";
  labels["nvidia.com/precompiled"] = word(reading.driver.is_precompiled);
  labels[protocol::kDigestLabel] = digest;
  labels[kDriverSetLabel] = carrier.name;
  for (const auto& member : carrier.match_labels) labels[member.key()] = member.value();
  Members annotations = parts::words(reading.daemon_sets.annotations);
  annotations["kubectl.kubernetes.io/default-container"] = kDriverContainer;
  annotations[protocol::kTemplateAnnotation] = template_mark;
  return {{"labels", std::move(labels)}, {"annotations", std::move(annotations)}};
}

Members pod_spec(const ClusterPolicyReading& reading, const Placement::Carrier& carrier, bool names_systems,
                 const std::string& digest, const OperandSettings& settings) {
  const DriverAsk& driver = reading.driver;
  Members spec;
  spec["nodeSelector"] = node_selector(reading, carrier, names_systems);
  // The DaemonSet controller itself adds those for cordoned, unready and pressed nodes.
  spec["tolerations"] = parts::tolerations(
      reading.daemon_sets,
      Array{Members{{"key", protocol::kSwapTaint}, {"operator", "Exists"}, {"effect", "NoSchedule"}}});
  spec["affinity"] = one_driver_on_a_node();
  spec["priorityClassName"] = reading.daemon_sets.priority_class;
  spec["serviceAccountName"] = settings.agent_account;
  spec["automountServiceAccountToken"] = false;
  spec["hostPID"] = true;
  if (driver.on_host_network) {
    spec["hostNetwork"] = true;
    spec["dnsPolicy"] = "ClusterFirstWithHostNet";
  }
  Array secrets = parts::pull_secrets(settings.own_pull_secrets, driver.pull_secrets);
  if (!secrets.empty()) spec["imagePullSecrets"] = std::move(secrets);
  spec["initContainers"] = Array{manager_container(reading.manager, digest, settings)};
  spec["containers"] = Array{driver_container(driver, image_for(driver, carrier.pool), digest)};
  spec["volumes"] = driver_volumes(driver);
  return spec;
}

json::Value driver_daemon_set(const ClusterPolicyReading& reading, const Placement::Carrier& carrier,
                              bool names_systems, const std::string& digest, const OperandSettings& settings) {
  Members spec = pod_spec(reading, carrier, names_systems, digest, settings);
  const std::string mark = parts::template_mark(spec);
  Members metadata = {{"name", carrier.name}, {"namespace", settings.ns}};
  metadata["labels"] = Members{{"app", kDriverDaemonSet}, {"app.kubernetes.io/component", "nvidia-driver"}};
  metadata["annotations"] = Members{{kPoolAnnotation, carrier.pool.word()},
                                    {protocol::kPolicyAnnotation, parts::policy_word(reading)},
                                    {protocol::kTemplateAnnotation, mark}};
  return parts::daemon_set(std::move(metadata), carrier.match_labels, {{"type", "OnDelete"}},
                           pod_metadata(reading, carrier, digest, mark), std::move(spec));
}

}  // namespace

std::string digest_of(const DriverAsk& driver, const Pool& pool) {
  return fmt::format("{:016x}", base::fnv1a(canonical_text(driver, pool)));
}

std::string_view digest_of_pod(const json::Value& pod) {
  return json::text_at(pod, {"metadata", "labels", protocol::kDigestLabel});
}

std::string_view driver_image_of_pod(const json::Value& pod) {
  for (const json::Value& container : json::array_at(pod, {"spec", "containers"})) {
    if (json::text_at(container, {"name"}) == kDriverContainer) return json::text_at(container, {"image"});
  }
  return {};
}

Operands render_drivers(const ClusterPolicyReading& reading, const std::vector<PoolNode>& nodes,
                        const std::vector<DriverSet>& existing, const OperandSettings& settings) {
  Operands operands;
  if (!reading.driver.is_enabled || !reading.can_be_rendered) return operands;
  Placement placement = place(reading.driver, nodes, existing, reading.nvidia_driver);
  for (const Placement::Carrier& carrier : placement.carriers) {
    const std::string digest = digest_of(reading.driver, carrier.pool);
    json::Value set = driver_daemon_set(reading, carrier, placement.names_systems(), digest, settings);
    const std::string_view mark = json::text_at(set, {"metadata", "annotations", protocol::kTemplateAnnotation});
    operands.drivers.push_back({.pool = carrier.pool,
                                .name = carrier.name,
                                .image = image_for(reading.driver, carrier.pool),
                                .digest = digest,
                                .template_mark = std::string(mark),
                                .daemon_set = std::move(set)});
  }
  operands.leftovers = std::move(placement.leftovers);
  operands.unplaced = std::move(placement.unplaced);
  return operands;
}

}  // namespace drover::vendors
