#include "sim/server/access.h"

#include <algorithm>
#include <vector>

#include "sim/draft.h"
#include "sim/same.h"

namespace drover::sim {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kClusterRoles = "clusterroles.rbac.authorization.k8s.io";

std::string_view plural_of(std::string_view kind) {
  if (kind == "Role") return "roles";
  if (kind == "ClusterRole") return "clusterroles";
  return kind == "RoleBinding" ? "rolebindings" : "clusterrolebindings";
}

}  // namespace

void Access::found() {
  if (is_founded_) return;
  is_founded_ = true;
  for (const json::Value& object : rbac::bootstrap_policy()) {
    const ResourceRules& rules = *context_.catalog.find(kGroup, plural_of(json::text_at(object, {"kind"})));
    if (context_.store.find(rules.shelf, kube::key_of(object))) continue;
    kube::Request request = kube::create(rules.resource, std::string(kube::namespace_of(object)), object);
    request.field_manager = "kube-apiserver";
    (void)create_object(context_, rules, request, Draft(request.body, 512));
  }
  std::vector<Stored> all;
  for (const char* plural : {"roles", "clusterroles", "rolebindings", "clusterrolebindings"}) {
    context_.store.each(context_.catalog.find(kGroup, plural)->shelf, {},
                        [&](const Stored& object) { all.push_back(object); });
  }
  policy_.put_all(all);
  // From now on one at a time.
  context_.store.subscribe([this](const Commit& commit) { heard(commit); });
  write_aggregated_rules();
}

void Access::heard(const Commit& commit) {
  if (!commit.resource.ends_with(kGroup)) return;
  if (commit.kind == Commit::Kind::Removed) {
    policy_.remove(*commit.after);
  } else {
    policy_.put(*commit.after);
  }
  if (commit.resource == kClusterRoles) write_aggregated_rules();
}

// What a controller does in a real cluster: the rules of an aggregated role are written into it.
void Access::write_aggregated_rules() {
  std::vector<Stored> aggregated;
  context_.store.each(kClusterRoles, {}, [&](const Stored& role) {
    if (json::find(*role, {"aggregationRule"}) != nullptr) aggregated.push_back(role);
  });
  const ResourceRules& rules = *context_.catalog.find(kGroup, "clusterroles");
  for (const Stored& role : aggregated) {
    json::Array now = policy_.aggregated_rules(kube::name_of(*role));
    if (same(now, json::array_at(*role, {"rules"}))) continue;
    kube::Request request;
    request.verb = kube::Verb::Replace;
    request.resource = rules.resource;
    request.name = kube::name_of(*role);
    request.field_manager = "clusterrole-aggregation-controller";
    Draft fresh(*role, 4096);
    fresh->get_object()["rules"] = std::move(now);
    // The aggregation controller is the user, not the writer of the aggregated role.
    const auto* const user = std::exchange(context_.user, nullptr);
    (void)update_object(context_, rules, request, role, std::move(fresh));
    context_.user = user;
  }
}

}  // namespace drover::sim
