#include "vendors/tenstorrent/agent/load_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {
namespace {

using protocol::AgentRequest;
using LoadDo = LoadStep::Do;

constexpr base::Span kLoadServerPatience = std::chrono::minutes(1);
constexpr base::Span kLoadBusyPatience = std::chrono::seconds(10);  // for processes that are on their way out
constexpr base::Span kBusyLook = std::chrono::seconds(1);
constexpr std::size_t kMostHoldersNamed = 16;  // named in one message

// The first answer of the flow that fits is the step.
class LoadWalk {
 public:
  LoadWalk(const LoadSettings& settings, const LoadSight& sight, LoadMemory& memory)
      : settings_(settings),
        sight_(sight),
        memory_(memory),
        node_(sight.node.value_or(LoadNode{})),
        note_(sight.note),
        wanted_(settings.version) {
    if (!memory_.began) memory_.began = sight.now;
    if (sight.loaded) see_loaded();
  }

  LoadStep next() {
    if (memory_.is_ending && !can_finish()) return leave(0, "asked to end; the driver stays as it is");
    if (!sight_.hosts_own.empty()) return stand_down();
    if (sight_.loaded && sight_.loaded->version == wanted_) return serve();
    if (is_paused()) return hold_still();
    return sight_.loaded ? replace() : install();
  }

 private:
  // A driver is there, so no swap is under way; and it is what has to come back.
  void see_loaded() {
    note_.from.clear();
    note_.to.clear();
    if (note_.is_hosts || !vendors::is_kmd_version(sight_.loaded->version)) return;
    note_.boot = sight_.boot;
    note_.version = sight_.loaded->version;
  }

  // ---- what holds

  // An order that cannot be read may be a pause.
  bool is_paused() const { return node_.order ? node_.order->is_paused : !node_.order_trouble.empty(); }
  bool may_go() const { return sight_.node && may_swap(settings_, node_); }
  bool is_held() const { return !sight_.holders.empty() || sight_.loaded->references > 0; }
  bool is_in_swap() const { return !note_.to.empty(); }
  bool has_rebooted() const { return note_.boot != sight_.boot; }
  KmdKey key_of(const std::string& version) const { return {sight_.kernel, version}; }
  // What served before the wanted one.
  std::string before() const {
    const std::string& version = note_.from.empty() ? note_.version : note_.from;
    return version == wanted_ ? std::string() : version;
  }

  // A swap that is half done is finished first, where that takes no time.
  bool can_finish() const {
    const auto is_at_hand = [&](const std::string& version) {
      return memory_.built.contains(key_of(version)) && !memory_.not_loaded.contains(version);
    };
    return !sight_.loaded && sight_.hosts_own.empty() && is_in_swap() && (is_at_hand(wanted_) || is_at_hand(before()));
  }

  // ---- the ways

  LoadStep stand_down() {
    note_ = {.boot = sight_.boot, .is_hosts = true};
    LoadStep step =
        wait(AgentRequest::Nothing,
             fmt::format("the host manages tt-kmd itself ({} is there): it is left alone", sight_.hosts_own));
    step.is_ready = true;
    return step;
  }

  LoadStep serve() {
    note_ = {.boot = sight_.boot, .version = wanted_};
    memory_.busy_since.reset();
    LoadStep step = wait(AgentRequest::Nothing, fmt::format("tt-kmd {} is loaded", wanted_));
    step.is_ready = true;
    if (!memory_.smi_was_tried && !settings_.smi_version.empty()) {
      step.what = LoadDo::PlaceSmi;
      return step;
    }
    prepare(step);
    return step;
  }

  // What the node will need later, built while it serves.
  void prepare(LoadStep& step) {
    const std::string asked = node_.order ? node_.order->prepare : std::string();
    std::vector<KmdKey> keys;
    if (!asked.empty() && !vendors::is_kmd_version(asked)) {
      step.report.cannot_prepare = true;
      step.report.message += fmt::format("; \"{}\" cannot be prepared: it is not a version", base::one_line(asked, 40));
    } else if (asked == wanted_ || memory_.built.contains(key_of(asked))) {
      step.report.prepared = asked;
      step.report.message += asked == wanted_ ? "" : fmt::format("; {} is prepared", asked);
    } else if (!asked.empty()) {
      keys.push_back(key_of(asked));
      if (const auto found = memory_.not_built.find(keys.front()); found != memory_.not_built.end()) {
        step.report.cannot_prepare = true;
        step.report.message += fmt::format("; {} cannot be prepared: {}", asked, found->second.message);
      } else {
        step.report.message += fmt::format("; preparing {}", asked);
      }
    }
    keys.insert(keys.end(), sight_.to_come.begin(), sight_.to_come.end());
    if (memory_.building) return;
    for (const KmdKey& key : keys) {
      if (!is_due(key)) continue;
      step.what = LoadDo::Build;
      step.key = key;
      step.in_background = true;
      return;
    }
  }

