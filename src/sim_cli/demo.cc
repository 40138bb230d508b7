// The story: drover installs a driver on a small fleet, workloads move in, a new version is asked for, and a disruption
// budget stands in the way until its owner yields. Operator, API server, controllers and kubelets are the real code;
// only time is virtual. Where a kubeconfig was asked for, kubectl may look on, and after the story time is real.
#include "sim_cli/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/screen.h"
#include "core/slots.h"
#include "kube/http_api.h"
#include "kube/yaml.h"
#include "observe/ranges.h"
#include "operator/operator.h"
#include "sim/kubelet.h"
#include "sim/nodes.h"
#include "sim/world.h"
#include "sim_cli/cluster_door.h"
#include "sim_cli/counted_api.h"
#include "sim_cli/crds.h"
#include "sim_cli/demo_view.h"
#include "sim_cli/time_left.h"

namespace drover::sim_cli {

namespace {

using namespace std::chrono_literals;
using core::Phase;
using kube::Object;
using kube::PatchKind;

constexpr int kNodes = 12;
constexpr int kTraining = 6;
// How long a rollout blocked by a budget is shown before the budget is changed.
constexpr base::Span kStubborn = 90s;
// The longest that the demo runs.
constexpr base::Span kTooLong = 1h;
// kubectl shows ages by its own clock: the story begins so long before the reader's now, and so ends about now.
constexpr base::Span kHeadStart = 5min;

// The vendor that is shown: its machines, its story and its profile; nothing where none has them all.
struct Shown {
  const sim::SimVendor* machines = nullptr;
  const vendors::WorkProfile* profile = nullptr;
  const sim::DemoStory& story() const { return *machines->demo; }
};

std::optional<Shown> shown_of(const DemoOptions& options) {
  for (const sim::SimVendor* machines : options.vendors) {
    for (const vendors::WorkProfile* profile : options.profiles) {
      if (machines->demo != nullptr && profile->vendor.name == machines->node.vendor) return Shown{machines, profile};
    }
  }
  return {};
}

Object deployment(const std::string& name, int replicas, std::string_view resource, int devices) {
  const json::Value labels = {{"app", name}};
  return {
      {"metadata", {{"name", name}}},
      {"spec",
       {{"replicas", replicas},
        {"selector", {{"matchLabels", labels}}},
        {"template",
         {{"metadata", {{"labels", labels}}},
          {"spec",
           {{"containers", json::Array{{{"name", name},
                                        {"image", "example/" + name + ":1"},
                                        {"resources", {{"limits", {{resource, std::to_string(devices)}}}}}}}}}}}}}}};
}

Object budget(const std::string& name, int available) {
  return {{"metadata", {{"name", name}}},
          {"spec", {{"minAvailable", available}, {"selector", {{"matchLabels", {{"app", name}}}}}}}};
}

class Demo {
 public:
  Demo(const DemoOptions& options, const Shown& shown)
      : options_(options),
        shown_(shown),
        screen_(stdout),
        began_at_(wire_.now()),
        world_(sim::WorldOptions{.cluster = {.seed = options.seed}, .keeps_transcript = false}),
        person_(world_.api("person")),
        counted_(world_.api("operator"), std::string(shown.profile->vendor.ns)),
        kubelets_(world_.api("kubelets"), world_.loop, world_.cluster.random("kubelets"),
                  {.events = false, .vendors = options.vendors}, sim::ImageTable::with_vendors(options.vendors),
                  sim::agent_programs(options.vendors)),
        time_left_(person_, world_, *shown.profile) {}

  base::Result<void> open() {
    if (options_.kubeconfig.empty()) return {};
    TRY(const cli::Address address, cli::parse_address("127.0.0.1:0"));
    world_.loop.jump_wall(wire_.wall() - kHeadStart - world_.loop.wall());
    TRY(door_, ClusterDoor::open(wire_, world_.cluster, logs_, address));
    return base::write_file(options_.kubeconfig, door_->kubeconfig());
  }

  bool tell() {
    if (is_paced()) wire_.on_signal([this](int) { is_interrupted_ = true; });
    kubelets_.keep_logs(&logs_);
    kubelets_.start();
    return the_fleet_boots() && drover_comes() && workloads_move_in() && a_new_version_is_wanted() &&
           a_budget_says_no() && the_budget_yields();
  }

