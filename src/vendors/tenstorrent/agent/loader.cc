#include "vendors/tenstorrent/agent/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "protocol/report.h"
#include "vendors/tenstorrent/agent/kmd_build.h"
#include "vendors/tenstorrent/agent/load_step.h"
#include "vendors/tenstorrent/agent/programs.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {
namespace {

using base::Fault;
using LoadDo = LoadStep::Do;

constexpr std::string_view kSmiInImage = "/usr/local/bin/tt-smi";
constexpr std::string_view kSmiFolder = "/host/usr/local/bin";
constexpr base::Span kLoaderTellsEvery = std::chrono::seconds(10);  // when only the message has changed
constexpr base::Span kLastWords = std::chrono::seconds(10);         // to tell the API server why we end
constexpr base::Span kFirstBuildWait = std::chrono::seconds(30);    // after a build that failed
constexpr base::Span kMostBuildWait = std::chrono::minutes(5);
constexpr base::Span kKernelsEvery = std::chrono::minutes(10);  // looking for kernels that were installed meanwhile

std::optional<LoadSight::Loaded> loaded_module(host::Host& host) {
  const std::string folder = fmt::format("/sys/module/{}", kKmdModule);
  // What is being loaded or unloaded is not there yet, or any more; the next look tells.
  const auto state = host.read(folder + "/initstate");
  if (!state) return {};
  const auto references = base::parse_int(base::trim(host.read(folder + "/refcnt").value_or("")));
  return LoadSight::Loaded{std::string(base::trim(host.read(folder + "/version").value_or(""))),
                           static_cast<int>(references.value_or(0))};
}

LoadNode load_node_of(const kube::Object& node) {
  LoadNode sight;
  sight.install_mode = kube::label_of(node, vendors::kInstallModeLabel);
  sight.kmd_version = kube::label_of(node, vendors::kKmdVersionLabel);
  sight.smi_version = kube::label_of(node, vendors::kSmiVersionLabel);
  sight.claim = open_claim(node);
  read_order(node, vendors::kTenstorrentDriverChannel.order, sight.order, sight.order_trouble);
  return sight;
}

}  // namespace

struct Loader::Body : std::enable_shared_from_this<Loader::Body> {
  Body(LoadSettings given, ProgramContext surroundings, std::function<void(bool)> tell_ready)
      : settings(std::move(given)),
        around(std::move(surroundings)),
        ready(std::move(tell_ready)),
        node(around.api, around.loop, around.random, settings.node, [this] { look_soon(); }) {}

  void look_soon(base::Span in = {}) {
    if (!is_over && !is_leaving) timer = around.loop.after(in, [this] { look(); });
  }

  void look() {
    if (is_over || is_leaving) return;
    const LoadSight sight = see();
    LoadStep step = agent::step(settings, sight, memory);
    note(step, sight);
    if (std::exchange(status, step.report.message) != status) around.say(status);
    ready(step.is_ready);
    if (step.what == LoadDo::Leave) return leave(step);
    leaving_since.reset();
    has_more_to_tell = node.is_patching();
    if (must_tell(step)) tell(step);
    act(step, sight);
  }

  LoadSight see() {
    host::Host& host = around.host;
    LoadSight sight;
    sight.now = around.loop.now();
    sight.boot = host.boot_id();
    sight.kernel = host.kernel_release();
    sight.hosts_own = hosts_own_driver(host);
    sight.loaded = loaded_module(host);
    sight.note = read_note(host);
    if (node.seen()) sight.node = load_node_of(*node.seen());
    const bool is_current = sight.loaded && sight.loaded->version == settings.version;
    if (is_current) sight.to_come = modules_to_come(sight);
    if (!sight.loaded) return sight;
    // A kernel stays as it is: what serves asks once, so that no node is emptied in vain for the next driver.
    if (!can_unload || !is_current) can_unload = host.can_unload_modules();
    sight.can_unload = *can_unload;
    if (is_current) return sight;
    if (sight.node && may_swap(settings, *sight.node)) {
      auto holders = holders_of(host, tenstorrent().device);
      if (holders) sight.holders = std::move(*holders);
    }
    return sight;
  }

  // Of the wanted version, and of what the order asks for, for the other kernels that this machine may boot next.
  const std::vector<KmdKey>& modules_to_come(const LoadSight& sight) {
    if (counted_at && sight.now - *counted_at < kKernelsEvery) return to_come;
    counted_at = sight.now;
    to_come.clear();
    std::vector<std::string> versions{settings.version};
    if (sight.node && sight.node->order && vendors::is_kmd_version(sight.node->order->prepare))
      versions.push_back(sight.node->order->prepare);
    for (const std::string& kernel : kernels_with_headers(around.host)) {
      for (const std::string& version : versions) {
        if (kernel != sight.kernel && !has_kmd(around.host, {kernel, version})) to_come.push_back({kernel, version});
      }
    }
    return to_come;
  }

