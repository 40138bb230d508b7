// Who we are, at this moment: the Authorization field and the client certificate that go with the next request.
//
// Tokens in files rotate and plugins' credentials expire, so the answer is asked for again with every request and comes
// from memory while it is fresh. One plugin runs at a time, however many requests wait for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/config.h"
#include "kube/http_api.h"
#include "kube/net/exec_plugin.h"

namespace drover::kube::net {

struct Proof {
  std::string authorization;    // "Bearer …", "Basic …" or ""
  std::string certificate_pem;  // "" = none
  std::string key_pem;
  std::uint64_t edition = 0;  // grows when the certificate changes: connections made with the old one are of no use
};

class Credentials {
 public:
  Credentials(AsioLoop& loop, Target target);

  using Then = std::function<void(base::Result<Proof>)>;
  // Calls `then` now or later.
  void current(Then then);
  // The server said 401 to this proof: true when a newer one can be had, and the next `current` fetches it.
  bool refused(const Proof& proof);

 private:
  void from_token_file(const TokenFile& file, const Then& then);
  void from_plugin(const ExecPlugin& plugin, Then then);
  void plugin_answered(base::Result<ExecCredential> answer);
  bool is_fresh() const;

  AsioLoop& loop_;
  Target target_;
  std::optional<Proof> proof_;  // as last made
  std::optional<base::Instant> read_at_;
  std::optional<base::WallTime> expires_at_;
  std::unique_ptr<ExecRun> run_;
  std::vector<Then> waiting_;
};

}  // namespace drover::kube::net