  void sum_up() {
    show();
    screen_.keep();
    const CountedApi::Count& count = counted_.count();
    const int writes = count.writes() - before_.writes();
    const base::Span took = finished_at_ - rollout_at_.value_or(base::Instant{});
    screen_.say("");
    screen_.say(fmt::format("{} nodes have driver {}", done(), story().driver));
    screen_.say(fmt::format("  evictions      {} granted, {} refused by disruption budgets, {} forced",
                            count.evictions - before_.evictions, count.refusals - before_.refusals,
                            count.forced - before_.forced));
    screen_.say(fmt::format("  API writes     {} ({:.1f} a node, {:.1f} of them to the node itself)", writes,
                            static_cast<double>(writes) / kNodes,
                            static_cast<double>(count.node_patches - before_.node_patches) / kNodes));
    screen_.say(fmt::format("  virtual time   {}, {} of it for the rollout",
                            base::human(floor_to_seconds(world_.loop.now().time_since_epoch())),
                            base::human(floor_to_seconds(took))));
    screen_.say(
        fmt::format("  real time      {:.1f}s", std::chrono::duration<double>(wire_.now() - began_at_).count()));
    screen_.say(fmt::format("  again          --seed {} tells the same story", options_.seed));
  }

  // In real time, for kubectl, until a signal.
  void stay_open() {
    screen_.say("");
    screen_.say("The cluster stays, in real time; Ctrl-C ends it. For example:");
    screen_.say(fmt::format("  export KUBECONFIG={}", options_.kubeconfig));
    for (const std::string_view line : base::split(story().go_on_typing, '\n')) screen_.say(fmt::format("  {}", line));
    screen_.say(fmt::format("  kubectl drover explain {0}-1    # or: drover explain {0}-1", machines().node.vendor));
    rollout_at_.reset();
    if (wire_.wall() > world_.loop.wall()) world_.loop.jump_wall(wire_.wall() - world_.loop.wall());
    base::Instant seen_at = wire_.now();
    while (!is_interrupted_) {
      let_the_wire_run(100ms);
      world_.run_for(wire_.now() - std::exchange(seen_at, wire_.now()));
      tell_moves();
      show();
    }
    screen_.keep();
    screen_.say("ended; the cluster is gone");
  }

  bool is_interrupted() const { return is_interrupted_; }

 private:
  const sim::SimVendor& machines() const { return *shown_.machines; }
  const sim::DemoStory& story() const { return shown_.story(); }
  kube::Resource policies() const { return observe::policy_kind_of(*shown_.profile, 0); }
  static base::Span floor_to_seconds(base::Span span) { return std::chrono::floor<std::chrono::seconds>(span); }

  // ---- the story

  bool the_fleet_boots() {
    say(fmt::format("{} nodes with {} {} each register; drover's CRDs are installed", kNodes, machines().node.devices,
                    machines().node.resource));
    for (const std::string_view text : embedded_crds()) {
      auto documents = kube::parse_manifests(text);
      if (!documents) return fail(documents.error());
      for (json::Value& one : *documents) {
        if (!ask(kube::create(kube::kCustomResourceDefinitions, "", std::move(one)))) return false;
      }
    }
    const auto fleet = sim::parse_fleet(fmt::format("{}={}", machines().node.vendor, kNodes), options_.vendors);
    if (!fleet) return fail(fleet.error());
    for (Object& node : sim::make_nodes(*fleet, options_.vendors)) {
      if (!ask(kube::create(kube::kNodes, "", std::move(node)))) return false;
    }
    const std::string ours(shown_.profile->vendor.ns);
    for (const std::string& ns : {ours, std::string("ml")}) {
      if (!ask(kube::create(kube::kNamespaces, "", {{"metadata", {{"name", ns}}}}))) return false;
    }
    return ask(kube::create(kube::kServiceAccounts, ours, {{"metadata", {{"name", "drover-agent"}}}}));
  }

