// The agent's programs on a real machine. They run in pods whose templates drover renders; by hand they do the same to
// the machine they run on. A program's readiness is asked for over HTTP and answered by looking at the machine, without
// a process; a task ends with a verdict, which the kubelet finds in the container's termination log; a deed is done as
// root, on the machine itself, and asks no API server.
#include "cli/agent_programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "agent/https_download.h"
#include "base/log.h"
#include "base/time.h"
#include "cli/address.h"
#include "cli/agent_session.h"
#include "cli/flags.h"
#include "host/linux_host.h"
#include "http/http_server.h"

namespace drover::cli {
namespace {

// Only the kubelet asks, every ten seconds.
constexpr http::HttpServerLimits kAgentRequestLimits = {
    .most_head_bytes = 8 * 1024, .most_body_bytes = 0, .most_unsent_bytes = 64 * 1024, .most_connections = 16};

struct ProgramFlags {
  TargetFlags target = {};
  std::string listen = {};
  bool asks_whether_passed = false;
};

// Where a pod sees the machine's files. There is no flag for it: what is unloaded is the running kernel's in any case.
std::string machine_root(const agent::ProgramRow& row) {
  return row.sees_host_folder && ::access("/host/proc/modules", R_OK) == 0 ? "/host" : "";
}

std::vector<std::string> own_folders(const agent::ProgramRow& row) {
  return row.own_folder.empty() ? std::vector<std::string>() : std::vector{std::string(row.own_folder)};
}

base::Result<std::unique_ptr<http::HttpServer>> answer_readiness(const std::string& listen, AgentSession& session,
                                                                 const agent::ProgramRow& row,
                                                                 const agent::Environment& environment) {
  TRY(const Address address, parse_address(listen));
  http::HttpServerOptions options;
  options.address = address.host;
  options.port = address.port;
  options.checks_host = false;  // kubelets call us by the pod's address
  options.speaks_tls = false;
  options.limits = kAgentRequestLimits;
  const auto answer = [&host = session.host(), &row, environment](const http::HttpRequest& request,
                                                                  const std::shared_ptr<http::Exchange>& exchange) {
    if (request.target != "/readyz") return exchange->reply({.code = 404, .body = "there is /readyz\n"});
    const bool is_ready = row.is_ready(host, environment);
    exchange->reply({.code = is_ready ? 200 : 503,
                     .body = is_ready ? std::string("ready\n") : fmt::format("{}\n", row.unready_text)});
  };
  auto server = http::HttpServer::open(session.loop(), options, answer);
  if (server || address.host != "::") return server;
  options.address = "0.0.0.0";  // a machine without IPv6
  return http::HttpServer::open(session.loop(), options, answer);
}

int run_agent(const agent::ProgramRow& row, const ProgramFlags& flags) {
  const agent::Environment environment = environment_of_this_process();
  const auto make = row.read(environment);
  if (!make) return complain(make.error());
  AgentSession session(machine_root(row), own_folders(row));
  std::unique_ptr<http::HttpServer> server;
  if (!flags.listen.empty()) {
    auto opened = answer_readiness(flags.listen, session, row, environment);
    if (!opened) return complain(opened.error());
    server = std::move(*opened);
    log::info("listening", {{"url", server->url()}, {"pages", "/readyz"}});
  }
  return session.run(flags.target, *make);
}

// For a task: it has no token, and asks nothing.
class NoApi final : public kube::Api {
 public:
  kube::Call call(kube::Request, Answer) override { return {}; }
  kube::Call list(kube::ListRequest, kube::ListSink) override { return {}; }
  kube::Call watch(kube::WatchRequest, kube::WatchSink) override { return {}; }
};

// The kubelet makes the file; by hand there is none, and the verdict was said already.
void tell_kubelet(std::string_view text) {
  const int file = ::open("/dev/termination-log", O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) return;
  if (::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    log::warn("the verdict could not be written whole to /dev/termination-log");
  ::close(file);
}

int run_task(const agent::ProgramRow& row) {
  const agent::Environment environment = environment_of_this_process();
  const auto make = row.read(environment);
  if (!make) return complain(make.error());
  kube::AsioLoop loop;
  host::LinuxHost host(machine_root(row), host::Kernel::real(), own_folders(row));
  agent::HttpsDownloads downloads(loop, environment);
  NoApi api;
  int code = 1;
  const auto program = (*make)(agent::ProgramContext{.host = host,
                                                     .api = api,
                                                     .loop = loop,
                                                     .random = base::Random(seed_of_the_system()),
                                                     .say =
                                                         [&loop](std::string_view line) {
                                                           fmt::print("{} {}\n", base::rfc3339(loop.wall()), line);
                                                           std::fflush(stdout);
                                                         },
                                                     .exit =
                                                         [&](int its_code) {
                                                           code = its_code;
                                                           loop.stop();
                                                         },
                                                     .tell_verdict = tell_kubelet,
                                                     .downloads = &downloads},
                               [](bool) {});
  loop.on_signal([&](int) { program->terminate(); });
  program->start();
  loop.run();
  return code;
}

int ask_whether_passed(const agent::ProgramRow& row) {
  host::LinuxHost host(machine_root(row), host::Kernel::real(), own_folders(row));
  return row.has_passed(host) ? 0 : 1;
}

int do_deed(const agent::ProgramRow& row, const std::string& root) {
  kube::AsioLoop loop;
  host::LinuxHost host(root);
  int code = 1;
  const auto deed = row.begin(
      host, loop, [](std::string_view line) { fmt::print("{}\n", line); },
      [&](const base::Result<void>& result) {
        code = result ? 0 : complain(result.error());
        loop.stop();
      });
  loop.run();
  return code;
}

}  // namespace

void add_agent_program(Command agent, const agent::ProgramRow& row) {
  Command command = agent.add(std::string(row.name), std::string(row.help));
  if (row.is_task) {
    command.run([&row] { return run_task(row); });
  } else if (row.begin != nullptr) {
    auto root = std::make_shared<std::string>();
    command.option("--root", *root, "where the machine's files are (/host in a container that mounts them)",
                   {.type_name = "DIR"});
    command.run([&row, root] { return do_deed(row, *root); });
  } else {
    auto flags = std::make_shared<ProgramFlags>();
    add_target_flags(command, flags->target);
    if (row.is_ready != nullptr) {
      command.option("--listen", flags->listen, "answer /readyz here, for example :8082 (default: nowhere)",
                     {.type_name = "ADDRESS"});
    }
    if (row.has_passed != nullptr) {
      command.flag("--passed", flags->asks_whether_passed,
                   "only say, by the exit code, whether the validator in this pod has passed");
    }
    command.run(
        [&row, flags] { return flags->asks_whether_passed ? ask_whether_passed(row) : run_agent(row, *flags); });
  }
  if (!row.footer.empty()) command.footer(std::string(row.footer));
}

}  // namespace drover::cli
