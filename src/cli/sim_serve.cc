// `drover sim serve`: a whole cluster in this process (API server, controllers, kubelets, in real time) behind HTTPS,
// for kubectl and helm, until SIGINT or SIGTERM.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/simulation.h"
#include "sim/door/door.h"
#include "sim/door/tokens.h"
#include "sim/enrol.h"
#include "sim/journal.h"
#include "sim/kubelet.h"
#include "sim/nodes.h"
#include "sim/serve/http_server.h"
#include "sim/server/bugs.h"
#include "sim/world.h"

namespace drover::cli {
namespace {

struct SimServeFlags {
  std::string listen = "127.0.0.1:0";
  std::vector<std::string> names;
  std::string kubeconfig;
  SimulationFlags simulation;
  bool no_managed_fields = false;
  std::vector<std::string> bugs;
  bool list_bugs = false;
};

struct Address {
  std::string host;
  int port = 0;
  bool is_loopback = false;
  bool is_everywhere = false;
};

// "127.0.0.1:6443", "[::1]:0"
base::Result<Address> parse_address(const std::string& text) {
  const auto refuse = [&](std::string_view why) {
    return base::fault(base::Fault::Kind::Refused,
                       fmt::format("--listen {}: {}; write ADDRESS:PORT, for example 127.0.0.1:6443 (port 0 picks a "
                                   "free one)",
                                   base::one_line(text, 60), why));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return refuse("there is no port");
  const auto port = base::parse_int(std::string_view(text).substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return refuse("the port is no number from 0 to 65535");
  Address address{text.substr(0, colon), static_cast<int>(*port)};
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host == "localhost") address.host = "127.0.0.1";
  in_addr four{};
  in6_addr six{};
  const bool is_four = inet_pton(AF_INET, address.host.c_str(), &four) == 1;
  if (!is_four && inet_pton(AF_INET6, address.host.c_str(), &six) != 1) return refuse("the address is no IP address");
  address.is_loopback = address.host.starts_with("127.") || address.host == "::1";
  address.is_everywhere = address.host == "0.0.0.0" || address.host == "::";
  return address;
}

// The addresses of this machine, as text.
std::vector<std::string> own_addresses() {
  std::vector<std::string> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* address = nullptr;
    if (one->ifa_addr->sa_family == AF_INET) {
      address = &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      address = &reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
    }
    if (address == nullptr || inet_ntop(one->ifa_addr->sa_family, address, text.data(), text.size()) == nullptr)
      continue;
    found.emplace_back(text.data());
  }
  freeifaddrs(list);
  return found;
}

std::string kubeconfig_text(std::string_view url, std::string_view certificate, std::string_view token) {
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
      url, base::base64_encode(certificate), token);
}

// One run of the command. Members are destroyed from the last to the first: the wire goes before the door, the door
// before the cluster.
class Served {
 public:
  explicit Served(SimServeFlags flags) : flags_(std::move(flags)), random_(flags_.simulation.seed) {}

  base::Result<void> open() {
    TRY(fleet_, sim::parse_fleet(flags_.simulation.nodes));
    TRY(const Address address, parse_address(flags_.listen));
    TRY(images_, flags_.simulation.images());
    if (!flags_.simulation.journal.empty()) {
      TRY(journal_, sim::Journal::open(loop_, flags_.simulation.journal));
    }
    cluster_ = std::make_unique<sim::EmbeddedCluster>(loop_, sim::ClusterOptions{.seed = flags_.simulation.seed});
    cluster_->server().always_manage_fields(!flags_.no_managed_fields);
    for (const std::string& name : flags_.bugs) {
      TRY(const sim::Bug bug, sim::parse_bug(name));
      cluster_->server().commit_bug(bug);
    }
    TRY(const sim::DoorOptions options, door_options());
    token_ = options.admin_token;
    door_ = std::make_unique<sim::Door>(*cluster_, options);
    TRY(server_, sim::HttpServer::open(loop_, wire_options(address),
                                       [this](sim::HttpRequest request, std::shared_ptr<sim::Exchange> exchange) {
                                         door_->answer(std::move(request), std::move(exchange));
                                       }));
    cluster_->server().furnish(server_->certificate());
    url_ =
        address.is_everywhere
            ? fmt::format("https://{}:{}", flags_.names.empty() ? "127.0.0.1" : flags_.names.front(), server_->port())
            : server_->url();
    if (!address.is_loopback) {
      say(fmt::format("warning: {} is reachable from other machines; whoever has the token of {} is its administrator",
                      flags_.listen, flags_.kubeconfig.empty() ? "the kubeconfig" : flags_.kubeconfig));
    }
    return {};
  }

  int run() {
    loop_.on_signal([this](int) { leave(); });
    enrolment_ = std::make_unique<sim::Enrolment>(cluster_->api("kubelets"), loop_, random_.fork("enrolment"));
    enrolment_->enrol(sim::make_nodes(fleet_), [this](base::Result<sim::Enrolment::Count> count) {
      if (!count) {
        exit_code_ = complain(count.error());
        return loop_.stop();
      }
      if (count->made > 0) say(fmt::format("{} nodes made", count->made));
      play();
    });
    loop_.run();
    return exit_code_;
  }