  bool drover_comes() {
    say(fmt::format("drover starts; a policy asks for driver {}, 4 nodes at once", story().first_driver));
    operate::Settings settings;
    settings.vendors.push_back({.profile = shown_.profile, .operands = {.ns = std::string(shown_.profile->vendor.ns)}});
    operator_ = std::make_unique<operate::Operator>(counted_, world_.loop, world_.cluster.random("operator"), settings);
    operator_->start();
    auto policy = json::parse(story().policy);
    if (!policy) return fail(policy.error());
    policy_ = kube::name_of(*policy);
    return ask(kube::create(policies(), "", std::move(*policy))) &&
           until("the first driver is on every node; no slot, no drain: nothing to lose",
                 [&] { return done() == kNodes; });
  }

  bool workloads_move_in() {
    say("training takes 6 nodes whole, inference 3 halves; 3 nodes stay free");
    return ask(kube::create(kube::kDeployments, "ml", deployment("train", kTraining, machines().node.resource, 8))) &&
           ask(kube::create(kube::kDeployments, "ml", deployment("infer", 3, machines().node.resource, 4))) &&
           ask(kube::create(kube::kDisruptionBudgets, "ml", budget("train", kTraining))) &&
           ask(kube::create(kube::kDisruptionBudgets, "ml", budget("infer", 2))) &&
           until("all pods are ready; budget ml/train wants every one of its 6 up",
                 [&] { return pods_ready() == kTraining + 3; });
  }

  bool a_new_version_is_wanted() {
    say(fmt::format("{}: driver {}", story().command, story().driver));
    before_ = counted_.count();
    rollout_at_ = world_.loop.now();
    auto change = json::parse(story().change);
    if (!change) return fail(change.error());
    return ask(kube::patch(policies(), "", policy_, PatchKind::Merge, std::move(*change))) &&
           until("images came while the nodes still served; now four go at once",
                 [&] { return in_flight() + done() >= 4 && in_flight() > 0; });
  }

  bool a_budget_says_no() {
    if (!until("PodDisruptionBudget ml/train refuses: those nodes wait, nothing is forced",
               [&] { return is_stuck(); })) {
      return false;
    }
    const base::Instant since = world_.loop.now();
    return quietly_until([&] { return world_.loop.now() - since >= kStubborn; });
  }

  bool the_budget_yields() {
    say("its owner relaxes it: 5 of 6 are enough, so one pod may move at a time");
    const json::Value change = {{"spec", {{"minAvailable", kTraining - 1}}}};
    const bool ends = ask(kube::patch(kube::kDisruptionBudgets, "ml", "train", PatchKind::Merge, change)) &&
                      until("every node is done", [&] { return done() == kNodes; });
    finished_at_ = world_.loop.now();
    return ends;
  }

  // ---- what can be seen

  const core::FleetView* view() const {
    return operator_ == nullptr ? nullptr : &operator_->controllers().front()->fleet().seen();
  }
  int count_nodes(const std::function<bool(const core::NodeView&)>& holds) const {
    int found = 0;
    if (const core::FleetView* seen = view()) {
      for (const core::NodeView& node : seen->nodes) found += holds(node) ? 1 : 0;
    }
    return found;
  }
  int done() const {
    return count_nodes(
        [](const core::NodeView& node) { return node.phase == Phase::Done && !node.driver.is_outdated; });
  }
  int in_flight() const {
    return count_nodes([](const core::NodeView& node) { return core::is_in_flight(node.phase); });
  }
  // Every node in flight waits for the budget.
  bool is_stuck() const {
    const int held = count_nodes([](const core::NodeView& node) {
      if (!node.pods || !core::kBeforeSwap.has(node.phase)) return false;
      return std::any_of(node.pods->begin(), node.pods->end(),
                         [](const core::PodView& pod) { return pod.held_by == "ml/train"; });
    });
    return held > 0 && held == in_flight();
  }
  int pods_ready() const {
    int found = 0;
    world_.store().each("pods", "ml", [&](const sim::Stored& pod) {
      for (const json::Value& condition : json::array_at(*pod, {"status", "conditions"})) {
        if (json::text_at(condition, {"type"}) == "Ready" && json::text_at(condition, {"status"}) == "True") ++found;
      }
    });
    return found;
  }

  // ---- how it is told

  void say(std::string_view line) {
    const auto now = std::chrono::floor<std::chrono::seconds>(world_.loop.now().time_since_epoch());
    screen_.say(fmt::format("{:02}:{:02}  {}", now.count() / 60, now.count() % 60, line));
  }
  bool fail(const base::Fault& fault) {
    say(base::one_line(fault.message, 300));
    return false;
  }

