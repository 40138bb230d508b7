// How a refusal reads, and the policy a cluster is born with.
#include <fmt/format.h>

#include "sim/cel/go_text.h"
#include "sim/rbac/rbac.h"

namespace drover::sim::rbac {

namespace {

// Nothing in an error may look like HTML.
std::string harmless(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string cannot(const Attributes& request) {
  const std::string user = cel::go_quote(request.user.name);
  if (!request.path.empty())
    return fmt::format("User {} cannot {} path {}", user, request.verb, cel::go_quote(request.path));
  const std::string resource =
      request.subresource.empty() ? request.resource : request.resource + "/" + request.subresource;
  const std::string where =
      request.ns.empty() ? "at the cluster scope" : "in the namespace " + cel::go_quote(request.ns);
  return fmt::format("User {} cannot {} resource {} in API group {} {}", user, request.verb, cel::go_quote(resource),
                     cel::go_quote(request.group), where);
}

json::Value list(std::initializer_list<std::string_view> texts) {
  json::Array made;
  for (const auto text : texts) made.emplace_back(text);
  return made;
}

json::Value cluster_role(std::string_view name, json::Array rules) {
  return json::Members{
      {"apiVersion", "rbac.authorization.k8s.io/v1"},
      {"kind", "ClusterRole"},
      {"metadata",
       json::Members{{"name", name},
                     {"labels", json::Members{{"kubernetes.io/bootstrapping", "rbac-defaults"}}},
                     {"annotations", json::Members{{"rbac.authorization.kubernetes.io/autoupdate", "true"}}}}},
      {"rules", std::move(rules)}};
}

json::Value binding_to_groups(std::string_view name, std::initializer_list<std::string_view> groups) {
  json::Array subjects;
  for (const auto group : groups) {
    subjects.push_back(json::Members{{"kind", "Group"}, {"apiGroup", "rbac.authorization.k8s.io"}, {"name", group}});
  }
  return json::Members{
      {"apiVersion", "rbac.authorization.k8s.io/v1"},
      {"kind", "ClusterRoleBinding"},
      {"metadata",
       json::Members{{"name", name},
                     {"labels", json::Members{{"kubernetes.io/bootstrapping", "rbac-defaults"}}},
                     {"annotations", json::Members{{"rbac.authorization.kubernetes.io/autoupdate", "true"}}}}},
      {"roleRef", json::Members{{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", name}}},
      {"subjects", std::move(subjects)}};
}

json::Value urls_rule(std::initializer_list<std::string_view> urls) {
  return json::Members{{"verbs", list({"get"})}, {"nonResourceURLs", list(urls)}};
}

}  // namespace

std::string forbidden_message(const Attributes& request, std::string_view reason) {
  std::string what = harmless(cannot(request));
  if (!reason.empty()) what += fmt::format(": {}", reason);
  if (!request.path.empty() || request.resource.empty()) return "forbidden: " + what;
  const std::string qualified = request.group.empty() ? request.resource : request.resource + "." + request.group;
  if (request.name.empty()) return fmt::format("{} is forbidden: {}", qualified, what);
  return fmt::format("{} {} is forbidden: {}", qualified, cel::go_quote(request.name), what);
}

json::Value forbidden_details(const Attributes& request) {
  json::Members details;
  if (!request.name.empty()) details["name"] = request.name;
  if (!request.group.empty()) details["group"] = request.group;
  if (!request.resource.empty()) details["kind"] = request.resource;
  return details;
}

std::vector<json::Value> bootstrap_policy() {
  const json::Value everything =
      json::Members{{"verbs", list({"*"})}, {"apiGroups", list({"*"})}, {"resources", list({"*"})}};
  const json::Value every_url = json::Members{{"verbs", list({"*"})}, {"nonResourceURLs", list({"*"})}};
  const json::Value ask_about_oneself =
      json::Members{{"verbs", list({"create"})},
                    {"apiGroups", list({"authorization.k8s.io"})},
                    {"resources", list({"selfsubjectaccessreviews", "selfsubjectrulesreviews"})}};
  const json::Value who_am_i = json::Members{{"verbs", list({"create"})},
                                             {"apiGroups", list({"authentication.k8s.io"})},
                                             {"resources", list({"selfsubjectreviews"})}};
  return {cluster_role("cluster-admin", {everything, every_url}),
          binding_to_groups("cluster-admin", {"system:masters"}),
          cluster_role("system:basic-user", {ask_about_oneself, who_am_i}),
          binding_to_groups("system:basic-user", {"system:authenticated"}),
          cluster_role("system:discovery", {urls_rule({"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez",
                                                       "/openapi", "/openapi/*", "/readyz", "/version", "/version/"})}),
          binding_to_groups("system:discovery", {"system:authenticated"}),
          cluster_role("system:public-info-viewer",
                       {urls_rule({"/healthz", "/livez", "/readyz", "/version", "/version/"})}),
          binding_to_groups("system:public-info-viewer", {"system:authenticated", "system:unauthenticated"})};
}

}  // namespace drover::sim::rbac
