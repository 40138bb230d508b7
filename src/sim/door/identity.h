// Authentication: from the Authorization header to a user with groups, and the headers by which one user speaks as
// another.
#pragma once

#include <string>
#include <string_view>

#include "base/loop.h"
#include "sim/door/tokens.h"
#include "sim/rbac/rbac.h"
#include "sim/serve/http.h"
#include "sim/server.h"

namespace drover::sim::door {

struct Caller {
  rbac::User user;
  std::string uid = {};
  json::Members extra = {};  // authentication.kubernetes.io/credential-id, …

  bool is_master() const;
  // authentication.k8s.io UserInfo.
  json::Value info() const;
};

class Identities {
 public:
  Identities(const base::Loop& loop, const Server& server, std::string admin_token, std::string signing_key)
      : loop_(loop), server_(server), admin_token_(std::move(admin_token)), signer_(std::move(signing_key)) {}

  // No token is system:anonymous; a wrong one is a 401.
  Answer<Caller> identify(const HttpRequest& request) const;
  // The user a bearer token stands for, or a 401; `audiences` (none: the API server's own) must have one in common.
  Answer<Caller> identify_token(std::string_view token, const std::vector<std::string>& audiences = {}) const;

  const TokenSigner& signer() const { return signer_; }

 private:
  bool still_stands(const ResourceClaims& claims) const;

  const base::Loop& loop_;
  const Server& server_;
  std::string admin_token_;
  TokenSigner signer_;
};

}  // namespace drover::sim::door
