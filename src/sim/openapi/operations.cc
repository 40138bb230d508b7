#include "sim/openapi/operations.h"

#include <fmt/format.h>

#include <cctype>
#include <initializer_list>
#include <string_view>

#include "sim/openapi/schemas.h"

namespace drover::sim::openapi {
namespace {

constexpr std::string_view kMetaNames = "io.k8s.apimachinery.pkg.apis.meta.v1.";

struct Parameter {
  std::string_view name;
  std::string_view type;
  std::string_view about;
};

constexpr Parameter kWriting[] = {
    {"dryRun", "string", "All to only pretend"},
    {"fieldManager", "string", "who is writing, for managedFields"},
    {"fieldValidation", "string", "what to do about unknown fields: Ignore, Warn or Strict"},
};
constexpr Parameter kForce = {"force", "boolean", "take over fields that others have applied"};
constexpr Parameter kReading = {"resourceVersion", "string", "how fresh the answer must be"};
constexpr Parameter kListing[] = {
    {"allowWatchBookmarks", "boolean", "send bookmarks with a watch"},
    {"continue", "string", "the next page of a list"},
    {"fieldSelector", "string", "only objects with such fields"},
    {"labelSelector", "string", "only objects with such labels"},
    {"limit", "integer", "at most so many on a page"},
    {"resourceVersion", "string", "how fresh the answer must be"},
    {"resourceVersionMatch", "string", "whether exactly that fresh will do"},
    {"sendInitialEvents", "boolean", "begin a watch with what there is"},
    {"timeoutSeconds", "integer", "how long a list or watch may take"},
    {"watch", "boolean", "tell of changes instead of listing"},
};
constexpr Parameter kDeleting[] = {
    {"dryRun", "string", "All to only pretend"},
    {"gracePeriodSeconds", "integer", "how long it may take to end"},
    {"orphanDependents", "boolean", "leave what it owns"},
    {"propagationPolicy", "string", "what becomes of what it owns: Orphan, Background or Foreground"},
};

json::Value parameter(const Parameter& one, std::string_view in = "query") {
  json::Members written{{"name", one.name}, {"in", in}, {"description", one.about}};
  if (in == "path") written["required"] = true;
  written["schema"] = json::Members{{"type", one.type}, {"uniqueItems", true}};
  return written;
}

template <std::size_t N>
json::Array parameters(const Parameter (&list)[N]) {
  json::Array all;
  for (const Parameter& one : list) all.push_back(parameter(one));
  return all;
}

json::Value content(std::initializer_list<std::string_view> kinds, const std::string& definition) {
  json::Members all;
  for (const std::string_view kind : kinds) all[kind] = json::Members{{"schema", reference(definition)}};
  return all;
}

// "apps", v1: AppsV1; "shop.example", v1: ShopExampleV1
std::string group_word(const kube::Resource& resource) {
  std::string word;
  bool upper = true;
  const std::string text = resource.group.empty() ? "core" : resource.group;
  for (const char c : text.ends_with(".k8s.io") ? text.substr(0, text.size() - 7) : text) {
    if (c == '.' || c == '-') {
      upper = true;
      continue;
    }
    word += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  std::string version = resource.version;
  if (!version.empty()) version[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(version[0])));
  return word + version;
}

class Paths {
 public:
  Paths(json::Members& paths, const ServedResource& served, const std::string& definition)
      : paths_(paths), served_(served), definition_(definition) {
    const kube::Resource& resource = served.resource;
    namespaced_ = resource.scope == kube::Scope::Namespaced;
    base_ = "/" + place_of(resource) + "/";
    collection_ = base_ + (namespaced_ ? "namespaces/{namespace}/" : "") + resource.plural;
  }

  void add() {
    const std::string list = definition_.substr(0, definition_.rfind('.') + 1) + served_.list_kind;
    json::Members collection;
    collection["get"] = operation("list", "list", list, parameters(kListing));
    collection["post"] = writing("create", "post", "", definition_);
    // Namespaces go one by one.
    if (!is_core("namespaces")) collection["delete"] = deleting("deleteCollection", "deletecollection");
    put(collection_, std::move(collection), false);

    json::Members one;
    one["get"] = operation("read", "get", definition_, {});
    one["put"] = writing("replace", "put", "", definition_);
    one["delete"] = deleting("delete", "delete");
    one["patch"] = patching("", definition_);
    put(collection_ + "/{name}", std::move(one), true);

    if (served_.has_status) subresource("status", definition_);
    if (served_.has_scale) subresource("scale", "io.k8s.api.autoscaling.v1.Scale");
    if (is_core("pods")) {
      creation("eviction", "io.k8s.api.policy.v1.Eviction");
      creation("binding", "io.k8s.api.core.v1.Binding");
    }
    if (is_core("serviceaccounts")) creation("token", "io.k8s.api.authentication.v1.TokenRequest");

    if (namespaced_) {
      json::Members everywhere;
      everywhere["get"] = operation("list", "list", list, parameters(kListing), "ForAllNamespaces");
      paths_[base_ + served_.resource.plural] = std::move(everywhere);
    }
  }

