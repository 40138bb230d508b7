// `drover status` and `drover explain NODE`: the fleet as the operator sees it, from the API alone.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/fleet_snapshot.h"
#include "cli/fleet_text.h"
#include "cli/limit_flag.h"
#include "cli/operator_at_work.h"
#include "kube/config.h"
#include "kube/http_api.h"
#include "observe/ranges.h"

namespace drover::cli {
namespace {

struct StatusFlags {
  TargetFlags target;
  std::string output = "text";
  std::string node = {};
  std::optional<core::Share> max_unavailable = {};
};

void print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

// The snapshot, and what it was taken with.
class Viewer {
 public:
  // No policy at all is a fault that says what to create.
  base::Result<void> look(const StatusFlags& flags, vendors::WorkProfiles profiles) {
    TRY(auto target, kube::find_target(flags.target.kubeconfig, flags.target.context));
    const std::string source = target.source;
    TRY(api_, kube::HttpApi::open(loop_, std::move(target)));
    snapshot_ = std::make_unique<FleetSnapshot>(*api_, loop_, profiles, flags.max_unavailable);
    base::Result<void> outcome;
    snapshot_->begin([&](base::Result<void> result) {
      outcome = std::move(result);
      loop_.stop();
    });
    loop_.run();
    if (!outcome) return base::with_context(std::move(outcome).error(), source);
    std::vector<const kube::Object*> objects;
    for (const PolicySnapshot* policy : policies()) objects.push_back(policy->policy());
    if (!objects.empty()) {
      at_work_ = look_for_operator(*api_, loop_, objects);
      return {};
    }
    std::string kinds;
    for (const vendors::WorkProfile* profile : profiles)
      kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", observe::policy_kind_of(*profile).qualified());
    return base::fault(base::Fault::Kind::NotFound,
                       fmt::format("{}: there is no policy ({}), so nothing is managed; create one", source, kinds));
  }

  std::vector<const PolicySnapshot*> policies() const { return snapshot_->policies(); }
  const OperatorAtWork& at_work() const { return at_work_; }

 private:
  kube::AsioLoop loop_;
  std::unique_ptr<kube::HttpApi> api_;
  std::unique_ptr<FleetSnapshot> snapshot_;
  OperatorAtWork at_work_;
};

int show_status(const StatusFlags& flags, vendors::WorkProfiles profiles) {
  Viewer viewer;
  if (auto looked = viewer.look(flags, profiles); !looked) return complain(looked.error());
  json::Array all;
  int exit_code = 0;
  if (flags.output != "json") print({viewer.at_work().text(), ""});
  for (const PolicySnapshot* policy : viewer.policies()) {
    if (something_failed(*policy)) exit_code = 1;
    if (flags.output == "json") {
      all.push_back(status_json(*policy));
    } else {
      print(status_lines(*policy));
    }
  }
  if (flags.output == "json")
    fmt::print("{}\n",
               json::text_of(json::Members{{"operator", viewer.at_work().row()}, {"policies", std::move(all)}}));
  return exit_code;
}

int explain_node(const StatusFlags& flags, vendors::WorkProfiles profiles) {
  Viewer viewer;
  if (auto looked = viewer.look(flags, profiles); !looked) return complain(looked.error());
  base::Result<std::vector<std::string>> lines;
  for (const PolicySnapshot* policy : viewer.policies()) {
    lines = explain_lines(*policy, flags.node);
    if (lines) break;
  }
  if (!lines) return complain(lines.error());
  if (viewer.at_work().is_at_work == false) print({viewer.at_work().text()});
  print(*lines);
  return 0;
}

}  // namespace

void add_status(Command app, vendors::WorkProfiles profiles) {
  Command command = app.add("status", "Show the fleet: driver, phase and reason of each node");
  command.footer("Exit code 1 when a node has failed or the policy cannot be read.");
  auto flags = std::make_shared<StatusFlags>();
  add_target_flags(command, flags->target);
  add_limit_flag(command, flags->max_unavailable);
  add_output_flag(command, flags->output);
  command.run([flags, profiles] { return show_status(*flags, profiles); });
}

void add_explain(Command app, vendors::WorkProfiles profiles) {
  Command command = app.add("explain", "Say why a node is in its phase, rule by rule");
  auto flags = std::make_shared<StatusFlags>();
  add_target_flags(command, flags->target);
  add_limit_flag(command, flags->max_unavailable);
  command.option("NODE", flags->node, "the node's name", {.is_required = true});
  command.run([flags, profiles] { return explain_node(*flags, profiles); });
}

}  // namespace drover::cli