  // Where nothing is redrawn, each move is a line.
  void tell_moves() {
    const core::FleetView* seen = view();
    if (screen_.is_terminal() || seen == nullptr) return;
    const core::Slots slots = core::count_slots(*seen);
    for (std::size_t i = 0; i < seen->nodes.size(); ++i) {
      const core::NodeView& node = seen->nodes[i];
      const auto [at, is_new] = phases_.try_emplace(node.name, Phase::Idle);
      if (at->second == node.phase) continue;
      const std::string why = short_reason(*seen, slots, operator_->controllers().front()->flow(), i);
      say(fmt::format("  {}  {} → {}{}", node.name, shown_.profile->shown(at->second),
                      shown_.profile->shown(node.phase), why.empty() ? "" : ": " + why));
      at->second = node.phase;
    }
  }

  void show() {
    if (!screen_.is_terminal() || operator_ == nullptr) return;
    const operate::Controller& controller = *operator_->controllers().front();
    screen_.draw(
        fleet_picture(controller.fleet(), controller.profile(), rollout_at_ ? time_left_.look() : std::nullopt));
  }

  // ---- how time passes

  bool is_paced() const { return options_.frame > base::Span::zero() || door_ != nullptr; }

  // Visitors are answered meanwhile.
  void let_the_wire_run(base::Span span) {
    const auto end = wire_.after(span, [this] { wire_.stop(); });
    wire_.run();
  }
  void frame() {
    world_.run_for(1s);
    tell_moves();
    show();
    if (is_paced()) let_the_wire_run(options_.frame);
  }
  bool quietly_until(const std::function<bool()>& holds) {
    const base::Instant end = world_.loop.now() + kTooLong;
    while (!holds() && !is_interrupted_ && world_.loop.now() < end) frame();
    return holds() && !is_interrupted_;
  }
  bool until(std::string_view what, const std::function<bool()>& holds) {
    const bool happened = quietly_until(holds);
    if (!is_interrupted_) say(fmt::format("{}{}", happened ? "" : "this did not happen: ", what));
    return happened;
  }

  // Sends one request as a person would and waits for the answer; a fault is part of the story and ends it.
  bool ask(kube::Request request) {
    const std::string what = sentence(request);
    std::optional<kube::Result<Object>> outcome;
    auto call = person_.call(std::move(request), [&](kube::Result<Object> answer) { outcome = std::move(answer); });
    if (!world_.run_until([&] { return outcome.has_value(); }, 1min)) {
      say(what + " was not answered within a minute");
      return false;
    }
    if (!*outcome) say(fmt::format("{} went wrong: {}", what, base::one_line(outcome->error().message, 300)));
    return outcome->has_value();
  }

  DemoOptions options_;
  Shown shown_;
  std::string policy_;  // its name
  cli::Screen screen_;
  kube::AsioLoop wire_;  // real time
  base::Instant began_at_;
  sim::LogBook logs_;
  sim::World world_;
  kube::Api& person_;
  CountedApi counted_;
  sim::Kubelets kubelets_;
  std::unique_ptr<operate::Operator> operator_;
  std::unique_ptr<ClusterDoor> door_;

  std::map<std::string, Phase> phases_;  // as last told
  CountedApi::Count before_;             // the rollout
  std::optional<base::Instant> rollout_at_;
  TimeLeft time_left_;
  base::Instant finished_at_ = {};
  bool is_interrupted_ = false;
};

}  // namespace

int demo(const DemoOptions& options) {
  // What the operator would log is what the screen shows.
  log::redirect([](std::string_view) {});
  const auto shown = shown_of(options);
  if (!shown) return cli::complain({base::Fault::Kind::NotFound, "no vendor of this program has a story to show"});
  Demo demo(options, *shown);
  if (auto opened = demo.open(); !opened) return cli::complain(opened.error());
  const bool ended_well = demo.tell();
  if (demo.is_interrupted()) return 1;
  demo.sum_up();
  if (ended_well && !options.once && !options.kubeconfig.empty()) demo.stay_open();
  return ended_well ? 0 : 1;
}

}  // namespace drover::sim_cli
