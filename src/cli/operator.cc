// `drover operator`: the operator against a real API server, until SIGTERM or until another one has its lease.
//
// What the command line says becomes operate::Settings here and nowhere else; chance comes from the system, because two
// replicas must not think alike.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <random>

#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "cli/address.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/limit_flag.h"
#include "http/http_server.h"
#include "kube/config.h"
#include "kube/http_api.h"
#include "kube/paced_api.h"
#include "operator/health.h"
#include "operator/operator.h"
#include "protocol/proxies.h"
#include "vendors/work_profile.h"

namespace drover::cli {
namespace {

// The lease is given back within this time, or not at all.
constexpr base::Span kFarewell = std::chrono::milliseconds(1500);

// Probes and scrapes are small and few.
constexpr http::HttpServerLimits kOperatorRequestLimits = {
    .most_head_bytes = 16 * 1024, .most_body_bytes = 0, .most_unsent_bytes = 4 * 1024 * 1024, .most_connections = 64};

struct LeaseName {
  std::string ns;
  std::string name;
};

struct OperatorFlags {
  TargetFlags target;
  std::string listen = {};  // empty: nowhere
  std::optional<LeaseName> lease = {};
  std::optional<core::Share> max_unavailable = {};
  int lease_seconds = 15;
  vendors::WorkProfiles profiles = {};
  std::vector<operate::Served> vendors = {};
  vendors::OperandSettings operands = {};
};

// The name by which this machine, or the pod, knows itself.
std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "drover";
}

std::uint64_t seed_of_the_system() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

// What our own environment says about proxies is true for the builders too; what could not stand in a variable is left.
std::vector<std::pair<std::string, std::string>> proxies_of_the_environment() {
  std::vector<std::pair<std::string, std::string>> proxies;
  for (const std::string_view name : protocol::kProxyVariables) {
    const char* value = std::getenv(std::string(name).c_str());
    if (value != nullptr && *value != '\0' && protocol::is_proxy_text(value)) proxies.emplace_back(name, value);
  }
  return proxies;
}

operate::Settings settings_of(const OperatorFlags& flags, base::Random& random) {
  operate::Settings settings;
  settings.instance = host_name();
  settings.vendors = flags.vendors;
  settings.max_unavailable = flags.max_unavailable;
  if (settings.vendors.empty()) {
    for (const vendors::WorkProfile* profile : flags.profiles) {
      settings.vendors.push_back({.profile = profile, .operands = {.ns = std::string(profile->vendor.ns)}});
    }
  }
  for (operate::Served& served : settings.vendors) {
    const std::string ns = served.operands.ns;
    served.operands = flags.operands;
    served.operands.ns = ns;
    served.operands.proxies = proxies_of_the_environment();
    // They are one vendor's.
    if (!served.profile->gates_are_made) served.operands.gates.reset();
  }
  if (flags.lease) {
    settings.lease = kube::LeaseTerms{.ns = flags.lease->ns,
                                      .name = flags.lease->name,
                                      .identity = fmt::format("{}_{}", settings.instance, random.name_suffix(8)),
                                      .duration = std::chrono::seconds(flags.lease_seconds)};
  }
  return settings;
}

// One run of the command. Members are destroyed from the last to the first: the operator goes before its doors.
class Session {
 public:
  explicit Session(const OperatorFlags& flags) : flags_(flags), random_(seed_of_the_system()) {}

  base::Result<void> open() {
    TRY(auto target, kube::find_target(flags_.target.kubeconfig, flags_.target.context));
    const std::string source = target.source;
    TRY(http_, kube::HttpApi::open(loop_, std::move(target)));
    api_ = std::make_unique<kube::PacedApi>(*http_, loop_, random_.fork("pace"));
    operate::Settings settings = settings_of(flags_, random_);
    greet(settings, source);
    operator_ = std::make_unique<operate::Operator>(*api_, loop_, random_, std::move(settings), [this] { lose(); });
    return flags_.listen.empty() ? base::Result<void>() : listen();
  }

  int run() {
    loop_.on_signal([this](int) { leave(); });
    operator_->start();
    loop_.run();
    return exit_code_;
  }

 private:
  static void greet(const operate::Settings& settings, const std::string& source) {
    for (const operate::Served& served : settings.vendors) {
      log::info("serving", {{"vendor", std::string(served.profile->vendor.name)}, {"namespace", served.operands.ns}});
    }
    if (settings.lease) {
      log::info("operator starts", {{"target", source},
                                    {"lease", settings.lease->ns + "/" + settings.lease->name},
                                    {"identity", settings.lease->identity}});
    } else {
      log::warn("operator starts without --lease: nothing keeps a second one away", {{"target", source}});
    }
  }

  base::Result<void> listen() {
    TRY(const Address address, parse_address(flags_.listen));
    health_ = std::make_unique<operate::Health>(loop_, *operator_, [this] { return http_->counters().requests; });
    http::HttpServerOptions options;
    options.address = address.host;
    options.port = address.port;
    options.checks_host = false;  // kubelets and Prometheus call us by the pod's address
    options.speaks_tls = false;
    options.limits = kOperatorRequestLimits;
    const auto answer = [this](const http::HttpRequest& request, const std::shared_ptr<http::Exchange>& exchange) {
      operate::Page page = health_->page(request.method, request.target);
      exchange->reply({.code = page.code, .content_type = std::move(page.type), .body = std::move(page.body)});
    };
    auto server = http::HttpServer::open(loop_, options, answer);
    if (!server && address.host == "::") {  // a machine without IPv6
      options.address = "0.0.0.0";
      server = http::HttpServer::open(loop_, options, answer);
    }
    if (!server) return std::unexpected(std::move(server).error());
    server_ = std::move(*server);
    log::info("listening", {{"url", server_->url()}, {"pages", "/metrics /healthz /readyz"}});
    return {};
  }

