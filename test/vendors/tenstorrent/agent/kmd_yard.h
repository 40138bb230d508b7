// One node with Tenstorrent devices and the loader as its builder container; the operator is played by the test, which
// writes orders. The machine counts what the loader does to it, and kills the loader at any of these deeds.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/yard.h"
#include "protocol/order.h"
#include "protocol/report.h"
#include "sim/nodes.h"
#include "sim/world.h"
#include "vendors/tenstorrent/agent/load_step.h"
#include "vendors/tenstorrent/agent/loader.h"
#include "vendors/tenstorrent/agent/swap_journal.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent::testing {

inline constexpr const char* kKernel = "6.8.0-90-generic";

// The simulated machine; every deed passes `may_go_on`, and an agent that is dead does nothing more.
class CountedMachine final : public host::Host {
 public:
  CountedMachine(host::Host& real, std::function<bool(const std::string&)> may_go_on)
      : real_(real), may_go_on_(std::move(may_go_on)) {}

  host::Result<std::string> read(const std::string& path) override { return real_.read(path); }
  host::Result<void> write(const std::string& path, std::string_view text) override {
    return operation("write " + path, [&] { return real_.write(path, text); });
  }
  host::Result<void> remove(const std::string& path) override {
    return operation("remove " + path, [&] { return real_.remove(path); });
  }
  host::Result<std::vector<std::string>> list(const std::string& directory) override { return real_.list(directory); }
  bool exists(const std::string& path) override { return real_.exists(path); }
  host::Result<void> make_folder(const std::string& path) override { return real_.make_folder(path); }
  host::Result<void> rename(const std::string& from, const std::string& to) override {
    return operation("rename " + to, [&] { return real_.rename(from, to); });
  }
  host::Result<void> remove_tree(const std::string& path) override {
    if (!real_.exists(path)) return {};
    return operation("remove " + path, [&] { return real_.remove_tree(path); });
  }
  host::Result<void> copy(const std::string& from, const std::string& to, unsigned mode) override {
    return operation("copy " + to, [&] { return real_.copy(from, to, mode); });
  }
  host::Result<std::vector<std::string>> find(const std::string& folder, const std::string& name) override {
    return real_.find(folder, name);
  }
  host::Result<std::uint64_t> free_bytes(const std::string& path) override { return real_.free_bytes(path); }
  host::Result<std::string> fingerprint(const host::Inside& file) override { return real_.fingerprint(file); }
  std::string boot_id() override { return real_.boot_id(); }
  std::string kernel_release() override { return real_.kernel_release(); }
  host::Result<std::vector<host::Module>> modules() override { return real_.modules(); }
  bool can_unload_modules() override { return real_.can_unload_modules(); }
  host::Result<void> unload(const std::string& module) override {
    return operation("unload " + module, [&] { return real_.unload(module); });
  }
  host::Result<void> load(const std::string& file, const std::string& with) override { return real_.load(file, with); }
  host::Result<void> load_verified(const host::Inside& file, const std::string& sha256) override {
    return operation("load " + file.path, [&] { return real_.load_verified(file, sha256); });
  }
  host::Result<host::ModuleFile> module_file(const std::string& path) override { return real_.module_file(path); }
  host::Result<std::vector<host::Holder>> holders(const std::string& prefix) override { return real_.holders(prefix); }
  host::Result<void> kill(int pid) override {
    return operation("kill", [&] { return real_.kill(pid); });
  }
  host::Result<host::Holder> process(int pid) override { return real_.process(pid); }
  void run(const host::Command& command, base::Loop& loop, std::function<void(host::Result<host::Ran>)> done) override {
    if (may_go_on_("run " + command.path)) real_.run(command, loop, std::move(done));
  }
  host::Result<void> reboot(std::string_view boot) override { return real_.reboot(boot); }

 private:
  template <class Do>
  host::Result<void> operation(const std::string& what, const Do& go) {
    if (!may_go_on_(what)) return base::fault(base::Fault::Kind::Refused, "dead");
    return go();
  }

  host::Host& real_;
  std::function<bool(const std::string&)> may_go_on_;
};

// What the loader did to the machine, in order.
struct Log {
  std::vector<std::string> counters = {};
  std::vector<std::string> lines = {};
  int count(std::string_view beginning) const {
    return static_cast<int>(std::count_if(counters.begin(), counters.end(), [&](const std::string& operation) {
      return operation.starts_with(beginning);
    }));
  }
  bool said(std::string_view part) const {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }
};

class KmdYard {
 public:
  explicit KmdYard(Death death = {}, std::uint64_t seed = 1) : world(seed), person(world.api("person")), death_(death) {
    for (Object& node : sim::make_nodes(*sim::parse_fleet("tenstorrent=1")))
      ask(kube::create(kube::kNodes, "", std::move(node)));
    machine = std::make_unique<sim::SimHost>(sim::makeup_of(*sim::find_template("tenstorrent")), random_);
    machine->on_run = [this](const host::Command& command) { commands.push_back(command); };
  }

  // ---- people and the operator

