#include "sim/serve/log_server.h"

#include <fmt/format.h>

#include <utility>

#include "sim/serve/http.h"
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

void answer(const LogRoom& room, const HttpRequest& request, const std::shared_ptr<Exchange>& exchange) {
  if (request.method != "GET") return exchange->reply(text(405, "only GET is served here\n"));
  if (request.target == "/healthz") return exchange->reply(text(200, "ok"));
  auto query = parse_log_query(request.target);
  if (!query) {
    const bool lost = query.error().kind == base::Fault::Kind::NotFound;
    return exchange->reply(text(lost ? 404 : 400, query.error().message + "\n"));
  }
  const LogBook::Run* run = room.logs.run(query->container, query->previous);
  if (run != nullptr) return stream_log(room, std::move(*query), *run, exchange, text(200, {}));
  exchange->reply(
      text(query->previous ? 404 : 400,
           fmt::format("{} has no {}logs: it has not {}\n", query->container, query->previous ? "previous " : "",
                       query->previous ? "been restarted" : "started, or is not simulated here")));
}

}  // namespace

base::Result<std::unique_ptr<LogServer>> LogServer::open(kube::AsioLoop& loop, LogBook& logs, int port) {
  http::HttpServerOptions options;
  options.port = port;
  options.port_flag = "--log-port";
  options.checks_host = false;  // kube-apiserver calls it by the node's address
  options.limits.most_head_bytes = 16 * 1024;
  options.limits.most_body_bytes = 0;
  options.limits.most_connections = 1000;
  auto streams = std::make_unique<Streams>();
  auto server = http::HttpServer::open(
      loop, std::move(options),
      [room = LogRoom{loop, logs, *streams}](const HttpRequest& request, const std::shared_ptr<Exchange>& exchange) {
        answer(room, request, exchange);
      });
  if (!server) return base::with_context(std::move(server).error(), "container logs cannot be served");
  return std::unique_ptr<LogServer>(new LogServer(std::move(streams), std::move(*server)));
}

}  // namespace drover::sim
