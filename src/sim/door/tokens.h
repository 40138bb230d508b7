// ServiceAccount tokens: signed claims (JWT, HS256) that the HTTP frontend itself issued and can check without storing
// them.
//
// A token says which ServiceAccount (by name and uid) it stands for, for which audiences and until when. Whether the
// account still exists is checked elsewhere, in the store.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace drover::sim::door {

inline constexpr std::string_view kIssuer = "https://kubernetes.default.svc.cluster.local";

struct ResourceClaims {
  std::string ns;
  std::string account;
  std::string account_uid;
  std::vector<std::string> audiences = {};
  base::WallTime issued_at = {};
  base::WallTime expires_at = {};
  std::string id = {};          // jti
  std::string bound_kind = {};  // "Pod", "Secret", "Node"; "" for none
  std::string bound_name = {};
  std::string bound_uid = {};
};

class TokenSigner {
 public:
  // `key` is secret: it is enough to issue tokens.
  explicit TokenSigner(std::string key) : key_(std::move(key)) {}

  std::string sign(const ResourceClaims& claims) const;
  // The claims of a token that this signer made and that has not expired; nothing for anything else.
  std::optional<ResourceClaims> check(std::string_view token, base::WallTime now) const;

 private:
  std::string mac(std::string_view text) const;

  std::string key_;
};

// 256 bits from the system's generator, as text: the one kind of chance here that must not repeat.
base::Result<std::string> fresh_secret();

// True when both are the same; takes as long for a near miss as for a wild guess.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace drover::sim::door
