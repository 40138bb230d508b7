// The HTTP frontend of the embedded cluster: what a kube-apiserver does between the socket and the request's meaning.
//
// Authentication (identity), the request's attributes (request), authorization, content negotiation (accept, body),
// then the Server's functions; long answers are streams. The RBAC policy is the Server's (call Server::furnish first).
// It has no socket: answers go to an Exchange, so tests run in virtual time.
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
  // A request with this token is kubernetes-admin in system:masters; when empty, no request is.
  std::string admin_token;
  // Signs the tokens of ServiceAccounts; secret.
  std::string signing_key;
  LogBook* logs = nullptr;  // container logs; without it none are served
};

class Door {
 public:
  Door(EmbeddedCluster& cluster, const DoorOptions& options);
  // Closes open streams without a last message.
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