  // What must survive us is on the disk before the deed; without that, nothing is unloaded.
  void note(LoadStep& step, const LoadSight& sight) {
    if (step.note == sight.note) return;
    const auto written = write_note(around.host, step.note);
    if (written) return;
    step.report.message = written.error().message;
    if (step.what != LoadDo::Unload) return;
    step.what = LoadDo::Wait;
    step.again = kLoaderTellsEvery;
  }

  // ---- telling

  bool must_tell(const LoadStep& step) {
    if (!node.seen() || node.is_patching()) return false;
    if (around.loop.now() < hushed_until) return false;
    if (!step.labels.empty()) return true;
    const std::string_view there = kube::annotation_of(*node.seen(), vendors::kTenstorrentDriverChannel.report);
    if (there == protocol::text_of(step.report)) return false;
    const auto before = protocol::parse_report(there);
    if (!before || step.what == LoadDo::Leave) return true;
    protocol::Report same = step.report;
    same.message = before->message;
    if (*before != same) return true;
    return !told_at || around.loop.now() - *told_at >= kLoaderTellsEvery;
  }

  void tell(const LoadStep& step, const std::function<void()>& then = {}) {
    told_at = around.loop.now();
    node.patch(step.labels, vendors::kTenstorrentDriverChannel.report, protocol::text_of(step.report),
               [weak = weak_from_this(), then](const std::optional<Fault>& fault) {
                 const auto self = weak.lock();
                 if (!self || self->is_over) return;
                 if (fault && fault->kind != Fault::Kind::Conflict) {
                   self->say("cannot write to our own Node: " + fault->message);
                   self->hushed_until = self->around.loop.now() + kLoaderTellsEvery;
                 }
                 if (then) return then();
                 const bool is_stale = fault && fault->kind == Fault::Kind::Conflict;
                 if (is_stale || self->has_more_to_tell)
                   self->look_soon(is_stale ? std::chrono::milliseconds(200) : base::Span{});
               });
  }

  // Attempts once to tell why, and ends.
  void leave(const LoadStep& step) {
    if (!leaving_since) leaving_since = around.loop.now();
    // We have just begun, or an earlier word is still on its way.
    if ((!node.seen() || node.is_patching()) && around.loop.now() - *leaving_since < kLastWords)
      return look_soon(std::chrono::milliseconds(200));
    is_leaving = true;
    if (!must_tell(step)) return end(step.code);
    timer = around.loop.after(kLastWords, [this, code = step.code] { end(code); });
    tell(step, [weak = weak_from_this(), code = step.code] {
      if (const auto self = weak.lock()) self->end(code);
    });
  }

  void end(int code) {
    if (is_over) return;
    is_over = true;
    timer.cancel();
    around.exit(code);
  }

  // ---- doing

  void act(const LoadStep& step, const LoadSight& sight) {
    switch (step.what) {
      case LoadDo::Wait:
      case LoadDo::Leave: return look_soon(step.again);
      case LoadDo::Build: return build(step);
      case LoadDo::Unload: return unload(step, sight);
      case LoadDo::Kill: return kill(step, sight);
      case LoadDo::Load: return load(step);
      case LoadDo::PlaceSmi: return place_smi();
    }
  }

  void build(const LoadStep& step) {
    const KmdKey key = step.key;
    const auto kept = find_kmd(around.host, key);
    if (kept) return built(key, kept);
    if (kept.error().kind == Fault::Kind::Malformed) {
      say(kept.error().message + "; it is put aside and built again");
      const auto aside = quarantine_kmd(around.host, key);
      if (!aside) return built(key, std::unexpected(aside.error()));
    }
    memory.building = key;
    work = std::make_unique<KmdBuild>(
        around.host, around.loop, [this](std::string_view line) { say(std::string(line)); },
        BuildAsk{key, settings.source, settings.proxies, step.in_background},
        [this, key](const base::Result<KmdEntry>& entry) {
          memory.building.reset();
          built(key, entry);
        });
    look_soon(step.again);
  }

  void built(const KmdKey& key, const base::Result<KmdEntry>& entry) {
    std::erase(to_come, key);
    if (entry) {
      memory.built[key] = *entry;
      memory.not_built.erase(key);
    } else {
      say(entry.error().message);
      auto& trouble = memory.not_built[key];
      trouble.wait = trouble.wait == base::Span{} ? kFirstBuildWait : std::min(trouble.wait * 2, kMostBuildWait);
      trouble.message = entry.error().message;
      trouble.again_at = around.loop.now() + trouble.wait;
    }
    look_soon();
  }

