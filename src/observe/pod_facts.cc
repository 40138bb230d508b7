#include "observe/pod_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text.h"
#include "kube/placement.h"
#include "observe/resource_claims.h"
#include "protocol/keys.h"

namespace drover::observe {
namespace {

constexpr std::size_t kMostTroubleBytes = 300;

bool starts_with_one_of(std::string_view text, std::string_view prefixes) {
  bool found = false;
  vendors::each_part(prefixes, [&](std::string_view prefix) { found = found || text.starts_with(prefix); });
  return found;
}

template <class Visit>
void each_container(const kube::Object& pod, const Visit& visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const json::Value& container : json::array_at(pod, {"spec", list})) visit(container);
  }
}

// By what any of its containers asks for, or by a host path to the device itself.
bool asks_for_device(const kube::Object& pod, const vendors::WorkProfile& profile) {
  bool found = false;
  each_container(pod, [&](const json::Value& container) {
    for (const std::string_view kind : {"limits", "requests"}) {
      for (const auto& resource : json::members_at(container, {"resources", kind})) {
        found = found || starts_with_one_of(resource.key(), profile.vendor.device_resources);
      }
    }
  });
  for (const json::Value& volume : json::array_at(pod, {"spec", "volumes"})) {
    const std::string_view path = json::text_at(volume, {"hostPath", "path"});
    found = found || (!path.empty() && starts_with_one_of(path, profile.vendor.device_paths));
  }
  return found;
}

// Named by the pod, or made for it from a template and named in its status.
std::vector<base::InternedString> claims_of(const kube::Object& pod) {
  std::vector<base::InternedString> names;
  for (const json::Value& claim : json::array_at(pod, {"spec", "resourceClaims"})) {
    if (const std::string_view name = json::text_at(claim, {"resourceClaimName"}); !name.empty())
      names.emplace_back(name);
  }
  for (const json::Value& made : json::array_at(pod, {"status", "resourceClaimStatuses"})) {
    if (const std::string_view name = json::text_at(made, {"resourceClaimName"}); !name.empty())
      names.emplace_back(name);
  }
  return names;
}

bool has_local_data(const kube::Object& pod) {
  const json::Array& volumes = json::array_at(pod, {"spec", "volumes"});
  return std::any_of(volumes.begin(), volumes.end(),
                     [](const json::Value& volume) { return json::find(volume, {"emptyDir"}) != nullptr; });
}

bool tolerates_the_swap(const kube::Object& pod) {
  const json::Array& tolerations = json::array_at(pod, {"spec", "tolerations"});
  return std::any_of(tolerations.begin(), tolerations.end(), [](const json::Value& toleration) {
    const std::string_view effect = json::text_at(toleration, {"effect"});
    if (!effect.empty() && effect != "NoSchedule") return false;
    const std::string_view key = json::text_at(toleration, {"key"});
    if (key.empty()) return json::text_at(toleration, {"operator"}) == "Exists";
    return key == protocol::kSwapTaint;
  });
}

const json::Value* condition(const kube::Object& object, std::string_view type) {
  for (const json::Value& one : json::array_at(object, {"status", "conditions"})) {
    if (json::text_at(one, {"type"}) == type) return &one;
  }
  return nullptr;
}