  // What gives the node back goes on; nothing else is begun.
  LoadStep hold_still() {
    if (!sight_.loaded && is_in_swap()) return bring(wanted_);
    if (!sight_.loaded && has_rebooted() && !note_.version.empty()) return bring(note_.version);
    const std::string why = node_.order ? std::string("paused")
                                        : fmt::format("{} cannot be read ({})",
                                                      vendors::kTenstorrentDriverChannel.order, node_.order_trouble);
    return wait(AgentRequest::Nothing, fmt::format("{}: {}, {} would be wanted", why, what_is_loaded(), wanted_));
  }

  LoadStep install() {
    if (is_in_swap()) return bring(wanted_);
    if (!sight_.node) {
      if (!has_rebooted() || sight_.now - *memory_.began < kLoadServerPatience)
        return wait(AgentRequest::Nothing, "no tt-kmd is loaded; waiting for the API server");
      return bring(note_.version.empty() ? wanted_ : note_.version);
    }
    const bool takes_over = note_.is_hosts && !has_rebooted();
    if (!takes_over || may_go()) return bring(wanted_);
    if (auto not_yet = until_built(wanted_, true)) return *not_yet;
    return ask("the host has been vacated; waiting for permission to take over");
  }

  LoadStep replace() {
    if (note_.failed == wanted_ && note_.failed_pod == settings_.pod_uid) {
      LoadStep step = leave(1, fmt::format("tt-kmd {} did not load: {}; {} serves on. Delete this pod to try again",
                                           wanted_, note_.failure, sight_.loaded->version));
      step.report.is_refused = true;
      return step;
    }
    if (!sight_.can_unload) {
      return leave(1, fmt::format("this kernel cannot unload modules: cordon and drain the node and reboot it, then "
                                  "tt-kmd {} loads",
                                  wanted_));
    }
    if (auto not_yet = until_built(wanted_, !may_go())) {
      // Processes that crashed because of them are still known.
      if (may_go() && is_held()) {
        not_yet->report.is_blocked = true;
        not_yet->report.message += "; " + in_the_way();
      }
      return *not_yet;
    }
    if (!may_go())
      return ask(fmt::format("waiting for permission to replace tt-kmd {} by {}", sight_.loaded->version, wanted_));
    return swap();
  }

  // The old one goes, as soon as no process holds it.
  LoadStep swap() {
    if (!is_held() && memory_.unload_trouble.empty()) return unload();
    if (!memory_.busy_since) memory_.busy_since = sight_.now;
    if (sight_.now - *memory_.busy_since >= kLoadBusyPatience) {
      LoadStep step =
          leave(1, fmt::format("cannot unload tt-kmd {}: {}. Set spec.upgradePolicy.forceUnload=true, or end what "
                               "holds it and delete this pod",
                               sight_.loaded->version, in_the_way()));
      step.report.is_blocked = true;
      return step;
    }
    if (!is_held()) return unload();
    LoadStep step =
        wait(AgentRequest::Load, fmt::format("cannot unload tt-kmd {} yet: {}", sight_.loaded->version, in_the_way()));
    if (settings_.kills_holders && !sight_.holders.empty()) {
      step.what = LoadDo::Kill;
      step.report.message =
          "forceUnload: killing what holds the device: " + names_of(sight_.holders, kMostHoldersNamed);
    }
    step.report.is_blocked = true;
    step.again = kBusyLook;
    return step;
  }

  LoadStep unload() {
    note_.from = sight_.loaded->version;
    note_.to = wanted_;
    LoadStep step = wait(AgentRequest::Load, fmt::format("rmmod: unloading tt-kmd {}", sight_.loaded->version));
    step.what = LoadDo::Unload;
    step.again = kBusyLook;
    return step;
  }

  // Nothing is loaded: this version is to be, or, if it cannot be had, the one from before.
  LoadStep bring(const std::string& version) {
    const bool has_way_back = version == wanted_ && !before().empty();
    if (const auto refused = memory_.not_loaded.find(version); refused != memory_.not_loaded.end()) {
      if (!has_way_back) return leave(1, "no tt-kmd is loaded: " + refused->second);
      note_.failed = wanted_;
      note_.failed_pod = settings_.pod_uid;
      note_.failure = refused->second;
      return bring(before());
    }
    if (auto not_yet = until_built(version, false)) {
      return has_way_back && memory_.not_built.contains(key_of(version)) ? bring(before()) : *not_yet;
    }
    LoadStep step = wait(AgentRequest::Nothing, fmt::format("insmod: loading tt-kmd {}", version));
    step.what = LoadDo::Load;
    step.key = key_of(version);
    step.again = kBusyLook;
    return step;
  }

