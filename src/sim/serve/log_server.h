// The simulated kubelets' HTTPS port: container logs, so that `kubectl logs [-f]` works through kube-apiserver.
//
// GET /containerLogs/NS/POD/CONTAINER (follow, tailLines, timestamps, previous, sinceSeconds, sinceTime, limitBytes)
// and GET /healthz. One port for all nodes. A reader has a place in the log, not a queue: one that reads slowly costs
// one connection and loses what the log drops meanwhile. Asio stays behind this header.
#pragma once

#include <memory>

#include "base/result.h"
#include "kube/http_api.h"
#include "sim/kubelet_logs.h"

namespace drover::sim {

class LogServer {
 public:
  // On 127.0.0.1; port 0 picks a free one. The loop and the logs must outlive it.
  static base::Result<std::unique_ptr<LogServer>> open(kube::AsioLoop& loop, LogBook& logs, int port);
  // Cuts all readers off.
  ~LogServer();
  LogServer(const LogServer&) = delete;
  LogServer& operator=(const LogServer&) = delete;

  int port() const;
  int readers() const;

 private:
  struct Body;
  explicit LogServer(std::shared_ptr<Body> body);
  std::shared_ptr<Body> body_;
};

}  // namespace drover::sim
