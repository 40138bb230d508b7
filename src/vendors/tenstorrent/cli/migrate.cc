// `drover migrate NODE...`: nodes go from DKMS to the operator, one at a time, and back with --rollback.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "cli/flags.h"
#include "kube/config.h"
#include "kube/http_api.h"
#include "vendors/tenstorrent/cli/commands.h"
#include "vendors/tenstorrent/cli/migration.h"
#include "vendors/tenstorrent/module.h"

namespace drover::cli {
namespace {

struct MigrateFlags {
  TargetFlags target;
  std::vector<std::string> nodes = {};
  MigrationSettings settings = {};
  bool goes_back = false;
  std::string selector = "tenstorrent.com/uses-device=true";
};

int migrate(MigrateFlags flags) {
  auto also = base::Selector::parse(flags.selector);
  if (!also) return complain(base::with_context(std::move(also).error(), "--pod-selector").error());
  flags.settings.also = std::move(*also);
  if (flags.goes_back) flags.settings.terms.direction = Direction::ToHost;
  auto target = kube::find_target(flags.target.kubeconfig, flags.target.context);
  if (!target) return complain(target.error());
  kube::AsioLoop loop;
  auto api = kube::HttpApi::open(loop, std::move(*target));
  if (!api) return complain(api.error());
  Migration migration(**api, loop, vendors::tenstorrent_driver(), flags.settings, flags.nodes,
                      [](const std::string& node, std::string_view line) {
                        fmt::print("{}: {}\n", node, line);
                        std::fflush(stdout);
                      });
  base::Result<void> outcome;
  migration.begin([&](base::Result<void> result) {
    outcome = std::move(result);
    loop.stop();
  });
  loop.run();
  return outcome ? 0 : complain(outcome.error());
}

}  // namespace

void add_migrate(Command app) {
  Command command =
      app.add("migrate", "Take Tenstorrent nodes over from DKMS, one at a time: cordon, drain, vacate, uncordon, wait");
  command.footer(
      "A policy must mean the node (paused: true is fine). May be interrupted and run again at any point.\n"
      "  kubectl drover migrate node-1 --dry-run    what would be done\n"
      "  kubectl drover migrate node-1 --rollback   hand the node back to DKMS: sets the skip label, unloads, and "
      "waits");
  auto flags = std::make_shared<MigrateFlags>();
  flags->settings.ns = vendors::tenstorrent_driver().vendor.ns;
  add_target_flags(command, flags->target);
  command.option("NODE", flags->nodes, "the nodes, in their order", {.is_required = true});
  command.flag("--dry-run", flags->settings.is_dry_run, "only say what would be done");
  command.flag("--rollback", flags->goes_back, "hand the nodes back to DKMS");
  command.option("-n,--namespace", flags->settings.ns, "where the pods that do the work are made",
                 {.shows_default = true});
  command.option("--image", flags->settings.image, "drover's image for these pods (default: the builder's)");
  command.option("--pod-selector", flags->selector, "pods that leave besides those that name the device",
                 {.shows_default = true});
  command.flag("--force", flags->settings.terms.is_forced, "evict pods that belong to no controller, too");
  command.flag("--delete-emptydir-data", flags->settings.terms.deletes_local_data,
               "evict pods with an emptyDir, whose content is lost");
  add_span_flag(command, "--timeout", flags->settings.terms.drain_at_most, "how long a node may take to be drained");
  command.run([flags] { return migrate(*flags); });
}

}  // namespace drover::cli