  void leave() {
    log::info("asked to end");
    // A second signal ends it at once.
    loop_.on_signal([this](int) { loop_.stop(); });
    farewell_ = loop_.after(kFarewell, [this] { loop_.stop(); });
    operator_->stop([this] { loop_.stop(); });
  }

  void lose() {
    log::error("the lease is lost: ending, so that two operators never write at once", {});
    exit_code_ = 1;
    loop_.stop();
  }

  const OperatorFlags& flags_;
  kube::AsioLoop loop_;
  base::Random random_;
  std::unique_ptr<kube::HttpApi> http_;
  std::unique_ptr<kube::PacedApi> api_;
  std::unique_ptr<operate::Operator> operator_;
  std::unique_ptr<operate::Health> health_;
  std::unique_ptr<http::HttpServer> server_;
  base::Timer farewell_;
  int exit_code_ = 0;
};

int run_operator(const OperatorFlags& flags) {
  Session session(flags);
  if (auto opened = session.open(); !opened) return complain(opened.error());
  return session.run();
}

base::Result<LeaseName> parse_lease(const std::string& text) {
  const auto parts = base::split(text, '/');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
    return base::fault(
        base::Fault::Kind::Malformed,
        fmt::format("\"{}\" is not a NAMESPACE/NAME: write drover-system/drover", base::one_line(text, 60)));
  }
  return LeaseName{std::string(parts[0]), std::string(parts[1])};
}

// "acme" or "acme=acme-system".
base::Result<operate::Served> parse_vendor(const std::string& text, vendors::WorkProfiles profiles) {
  const auto equals = text.find('=');
  const std::string name = text.substr(0, equals);
  std::string known;
  for (const vendors::WorkProfile* profile : profiles) {
    if (profile->vendor.name == name) {
      const std::string ns = equals == std::string::npos ? std::string(profile->vendor.ns) : text.substr(equals + 1);
      if (ns.empty()) return base::fault(base::Fault::Kind::Malformed, fmt::format("{}= names no namespace", name));
      return operate::Served{.profile = profile, .operands = {.ns = ns}};
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", profile->vendor.name);
  }
  return base::fault(base::Fault::Kind::Malformed,
                     fmt::format("\"{}\" is none of {}", base::one_line(name, 40), known));
}

void add_flags(Command command, OperatorFlags& flags, VendorClis clis) {
  add_target_flags(command, flags.target);
  const auto take_lease = [&flags](const std::string& text) -> base::Result<void> {
    TRY(flags.lease, parse_lease(text));
    return {};
  };
  command.parsed("--lease", take_lease, "work only while holding this Lease (default: work without one)",
                 {.type_name = "NAMESPACE/NAME"});
  command.option("--lease-seconds", flags.lease_seconds, "how long another one waits for a leader that fell silent",
                 {.shows_default = true, .range = Option::Range{3, 600}});
  command.option("--listen", flags.listen,
                 "serve /metrics, /healthz and /readyz here, for example :8080 (default: nowhere)",
                 {.type_name = "[ADDRESS]:PORT"});
  const auto take_vendor = [&flags](const std::string& text) -> base::Result<void> {
    TRY(flags.vendors.emplace_back(), parse_vendor(text, flags.profiles));
    return {};
  };
  command.parsed_each("--vendor", take_vendor,
                      "serve this vendor, its pods in this namespace; may be repeated (default: all)",
                      {.type_name = "NAME[=NAMESPACE]"});
  add_limit_flag(command, flags.max_unavailable);
  vendors::OperandSettings& operands = flags.operands;
  command.option("--image", operands.own_image, "the image of drover's own containers on nodes",
                 {.type_name = "IMAGE", .shows_default = true});
  command.option("--image-pull-policy", operands.own_pull_policy, "when that image is fetched",
                 {.shows_default = true, .words = {"Always", "IfNotPresent", "Never"}});
  command.option("--image-pull-secret", operands.own_pull_secrets, "a Secret to fetch it with; may be repeated",
                 {.type_name = "NAME"});
  command.option("--agent-account", operands.agent_account, "the ServiceAccount of drover's containers on nodes",
                 {.type_name = "NAME", .shows_default = true});
  command.option("--builder-image", operands.builder_image,
                 "the image that builds drivers on nodes where a policy names none (default: drover's own)",
                 {.type_name = "IMAGE"});
  for (const VendorCli* vendor : clis) {
    if (vendor->add_operator_flags != nullptr) vendor->add_operator_flags(command, operands);
  }
  command.option("--preflight-priority-class", operands.preflight_priority_class,
                 "the PriorityClass of pods that fetch a driver's image (default: the cluster's)",
                 {.type_name = "NAME"});
}

}  // namespace

void add_operator(Command app, const Vendors& vendors) {
  Command command = app.add("operator", "Keep the drivers of a fleet as its policies want them");
  command.footer(fmt::format("  drover operator --kubeconfig ~/.kube/config --lease drover-system/drover --vendor {}",
                             vendors.profiles.empty() ? "NAME" : vendors.profiles.front()->vendor.name));
  auto flags = std::make_shared<OperatorFlags>();
  flags->profiles = vendors.profiles;
  add_flags(command, *flags, vendors.clis);
  command.run([flags] { return run_operator(*flags); });
}

}  // namespace drover::cli
