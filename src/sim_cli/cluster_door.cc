#include "sim_cli/cluster_door.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sim/door/tokens.h"

namespace drover::sim_cli {
namespace {

http::HttpServerOptions wire_options(const cli::Address& address, const std::vector<std::string>& names) {
  http::HttpServerOptions options;
  options.address = address.host;
  options.port = address.port;
  const auto add = [&](const std::vector<std::string>& more) {
    for (const std::string& name : more) {
      if (std::find(options.names.begin(), options.names.end(), name) == options.names.end()) {
        options.names.push_back(name);
      }
    }
  };
  if (!address.is_everywhere) add({address.host});
  if (address.is_everywhere && names.empty()) add(cli::own_addresses());
  add(names);
  return options;
}

}  // namespace

base::Result<std::unique_ptr<ClusterDoor>> ClusterDoor::open(kube::AsioLoop& loop, sim::EmbeddedCluster& cluster,
                                                             sim::LogBook& logs, const cli::Address& address,
                                                             const std::vector<std::string>& names) {
  std::unique_ptr<ClusterDoor> made(new ClusterDoor());
  sim::DoorOptions options;
  TRY(options.admin_token, sim::door::fresh_secret());
  TRY(options.signing_key, sim::door::fresh_secret());
  options.logs = &logs;
  made->token_ = options.admin_token;
  made->door_ = std::make_unique<sim::Door>(cluster, options);
  sim::Door& door = *made->door_;
  TRY(made->server_,
      http::HttpServer::open(loop, wire_options(address, names),
                             [&door](http::HttpRequest request, std::shared_ptr<http::Exchange> exchange) {
                               door.answer(std::move(request), std::move(exchange));
                             }));
  cluster.server().furnish(made->server_->certificate());
  made->url_ = address.is_everywhere
                   ? fmt::format("https://{}:{}", names.empty() ? "127.0.0.1" : names.front(), made->server_->port())
                   : made->server_->url();
  return made;
}

std::string ClusterDoor::kubeconfig() const {
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: drover-sim\n"
      "  cluster:\n"
      "    server: {}\n"
      "    certificate-authority-data: {}\n"
      "users:\n"
      "- name: kubernetes-admin\n"
      "  user:\n"
      "    token: {}\n"
      "contexts:\n"
      "- name: drover-sim\n"
      "  context:\n"
      "    cluster: drover-sim\n"
      "    user: kubernetes-admin\n"
      "current-context: drover-sim\n",
      url_, base::base64_encode(server_->certificate()), token_);
}

}  // namespace drover::sim_cli
