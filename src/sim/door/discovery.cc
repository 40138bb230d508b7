#include "sim/door/discovery.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "sim/crd/definition.h"
#include "sim/door/words.h"

namespace drover::sim::door {
namespace {

// Groups in the order in which clients prefer them; custom ones follow, by name.
constexpr std::string_view kOrder[] = {
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
};

std::vector<kube::Resource> every_resource(const Server& server) {
  std::vector<kube::Resource> all = server.resources();
  const auto reviews = review_resources();
  all.insert(all.end(), reviews.begin(), reviews.end());
  std::sort(all.begin(), all.end(),
            [](const kube::Resource& a, const kube::Resource& b) { return a.plural < b.plural; });
  return all;
}

std::size_t rank(std::string_view group) {
  return static_cast<std::size_t>(std::find(std::begin(kOrder), std::end(kOrder), group) - std::begin(kOrder));
}

// "v1" before "v1beta1" before "v1alpha1", newer before older, odd names last.
struct Stability {
  int kind = 0;  // 3 stable, 2 beta, 1 alpha, 0 odd
  std::int64_t major = 0;
  std::int64_t minor = 0;
};
Stability stability_of(std::string_view version) {
  if (!version.starts_with('v')) return {};
  const std::size_t end = std::min(version.find_first_not_of("0123456789", 1), version.size());
  const auto major = base::parse_int(version.substr(1, end - 1));
  if (!major) return {};
  const std::string_view rest = version.substr(end);
  if (rest.empty()) return {3, *major, 0};
  for (const auto& [word, kind] : {std::pair<std::string_view, int>{"beta", 2}, {"alpha", 1}}) {
    if (!rest.starts_with(word)) continue;
    if (const auto minor = base::parse_int(rest.substr(word.size()))) return {kind, *major, *minor};
  }
  return {};
}
bool is_preferred(const std::string& a, const std::string& b) {
  const Stability x = stability_of(a);
  const Stability y = stability_of(b);
  if (x.kind != y.kind) return x.kind > y.kind;
  if (x.major != y.major) return x.major > y.major;
  if (x.minor != y.minor) return x.minor > y.minor;
  return a < b;
}

struct Group {
  std::string name;
  std::vector<std::string> versions = {};
};

std::vector<Group> groups_of(const std::vector<kube::Resource>& resources) {
  std::vector<Group> groups;
  for (const kube::Resource& resource : resources) {
    auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& one) { return one.name == resource.group; });
    if (at == groups.end()) at = groups.insert(at, Group{resource.group});
    if (std::find(at->versions.begin(), at->versions.end(), resource.version) == at->versions.end()) {
      at->versions.push_back(resource.version);
    }
  }
  for (Group& group : groups) std::sort(group.versions.begin(), group.versions.end(), is_preferred);
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return rank(a.name) != rank(b.name) ? rank(a.name) < rank(b.name) : a.name < b.name;
  });
  return groups;
}

json::Array texts(const std::vector<std::string>& words) {
  json::Array array;
  for (const std::string& word : words) array.emplace_back(word);
  return array;
}

json::Value group_facts(const Group& group) {
  json::Array versions;
  for (const std::string& version : group.versions) {
    versions.push_back({{"groupVersion", group.name + "/" + version}, {"version", version}});
  }
  json::Value preferred = versions.front();
  return {{"name", group.name}, {"versions", std::move(versions)}, {"preferredVersion", std::move(preferred)}};
}

// By this an API server tells clients which stored form a resource has.
std::string storage_hash(const kube::Resource& resource) {
  const std::string text = resource.group + "/" + resource.version + "/" + resource.kind;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) return {};
  return base::base64_encode({reinterpret_cast<const char*>(digest.data()), 8});
}

void add_resource(const Server& server, const kube::Resource& resource, json::Array& list) {
  const ApiResource words = api_resource_of(server, resource);
  const bool namespaced = resource.scope == kube::Scope::Namespaced;
  json::Members facts = {{"name", resource.plural},
                         {"singularName", words.singular},
                         {"namespaced", namespaced},
                         {"kind", resource.kind},
                         {"verbs", texts(words.verbs)}};
  if (!words.short_names.empty()) facts["shortNames"] = texts(words.short_names);
  if (!words.categories.empty()) facts["categories"] = texts(words.categories);
  if (words.has_verb("list")) facts["storageVersionHash"] = storage_hash(resource);
  list.push_back(std::move(facts));
  for (const Subresource& sub : words.subresources) {
    json::Members part = {{"name", resource.plural + "/" + sub.name}, {"singularName", ""}, {"namespaced", namespaced}};
    if (!sub.group.empty()) {
      part["group"] = sub.group;
      part["version"] = sub.version;
    }
    part["kind"] = sub.kind;
    part["verbs"] = texts(sub.verbs);
    list.push_back(std::move(part));
  }
}

