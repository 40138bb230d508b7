#include "vendors/shared/pod_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace drover::vendors::parts {
namespace {

constexpr std::string_view kTokenVolume = "drover-token";

}  // namespace

json::Members variable(std::string_view name, std::string_view value) { return {{"name", name}, {"value", value}}; }

json::Members variable_from_field(std::string_view name, std::string_view field) {
  json::Members path = {{"fieldPath", field}};
  json::Members from = {{"fieldRef", std::move(path)}};
  return {{"name", name}, {"valueFrom", std::move(from)}};
}

json::Members host_volume(std::string_view name, std::string_view path, std::string_view type) {
  json::Members host = {{"path", path}};
  if (!type.empty()) host["type"] = type;
  return {{"name", name}, {"hostPath", std::move(host)}};
}

json::Members mount(std::string_view name, std::string_view path, bool is_read_only, std::string_view propagation) {
  json::Members mount = {{"name", name}, {"mountPath", path}};
  if (is_read_only) mount["readOnly"] = true;
  if (!propagation.empty()) mount["mountPropagation"] = propagation;
  return mount;
}

json::Members token_volume() {
  json::Members token = {{"path", "token"}, {"expirationSeconds", 3600}};
  json::Members authority = {{"name", "kube-root-ca.crt"},
                             {"items", json::Array{json::Members{{"key", "ca.crt"}, {"path", "ca.crt"}}}}};
  json::Members ns = {{"path", "namespace"}, {"fieldRef", json::Members{{"fieldPath", "metadata.namespace"}}}};
  json::Array sources;
  sources.push_back(json::Members{{"serviceAccountToken", std::move(token)}});
  sources.push_back(json::Members{{"configMap", std::move(authority)}});
  sources.push_back(json::Members{{"downwardAPI", json::Members{{"items", json::Array{std::move(ns)}}}}});
  return {{"name", kTokenVolume}, {"projected", json::Members{{"sources", std::move(sources)}}}};
}

json::Members token_mount() { return mount(kTokenVolume, "/var/run/secrets/kubernetes.io/serviceaccount", true); }

json::Members owner(std::string_view api_version, std::string_view kind, const core::Policy& policy,
                    bool blocks_deletion) {
  return {{"apiVersion", api_version}, {"kind", kind},       {"name", policy.name},
          {"uid", policy.uid},         {"controller", true}, {"blockOwnerDeletion", blocks_deletion}};
}

std::string template_mark(const json::Members& pod_spec) {
  return fmt::format("{:016x}", base::fnv1a(json::text_of(pod_spec)));
}

json::Value daemon_set(json::Members metadata, const json::Members& match_labels, json::Members update_strategy,
                       json::Members pod_metadata, json::Members pod_spec) {
  json::Members pod = {{"metadata", std::move(pod_metadata)}, {"spec", std::move(pod_spec)}};
  json::Members spec = {{"selector", json::Members{{"matchLabels", match_labels}}},
                        {"updateStrategy", std::move(update_strategy)},
                        {"template", std::move(pod)}};
  return json::Members{
      {"apiVersion", "apps/v1"}, {"kind", "DaemonSet"}, {"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
}

json::Array pull_secrets(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  json::Array secrets;
  for (const auto* list : {&first, &second}) {
    for (const std::string& name : *list) {
      json::Value secret = json::Members{{"name", name}};
      if (std::find(secrets.begin(), secrets.end(), secret) == secrets.end()) secrets.push_back(std::move(secret));
    }
  }
  return secrets;
}

json::Members words(const std::map<std::string, std::string>& from) {
  json::Members members;
  for (const auto& [key, value] : from) members[key] = value;
  return members;
}

json::Array arguments(const std::vector<std::string>& from) {
  json::Array list;
  for (const std::string& one : from) list.emplace_back(one);
  return list;
}

}  // namespace drover::vendors::parts
