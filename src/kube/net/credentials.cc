#include "kube/net/credentials.h"

#include <fmt/core.h>

#include <utility>

#include "base/text.h"

namespace drover::kube::net {
namespace {

using base::Fault;
using base::Result;

constexpr base::Span kTokenFileIsFreshFor = std::chrono::minutes(1);
constexpr base::Span kPluginMayTake = std::chrono::seconds(30);
// A credential that expires while its request travels is a 401 for nothing.
constexpr auto kBeforeExpiry = std::chrono::seconds(10);

// What goes into a header field must stay in its line.
Result<std::string> bearer(std::string_view token, std::string_view source) {
  token = base::trim(token);
  if (token.empty()) return base::fault(Fault::Kind::Unreachable, fmt::format("the token of {} is empty", source));
  for (const char c : token) {
    if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f) {
      return base::fault(Fault::Kind::Unreachable,
                         fmt::format("the token of {} has characters that no token has", source));
    }
  }
  return "Bearer " + std::string(token);
}

}  // namespace

Credentials::Credentials(AsioLoop& loop, Target target) : loop_(loop), target_(std::move(target)) {}

void Credentials::current(Then then) {
  const Credential& credential = target_.credential;
  if (const auto* token = std::get_if<StaticToken>(&credential)) {
    auto authorization = bearer(token->token, target_.source);
    if (!authorization) return then(std::unexpected(authorization.error()));
    return then(Proof{.authorization = std::move(*authorization), .certificate_pem = {}, .key_pem = {}});
  }
  if (const auto* file = std::get_if<TokenFile>(&credential)) return from_token_file(*file, then);
  if (const auto* pair = std::get_if<ClientCertificate>(&credential)) {
    return then(Proof{.authorization = {}, .certificate_pem = pair->certificate_pem, .key_pem = pair->key_pem});
  }
  if (const auto* login = std::get_if<BasicPassword>(&credential)) {
    const std::string both = base::base64_encode(login->user + ":" + login->password);
    return then(Proof{.authorization = "Basic " + both, .certificate_pem = {}, .key_pem = {}});
  }
  if (const auto* plugin = std::get_if<ExecPlugin>(&credential)) return from_plugin(*plugin, std::move(then));
  then(Proof{});
}

void Credentials::from_token_file(const TokenFile& file, const Then& then) {
  const base::Instant now = loop_.now();
  if (proof_ && read_at_ && now - *read_at_ < kTokenFileIsFreshFor) return then(*proof_);
  const auto text = base::read_file(file.path, 1024 * 1024);
  auto authorization = text ? bearer(*text, file.path) : Result<std::string>(std::unexpected(text.error()));
  if (!authorization) {
    // A rotation may be under way; an older token is better than none.
    if (proof_) return then(*proof_);
    return then(base::fault(Fault::Kind::Unreachable, fmt::format("no credential: {}", authorization.error().message)));
  }
  read_at_ = now;
  proof_ = Proof{.authorization = std::move(*authorization), .certificate_pem = {}, .key_pem = {}};
  then(*proof_);
}

bool Credentials::is_fresh() const { return proof_ && (!expires_at_ || loop_.wall() + kBeforeExpiry < *expires_at_); }

void Credentials::from_plugin(const ExecPlugin& plugin, Then then) {
  if (is_fresh()) return then(*proof_);
  waiting_.push_back(std::move(then));
  if (run_) return;
  run_ = ExecRun::start(loop_, plugin, target_, kPluginMayTake,
                        [this](Result<ExecCredential> answer) { plugin_answered(std::move(answer)); });
}

void Credentials::plugin_answered(Result<ExecCredential> answer) {
  const auto finished = std::move(run_);  // we are called from inside it
  Result<Proof> result = Proof{};
  Result<std::string> authorization = std::string();
  if (answer && !answer->token.empty()) authorization = bearer(answer->token, "the credential plugin");
  if (!answer) {
    result = std::unexpected(answer.error());
  } else if (!authorization) {
    result = std::unexpected(authorization.error());
  } else {
    const bool same_pair =
        proof_ && proof_->certificate_pem == answer->certificate_pem && proof_->key_pem == answer->key_pem;
    const std::uint64_t edition = proof_ ? proof_->edition + (same_pair ? 0 : 1) : 1;
    proof_ = Proof{std::move(*authorization), std::move(answer->certificate_pem), std::move(answer->key_pem), edition};
    expires_at_ = answer->expires_at;
    result = *proof_;
  }
  for (const Then& then : std::exchange(waiting_, {})) then(result);
}

bool Credentials::refused(const Proof& proof) {
  if (std::holds_alternative<TokenFile>(target_.credential)) {
    read_at_.reset();
    return true;
  }
  if (!std::holds_alternative<ExecPlugin>(target_.credential)) return false;
  // Another request may have fetched a newer one in the meantime.
  const bool is_the_newest = proof_ && proof_->authorization == proof.authorization && proof_->edition == proof.edition;
  if (is_the_newest) expires_at_ = base::WallTime{};
  return true;
}

}  // namespace drover::kube::net