std::optional<base::WallTime> time_at(const json::Value& value, json::Path path) {
  const auto parsed = base::parse_rfc3339(json::text_at(value, path));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

// When the last of its containers was started; nothing while one of them does not run.
std::optional<base::WallTime> running_since(const kube::Object& pod) {
  std::optional<base::WallTime> last;
  for (const json::Value& status : json::array_at(pod, {"status", "containerStatuses"})) {
    const auto started = time_at(status, {"state", "running", "startedAt"});
    if (!started) return {};
    if (!last || *started > *last) last = started;
  }
  return last;
}

// A pod is Pending until all its containers have run, and once more when its machine was rebooted.
bool has_run(const kube::Object& pod) {
  if (json::text_at(pod, {"status", "phase"}) != "Pending") return true;
  const json::Array& statuses = json::array_at(pod, {"status", "containerStatuses"});
  return std::any_of(statuses.begin(), statuses.end(), [](const json::Value& status) {
    return json::find(status, {"state", "running"}) != nullptr ||
           json::find(status, {"state", "terminated"}) != nullptr ||
           json::find(status, {"lastState", "terminated"}) != nullptr || json::int_at(status, {"restartCount"}) > 0;
  });
}

// Why it does not run, in the kubelet's words, or the scheduler's.
std::string trouble_of(const kube::Object& pod) {
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json::Value& status : json::array_at(pod, {"status", list})) {
      const json::Value* waiting = json::find(status, {"state", "waiting"});
      if (waiting == nullptr) continue;
      const std::string_view reason = json::text_at(*waiting, {"reason"});
      if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") continue;
      const std::string_view message = json::text_at(*waiting, {"message"});
      return base::one_line(message.empty() ? std::string(reason) : fmt::format("{}: {}", reason, message),
                            kMostTroubleBytes);
    }
  }
  const json::Value* scheduled = condition(pod, "PodScheduled");
  if (scheduled != nullptr && json::text_at(*scheduled, {"status"}) == "False") {
    return base::one_line(
        fmt::format("{}: {}", json::text_at(*scheduled, {"reason"}), json::text_at(*scheduled, {"message"})),
        kMostTroubleBytes);
  }
  if (json::text_at(pod, {"status", "phase"}) == "Failed") {
    const std::string_view reason = json::text_at(pod, {"status", "reason"});
    const std::string_view message = json::text_at(pod, {"status", "message"});
    return base::one_line(fmt::format("{}: {}", reason.empty() ? "Failed" : reason, message), kMostTroubleBytes);
  }
  return {};
}

}  // namespace

std::string_view PodFacts::label(std::string_view key) const {
  const auto at = std::find_if(labels.begin(), labels.end(), [key](const auto& one) { return one.first == key; });
  return at == labels.end() ? std::string_view() : std::string_view(at->second);
}

base::Selector::Lookup PodFacts::lookup() const {
  return [this](std::string_view key) -> std::optional<std::string_view> {
    const auto at = std::find_if(labels.begin(), labels.end(), [key](const auto& one) { return one.first == key; });
    return at == labels.end() ? std::nullopt : std::optional(std::string_view(at->second));
  };
}

namespace {

constexpr std::string_view kFields[] = {"metadata.labels",
                                        "metadata.ownerReferences",
                                        "metadata.annotations[kubernetes.io/config.mirror]",
                                        "spec.nodeName",
                                        "spec.tolerations",
                                        "spec.volumes.emptyDir",
                                        "spec.volumes.hostPath",
                                        "spec.initContainers.resources",
                                        "spec.containers.image",
                                        "spec.containers.resources",
                                        "spec.ephemeralContainers.resources",
                                        "spec.resourceClaims",
                                        "status.phase",
                                        "status.reason",
                                        "status.message",
                                        "status.conditions",
                                        "status.initContainerStatuses.state",
                                        "status.containerStatuses.state",
                                        "status.resourceClaimStatuses"};

}  // namespace

kube::Projection pod_projection() { return kube::Projection(std::span(kFields)); }

kube::Projection operand_projection(const vendors::WorkProfile& profile) {
  std::vector<std::string> more = {
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchFields",
      "status.containerStatuses.lastState.terminated.exitCode", "status.containerStatuses.restartCount"};
  for (const std::string_view key : {profile.template_annotation, profile.force_annotation}) {
    if (!key.empty()) more.push_back(fmt::format("metadata.annotations[{}]", key));
  }
  if (profile.carried_by != nullptr) {
    more.emplace_back("spec.containers.name");
    more.emplace_back("spec.containers.env");
  }
  std::vector<std::string_view> fields(std::begin(kFields), std::end(kFields));
  fields.insert(fields.end(), more.begin(), more.end());
  return kube::Projection(std::span<const std::string_view>(fields));
}

