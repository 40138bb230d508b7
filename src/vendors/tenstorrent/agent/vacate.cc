#include "vendors/tenstorrent/agent/vacate.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "vendors/tenstorrent/agent/kmd_cache.h"
#include "vendors/tenstorrent/agent/kmd_hold.h"
#include "vendors/tenstorrent/agent/load_step.h"

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;

constexpr std::string_view kDkmsState = "/var/lib/dkms/tenstorrent";
constexpr std::string_view kSources = "/usr/src";
constexpr std::string_view kPackage = "/var/lib/dpkg/info/tenstorrent-dkms.list";

std::vector<std::string> sources_of(host::Host& host) {
  std::vector<std::string> found;
  for (const auto& name : host.list(std::string(kSources)).value_or(std::vector<std::string>{})) {
    if (name.starts_with("tenstorrent-")) found.push_back(fmt::format("{}/{}", kSources, name));
  }
  return found;
}

// Run in the machine's own file system, wherever that is mounted; by the first path that is there.
host::Command tool(host::Host& host, std::string_view name, std::vector<std::string> args) {
  std::string path = fmt::format("/sbin/{}", name);
  if (!host.exists(path)) path = fmt::format("/usr/sbin/{}", name);
  return {.path = std::move(path), .args = std::move(args), .root = "/", .within = std::chrono::minutes(2)};
}

}  // namespace

struct Vacate::Body : std::enable_shared_from_this<Vacate::Body> {
  Body(host::Host& machine, base::Loop& its_loop, Say its_say, Done its_done)
      : host(machine), loop(its_loop), say(std::move(its_say)), done(std::move(its_done)) {}

  void start() {
    const auto cleared = clear();
    if (!cleared) return end(cleared);
    if (host.exists(std::string(kPackage))) {
      say("warning: the package tenstorrent-dkms is still installed; its next upgrade, or the next kernel's, brings "
          "DKMS "
          "back: apt remove tenstorrent-dkms");
    }
    // Also when nothing was removed now: an earlier run may have died before this.
    run(tool(host, "depmod", {"-a"}), [this](const host::Ran& ran) {
      if (ran.code != 0) {
        return end(fault(Fault::Kind::Failed, fmt::format("depmod -a ended with code {}: {}", ran.code,
                                                          base::one_line(base::trim(ran.output), 200))));
      }
      // Only asked, so that the question does not load what is left.
      run(tool(host, "modprobe", {"--dry-run", "--quiet", std::string(kKmdModule)}),
          [this](const host::Ran& answer) { end(verify(answer.code == 0)); });
    });
  }

  // From here on the machine has no driver until the operator brings one.
  Result<void> clear() {
    if (kmd_is_loaded(host)) {
      TRY_VOID(kmd_is_free(host));
      const auto gone = host.unload(std::string(kKmdModule));
      if (!gone && gone.error().kind != Fault::Kind::NotFound) return gone;
      say("unloaded tenstorrent");
    }
    std::vector<std::string> folders = sources_of(host);
    if (host.exists(std::string(kDkmsState))) folders.emplace_back(kDkmsState);
    for (const std::string& folder : folders) {
      TRY_VOID(host.remove_tree(folder));
      say("removed " + folder);
    }
    const std::string modules = "/lib/modules/" + host.kernel_release();
    const auto files = host.find(modules, fmt::format("{}.ko", kKmdModule));
    if (!files && files.error().kind != Fault::Kind::NotFound) return std::unexpected(files.error());
    for (const std::string& file : files.value_or(std::vector<std::string>{})) {
      TRY_VOID(host.remove(file));
      say("removed " + file);
    }
    return {};
  }

  Result<void> verify(bool can_be_loaded) {
    std::vector<std::string> left = sources_of(host);
    if (host.exists(std::string(kDkmsState))) left.emplace_back(kDkmsState);
    if (kmd_is_loaded(host)) left.emplace_back("the loaded module");
    if (can_be_loaded) {
      left.push_back(
          fmt::format("a {0}.ko that modprobe still finds (find /lib/modules/{1} -name '{0}.ko*', delete it "
                      "and run depmod -a)",
                      kKmdModule, host.kernel_release()));
    }
    if (left.empty()) return {};
    return fault(Fault::Kind::Refused,
                 fmt::format("the host is not vacated, there is still: {}", base::join(left, ", ")));
  }

  void run(const host::Command& command, std::function<void(const host::Ran&)> then) {
    host.run(command, loop, [weak = weak_from_this(), then = std::move(then)](const Result<host::Ran>& ran) {
      const auto self = weak.lock();
      if (!self || self->is_over) return;
      if (!ran) return self->end(std::unexpected(ran.error()));
      then(*ran);
    });
  }

  void end(const Result<void>& result) {
    if (is_over) return;
    is_over = true;
    if (result) say(kVacated);
    loop.post([weak = weak_from_this(), result, tell = done] {
      if (weak.lock()) tell(result);
    });
  }

  host::Host& host;
  base::Loop& loop;
  Say say;
  Done done;
  bool is_over = false;
};

Vacate::Vacate(host::Host& host, base::Loop& loop, Say say, Done done)
    : body_(std::make_shared<Body>(host, loop, std::move(say), std::move(done))) {
  body_->start();
}

Vacate::~Vacate() { body_->is_over = true; }

}  // namespace drover::agent
