// The HTTP door of the embedded cluster: what a kube-apiserver does between the wire and the meaning of a request.
//
// Who asks (identity), what for (request), may he (authorization), in which form (accept, body), and then the Server's
// own functions; long answers go on as streams. Whom it lets do what is the Server's policy (Server::furnish first). It
// knows no socket: an Exchange is all it answers to, so tests run it on virtual time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sim/kubelet_logs.h"
#include "sim/serve/http.h"
#include "sim/world.h"

namespace drover::sim {

struct DoorOptions {
  // Whoever brings this token is kubernetes-admin of system:masters; nobody when empty.
  std::string admin_token;
  // Signs the tokens of ServiceAccounts; secret.
  std::string signing_key;
  LogBook* logs = nullptr;  // what containers have said; nothing is served without it
};

class Door {
 public:
  Door(EmbeddedCluster& cluster, const DoorOptions& options);
  // Streams that are still open are dropped without a word.
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  // Answers now or later; every request gets an answer.
  void answer(HttpRequest request, std::shared_ptr<Exchange> exchange);

  // Lists, watches and logs under way.
  std::size_t streams() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace drover::sim