 private:
  base::Result<sim::DoorOptions> door_options() {
    sim::DoorOptions options;
    TRY(options.admin_token, sim::door::fresh_secret());
    TRY(options.signing_key, sim::door::fresh_secret());
    options.logs = &logs_;
    return options;
  }

  sim::HttpServerOptions wire_options(const Address& address) const {
    sim::HttpServerOptions options;
    options.address = address.host;
    options.port = address.port;
    const auto add = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        if (std::find(options.names.begin(), options.names.end(), name) == options.names.end()) {
          options.names.push_back(name);
        }
      }
    };
    if (!address.is_everywhere) add({address.host});
    if (address.is_everywhere && flags_.names.empty()) add(own_addresses());
    add(flags_.names);
    return options;
  }

  void play() {
    auto plan = flags_.simulation.plan();
    kubelets_ =
        std::make_unique<sim::Kubelets>(cluster_->api("kubelets"), loop_, random_, std::move(plan), std::move(images_));
    kubelets_->write_journal(journal_.get());
    kubelets_->keep_logs(&logs_);
    kubelets_->tell(say);
    kubelets_->start();
    // Like an API server that has just been started: nobody can ask for what was before.
    cluster_->server().store().compact(cluster_->store().version());
    if (!flags_.kubeconfig.empty()) {
      const auto text = kubeconfig_text(url_, server_->certificate(), token_);
      if (auto written = base::write_file(flags_.kubeconfig, text); !written) {
        exit_code_ = complain(written.error());
        return loop_.stop();
      }
    }
    say(fmt::format("ready: {}{}; SIGINT or SIGTERM ends it", url_,
                    flags_.kubeconfig.empty() ? "" : fmt::format(", kubeconfig {}", flags_.kubeconfig)));
    status();
  }

  // One line when something changed, at most every ten seconds.
  void status() {
    const auto count = kubelets_->count();
    auto line = status_line(count);
    if (line != status_ && count.nodes > 0) {
      say(line);
      status_ = std::move(line);
    }
    status_timer_ = loop_.after(kStatusEvery, [this] { status(); });
  }

  void leave() {
    status_timer_.cancel();
    server_.reset();
    say("ended; the cluster is gone");
    loop_.stop();
  }

  SimServeFlags flags_;
  kube::AsioLoop loop_;
  base::Random random_;
  std::vector<sim::FleetPart> fleet_;
  sim::ImageTable images_;
  sim::LogBook logs_;
  std::unique_ptr<sim::Journal> journal_;
  std::unique_ptr<sim::EmbeddedCluster> cluster_;
  std::unique_ptr<sim::Door> door_;
  std::unique_ptr<sim::Enrolment> enrolment_;
  std::unique_ptr<sim::Kubelets> kubelets_;
  std::unique_ptr<sim::HttpServer> server_;
  std::string token_;
  std::string url_;
  std::string status_;
  base::Timer status_timer_;
  int exit_code_ = 0;
};

int sim_serve(const SimServeFlags& flags) {
  if (flags.list_bugs) {
    for (const sim::BugRow& row : sim::all_bugs()) fmt::print("{} ({}): {}\n", row.name, row.area, row.sentence);
    return 0;
  }
  Served served(flags);
  if (auto opened = served.open(); !opened) return complain(opened.error());
  return served.run();
}

void add_flags(CLI::App& command, SimServeFlags& flags) {
  command.add_option("--listen", flags.listen, "where to listen; port 0 picks a free one")
      ->type_name("ADDRESS:PORT")
      ->capture_default_str();
  command.add_option("--name", flags.names, "another name or address by which visitors may call this server")
      ->type_name("HOST");
  command.add_option("--write-kubeconfig", flags.kubeconfig, "write the administrator's kubeconfig here (mode 0600)")
      ->type_name("FILE");
  add_simulation_flags(command, flags.simulation);
  command.add_flag("--no-managed-fields", flags.no_managed_fields,
                   "keep managedFields only for objects that somebody applied: less memory for large fleets");
  command.add_option("--bug", flags.bugs, "make this mistake on purpose (for tests of the tests)")->type_name("NAME");
  command.add_flag("--list-bugs", flags.list_bugs, "list the mistakes that can be made, one a line, and end");
}

}  // namespace

void add_sim_serve(CLI::App& sim, Chosen& chosen) {
  auto* command = sim.add_subcommand("serve", "Serve a simulated cluster over HTTPS, for kubectl and helm");
  command->footer(
      "  drover sim serve --write-kubeconfig sim.kubeconfig --nodes nvidia=3,tenstorrent=2 &\n"
      "  kubectl --kubeconfig sim.kubeconfig get nodes");
  auto flags = std::make_shared<SimServeFlags>();
  add_flags(*command, *flags);
  command->callback([&chosen, flags] { chosen = [flags] { return sim_serve(*flags); }; });
}

}  // namespace drover::cli