json::Value response_kind(std::string_view group, std::string_view version, std::string_view kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

json::Value aggregated_resource(const Server& server, const kube::Resource& resource) {
  const ApiResource words = api_resource_of(server, resource);
  // The aggregator leaves out what stands around it; custom resources come from another hand, which does not.
  const bool custom = is_custom(server, resource);
  const std::string group = custom ? resource.group : std::string();
  const std::string version = custom ? resource.version : std::string();
  json::Members facts = {{"resource", resource.plural},
                         {"responseKind", response_kind(group, version, resource.kind)},
                         {"scope", resource.scope == kube::Scope::Namespaced ? "Namespaced" : "Cluster"},
                         {"singularResource", words.singular},
                         {"verbs", texts(words.verbs)}};
  if (!words.short_names.empty()) facts["shortNames"] = texts(words.short_names);
  if (!words.categories.empty()) facts["categories"] = texts(words.categories);
  json::Array parts;
  for (const Subresource& sub : words.subresources) {
    parts.push_back({{"subresource", sub.name},
                     {"responseKind", sub.group.empty() ? response_kind(group, version, sub.kind)
                                                        : response_kind(sub.group, sub.version, sub.kind)},
                     {"verbs", texts(sub.verbs)}});
  }
  if (!parts.empty()) facts["subresources"] = std::move(parts);
  return facts;
}

}  // namespace

json::Value core_versions(std::string_view host) {
  return {
      {"kind", "APIVersions"},
      {"versions", json::Array{json::Value("v1")}},
      {"serverAddressByClientCIDRs", json::Array{json::Members{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", host}}}}};
}

json::Value group_list(const Server& server) {
  json::Array groups;
  for (const Group& group : groups_of(every_resource(server))) {
    if (!group.name.empty()) groups.push_back(group_facts(group));
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

std::optional<json::Value> one_group(const Server& server, std::string_view name) {
  for (const Group& group : groups_of(every_resource(server))) {
    if (group.name != name || name.empty()) continue;
    json::Value facts = group_facts(group);
    facts.get_object()["kind"] = "APIGroup";
    facts.get_object()["apiVersion"] = "v1";
    return facts;
  }
  return {};
}

std::optional<json::Value> resource_list(const Server& server, std::string_view group, std::string_view version) {
  json::Array list;
  for (const kube::Resource& resource : every_resource(server)) {
    if (resource.group == group && resource.version == version) add_resource(server, resource, list);
  }
  if (list.empty()) return {};
  json::Members facts = {{"kind", "APIResourceList"}};
  if (!group.empty()) facts["apiVersion"] = "v1";
  facts["groupVersion"] = group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  facts["resources"] = std::move(list);
  return json::Value(std::move(facts));
}

json::Value aggregated(const Server& server, bool core, std::string_view version) {
  const std::vector<kube::Resource> resources = every_resource(server);
  json::Array items;
  for (const Group& group : groups_of(resources)) {
    if (group.name.empty() != core) continue;
    json::Array versions;
    for (const std::string& one : group.versions) {
      json::Array list;
      for (const kube::Resource& resource : resources) {
        if (resource.group == group.name && resource.version == one)
          list.push_back(aggregated_resource(server, resource));
      }
      versions.push_back({{"version", one}, {"resources", std::move(list)}, {"freshness", "Current"}});
    }
    json::Members metadata;
    if (!core) metadata["name"] = group.name;
    items.push_back({{"metadata", std::move(metadata)}, {"versions", std::move(versions)}});
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", "apidiscovery.k8s.io/" + std::string(version)},
          {"metadata", json::Members()},
          {"items", std::move(items)}};
}

bool has_group(const Server& server, std::string_view group) {
  const auto is_of_group = [&](const kube::Resource& one) { return one.group == group; };
  const auto reviews = review_resources();
  return std::any_of(server.resources().begin(), server.resources().end(), is_of_group) ||
         std::any_of(reviews.begin(), reviews.end(), is_of_group);
}

json::Value known_paths(const Server& server) {
  std::vector<std::string> paths = {"/api",          "/api/v1",       "/apis",        "/apis/",      "/healthz",
                                    "/healthz/etcd", "/healthz/ping", "/livez",       "/livez/ping", "/openapi/v3",
                                    "/openapi/v3/",  "/readyz",       "/readyz/ping", "/version"};
  for (const Group& group : groups_of(every_resource(server))) {
    if (group.name.empty()) continue;
    paths.push_back("/apis/" + group.name);
    for (const std::string& version : group.versions) paths.push_back("/apis/" + group.name + "/" + version);
  }
  std::sort(paths.begin(), paths.end());
  return json::Members{{"paths", texts(paths)}};
}

json::Value version_facts() {
  return {{"major", "1"},
          {"minor", "36"},
          {"emulationMajor", "1"},
          {"emulationMinor", "36"},
          {"minCompatibilityMajor", "1"},
          {"minCompatibilityMinor", "35"},
          {"gitVersion", "v1.36.3"},
          {"gitCommit", "drover-sim"},
          {"gitTreeState", "archive"},
          {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", "none"},
          {"compiler", "c++"},
          {"platform", "linux/amd64"}};
}

}  // namespace drover::sim::door
