#include "sim/door/authorization.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sim/server/rejections.h"

namespace drover::sim::door {
namespace {

Refusal forbidden_to(const rbac::Attributes& what, std::string_view reason) {
  return Refusal(Rejection{403, "Forbidden", rbac::forbidden_message(what, reason), rbac::forbidden_details(what)});
}

std::vector<std::string> all_headers(const HttpRequest& request, std::string_view name) {
  std::vector<std::string> values;
  for (const HttpHeader& header : request.headers) {
    if (base::lower(header.name) == name) values.push_back(header.value);
  }
  return values;
}

constexpr std::string_view kExtraPrefix = "impersonate-extra-";

json::Members extra_of(const HttpRequest& request) {
  json::Members extra;
  for (const HttpHeader& header : request.headers) {
    const std::string name = base::lower(header.name);
    if (!name.starts_with(kExtraPrefix)) continue;
    json::Value& values = extra[unescape(name.substr(kExtraPrefix.size()), false)];
    if (!values.is_array()) values.emplace_array();
    values.get_array().emplace_back(header.value);
  }
  return extra;
}

// The name of a ServiceAccount implies its groups; every user but system:anonymous is authenticated.
rbac::User impersonated(std::string_view name, std::vector<std::string> groups) {
  constexpr std::string_view kAccount = "system:serviceaccount:";
  rbac::User user{std::string(name), std::move(groups)};
  if (name.starts_with(kAccount) && user.groups.empty()) {
    const auto parts = base::split(name.substr(kAccount.size()), ':');
    if (parts.size() == 2) return rbac::service_account(parts[0], parts[1]);
  }
  const std::string_view group = name == "system:anonymous" ? "system:unauthenticated" : "system:authenticated";
  if (std::find(user.groups.begin(), user.groups.end(), group) == user.groups.end()) {
    user.groups.emplace_back(group);
  }
  return user;
}

}  // namespace

rbac::Decision decide(const DoorContext& context, const Caller& caller, rbac::Attributes what) {
  if (caller.is_master()) return {true, ""};
  what.user = caller.user;
  return context.server.policy().decide(what);
}

rbac::Attributes attributes_of(const Wanted& wanted, const rbac::User& user) {
  rbac::Attributes what{.user = user, .verb = wanted.verb};
  if (!wanted.is_resource) {
    what.path = wanted.path;
    return what;
  }
  what.group = wanted.group;
  what.resource = wanted.resource;
  what.subresource = wanted.subresource;
  what.name = wanted.name.empty() ? wanted.name_selected : wanted.name;
  what.ns = wanted.ns;
  return what;
}

Answer<Caller> speaking_as(const DoorContext& context, const HttpRequest& request, const Wanted& wanted,
                           Caller caller) {
  const std::string_view name = request.header("Impersonate-User");
  std::vector<std::string> groups = all_headers(request, "impersonate-group");
  json::Members extra = extra_of(request);
  const std::string_view uid = request.header("Impersonate-Uid");
  if (name.empty()) {
    if (groups.empty() && extra.empty() && uid.empty()) return caller;
    return bad_request(fmt::format("requested {} without impersonating a user name",
                                   groups.empty() ? extra.empty() ? uid : "extra" : groups.front()));
  }
  const auto may = [&](std::string_view group, std::string_view resource, std::string_view one) {
    rbac::Attributes what{.user = caller.user, .verb = "impersonate"};
    what.group = group;
    what.resource = resource;
    what.name = one;
    return decide(context, caller, what).allowed;
  };
  bool allowed = true;
  constexpr std::string_view kAccount = "system:serviceaccount:";
  if (name.starts_with(kAccount)) {
    const auto parts = base::split(name.substr(kAccount.size()), ':');
    rbac::Attributes what{.user = caller.user, .verb = "impersonate", .resource = "serviceaccounts"};
    what.ns = parts.front();
    what.name = parts.back();
    allowed = decide(context, caller, what).allowed;
  } else {
    allowed = may("", "users", name);
  }
  for (const std::string& group : groups) allowed = allowed && may("", "groups", group);
  if (!allowed) {
    rbac::Attributes what = attributes_of(wanted, caller.user);
    what.verb = "impersonate-on:user-info:" + what.verb;
    return forbidden_to(what, "");
  }
  Caller other;
  other.user = impersonated(name, std::move(groups));
  other.uid = uid;
  other.extra = std::move(extra);
  return other;
}

Answer<void> authorize(const DoorContext& context, const Wanted& wanted, const Caller& caller) {
  const rbac::Attributes what = attributes_of(wanted, caller.user);
  const rbac::Decision decision = decide(context, caller, what);
  if (decision.allowed) return {};
  return forbidden_to(what, decision.reason);
}

}  // namespace drover::sim::door
