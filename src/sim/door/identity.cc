#include "sim/door/identity.h"

#include <algorithm>

#include "base/text.h"
#include "kube/object.h"
#include "sim/server/rejections.h"

namespace drover::sim::door {
namespace {

Refusal unauthorized() { return Refusal(Rejection{401, "Unauthorized", "Unauthorized", {}}); }

Caller anonymous() { return {.user = {"system:anonymous", {"system:unauthenticated"}}}; }

Caller admin() { return {.user = {"kubernetes-admin", {"system:masters", "system:authenticated"}}}; }

Caller account_of(const ResourceClaims& claims) {
  Caller caller;
  caller.user = rbac::service_account(claims.ns, claims.account);
  caller.uid = claims.account_uid;
  caller.extra["authentication.kubernetes.io/credential-id"] = json::Array{json::Value("JTI=" + claims.id)};
  if (claims.bound_kind == "Pod" || claims.bound_kind == "Node") {
    const std::string kind = base::lower(claims.bound_kind);
    caller.extra["authentication.kubernetes.io/" + kind + "-name"] = json::Array{json::Value(claims.bound_name)};
    caller.extra["authentication.kubernetes.io/" + kind + "-uid"] = json::Array{json::Value(claims.bound_uid)};
  }
  return caller;
}

}  // namespace

bool Caller::is_master() const {
  return std::find(user.groups.begin(), user.groups.end(), "system:masters") != user.groups.end();
}

json::Value Caller::info() const {
  json::Members info;
  info["username"] = user.name;
  if (!uid.empty()) info["uid"] = uid;
  json::Array groups;
  for (const std::string& group : user.groups) groups.emplace_back(group);
  if (!groups.empty()) info["groups"] = std::move(groups);
  if (!extra.empty()) info["extra"] = extra;
  return info;
}

Answer<Caller> Identities::identify(const HttpRequest& request) const {
  const std::string_view header = base::trim(request.header("Authorization"));
  const std::size_t space = header.find(' ');
  if (space == std::string_view::npos || base::lower(header.substr(0, space)) != "bearer") return anonymous();
  const std::string_view token = base::trim(header.substr(space + 1));
  if (token.empty()) return anonymous();
  return identify_token(token);
}

Answer<Caller> Identities::identify_token(std::string_view token, const std::vector<std::string>& audiences) const {
  if (!admin_token_.empty() && same_secret(token, admin_token_)) return admin();
  const auto claims = signer_.check(token, loop_.wall());
  if (!claims || !still_stands(*claims)) return unauthorized();
  const auto accepts = [&](std::string_view audience) {
    return std::find(claims->audiences.begin(), claims->audiences.end(), audience) != claims->audiences.end();
  };
  const bool meant_for_us =
      audiences.empty() ? accepts(kIssuer) : std::any_of(audiences.begin(), audiences.end(), accepts);
  if (!meant_for_us) return unauthorized();
  return account_of(*claims);
}

bool Identities::still_stands(const ResourceClaims& claims) const {
  const Stored account = server_.store().find("serviceaccounts", claims.ns + "/" + claims.account);
  if (!account || kube::uid_of(*account) != claims.account_uid) return false;
  if (claims.bound_kind.empty()) return true;
  const bool cluster = claims.bound_kind == "Node";
  const Stored bound = server_.store().find(base::lower(claims.bound_kind) + "s",
                                            cluster ? claims.bound_name : claims.ns + "/" + claims.bound_name);
  return bound && kube::uid_of(*bound) == claims.bound_uid;
}

}  // namespace drover::sim::door
