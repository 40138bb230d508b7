// `drover ping`: does the API server answer with these credentials? One line says so; one line says why not.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "kube/config.h"
#include "kube/http_api.h"

namespace drover::cli {
namespace {

struct PingFlags {
  TargetFlags target;
  base::Span timeout = std::chrono::seconds(10);
};

// What one visit found out.
struct Visit {
  std::string version;
  int nodes = 0;
  base::Span took = {};
  std::optional<base::Fault> fault = {};
};

std::string address(const kube::Target& target) {
  const bool v6 = target.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}{}", target.tls ? "https" : "http", v6 ? "[" : "", target.host, v6 ? "]" : "",
                     target.port, target.base_path);
}

// What to do about it, where the message does not say so already.
std::string_view advice(const base::Fault& fault) {
  const auto& said = fault.message;
  if (said.find("; ") != said.npos || said.find('?') != said.npos || said.find("(check ") != said.npos) return "";
  using Kind = base::Fault::Kind;
  switch (fault.kind) {
    case Kind::Unreachable: return "; check that the server runs and that the kubeconfig has its address";
    case Kind::Unknown: return "; try again, and if it stays so check the server's own log";
    case Kind::Malformed:
      return "; check that this address is a Kubernetes API server and not a proxy or another program";
    default: return "";
  }
}

// Asks for the version, then lists all nodes; a list is streamed, so any number of them costs little memory.
class Visitor {
 public:
  Visitor(kube::AsioLoop& loop, kube::Api& api) : loop_(loop), api_(api) {}

  Visit visit() {
    began_ = loop_.now();
    call_ = api_.call(kube::get(kube::kRoot, "", "version"), [this](base::Result<kube::Object> answer) {
      if (!answer) return fail(answer.error());
      visit_.version = json::text_at(*answer, {"gitVersion"});
      if (visit_.version.empty()) {
        return fail({base::Fault::Kind::Malformed,
                     "GET /version: the answer names no gitVersion, so this is not a Kubernetes API server; check the "
                     "address in the kubeconfig"});
      }
      list();
    });
    loop_.run();
    call_.cancel();
    return visit_;
  }

 private:
  void list() {
    kube::ListRequest request{
        .range = {kube::kNodes, "", "", ""}, .page = 500, .resource_version = {}, .projection = {"metadata.name"}};
    call_ = api_.list(std::move(request), {.item = [this](const kube::Object&) { ++visit_.nodes; },
                                           .done =
                                               [this](const base::Result<kube::ListEnd>& end) {
                                                 if (!end) return fail(end.error());
                                                 visit_.took = loop_.now() - began_;
                                                 loop_.stop();
                                               }});
  }
  void fail(base::Fault fault) {
    visit_.fault = std::move(fault);
    loop_.stop();
  }

  kube::AsioLoop& loop_;
  kube::Api& api_;
  base::Instant began_;
  kube::Call call_;
  Visit visit_;
};

int ping(const PingFlags& flags) {
  auto target = kube::find_target(flags.target.kubeconfig, flags.target.context);
  if (!target) return complain(target.error());
  kube::AsioLoop loop;
  const std::string where = fmt::format("{} ({})", address(*target), target->source);
  auto api = kube::HttpApi::open(loop, *target, {.connect_within = flags.timeout, .answer_within = flags.timeout});
  if (!api) return complain(api.error());
  const Visit visit = Visitor(loop, **api).visit();
  if (visit.fault) {
    base::Fault fault = *visit.fault;
    fault.message += advice(fault);
    return complain(base::with_context(std::move(fault), where).error());
  }
  fmt::print("{} answers: {}, {} node{} in {}\n", where, base::one_line(visit.version, 60), visit.nodes,
             visit.nodes == 1 ? "" : "s", base::human(visit.took));
  return 0;
}

}  // namespace

void add_ping(Command app) {
  Command command = app.add("ping", "Check that the API server answers with these credentials");
  auto flags = std::make_shared<PingFlags>();
  add_target_flags(command, flags->target);
  add_span_flag(command, "--timeout", flags->timeout, "give up when the server is silent for so long");
  command.run([flags] { return ping(*flags); });
}

}  // namespace drover::cli
