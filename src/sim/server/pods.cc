// Pods and pod templates: the defaults and the admission whose results `kubectl get pod -o yaml` shows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "sim/same.h"
#include "sim/server/kinds.h"
#include "sim/server/names.h"

namespace drover::sim {

void set_default(json::Members& members, std::string_view key, json::Value value) {
  json::Value& member = members[key];
  if (member.is_null() || (member.is_string() && member.get_string().empty())) member = std::move(value);
}

json::Members& object_in(json::Members& members, std::string_view key) {
  json::Value& member = members[key];
  if (!member.is_object()) member.emplace_object();
  return member.get_object();
}

void fill_in_conditions(kube::Object& object, std::initializer_list<std::string_view> times) {
  json::Value* conditions = json::find(object, {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return;
  for (json::Value& condition : conditions->get_array()) {
    if (!condition.is_object()) continue;
    for (const std::string_view time : times) condition.get_object()[time];
  }
}

namespace {

// "registry:5000/a/b:tag@sha256:…": latest when neither tag nor digest is given.
bool image_is_latest(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return false;
  const std::size_t slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const std::size_t colon = last.rfind(':');
  return colon == std::string_view::npos || last.substr(colon + 1) == "latest";
}

void fill_in_http_get(json::Members& action) {
  if (json::Value* get = action.if_contains("httpGet"); get != nullptr && get->is_object()) {
    set_default(get->get_object(), "path", "/");
    set_default(get->get_object(), "scheme", "HTTP");
  }
}

void fill_in_probe(json::Members& container, std::string_view key) {
  json::Value* probe = container.if_contains(key);
  if (probe == nullptr || !probe->is_object()) return;
  json::Members& members = probe->get_object();
  fill_in_http_get(members);
  set_default(members, "timeoutSeconds", 1);
  set_default(members, "periodSeconds", 10);
  set_default(members, "successThreshold", 1);
  set_default(members, "failureThreshold", 3);
}

void fill_in_env(json::Members& container) {
  json::Value* env = container.if_contains("env");
  if (env == nullptr || !env->is_array()) return;
  for (json::Value& variable : env->get_array()) {
    if (json::Value* reference = json::find(variable, {"valueFrom", "fieldRef"});
        reference != nullptr && reference->is_object()) {
      set_default(reference->get_object(), "apiVersion", "v1");
    }
  }
}

void fill_in_container(json::Members& container) {
  if (json::Value* ports = container.if_contains("ports"); ports != nullptr && ports->is_array()) {
    for (json::Value& port : ports->get_array()) {
      if (port.is_object()) set_default(port.get_object(), "protocol", "TCP");
    }
  }
  fill_in_env(container);
  const json::Value* image = container.if_contains("image");
  const bool latest = image == nullptr || !image->is_string() || image_is_latest(image->get_string());
  set_default(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  if (!container.contains("resources")) container["resources"].emplace_object();
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"})
    fill_in_probe(container, probe);
  for (const std::string_view hook : {"postStart", "preStop"}) {
    json::Value* lifecycle = container.if_contains("lifecycle");
    if (lifecycle == nullptr || !lifecycle->is_object()) break;
    json::Value* action = lifecycle->get_object().if_contains(hook);
    if (action != nullptr && action->is_object()) fill_in_http_get(action->get_object());
  }
}

void each_container(json::Members& spec, void (*visit)(json::Members&)) {
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    json::Value* containers = spec.if_contains(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (json::Value& container : containers->get_array()) {
      if (container.is_object()) visit(container.get_object());
    }
  }
}

constexpr std::int64_t kReadableMode = 0644;

void fill_in_projected(json::Members& volume) {
  json::Value* sources = json::find(volume["projected"], {"sources"});
  if (sources == nullptr || !sources->is_array()) return;
  for (json::Value& source : sources->get_array()) {
    if (json::Value* token = json::find(source, {"serviceAccountToken"}); token != nullptr && token->is_object()) {
      set_default(token->get_object(), "expirationSeconds", 3600);
    }
    json::Value* items = json::find(source, {"downwardAPI", "items"});
    if (items == nullptr || !items->is_array()) continue;
    for (json::Value& item : items->get_array()) {
      if (json::Value* reference = json::find(item, {"fieldRef"}); reference != nullptr && reference->is_object()) {
        set_default(reference->get_object(), "apiVersion", "v1");
      }
    }
  }
}

void fill_in_volume(json::Members& volume) {
  if (volume.size() <= 1) volume["emptyDir"].emplace_object();
  for (const std::string_view source : {"secret", "configMap", "downwardAPI", "projected"}) {
    json::Value* members = volume.if_contains(source);
    if (members != nullptr && members->is_object()) set_default(members->get_object(), "defaultMode", kReadableMode);
  }
  if (json::Value* path = volume.if_contains("hostPath"); path != nullptr && path->is_object()) {
    if (!path->get_object().contains("type")) path->get_object()["type"] = "";
  }
  if (volume.contains("projected")) fill_in_projected(volume);
}

void fill_in_pod_spec(json::Members& spec) {
  each_container(spec, fill_in_container);
  if (json::Value* volumes = spec.if_contains("volumes"); volumes != nullptr && volumes->is_array()) {
    for (json::Value& volume : volumes->get_array()) {
      if (volume.is_object()) fill_in_volume(volume.get_object());
    }
  }
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  if (!spec.contains("securityContext")) spec["securityContext"].emplace_object();
  set_default(spec, "schedulerName", "default-scheduler");
  // Both names of the account say the same; the old one follows the new one.
  const json::Value* account = spec.if_contains("serviceAccountName");
  const json::Value* old_name = spec.if_contains("serviceAccount");
  if (account != nullptr && account->is_string() && !account->get_string().empty()) {
    json::Value copy = *account;
    spec["serviceAccount"] = std::move(copy);
  } else if (old_name != nullptr && old_name->is_string()) {
    json::Value copy = *old_name;
    spec["serviceAccountName"] = std::move(copy);
  }
}

void requests_follow_limits(json::Members& container) {
  json::Value* resources = container.if_contains("resources");
  if (resources == nullptr || !resources->is_object()) return;
  const json::Value* limits = resources->get_object().if_contains("limits");
  if (limits == nullptr || !limits->is_object() || limits->get_object().empty()) return;
  const json::Members given = limits->get_object();
  json::Members& requests = object_in(resources->get_object(), "requests");
  for (const auto& limit : given) {
    if (!requests.contains(limit.key())) requests[limit.key()] = limit.value();
  }
}

// The admission plugin DefaultTolerationSeconds: a pod stays five minutes on a node that is lost.
void tolerate_lost_nodes(json::Members& spec) {
  json::Value& tolerations = spec["tolerations"];
  if (!tolerations.is_array()) tolerations.emplace_array();
  for (const std::string_view key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const json::Array& list = tolerations.get_array();
    const bool has = std::any_of(list.begin(), list.end(), [&](const json::Value& toleration) {
      const std::string_view theirs = json::text_at(toleration, {"key"});
      const std::string_view effect = json::text_at(toleration, {"effect"});
      return (theirs == key || theirs.empty()) && (effect == "NoExecute" || effect.empty());
    });
    if (has) continue;
    tolerations.get_array().push_back(
        {{"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 300}});
  }
}

// Guaranteed when every container limits cpu and memory to what it requests, BestEffort when none says anything.
std::string_view quality_of_service(const json::Value& spec) {
  bool anything = false;
  bool guaranteed = true;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const json::Value& container : json::array_at(spec, {list})) {
      for (const std::string_view resource : {"cpu", "memory"}) {
        const json::Value* limit = json::find(container, {"resources", "limits", resource});
        const json::Value* request = json::find(container, {"resources", "requests", resource});
        anything = anything || limit != nullptr || request != nullptr;
        guaranteed = guaranteed && limit != nullptr && request != nullptr && *limit == *request;
      }
    }
  }
  if (!anything) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

void check_member_of(std::string_view value, const std::vector<std::string>& supported, const std::string& field,
                     FieldErrors& errors) {
  if (std::find(supported.begin(), supported.end(), value) == supported.end()) {
    errors.not_supported(field, quoted(value), supported);
  }
}

void check_container(const json::Value& container, const std::string& field, std::set<std::string>& names,
                     FieldErrors& errors) {
  const std::string_view name = json::text_at(container, {"name"});
  if (name.empty()) {
    errors.required(field + ".name", "");
  } else if (!is_dns_label(name)) {
    for (const std::string& complaint : complaints_about_name(NameRule::Label, name)) {
      errors.invalid(field + ".name", quoted(name), complaint);
    }
  } else if (!names.emplace(name).second) {
    errors.duplicate(field + ".name", quoted(name));
  }
  if (json::text_at(container, {"image"}).empty()) errors.required(field + ".image", "");
  check_member_of(json::text_at(container, {"imagePullPolicy"}), {"Always", "IfNotPresent", "Never"},
                  field + ".imagePullPolicy", errors);
}

void check_mounts(const json::Value& spec, const json::Value& container, const std::string& field,
                  FieldErrors& errors) {
  const json::Array& volumes = json::array_at(spec, {"volumes"});
  const json::Array& mounts = json::array_at(container, {"volumeMounts"});
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const std::string_view name = json::text_at(mounts[i], {"name"});
    const bool there = std::any_of(volumes.begin(), volumes.end(),
                                   [&](const json::Value& volume) { return json::text_at(volume, {"name"}) == name; });
    if (!there) errors.not_found(fmt::format("{}.volumeMounts[{}].name", field, i), quoted(name));
  }
}

// An update may change images, add tolerations, shorten or set the deadline; nothing else of the spec.
json::Value without_changeable(json::Value spec) {
  if (!spec.is_object()) return spec;
  json::Members& members = spec.get_object();
  for (const std::string_view list : {"containers", "initContainers"}) {
    json::Value* containers = members.if_contains(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (json::Value& container : containers->get_array()) {
      if (container.is_object()) container.get_object().erase("image");
    }
  }
  for (const std::string_view key : {"activeDeadlineSeconds", "tolerations", "nodeName"}) {
    members.erase(key);
  }
  // A negative grace may become 1.
  if (json::int_at(spec, {"terminationGracePeriodSeconds"}) < 0) members["terminationGracePeriodSeconds"] = 1;
  return spec;
}

void check_pod_update(const kube::Object& pod, const kube::Object& old, FieldErrors& errors) {
  const json::Value* spec = json::find(pod, {"spec"});
  const json::Value* old_spec = json::find(old, {"spec"});
  if (spec == nullptr || old_spec == nullptr || same(*spec, *old_spec)) return;
  const json::Array& tolerations = json::array_at(*spec, {"tolerations"});
  for (const json::Value& before : json::array_at(*old_spec, {"tolerations"})) {
    if (std::none_of(tolerations.begin(), tolerations.end(),
                     [&](const json::Value& one) { return same(one, before); })) {
      errors.forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds");
      return;
    }
  }
  const bool moved = json::text_at(*spec, {"nodeName"}) != json::text_at(*old_spec, {"nodeName"});
  if (!moved && same(without_changeable(*spec), without_changeable(*old_spec))) return;
  errors.forbidden(
      "spec",
      "pod updates may not change fields other than `spec.containers[*].image`,"
      "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
      "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)");
}

}  // namespace

void fill_in_pod(kube::Object& pod) {
  json::Members& spec = object_in(pod.get_object(), "spec");
  fill_in_pod_spec(spec);
  each_container(spec, requests_follow_limits);
  set_default(spec, "enableServiceLinks", true);
  for (const std::string_view flag : {"hostNetwork", "hostPID", "hostIPC"}) {
    const json::Value* value = spec.if_contains(flag);
    if (value != nullptr && *value == false) spec.erase(flag);
  }
  fill_in_conditions(pod, {"lastProbeTime", "lastTransitionTime"});
}

// The admission plugins that look at every write.
void update_pod(kube::Object& fresh, const kube::Object& old) {
  tolerate_lost_nodes(object_in(fresh.get_object(), "spec"));
  if (json::Value* status = json::find(fresh, {"status"}); status != nullptr && status->is_object()) {
    if (const json::Value* quality = json::find(old, {"status", "qosClass"}); quality != nullptr) {
      set_default(status->get_object(), "qosClass", *quality);
    }
  }
}

void fill_in_pod_template(json::Value& pod_template) {
  if (!pod_template.is_object()) pod_template.emplace_object();
  fill_in_pod_spec(object_in(pod_template.get_object(), "spec"));
}

void new_pod(kube::Object& pod) {
  json::Members& spec = object_in(pod.get_object(), "spec");
  tolerate_lost_nodes(spec);
  set_default(spec, "priority", 0);
  set_default(spec, "preemptionPolicy", "PreemptLowerPriority");
  set_default(spec, "serviceAccountName", "default");
  json::Value account = spec["serviceAccountName"];
  spec["serviceAccount"] = std::move(account);
  const std::string_view quality = quality_of_service(*json::find(pod, {"spec"}));
  pod.get_object()["status"] = {{"phase", "Pending"}, {"qosClass", quality}};
}

void check_pod_spec(const json::Value& spec, const std::string& field, FieldErrors& errors) {
  std::set<std::string> names;
  const json::Array& containers = json::array_at(spec, {"containers"});
  if (containers.empty()) errors.required(field + ".containers", "");
  for (const std::string_view list : {"containers", "initContainers"}) {
    const json::Array& all = json::array_at(spec, {list});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string at = fmt::format("{}.{}[{}]", field, list, i);
      check_container(all[i], at, names, errors);
      check_mounts(spec, all[i], at, errors);
    }
  }
  check_member_of(json::text_at(spec, {"restartPolicy"}), {"Always", "OnFailure", "Never"}, field + ".restartPolicy",
                  errors);
  check_member_of(json::text_at(spec, {"dnsPolicy"}), {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
                  field + ".dnsPolicy", errors);
  const json::Value* deadline = json::find(spec, {"activeDeadlineSeconds"});
  if (deadline != nullptr && deadline->is_int64() && (deadline->get_int64() < 1 || deadline->get_int64() > INT32_MAX)) {
    errors.invalid(field + ".activeDeadlineSeconds", json::text_of(*deadline),
                   "must be between 1 and 2147483647, inclusive");
  }
}

void check_pod(const kube::Object& pod, const kube::Object* old, FieldErrors& errors) {
  if (old == nullptr) {
    check_pod_spec(*json::find(pod, {"spec"}), "spec", errors);
  } else {
    check_pod_update(pod, *old, errors);
  }
}

}  // namespace drover::sim
