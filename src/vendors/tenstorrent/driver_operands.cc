#include "vendors/tenstorrent/driver_operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "protocol/keys.h"
#include "protocol/proxies.h"
#include "vendors/shared/pod_parts.h"
#include "vendors/tenstorrent/words.h"

namespace drover::vendors {
namespace {

using json::Array;
using json::Members;
using parts::host_volume;
using parts::mount;
using parts::variable;
using parts::variable_from_field;

struct Place {
  std::string_view name;
  std::string_view in_pod;
  std::string_view on_host;
  std::string_view type;
  bool is_read_only;
};

// The machine's folders, in their own places where the agent reads them, and below /host where it writes for people or
// where the image has its own.
constexpr Place kPlaces[] = {
    {"lib-modules", "/lib/modules", "/lib/modules", "Directory", true},
    {"usr-src", "/usr/src", "/usr/src", "Directory", true},
    {"host-usr-lib", "/host/usr/lib", "/usr/lib", "Directory", true},  // Debian's linux-kbuild-*, which make runs
    {"tt-kmd-cache", "/var/cache/tt-kmd", "/var/cache/tt-kmd", "DirectoryOrCreate", false},
    {"var-lib-dkms", "/var/lib/dkms", "/var/lib/dkms", "DirectoryOrCreate", true},
    {"host-usr-local-bin", "/host/usr/local/bin", "/usr/local/bin", "DirectoryOrCreate", false},
    {"host-udev-rules", "/host/etc/udev/rules.d", "/etc/udev/rules.d", "DirectoryOrCreate", false},
    {"pod-logs", "/var/log/pods", "/var/log/pods", "DirectoryOrCreate", true},  // its folders name the pods
};

// ---- which nodes

std::string_view word(base::Selector::Op op) {
  using Op = base::Selector::Op;
  switch (op) {
    case Op::Equals:
    case Op::In: return "In";
    case Op::NotEquals:
    case Op::NotIn: return "NotIn";
    case Op::Exists: return "Exists";
    case Op::NotExists: return "DoesNotExist";
    case Op::GreaterThan: return "Gt";
    case Op::LessThan: return "Lt";
  }
  return "Exists";
}

Members expression(std::string_view key, std::string_view op, const std::vector<std::string>& values) {
  Members one = {{"key", key}, {"operator", op}};
  if (!values.empty()) one["values"] = parts::arguments(values);
  return one;
}

Members expression(const base::Selector::Term& term) {
  std::vector<std::string> values = term.values;
  std::sort(values.begin(), values.end());
  return expression(term.key, word(term.op), values);
}

base::Selector::Term opposite(base::Selector::Term term) {
  using Op = base::Selector::Op;
  switch (term.op) {
    case Op::Equals:
    case Op::In: term.op = Op::NotIn; break;
    case Op::NotEquals:
    case Op::NotIn: term.op = Op::In; break;
    case Op::Exists: term.op = Op::NotExists; break;
    default: term.op = Op::Exists; break;
  }
  return term;
}

// The skip label keeps a node out; asked for as well, no node is left.
const base::Selector::Term kNoNode = {std::string(kTenstorrentSkipLabel), base::Selector::Op::In, {"true"}};

bool is_choice(const base::Selector::Term& term) {
  return term.op == base::Selector::Op::Equals || term.op == base::Selector::Op::In;
}

// Both want a label to be one of some values, and no value is in both lists.
bool are_apart(const base::Selector& one, const base::Selector& other) {
  for (const auto& a : one.terms()) {
    for (const auto& b : other.terms()) {
      const bool is_same_label = is_choice(a) && is_choice(b) && a.key == b.key;
      if (is_same_label && std::none_of(a.values.begin(), a.values.end(), [&](const std::string& value) {
            return std::find(b.values.begin(), b.values.end(), value) != b.values.end();
          }))
        return true;
    }
  }
  return false;
}

// "Not all of these" is "not the first, or not the second, …": alternatives, each of which a node may fit.
std::vector<std::vector<base::Selector::Term>> alternatives(const DriverPolicyReading& reading,
                                                            const std::vector<base::Selector>& older) {
  constexpr std::size_t kMost = 64;  // of a pod's affinity; a policy that needs more gets none of the nodes in question
  std::vector<std::vector<base::Selector::Term>> ways = {{}};
  for (const base::Selector& other : older) {
    if (are_apart(reading.nodes, other)) continue;
    std::vector<std::vector<base::Selector::Term>> narrowed;
    for (const auto& way : ways) {
      for (const auto& term : other.terms()) {
        narrowed.push_back(way);
        narrowed.back().push_back(opposite(term));
      }
    }
    if (narrowed.empty() || narrowed.size() > kMost) narrowed = {{kNoNode}};
    ways = std::move(narrowed);
  }
  return ways;
}

// All of them must hold, so their order means nothing and is taken out of the text.
Array expressions(const DriverPolicyReading& reading, const OperandSettings& settings,
                  const std::vector<base::Selector::Term>& more) {
  std::vector<Members> all;
  for (const auto& term : reading.nodes.terms()) all.push_back(expression(term));
  for (const auto& term : more) all.push_back(expression(term));
  std::sort(all.begin(), all.end(),
            [](const Members& a, const Members& b) { return json::text_of(a) < json::text_of(b); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (settings.needs_feature_label) all.push_back(expression(kTenstorrentPciLabel, "In", {"true"}));
  all.push_back(expression(kTenstorrentSkipLabel, "NotIn", {"true"}));
  Array list;
  for (Members& one : all) list.push_back(std::move(one));
  return list;
}

Members affinity(const DriverPolicyReading& reading, const OperandSettings& settings,
                 const std::vector<base::Selector>& older) {
  Array terms;
  for (const auto& way : alternatives(reading, older))
    terms.push_back(Members{{"matchExpressions", expressions(reading, settings, way)}});
  Members required = {{"nodeSelectorTerms", std::move(terms)}};
  return {{"nodeAffinity", Members{{"requiredDuringSchedulingIgnoredDuringExecution", std::move(required)}}}};
}

// ---- the pod

Array environment(const DriverPolicyReading& reading, const OperandSettings& settings, bool kills) {
  Array env;
  env.push_back(variable(kKmdVersionVariable, reading.version));
  env.push_back(variable_from_field("NODE_NAME", "spec.nodeName"));
  env.push_back(variable_from_field("POD_UID", "metadata.uid"));
  env.push_back(variable(parts::kDigestVariable, kmd_digest(reading.version)));
  env.push_back(variable(kForceUnloadVariable, kills ? "true" : "false"));
  if (!settings.driver_source.empty()) env.push_back(variable(kKmdSourceVariable, settings.driver_source));
  for (const std::string_view name : protocol::kProxyVariables) {
    for (const auto& [given, value] : settings.proxies) {
      if (given == name && !value.empty()) env.push_back(variable(name, value));
    }
  }
  return env;
}

Members container(const DriverPolicyReading& reading, const OperandSettings& settings, bool kills) {
  Members container = {{"name", kBuilderContainer},
                       {"image", builder_image(reading, settings)},
                       {"imagePullPolicy", reading.pull_policy}};
  container["command"] = Array{parts::kProgram};
  container["args"] = Array{"agent", "load", "--listen", fmt::format(":{}", kLoaderPort)};
  container["env"] = environment(reading, settings, kills);
  // Loads modules, and shuts its compilers off from network and token.
  container["securityContext"] = Members{{"privileged", true}, {"readOnlyRootFilesystem", true}};
  container["ports"] = Array{Members{{"name", "ready"}, {"containerPort", kLoaderPort}, {"protocol", "TCP"}}};
  container["readinessProbe"] = Members{{"httpGet", Members{{"path", "/readyz"}, {"port", kLoaderPort}}},
                                        {"initialDelaySeconds", 5},
                                        {"periodSeconds", 10},
                                        {"timeoutSeconds", 5},
                                        {"successThreshold", 1},
                                        {"failureThreshold", 30}};
  Array mounts;
  for (const Place& place : kPlaces) mounts.push_back(mount(place.name, place.in_pod, place.is_read_only));
  mounts.push_back(mount("tmp", "/tmp"));
  mounts.push_back(parts::token_mount());
  container["volumeMounts"] = std::move(mounts);
  return container;
}

Members pod_spec(const DriverPolicyReading& reading, const OperandSettings& settings, bool kills,
                 const std::vector<base::Selector>& older = {}) {
  Members spec;
  spec["affinity"] = affinity(reading, settings, older);
  spec["tolerations"] = Array{Members{{"operator", "Exists"}}};
  spec["priorityClassName"] = "system-node-critical";
  spec["serviceAccountName"] = settings.agent_account;
  spec["automountServiceAccountToken"] = false;
  spec["hostPID"] = true;  // to name what holds the device
  Array secrets = parts::pull_secrets(settings.own_pull_secrets);
  if (!secrets.empty()) spec["imagePullSecrets"] = std::move(secrets);
  spec["containers"] = Array{container(reading, settings, kills)};
  Array volumes;
  for (const Place& place : kPlaces) volumes.push_back(host_volume(place.name, place.on_host, place.type));
  volumes.push_back(Members{{"name", "tmp"}, {"emptyDir", Members{}}});
  volumes.push_back(parts::token_volume());
  spec["volumes"] = std::move(volumes);
  return spec;
}

const json::Value* builder_variable(const json::Value& pod, std::string_view name) {
  for (const json::Value& one : json::array_at(pod, {"spec", "containers"})) {
    if (json::text_at(one, {"name"}) != kBuilderContainer) continue;
    for (const json::Value& entry : json::array_at(one, {"env"})) {
      if (json::text_at(entry, {"name"}) == name) return json::find(entry, {"value"});
    }
  }
  return nullptr;
}

}  // namespace

const std::string& builder_image(const DriverPolicyReading& reading, const OperandSettings& settings) {
  if (!reading.image.empty()) return reading.image;
  return settings.builder_image.empty() ? settings.own_image : settings.builder_image;
}

std::string builder_name(std::string_view policy) { return fmt::format("ttdrv-{}", policy); }

std::string kmd_digest(std::string_view version) {
  return fmt::format("{:016x}", base::fnv1a(json::text_of(Members{{"tt-kmd", version}})));
}

// Neither what people may do to holders nor which other policies have nodes is in it: neither makes another pod.
std::string template_hash(const DriverPolicyReading& reading, const OperandSettings& settings) {
  return parts::template_mark(pod_spec(reading, settings, false));
}

json::Value render_builder(const DriverPolicyReading& reading, const OperandSettings& settings,
                           const std::vector<base::Selector>& older) {
  if (!reading.can_be_rendered) return nullptr;
  const core::Policy& policy = reading.upgrade.policy;
  const Members match = {
      {"app.kubernetes.io/name", kBuilderRole}, {"app.kubernetes.io/component", "driver"}, {kPolicyLabel, policy.name}};
  const Members marks = {{kTemplateHash, template_hash(reading, settings)},
                         {kForceAnnotation, reading.kills_holders ? "true" : "false"}};
  Members labels = match;
  labels[protocol::kDigestLabel] = kmd_digest(reading.version);
  Members metadata = {{"name", builder_name(policy.name)}, {"namespace", settings.ns}, {"labels", match}};
  metadata["annotations"] = marks;
  metadata["annotations"].get_object()[protocol::kPolicyAnnotation] = policy.name;
  return parts::daemon_set(std::move(metadata), match, {{"type", "OnDelete"}},
                           {{"labels", std::move(labels)}, {"annotations", marks}},
                           pod_spec(reading, settings, reading.kills_holders, older));
}

std::string_view kmd_version_of_pod(const json::Value& pod) {
  const json::Value* value = builder_variable(pod, kKmdVersionVariable);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

std::string kmd_digest_of_pod(const json::Value& pod) {
  const std::string_view version = kmd_version_of_pod(pod);
  return version.empty() ? std::string() : kmd_digest(version);
}

DriverSet builder_set_of(const json::Value& daemon_set) {
  return {.name = std::string(json::text_at(daemon_set, {"metadata", "name"})),
          .policy = std::string(json::text_at(daemon_set, {"metadata", "annotations", protocol::kPolicyAnnotation})),
          .match_labels = json::members_at(daemon_set, {"spec", "selector", "matchLabels"}),
          .has_owner = !json::array_at(daemon_set, {"metadata", "ownerReferences"}).empty()};
}

}  // namespace drover::vendors
