// Runs a credential plugin (client.authentication.k8s.io) and reads what it says. No shell; the loop is never blocked.
//
// At rest while it runs: a child, two pipes, the text so far (bounded), a time limit.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "kube/config.h"
#include "kube/http_api.h"

namespace drover::kube::net {

struct ExecCredential {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  std::optional<base::WallTime> expires_at;
};

// What the plugin must print; `command` names it in messages. Pure.
base::Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin);
// The KUBERNETES_EXEC_INFO that it is given.
std::string exec_info(const ExecPlugin& plugin, const Target& target);

class ExecRun {
 public:
  using Done = std::function<void(base::Result<ExecCredential>)>;

  // `done` comes later, once. Destroying the run kills the child, and nothing is called back.
  static std::unique_ptr<ExecRun> start(AsioLoop& loop, const ExecPlugin& plugin, const Target& target,
                                        base::Span within, Done done);
  ~ExecRun();

 private:
  struct Body;
  explicit ExecRun(std::shared_ptr<Body> body);
  std::shared_ptr<Body> body_;
};

}  // namespace drover::kube::net