  // ---- building

  bool is_due(const KmdKey& key) const {
    const auto trouble = memory_.not_built.find(key);
    return trouble == memory_.not_built.end() || sight_.now >= trouble->second.again_at;
  }

  // Nothing when this version is in the cache for the running kernel.
  std::optional<LoadStep> until_built(const std::string& version, bool in_background) {
    const KmdKey key = key_of(version);
    if (memory_.built.contains(key)) return {};
    const auto trouble = memory_.not_built.find(key);
    const bool is_troubled = trouble != memory_.not_built.end();
    LoadStep step =
        wait(AgentRequest::Nothing, is_troubled ? fmt::format("tt-kmd {} cannot be built: {}; {}", version,
                                                              trouble->second.message, what_is_loaded())
                                                : fmt::format("building tt-kmd {}; {}", version, what_is_loaded()));
    step.report.cannot_prepare = is_troubled;
    if (memory_.building || !is_due(key)) return step;
    step.what = LoadDo::Build;
    step.key = key;
    step.in_background = in_background;
    return step;
  }

  // ---- words

  LoadStep ask(std::string message) {
    memory_.busy_since.reset();
    memory_.unload_trouble.clear();
    LoadStep step = wait(sight_.node ? AgentRequest::Load : AgentRequest::Nothing, std::move(message));
    step.report.prepared = wanted_;
    return step;
  }

  std::string what_is_loaded() const {
    return sight_.loaded ? fmt::format("tt-kmd {} serves on", sight_.loaded->version) : "no tt-kmd is loaded";
  }
  std::string in_the_way() const {
    if (!sight_.holders.empty()) return "held by " + names_of(sight_.holders, kMostHoldersNamed);
    if (sight_.loaded->references > 0) {
      return fmt::format(
          "{} references that no process explains (a mapping, the kernel itself, or a process that "
          "cannot be looked at)",
          sight_.loaded->references);
    }
    return memory_.unload_trouble;
  }

  LabelChanges labels() const {
    LabelChanges changes;
    const auto want = [&](std::string_view key, std::string_view is, std::string_view wanted) {
      if (is == wanted) return;
      changes[std::string(key)] = wanted.empty() ? std::optional<std::string>() : std::string(wanted);
    };
    const bool is_hosts = !sight_.hosts_own.empty();
    want(vendors::kInstallModeLabel, node_.install_mode, is_hosts ? vendors::kHostMode : vendors::kContainerMode);
    const std::string version = sight_.loaded ? sight_.loaded->version : std::string();
    if (version.empty() || (vendors::is_path_part(version) && version.size() <= 63))
      want(vendors::kKmdVersionLabel, node_.kmd_version, version);
    if (memory_.smi_is_placed && !is_hosts) want(vendors::kSmiVersionLabel, node_.smi_version, settings_.smi_version);
    return changes;
  }

  LoadStep wait(AgentRequest request, std::string message) const {
    LoadStep step;
    step.note = note_;
    if (sight_.node) step.labels = labels();
    step.report = {.boot = sight_.boot,
                   .id = node_.claim.empty() ? settings_.pod_uid : node_.claim,
                   .digest = settings_.digest,
                   .wants = request,
                   .can_unload = sight_.can_unload,
                   .message = std::move(message),
                   .loaded = sight_.loaded ? sight_.loaded->version : std::string()};
    return step;
  }
  LoadStep leave(int code, std::string message) const {
    LoadStep step = wait(AgentRequest::Nothing, std::move(message));
    step.what = LoadDo::Leave;
    step.code = code;
    return step;
  }

  const LoadSettings& settings_;
  const LoadSight& sight_;
  LoadMemory& memory_;
  const LoadNode node_;
  KmdNote note_;
  const std::string wanted_;
};

}  // namespace

LoadStep step(const LoadSettings& settings, const LoadSight& sight, LoadMemory& memory) {
  return LoadWalk(settings, sight, memory).next();
}

bool may_swap(const LoadSettings& settings, const LoadNode& node) {
  const auto& order = node.order;
  const std::string& id = node.claim.empty() ? settings.pod_uid : node.claim;
  return order && order->id == id && order->target == settings.digest && order->may_load && !order->is_paused &&
         !order->is_refused;
}

std::string hosts_own_driver(host::Host& host) {
  constexpr std::string_view kDkms = "/var/lib/dkms/tenstorrent";
  if (host.exists(std::string(kDkms))) return std::string(kDkms);
  for (const auto& name : host.list("/usr/src").value_or(std::vector<std::string>{})) {
    if (name.starts_with("tenstorrent-")) return "/usr/src/" + name;
  }
  return {};
}

}  // namespace drover::agent
