#include "sim/door/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sim/crd/definition.h"

namespace drover::sim::door {
namespace {

struct Row {
  std::string_view resource;  // qualified
  std::string_view short_names;
  std::string_view categories;
  std::string_view subresources;
};

// clang-format off
constexpr Row kRows[] = {
    // resource                                     short names   categories        subresources
    {"namespaces",                                  "ns",         "",               "finalize status"},
    {"nodes",                                       "no",         "",               "status"},
    {"pods",                                        "po",         "all",            "binding eviction log status"},
    {"events",                                      "ev",         "",               ""},
    {"events.events.k8s.io",                        "ev",         "",               ""},
    {"configmaps",                                  "cm",         "",               ""},
    {"services",                                    "svc",        "all",            "status"},
    {"serviceaccounts",                             "sa",         "",               "token"},
    {"endpoints",                                   "ep",         "",               ""},
    {"persistentvolumeclaims",                      "pvc",        "",               "status"},
    {"persistentvolumes",                           "pv",         "",               "status"},
    {"limitranges",                                 "limits",     "",               ""},
    {"resourcequotas",                              "quota",      "",               "status"},
    {"replicationcontrollers",                      "rc",         "all",            "scale status"},
    {"daemonsets.apps",                             "ds",         "all",            "status"},
    {"deployments.apps",                            "deploy",     "all",            "scale status"},
    {"replicasets.apps",                            "rs",         "all",            "scale status"},
    {"statefulsets.apps",                           "sts",        "all",            "scale status"},
    {"jobs.batch",                                  "",           "all",            "status"},
    {"cronjobs.batch",                              "cj",         "all",            "status"},
    {"poddisruptionbudgets.policy",                 "pdb",        "",               "status"},
    {"horizontalpodautoscalers.autoscaling",        "hpa",        "all",            "status"},
    {"customresourcedefinitions.apiextensions.k8s.io", "crd crds", "api-extensions", "status"},
    {"priorityclasses.scheduling.k8s.io",           "pc",         "",               ""},
    {"storageclasses.storage.k8s.io",               "sc",         "",               ""},
    {"validatingwebhookconfigurations.admissionregistration.k8s.io", "", "api-extensions", ""},
    {"mutatingwebhookconfigurations.admissionregistration.k8s.io",   "", "api-extensions", ""},
    {"networkpolicies.networking.k8s.io",           "netpol",     "",               ""},
    {"ingresses.networking.k8s.io",                 "ing",        "",               "status"},
    {"certificatesigningrequests.certificates.k8s.io", "csr",     "",               "approval status"},
};
// clang-format on

const std::vector<std::string> kEveryVerb = {"create", "delete", "deletecollection", "get",
                                             "list",   "patch",  "update",           "watch"};

// The same, in the order of another hand.
const std::vector<std::string> kCustomVerbs = {"delete", "deletecollection", "get",    "list",
                                               "patch",  "create",           "update", "watch"};

std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : base::split(text, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

Subresource subresource_named(std::string_view name, const kube::Resource& resource) {
  if (name == "scale") return {"scale", "Scale", "autoscaling", "v1", {"get", "patch", "update"}};
  if (name == "eviction") return {"eviction", "Eviction", "policy", "v1", {"create"}};
  if (name == "token") return {"token", "TokenRequest", "authentication.k8s.io", "v1", {"create"}};
  if (name == "binding") return {"binding", "Binding", "", "", {"create"}};
  if (name == "log") return {"log", resource.kind, "", "", {"get"}};
  if (name == "finalize") return {"finalize", resource.kind, "", "", {"update"}};
  return {std::string(name), resource.kind, "", "", {"get", "patch", "update"}};
}

std::vector<std::string> texts_at(const json::Value& value, json::Path path) {
  std::vector<std::string> texts;
  for (const json::Value& one : json::array_at(value, path)) {
    if (one.is_string()) texts.emplace_back(one.get_string());
  }
  return texts;
}

Stored definition_of(const Server& server, const kube::Resource& resource) {
  return server.store().find("customresourcedefinitions.apiextensions.k8s.io", resource.qualified());
}

void read_definition(const json::Value& crd, const kube::Resource& resource, ApiResource& words) {
  const json::Value* names = json::find(crd, {"spec", "names"});
  if (names != nullptr) {
    if (const auto singular = json::text_at(*names, {"singular"}); !singular.empty()) words.singular = singular;
    if (const auto list = json::text_at(*names, {"listKind"}); !list.empty()) words.list_kind = list;
    words.short_names = texts_at(*names, {"shortNames"});
    words.categories = texts_at(*names, {"categories"});
  }
  for (const json::Value& version : json::array_at(crd, {"spec", "versions"})) {
    if (json::text_at(version, {"name"}) != resource.version) continue;
    for (const std::string_view name : {"scale", "status"}) {
      if (json::find(version, {"subresources", name}) != nullptr) {
        words.subresources.push_back(subresource_named(name, resource));
      }
    }
  }
}

}  // namespace

const Subresource* ApiResource::subresource(std::string_view name) const {
  const auto at =
      std::find_if(subresources.begin(), subresources.end(), [&](const Subresource& one) { return one.name == name; });
  return at == subresources.end() ? nullptr : &*at;
}

bool ApiResource::has_verb(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

ApiResource api_resource_of(const Server& server, const kube::Resource& resource) {
  ApiResource words{.singular = base::lower(resource.kind), .list_kind = resource.kind + "List", .verbs = kEveryVerb};
  const std::string qualified = resource.qualified();
  if (const Stored crd = definition_of(server, resource)) {
    read_definition(*crd, resource, words);
    words.verbs = kCustomVerbs;
    return words;
  }
  const auto row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) { return one.resource == qualified; });
  if (row != std::end(kRows)) {
    words.short_names = listed(row->short_names);
    words.categories = listed(row->categories);
    for (const std::string& name : listed(row->subresources)) {
      words.subresources.push_back(subresource_named(name, resource));
    }
  }
  if (qualified == "namespaces") std::erase(words.verbs, "deletecollection");
  const auto reviews = review_resources();
  if (std::find(reviews.begin(), reviews.end(), resource) != reviews.end()) words.verbs = {"create"};
  return words;
}

std::vector<std::string> warnings_about(const Server& server, const kube::Resource& resource) {
  const crd::Definition* definition = server.definition(resource.group, resource.plural);
  const crd::Version* version = definition == nullptr ? nullptr : definition->version(resource.version);
  if (version == nullptr || !version->deprecated) return {};
  if (!version->deprecation_warning.empty()) return {version->deprecation_warning};
  std::string warning = fmt::format("{} {} is deprecated", resource.api_version(), resource.kind);
  for (const crd::Version* one : definition->by_priority()) {
    if (one == version) break;
    if (one->deprecated || !one->served) continue;
    warning += fmt::format("; use {}/{} {}", resource.group, one->name, resource.kind);
    break;
  }
  return {warning};
}

bool is_custom(const Server& server, const kube::Resource& resource) {
  return definition_of(server, resource) != nullptr;
}

std::span<const kube::Resource> review_resources() {
  static const std::array<kube::Resource, 6> kReviews = {{
      {"authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", kube::Scope::Cluster},
      {"authentication.k8s.io", "v1", "tokenreviews", "TokenReview", kube::Scope::Cluster},
      {"authorization.k8s.io", "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview"},
      {"authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", kube::Scope::Cluster},
      {"authorization.k8s.io", "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", kube::Scope::Cluster},
      {"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", kube::Scope::Cluster},
  }};
  return kReviews;
}

}  // namespace drover::sim::door