  void unload(const LoadStep& step, const LoadSight& sight) {
    // What was checked when it was prepared may have been damaged since; after the unload that would be noticed too
    // late.
    const KmdKey next{sight.kernel, settings.version};
    if (const auto kept = find_kmd(around.host, next); !kept) {
      memory.built.erase(next);
      return look_soon();
    }
    const auto gone = around.host.unload(std::string(kKmdModule));
    memory.unload_trouble = gone || gone.error().kind == Fault::Kind::NotFound ? std::string() : gone.error().message;
    look_soon(memory.unload_trouble.empty() ? base::Span{} : step.again);
  }

  void load(const LoadStep& step) {
    const KmdEntry entry = memory.built.at(step.key);
    // Before the devices come. A driver without them is better than none.
    const auto rules = place_rules(around.host, step.key, entry);
    if (!rules) say("the rules for udev are not placed: " + rules.error().message);
    if (rules && *rules) say(fmt::format("the rules for udev of tt-kmd {} are placed", step.key.version));
    const auto done = around.host.load_verified(entry.file, entry.sha256);
    if (!done && done.error().kind == Fault::Kind::AlreadyExists) return look_soon(step.again);
    if (!done) {
      say(done.error().message);
      // Not the kernel's word but ours: the file is not what it was a moment ago.
      memory.built.erase(step.key);
      if (around.host.fingerprint(entry.file) == entry.sha256) {
        memory.built[step.key] = entry;
        memory.not_loaded[step.key.version] = done.error().message;
      }
      return look_soon();
    }
    const auto now = loaded_module(around.host);
    if (now && now->version != step.key.version) {
      say(fmt::format("tt-kmd {} was loaded and says that it is {}", step.key.version,
                      base::one_line(now->version, 40)));
    }
    look();  // at once: that it is loaded has to be noted
  }

  void kill(const LoadStep& step, const LoadSight& sight) {
    for (const Holding& holder : sight.holders) {
      const auto dead = around.host.kill(holder.pid);
      if (!dead && dead.error().kind != Fault::Kind::NotFound) say(dead.error().message);
    }
    look_soon(step.again);
  }

  void place_smi() {
    memory.smi_was_tried = true;
    const std::string from(kSmiInImage);
    const std::string to = fmt::format("{}/tt-smi", kSmiFolder);
    if (!around.host.exists(from) || !around.host.exists(std::string(kSmiFolder))) {
      say(fmt::format("tt-smi is not placed: {} is not there", around.host.exists(from) ? kSmiFolder : kSmiInImage));
      return look_soon();
    }
    const auto placed = around.host.copy(from, to, 0755);
    memory.smi_is_placed = placed.has_value();
    say(placed ? fmt::format("tt-smi {} is placed at {}", settings.smi_version, to) : placed.error().message);
    look_soon();
  }

  // The same line once.
  void say(const std::string& line) {
    if (line == said) return;
    said = line;
    around.say(line);
  }

  const LoadSettings settings;
  ProgramContext around;
  std::function<void(bool)> ready;
  LoadMemory memory;
  OwnNode node;
  std::unique_ptr<KmdBuild> work;
  base::Timer timer;
  std::vector<KmdKey> to_come;
  std::optional<base::Instant> counted_at;
  std::optional<base::Instant> told_at;
  std::optional<bool> can_unload;  // the kernel; asked once a driver is loaded
  base::Instant hushed_until = {};
  std::string status;  // said last, of how things stand
  std::string said;    // said last, of what happened
  std::optional<base::Instant> leaving_since;
  bool has_more_to_tell = false;  // a look came while an earlier word was on its way
  bool is_leaving = false;
  bool is_over = false;
};

Loader::Loader(LoadSettings settings, ProgramContext surroundings, std::function<void(bool)> ready)
    : body_(std::make_shared<Body>(std::move(settings), std::move(surroundings), std::move(ready))) {}

Loader::~Loader() {
  body_->is_over = true;
  body_->timer.cancel();
  body_->work.reset();
}

void Loader::start() {
  sweep_benches(body_->around.host);
  body_->node.start();
  body_->look_soon();
}

void Loader::terminate() {
  body_->memory.is_ending = true;
  body_->look_soon();
}

bool serves(host::Host& host, const std::string& version) {
  if (!hosts_own_driver(host).empty()) return true;
  const auto loaded = loaded_module(host);
  return loaded && loaded->version == version;
}

}  // namespace drover::agent
