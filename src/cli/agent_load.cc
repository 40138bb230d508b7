// `drover agent load`, `vacate` and `hand-back`: Tenstorrent's driver on a real machine.
//
// The loader runs in the builder's pods, which mount the machine's folders in their own places; its readiness is asked
// for over HTTP and answered from /sys, without a process. Vacating is done by hand, as root, on the machine itself.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/log.h"
#include "cli/address.h"
#include "cli/agent.h"
#include "cli/agent_session.h"
#include "cli/flags.h"
#include "http/http_server.h"
#include "vendors/tenstorrent/agent/loader.h"
#include "vendors/tenstorrent/agent/return_to_host.h"
#include "vendors/tenstorrent/agent/vacate.h"

namespace drover::cli {
namespace {

// A kubelet asks every ten seconds; nobody else has to.
constexpr http::HttpServerLimits kLoaderRequestLimits = {
    .most_head_bytes = 8 * 1024, .most_body_bytes = 0, .most_unsent_bytes = 64 * 1024, .most_connections = 16};

struct LoadFlags {
  TargetFlags target = {};
  std::string listen = {};
};

base::Result<std::unique_ptr<http::HttpServer>> answer_readiness(const std::string& listen, kube::AsioLoop& loop,
                                                                 host::Host& host, const std::string& version) {
  TRY(const Address address, parse_address(listen));
  http::HttpServerOptions options;
  options.address = address.host;
  options.port = address.port;
  options.checks_host = false;  // kubelets call us by the pod's address
  options.speaks_tls = false;
  options.limits = kLoaderRequestLimits;
  const auto answer = [&host, version](const http::HttpRequest& request,
                                       const std::shared_ptr<http::Exchange>& exchange) {
    if (request.target != "/readyz") return exchange->reply({.code = 404, .body = "there is /readyz\n"});
    const bool is_ready = agent::serves(host, version);
    exchange->reply({.code = is_ready ? 200 : 503, .body = is_ready ? "ready\n" : "tt-kmd is not loaded\n"});
  };
  auto server = http::HttpServer::open(loop, options, answer);
  if (server || address.host != "::") return server;
  options.address = "0.0.0.0";  // a machine without IPv6
  return http::HttpServer::open(loop, options, answer);
}

int load(const LoadFlags& flags) {
  const auto settings = agent::read_load_settings(environment_of_this_process());
  if (!settings) return complain(settings.error());
  AgentSession<agent::Loader> session("");
  std::unique_ptr<http::HttpServer> server;
  if (!flags.listen.empty()) {
    auto opened = answer_readiness(flags.listen, session.loop(), session.host(), settings->version);
    if (!opened) return complain(opened.error());
    server = std::move(*opened);
    log::info("listening", {{"url", server->url()}, {"pages", "/readyz"}});
  }
  return session.run(flags.target, [&](agent::Surroundings around) {
    return std::make_unique<agent::Loader>(*settings, std::move(around), [](bool) {});
  });
}

// What is done once to the machine: Vacate, HandBack.
template <class Work>
int work_on(const std::string& root) {
  kube::AsioLoop loop;
  host::LinuxHost host(root);
  int code = 1;
  const Work work(
      host, loop, [](std::string_view line) { fmt::print("{}\n", line); },
      [&](const base::Result<void>& result) {
        code = result ? 0 : complain(result.error());
        loop.stop();
      });
  loop.run();
  return code;
}

void add_root_flag(Command command, std::string& root) {
  command.option("--root", root, "where the machine's files are (/host in a container that mounts them)",
                 {.type_name = "DIR"});
}

}  // namespace

void add_agent_load(Command agent) {
  Command command =
      agent.add("load", "Build Tenstorrent's driver for this machine, load it, and watch over it (builder container)");
  auto flags = std::make_shared<LoadFlags>();
  add_target_flags(command, flags->target);
  command.option("--listen", flags->listen, "answer /readyz here, for example :8082 (default: nowhere)",
                 {.type_name = "ADDRESS"});
  command.run([flags] { return load(*flags); });
}

void add_agent_vacate(Command agent) {
  Command command = agent.add(
      "vacate", "Take a DKMS-managed Tenstorrent driver off this machine, so that the operator can bring its own");
  auto root = std::make_shared<std::string>();
  add_root_flag(command, *root);
  command.footer(
      "Run it as root on a node that was cordoned and drained. It refuses while the device is held, and may be\n"
      "repeated: on a clean host it changes nothing.");
  command.run([root] { return work_on<agent::Vacate>(*root); });
}

void add_agent_hand_back(Command agent) {
  Command command = agent.add(
      "hand-back", "Take the operator's Tenstorrent driver off this machine, and wait until DKMS has brought its own");
  auto root = std::make_shared<std::string>();
  add_root_flag(command, *root);
  command.footer(
      "Run by `kubectl drover migrate --rollback`. It installs nothing, and refuses while the device is held.");
  command.run([root] { return work_on<agent::HandBack>(*root); });
}

}  // namespace drover::cli
