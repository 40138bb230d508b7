#include "sim/serve/log_server.h"

#include <utility>

#include "sim/serve/log_query.h"
#include "sim/serve/log_stream.h"

namespace drover::sim {
namespace {

HttpReply text(int code, std::string words) {
  return {.code = code,
          .content_type = "text/plain",
          .body = std::move(words),
          .headers = {{.name = "Connection", .value = "close"}}};
}

void answer(LogBook& logs, base::WallTime now, const HttpRequest& request, const std::shared_ptr<Exchange>& exchange) {
  if (request.method != "GET") return exchange->reply(text(405, "only GET is served here\n"));
  if (request.target == "/healthz") return exchange->reply(text(200, "ok"));
  auto query = parse_log_query(request.target);
  if (query) return stream_log(logs, std::move(*query), now, exchange);
  const bool lost = query.error().kind == base::Fault::Kind::NotFound;
  exchange->reply(text(lost ? 404 : 400, query.error().message + "\n"));
}

}  // namespace

base::Result<std::unique_ptr<LogServer>> LogServer::open(kube::AsioLoop& loop, LogBook& logs, int port) {
  HttpServerOptions options;
  options.port = port;
  options.port_flag = "--log-port";
  options.checks_host = false;  // kube-apiserver calls it by the node's address
  options.limits.most_head_bytes = 16 * 1024;
  options.limits.most_body_bytes = 0;
  options.limits.most_connections = 1000;
  auto server = HttpServer::open(loop, std::move(options),
                                 [&loop, &logs](const HttpRequest& request, const std::shared_ptr<Exchange>& exchange) {
                                   answer(logs, loop.wall(), request, exchange);
                                 });
  if (!server) return base::with_context(std::move(server).error(), "container logs cannot be served");
  return std::unique_ptr<LogServer>(new LogServer(std::move(*server)));
}

}  // namespace drover::sim