 private:
  bool is_core(std::string_view plural) const {
    return served_.resource.group.empty() && served_.resource.plural == plural;
  }

  void put(const std::string& path, json::Members operations, bool named) {
    json::Array common;
    if (named) common.push_back(parameter({"name", "string", "what the object is called"}, "path"));
    if (namespaced_) common.push_back(parameter({"namespace", "string", "where the object is"}, "path"));
    common.push_back(parameter({"pretty", "string", "true for an answer that people can read"}));
    operations["parameters"] = std::move(common);
    paths_[path] = std::move(operations);
  }

  json::Members operation(std::string_view verb, std::string_view action, const std::string& answer,
                          json::Array arguments, std::string_view suffix = "") const {
    const kube::Resource& resource = served_.resource;
    const bool everywhere = suffix == "ForAllNamespaces";
    json::Members written;
    written["tags"] = json::Array{json::Value(group_word(resource))};
    written["description"] = fmt::format("{} {}", verb, resource.kind);
    written["operationId"] = fmt::format("{}{}{}{}{}", verb, group_word(resource),
                                         namespaced_ && !everywhere ? "Namespaced" : "", resource.kind, suffix);
    written["parameters"] = std::move(arguments);
    written["responses"] = json::Members{
        {"200",
         json::Members{{"description", "OK"}, {"content", content({"application/json", "application/yaml"}, answer)}}},
        {"401", json::Members{{"description", "Unauthorized"}}}};
    written["x-kubernetes-action"] = action;
    written["x-kubernetes-group-version-kind"] =
        json::Members{{"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}};
    return written;
  }

  json::Members writing(std::string_view verb, std::string_view action, std::string_view suffix,
                        const std::string& body) const {
    json::Members written = operation(verb, action, body, parameters(kWriting), suffix);
    written["requestBody"] = json::Members{{"content", content({"*/*"}, body)}, {"required", true}};
    return written;
  }

  json::Members deleting(std::string_view verb, std::string_view action) const {
    json::Members written = operation(verb, action, std::string(kMetaNames) + "Status", parameters(kDeleting));
    written["requestBody"] = json::Members{{"content", content({"*/*"}, std::string(kMetaNames) + "DeleteOptions")}};
    return written;
  }

  json::Members patching(std::string_view suffix, const std::string& answer) const {
    json::Array arguments = parameters(kWriting);
    arguments.push_back(parameter(kForce));
    json::Members written = operation("patch", "patch", answer, std::move(arguments), suffix);
    const std::string patch = std::string(kMetaNames) + "Patch";
    json::Value kinds =
        content({"application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"}, patch);
    if (served_.schema == nullptr)
      kinds.get_object()["application/strategic-merge-patch+json"] = json::Members{{"schema", reference(patch)}};
    written["requestBody"] = json::Members{{"content", std::move(kinds)}, {"required", true}};
    return written;
  }

  void subresource(std::string_view name, const std::string& definition) {
    const std::string suffix = name == "status" ? "Status" : "Scale";
    json::Members operations;
    operations["get"] = operation("read", "get", definition, {parameter(kReading)}, suffix);
    operations["put"] = writing("replace", "put", suffix, definition);
    operations["patch"] = patching(suffix, definition);
    // A scale is a kind of its own, except where a CRD makes it.
    for (auto& one : operations) {
      if (name == "scale" && served_.schema == nullptr) mark(one.value().get_object(), "autoscaling", "Scale");
    }
    put(fmt::format("{}/{{name}}/{}", collection_, name), std::move(operations), true);
  }

  static void mark(json::Members& operation, std::string_view group, std::string_view kind) {
    operation["x-kubernetes-group-version-kind"] = json::Members{{"group", group}, {"version", "v1"}, {"kind", kind}};
  }

  void creation(std::string_view name, const std::string& definition) {
    json::Members operations;
    json::Members written = writing("create", "post", name, definition);
    // The body is of another kind than the resource: clients that look up the resource's kind must not find this.
    mark(written, name == "eviction" ? "policy" : (name == "token" ? "authentication.k8s.io" : ""),
         definition.substr(definition.rfind('.') + 1));
    operations["post"] = std::move(written);
    put(fmt::format("{}/{{name}}/{}", collection_, name), std::move(operations), true);
  }

  json::Members& paths_;
  const ServedResource& served_;
  const std::string& definition_;
  bool namespaced_ = true;
  std::string base_;
  std::string collection_;
};

}  // namespace

void add_paths(json::Members& paths, const ServedResource& served, const std::string& definition) {
  Paths(paths, served, definition).add();
}

}  // namespace drover::sim::openapi
