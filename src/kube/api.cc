#include "kube/api.h"

namespace drover::kube {
namespace {

std::string_view verb_word(const Request& request) {
  switch (request.verb) {
    case Verb::Get: return "get";
    case Verb::Create: return request.subresource == "eviction" ? "evict" : "create";
    case Verb::Replace: return "replace";
    case Verb::Patch: return request.patch == PatchKind::Apply ? "apply" : "patch";
    case Verb::Delete: return "delete";
  }
  return "ask for";
}

// A new object of a resource says what it is; people leave it out because the resource already told.
void name_the_kind(const Resource& resource, Object& object) {
  if (!object.is_object()) return;
  json::Members& members = object.get_object();
  if (!members.contains("apiVersion")) members["apiVersion"] = resource.api_version();
  if (!members.contains("kind")) members["kind"] = resource.kind;
}

}  // namespace

Request get(Resource resource, std::string ns, std::string name) {
  Request request;
  request.verb = Verb::Get;
  request.resource = std::move(resource);
  request.ns = std::move(ns);
  request.name = std::move(name);
  return request;
}

Request create(Resource resource, std::string ns, Object object) {
  Request request;
  request.verb = Verb::Create;
  request.ns = std::move(ns);
  request.name = name_of(object);
  name_the_kind(resource, object);
  request.resource = std::move(resource);
  request.body = std::move(object);
  return request;
}

Request replace(Resource resource, Object object, std::string subresource) {
  Request request;
  request.verb = Verb::Replace;
  request.ns = namespace_of(object);
  request.name = name_of(object);
  request.subresource = std::move(subresource);
  if (request.subresource.empty() || request.subresource == "status") name_the_kind(resource, object);
  request.resource = std::move(resource);
  request.body = std::move(object);
  return request;
}

Request patch(Resource resource, std::string ns, std::string name, PatchKind kind, json::Value body,
              std::string subresource) {
  Request request;
  request.verb = Verb::Patch;
  request.ns = std::move(ns);
  request.name = std::move(name);
  request.subresource = std::move(subresource);
  request.patch = kind;
  if (kind == PatchKind::Apply && request.subresource != "scale") name_the_kind(resource, body);
  request.resource = std::move(resource);
  request.body = std::move(body);
  return request;
}

Request remove(Resource resource, std::string ns, std::string name, std::string uid) {
  Request request;
  request.verb = Verb::Delete;
  request.resource = std::move(resource);
  request.ns = std::move(ns);
  request.name = std::move(name);
  request.uid_precondition = std::move(uid);
  return request;
}

Request evict(std::string ns, std::string pod, std::string uid) {
  json::Value body = {
      {"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", {{"name", pod}, {"namespace", ns}}}};
  if (!uid.empty()) body.get_object()["deleteOptions"] = {{"preconditions", {{"uid", uid}}}};
  Request request;
  request.verb = Verb::Create;
  request.resource = kPods;
  request.ns = std::move(ns);
  request.name = std::move(pod);
  request.subresource = "eviction";
  request.body = std::move(body);
  request.uid_precondition = std::move(uid);
  return request;
}

std::string sentence(const Request& request) {
  std::string out(verb_word(request));
  out += ' ';
  if (!request.subresource.empty() && request.subresource != "eviction") out += request.subresource + " of ";
  out += request.resource.qualified();
  if (!request.ns.empty()) out += "/" + request.ns;
  if (!request.name.empty()) {
    out += "/" + request.name;
  } else if (const auto prefix = json::text_at(request.body, {"metadata", "generateName"}); !prefix.empty()) {
    out.append("/").append(prefix).append("*");
  }
  return out;
}

}  // namespace drover::kube
