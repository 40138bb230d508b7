#include "sim/door/tokens.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace drover::sim::door {
namespace {

constexpr std::size_t kLongestToken = 16 * 1024;

std::string to_url(std::string_view bytes) {
  std::string text = base::base64_encode(bytes);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  while (text.ends_with('=')) text.pop_back();
  return text;
}

std::optional<std::string> from_url(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '-', '+');
  std::replace(plain.begin(), plain.end(), '_', '/');
  while (plain.size() % 4 != 0) plain.push_back('=');
  auto bytes = base::base64_decode(plain);
  if (!bytes) return {};
  return std::move(*bytes);
}

std::int64_t seconds_of(base::WallTime at) {
  return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

ResourceClaims read_claims(const json::Value& payload) {
  ResourceClaims claims;
  constexpr std::string_view kHome = "kubernetes.io";
  claims.ns = json::text_at(payload, {kHome, "namespace"});
  claims.account = json::text_at(payload, {kHome, "serviceaccount", "name"});
  claims.account_uid = json::text_at(payload, {kHome, "serviceaccount", "uid"});
  for (const json::Value& one : json::array_at(payload, {"aud"})) {
    if (one.is_string()) claims.audiences.emplace_back(one.get_string());
  }
  claims.issued_at = base::WallTime(std::chrono::seconds(json::int_at(payload, {"iat"})));
  claims.expires_at = base::WallTime(std::chrono::seconds(json::int_at(payload, {"exp"})));
  claims.id = json::text_at(payload, {"jti"});
  for (const std::string_view kind : {"Pod", "Secret", "Node"}) {
    const std::string key = base::lower(kind);
    if (json::find(payload, {kHome, key}) == nullptr) continue;
    claims.bound_kind = kind;
    claims.bound_name = json::text_at(payload, {kHome, key, "name"});
    claims.bound_uid = json::text_at(payload, {kHome, key, "uid"});
  }
  return claims;
}

}  // namespace

base::Result<std::string> fresh_secret() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    return base::fault(base::Fault::Kind::Failed, "the system gives no random bytes for a token; try again");
  }
  return to_url({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string TokenSigner::mac(std::string_view text) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest.data(), &length);
  return {reinterpret_cast<const char*>(digest.data()), length};
}

std::string TokenSigner::sign(const ResourceClaims& claims) const {
  json::Array audiences;
  for (const std::string& one : claims.audiences) audiences.emplace_back(one);
  json::Members home;
  home["namespace"] = claims.ns;
  if (!claims.bound_kind.empty()) {
    home[base::lower(claims.bound_kind)] = json::Members{{"name", claims.bound_name}, {"uid", claims.bound_uid}};
  }
  home["serviceaccount"] = json::Members{{"name", claims.account}, {"uid", claims.account_uid}};
  const json::Value payload = {{"aud", std::move(audiences)},
                               {"exp", seconds_of(claims.expires_at)},
                               {"iat", seconds_of(claims.issued_at)},
                               {"iss", kIssuer},
                               {"jti", claims.id},
                               {"kubernetes.io", std::move(home)},
                               {"nbf", seconds_of(claims.issued_at)},
                               {"sub", "system:serviceaccount:" + claims.ns + ":" + claims.account}};
  const std::string text = to_url(R"({"alg":"HS256","kid":"drover-sim"})") + "." + to_url(json::text_of(payload));
  return text + "." + to_url(mac(text));
}

std::optional<ResourceClaims> TokenSigner::check(std::string_view token, base::WallTime now) const {
  const std::size_t last = token.rfind('.');
  const std::size_t first = token.find('.');
  if (token.size() > kLongestToken || last == std::string_view::npos || first == last) return {};
  // The signature is checked first: an unsigned token is not parsed.
  const auto signature = from_url(token.substr(last + 1));
  if (!signature || !same_secret(*signature, mac(token.substr(0, last)))) return {};
  const auto payload_text = from_url(token.substr(first + 1, last - first - 1));
  if (!payload_text) return {};
  const auto payload = json::parse(*payload_text);
  if (!payload) return {};
  ResourceClaims claims = read_claims(*payload);
  if (claims.expires_at <= now) return {};
  return claims;
}

}  // namespace drover::sim::door
