// The embedded cluster behind HTTPS, with an administrator's kubeconfig: what `drover-sim serve` and `drover-sim demo`
// put in front of a cluster for kubectl and helm.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/address.h"
#include "http/http_server.h"
#include "kube/http_api.h"
#include "sim/door/door.h"
#include "sim/kubelet_logs.h"
#include "sim/world.h"

namespace drover::sim_cli {

class ClusterDoor {
 public:
  // `names` are further host names that clients may use. Cluster, logs and loop must outlive it; the cluster may
  // live on another loop than the wire, as long as one thread turns both.
  static base::Result<std::unique_ptr<ClusterDoor>> open(kube::AsioLoop& loop, sim::EmbeddedCluster& cluster,
                                                         sim::LogBook& logs, const cli::Address& address,
                                                         const std::vector<std::string>& names = {});

  const std::string& url() const { return url_; }
  std::string kubeconfig() const;

 private:
  ClusterDoor() = default;

  std::string token_;
  std::string url_;
  // The HTTPS server is destroyed before the HTTP frontend.
  std::unique_ptr<sim::Door> door_;
  std::unique_ptr<http::HttpServer> server_;
};

}  // namespace drover::sim_cli