PodFacts pod_facts(const kube::Object& pod, const vendors::WorkProfile& profile) {
  PodFacts facts;
  facts.ns = kube::namespace_of(pod);
  facts.name = kube::name_of(pod);
  facts.uid = kube::uid_of(pod);
  facts.version = kube::version_of(pod);
  facts.node = json::text_at(pod, {"spec", "nodeName"});
  for (const auto& label : kube::labels_of(pod)) {
    if (!label.value().is_string()) continue;
    facts.labels.emplace_back(std::string_view(label.key()), std::string_view(label.value().get_string()));
  }
  if (const json::Value* controller = kube::controller_of(pod)) {
    const std::string_view kind = json::text_at(*controller, {"kind"});
    facts.owner = fmt::format("{} {}/{}", kind, facts.ns, json::text_at(*controller, {"name"}));
    facts.owner_uid = json::text_at(*controller, {"uid"});
    facts.is_daemon = kind == "DaemonSet";
  }
  const std::string_view phase = json::text_at(pod, {"status", "phase"});
  facts.is_finished = phase == "Succeeded" || phase == "Failed";
  facts.has_failed = phase == "Failed";
  facts.is_going = kube::is_being_deleted(pod);
  facts.is_mirror = !kube::annotation_of(pod, "kubernetes.io/config.mirror").empty();
  facts.has_local_data = has_local_data(pod);
  facts.uses_device = asks_for_device(pod, profile);
  facts.claims = claims_of(pod);
  facts.tolerates_the_swap = tolerates_the_swap(pod);
  if (const json::Value* ready = condition(pod, "Ready");
      ready != nullptr && json::text_at(*ready, {"status"}) == "True") {
    facts.is_ready = true;
  }
  facts.has_run = has_run(pod);
  facts.running_since = running_since(pod);
  facts.digest = kube::label_of(pod, protocol::kDigestLabel);
  if (facts.digest.view().empty() && profile.carried_by != nullptr) facts.digest = profile.carried_by(pod);
  if (!profile.template_annotation.empty()) facts.template_mark = kube::annotation_of(pod, profile.template_annotation);
  facts.may_force = !profile.force_annotation.empty() && kube::annotation_of(pod, profile.force_annotation) == "true";
  if (const json::Array& containers = json::array_at(pod, {"spec", "containers"}); !containers.empty()) {
    facts.image = json::text_at(containers.front(), {"image"});
  }
  facts.trouble = trouble_of(pod);
  return facts;
}

PodFacts operand_facts(const kube::Object& pod, const vendors::WorkProfile& profile) {
  PodFacts facts = pod_facts(pod, profile);
  if (facts.node.empty()) facts.meant_for = kube::target_node(pod);
  std::erase_if(facts.labels, [&](const auto& label) { return label.first != profile.role_label; });
  facts.labels.shrink_to_fit();
  return facts;
}

core::PodView pod_view(const PodFacts& facts, const base::Selector& jobs, const base::Selector& drained,
                       const vendors::WorkProfile& profile, const std::string& our_namespace,
                       const kube::Cache<bool>* claims) {
  const auto lookup = facts.lookup();
  const std::string_view role = facts.label(profile.role_label);
  const bool has_our_role = !role.empty() && (role == profile.driver_role || role == profile.validator_role ||
                                              role == profile.preflight_role);
  const std::string_view drovers_role = facts.label("drover.dev/role");
  // The pod that drains may stay: from a cluster's only node it would not come back to finish.
  const bool is_spared = drovers_role == "operator" ||
                         (!profile.drain_skip_label.empty() && facts.label(profile.drain_skip_label) == "true");
  return {.ns = facts.ns.str(),
          .name = facts.name,
          .uid = facts.uid,
          .owner = facts.owner.str(),
          .uses_device = uses_device(facts, claims),
          .is_finished = facts.is_finished,
          .is_going = facts.is_going,
          .is_mirror = facts.is_mirror,
          .is_daemon = facts.is_daemon,
          .returns = facts.is_daemon && facts.tolerates_the_swap,
          .has_local_data = facts.has_local_data,
          .is_ours = facts.ns == our_namespace && (has_our_role || !drovers_role.empty()),
          .is_waited_for = !jobs.selects_everything() && jobs.matches(lookup),
          .is_drained = drained.matches(lookup) && !is_spared};
}

}  // namespace drover::observe