  Object ask(kube::Request request) { return answer_to(world, person, std::move(request)); }
  void order(const protocol::Order& order) { order_text(protocol::text_of(order)); }
  void order_text(const std::string& text) {
    json::Value body;
    json::ensure(body, {"metadata", "annotations", vendors::kTenstorrentDriverChannel.order}) = text;
    ask(kube::patch(kube::kNodes, "", "tenstorrent-1", kube::PatchKind::Merge, std::move(body)));
  }
  void permit(const std::string& version) {
    order({.id = pod_uid, .target = "digest-" + version, .may_load = true, .version = version});
  }

  // ---- the builder's pod

  // A new pod, as the DaemonSet makes it after the operator has deleted the last.
  void start_pod(const std::string& version, bool kills = false, const std::string& smi = "") {
    stop_pod();
    pod_uid = fmt::format("pod-{}", ++pods_);
    environment_ = {{"NODE_NAME", "tenstorrent-1"},
                    {"POD_UID", pod_uid},
                    {"TT_KMD_VERSION", version},
                    {"DRIVER_CONFIG_DIGEST", "digest-" + version},
                    {"TT_FORCE_UNLOAD", kills ? "true" : "false"}};
    if (!smi.empty()) environment_.emplace_back("TT_SMI_VERSION", smi);
    environment_.insert(environment_.end(), more.begin(), more.end());
    restarts = 0;
    start_container();
  }
  void stop_pod() {
    back_off_.cancel();
    dies_.cancel();
    loader_.reset();
    environment_.clear();
  }
  // The machine goes down and comes back, with the same pod.
  void reboot(const std::string& kernel = "") {
    loader_.reset();
    back_off_.cancel();
    if (!kernel.empty()) machine->set_kernel(kernel);
    machine->power_cycle();
    start_container();
  }

  // ---- eyes

  std::optional<std::string> loaded() const { return machine->loaded_version("tenstorrent"); }
  std::string label(std::string_view key) const {
    return std::string(kube::label_of(*world.store().find("nodes", "tenstorrent-1"), key));
  }
  protocol::Report report() const {
    const auto text =
        kube::annotation_of(*world.store().find("nodes", "tenstorrent-1"), vendors::kTenstorrentDriverChannel.report);
    auto report = protocol::parse_report(text);
    return report ? *report : protocol::Report{};
  }
  bool wants_load() const { return report().wants == protocol::AgentRequest::Load && report().id == pod_uid; }
  // Loaded, ready and labelled.
  bool serves(const std::string& version) const {
    return loaded() == version && is_ready && label(vendors::kKmdVersionLabel) == version &&
           label(vendors::kInstallModeLabel) == "container" && report().loaded == version;
  }
  bool comes_to(const std::function<bool()>& end, base::Span at_most = 10min) { return world.run_until(end, at_most); }
  bool settles_at(const std::string& version) {
    return comes_to([&] { return serves(version); });
  }
  KmdNote note() { return read_note(*machine); }

  sim::World world;
  kube::Api& person;
  std::unique_ptr<sim::SimHost> machine;
  std::vector<host::Command> commands;
  Log log;
  std::string pod_uid;
  Environment more = {};  // of the pods that start from now on
  bool is_ready = false;
  int restarts = 0;
  int deaths = 0;
  std::optional<int> last_code;

 private:
  void start_container() {
    if (environment_.empty()) return;
    is_dying_ = false;
    is_ready = false;
    const auto settings = read_load_settings(environment_);
    ASSERT_TRUE(settings) << settings.error().message;
    door_ = std::make_unique<CountedMachine>(*machine,
                                             [this](const std::string& operation) { return lives_on(operation); });
    loader_ = std::make_unique<Loader>(
        *settings,
        ProgramContext{*door_, world.api("agent"), world.loop, base::Random(7 + static_cast<std::uint64_t>(restarts)),
                       [this](std::string_view line) { log.lines.emplace_back(line); },
                       [this](int code) { ended(code); }},
        [this](bool ready) { is_ready = ready; });
    loader_->start();
  }
  // The kubelet starts it again, later and later.
  void ended(int code) {
    last_code = code;
    is_ready = false;
    ++restarts;
    back_off_ = world.loop.after(std::min<base::Span>(10s * restarts, 5min), [this] {
      loader_.reset();
      start_container();
    });
  }
  // Counts a deed; false when the loader dies before it.
  bool lives_on(const std::string& operation) {
    if (is_dying_) return false;
    log.counters.push_back(operation);
    if (static_cast<int>(log.counters.size()) != death_.at) return true;
    ++deaths;
    is_dying_ = true;
    dies_ = world.loop.after({}, [this] {
      loader_.reset();
      ended(137);
    });
    return death_.after;
  }

  Death death_;
  base::Random random_{3};
  Environment environment_;
  std::unique_ptr<CountedMachine> door_;
  std::unique_ptr<Loader> loader_;
  base::Timer back_off_;
  base::Timer dies_;
  int pods_ = 0;
  bool is_dying_ = false;
};

inline std::string entry(const std::string& version, const std::string& kernel = kKernel) {
  return fmt::format("/var/cache/tt-kmd/{}/{}", kernel, version);
}

// A node that serves with 2.7.0, and has a pod for 2.8.0.
inline void make_upgrade(KmdYard& yard, bool kills = false) {
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  yard.start_pod("2.8.0", kills);
}

}  // namespace drover::agent::testing
