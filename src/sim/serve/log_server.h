// The simulated kubelets' HTTPS port: container logs, so that `kubectl logs [-f]` works through kube-apiserver.
//
// GET /containerLogs/NS/POD/CONTAINER (follow, tailLines, timestamps, previous, sinceSeconds, sinceTime, limitBytes)
// and GET /healthz. One port for all nodes.
#pragma once

#include <memory>

#include "base/result.h"
#include "http/http_server.h"
#include "sim/kubelet_logs.h"
#include "sim/serve/stream.h"

namespace drover::sim {

class LogServer {
 public:
  // On 127.0.0.1; port 0 picks a free one. The loop and the logs must outlive it.
  static base::Result<std::unique_ptr<LogServer>> open(kube::AsioLoop& loop, LogBook& logs, int port);

  int port() const { return server_->port(); }
  int readers() const { return static_cast<int>(server_->connections()); }

 private:
  LogServer(std::unique_ptr<Streams> streams, std::unique_ptr<http::HttpServer> server)
      : streams_(std::move(streams)), server_(std::move(server)) {}
  std::unique_ptr<Streams> streams_;
  std::unique_ptr<http::HttpServer> server_;
};

}  // namespace drover::sim
