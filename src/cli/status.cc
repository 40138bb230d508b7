// `drover status` and `drover explain NODE`: the fleet as the operator sees it, from the API alone.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/fleet_snapshot.h"
#include "cli/fleet_text.h"
#include "kube/config.h"
#include "kube/http_api.h"
#include "observe/ranges.h"

namespace drover::cli {
namespace {

struct LookFlags {
  TargetFlags target;
  std::string output = "text";
  std::string node = {};
};

void print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

// Every vendor's fleet whose policy is there. No policy at all is a fault that says what to create.
class Viewer {
 public:
  base::Result<void> look(const TargetFlags& flags, vendors::WorkProfiles profiles) {
    TRY(auto target, kube::find_target(flags.kubeconfig, flags.context));
    const std::string source = target.source;
    TRY(api_, kube::HttpApi::open(loop_, std::move(target)));
    std::string kinds;
    for (const vendors::WorkProfile* profile : profiles) {
      if (auto looked = look_at(*profile); !looked) return base::with_context(std::move(looked).error(), source);
      kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", observe::policy_kind_of(*profile).qualified());
    }
    if (looks_.empty()) {
      return base::fault(base::Fault::Kind::NotFound,
                         fmt::format("{}: there is no policy ({}), so nothing is managed; create one", source, kinds));
    }
    return {};
  }

  // As long as `visit` says so.
  void each_policy(const std::function<bool(const FleetSnapshot&)>& visit) const {
    for (const auto& look : looks_) {
      for (std::size_t i = 0; i < look->policies(); ++i) {
        look->turn_to(i);
        if (!visit(*look)) return;
      }
    }
  }

 private:
  base::Result<void> look_at(const vendors::WorkProfile& profile) {
    auto look = std::make_unique<FleetSnapshot>(*api_, loop_, profile);
    base::Result<void> outcome;
    look->begin([&](base::Result<void> result) {
      outcome = std::move(result);
      loop_.stop();
    });
    loop_.run();
    // A kind that the server does not know is a vendor that is not served here.
    if (!outcome && outcome.error().kind == base::Fault::Kind::NotFound) return {};
    if (outcome && look->policy() != nullptr) looks_.push_back(std::move(look));
    return outcome;
  }

  kube::AsioLoop loop_;
  std::unique_ptr<kube::HttpApi> api_;
  std::vector<std::unique_ptr<FleetSnapshot>> looks_;
};

int show_status(const LookFlags& flags, vendors::WorkProfiles profiles) {
  Viewer viewer;
  if (auto looked = viewer.look(flags.target, profiles); !looked) return complain(looked.error());
  json::Array all;
  int exit_code = 0;
  viewer.each_policy([&](const FleetSnapshot& look) {
    if (something_failed(look)) exit_code = 1;
    if (flags.output == "json") {
      all.push_back(status_json(look));
    } else {
      print(status_lines(look));
    }
    return true;
  });
  if (flags.output == "json") fmt::print("{}\n", json::text_of(json::Members{{"policies", std::move(all)}}));
  return exit_code;
}

int explain_node(const LookFlags& flags, vendors::WorkProfiles profiles) {
  Viewer viewer;
  if (auto looked = viewer.look(flags.target, profiles); !looked) return complain(looked.error());
  base::Result<std::vector<std::string>> told;
  viewer.each_policy([&](const FleetSnapshot& look) {
    told = explain_lines(look, flags.node);
    return !told;
  });
  if (!told) return complain(told.error());
  print(*told);
  return 0;
}

}  // namespace

void add_status(Command app, vendors::WorkProfiles profiles) {
  Command command = app.add("status", "Show the fleet: driver, phase and reason of each node");
  command.footer("Exit code 1 when a node has failed or the policy cannot be read.");
  auto flags = std::make_shared<LookFlags>();
  add_target_flags(command, flags->target);
  add_output_flag(command, flags->output);
  command.run([flags, profiles] { return show_status(*flags, profiles); });
}

void add_explain(Command app, vendors::WorkProfiles profiles) {
  Command command = app.add("explain", "Say why a node stands where it stands, rule by rule");
  auto flags = std::make_shared<LookFlags>();
  add_target_flags(command, flags->target);
  command.option("NODE", flags->node, "the node's name", {.is_required = true});
  command.run([flags, profiles] { return explain_node(*flags, profiles); });
}

}  // namespace drover::cli
