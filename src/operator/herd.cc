#include "operator/herd.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "observe/ranges.h"

namespace drover::operate {
namespace {

constexpr base::Span kStatusEvery = std::chrono::seconds(5);
constexpr base::Span kLookForOurWrite = std::chrono::seconds(1);

// The policy without what changes by our own writing.
kube::Object without_noise(kube::Object object) {
  json::remove(object, {"metadata", "managedFields"});
  return object;
}

}  // namespace

Herd::Herd(kube::Api& api, base::Loop& loop, base::Random random, const Served& served,
           kube::Cache<observe::NodeFacts>& nodes, kube::EventRecorder& events, std::function<bool()> permission,
           std::function<void()> wake)
    : api_(api),
      loop_(loop),
      random_(std::move(random)),
      served_(served),
      wake_(std::move(wake)),
      policy_kind_(observe::policy_kind_of(*served.profile)),
      nodes_(nodes),
      policies_([](const kube::Object& object) { return without_noise(object); }),
      operand_pods_([this](const kube::Object& object) { return observe::pod_facts(object, *served_.profile); }),
      daemon_sets_([this](const kube::Object& object) { return observe::daemon_set_facts(object, *served_.profile); }),
      foreigners_([](const kube::Object& object) { return object; }),
      node_pods_(api, loop, random_.fork("node-pods"), *served.profile,
                 [this](const std::string& node) {
                   pods_changed_.insert(node);
                   wake_();
                 }),
      census_(api, loop, *served.profile,
              [this] {
                fleet_.everything_changed();
                wake_();
              }),
      company_(loop, node_pods_, census_, *served.profile, served.operands.ns),
      errands_(api, loop, random_.fork("errands"), std::move(permission), [this] { wake_(); }),
      fleet_({.nodes = nodes_, .operand_pods = operand_pods_, .daemon_sets = daemon_sets_, .policies = policies_},
             *served.profile, served.operands,
             [this](const observe::NodeFacts& facts, const observe::Standing& standing, const core::Policy& policy) {
               return company_.beside(facts, standing, policy);
             }),
      hands_(errands_, events, loop, company_, *served.profile, served.operands.ns) {}

void Herd::start() {
  const auto watch = [this](std::string_view name, kube::Range range, kube::Projection projection,
                            kube::Listener listener) {
    listener.trouble = [what = range.resource.qualified()](const kube::Fault& fault) {
      log::warn("watching " + what + " is interrupted", {{"why", fault.message}});
    };
    reflectors_.push_back(std::make_unique<kube::Reflector>(api_, loop_, random_.fork(name), std::move(range),
                                                            std::move(projection), std::move(listener)));
    reflectors_.back()->start();
  };
  const std::string& ns = served_.operands.ns;
  watch("policies", observe::policies_of(*served_.profile), {}, kube::feed(policies_, wake_));
  watch("operand-pods", observe::operand_pods_of(*served_.profile, ns), observe::pod_projection(),
        kube::feed(operand_pods_, wake_));
  watch("daemon-sets", observe::daemon_sets_in(ns), observe::daemon_set_projection(), kube::feed(daemon_sets_, wake_));
  watch("foreigners", observe::foreigners_of(*served_.profile, ns), observe::foreigner_projection(),
        kube::feed(foreigners_, wake_));
}

bool Herd::is_synced() const {
  return !reflectors_.empty() &&
         std::all_of(reflectors_.begin(), reflectors_.end(), [](const auto& one) { return one->is_synced(); });
}

void Herd::absorb(const std::vector<std::string>& changed_nodes, bool api_is_there) {
  if (policies_changed() || daemon_sets_changed()) fleet_.everything_changed();
  foreigners_.take_changes();
  for (const std::string& name : changed_nodes) fleet_.node_changed(name);
  for (const std::string& key : operand_pods_.take_changes()) fleet_.pod_changed(key);
  for (const std::string& node : std::exchange(pods_changed_, {})) fleet_.node_changed(node);
  for (const std::string& node : company_.take_news()) fleet_.node_changed(node);
  company_.set_reach(api_is_there);
}

// Our own writing of a status, and every pod that a DaemonSet counts, changes the object; neither changes what is
// wanted.
bool Herd::policies_changed() {
  bool changed = false;
  for (const std::string& key : policies_.take_changes()) {
    const kube::Object* policy = policies_.find(key);
    std::string mark = policy == nullptr ? std::string()
                                         : fmt::format("{}/{}/{}", kube::uid_of(*policy),
                                                       json::int_at(*policy, {"metadata", "generation"}),
                                                       kube::is_being_deleted(*policy));
    changed = changed || seen_policies_[key] != mark;
    seen_policies_[key] = std::move(mark);
  }
  return changed;
}

bool Herd::daemon_sets_changed() {
  bool changed = false;
  for (const std::string& key : daemon_sets_.take_changes()) {
    const observe::DaemonSetFacts* set = daemon_sets_.find(key);
    const observe::DaemonSetFacts now = set == nullptr ? observe::DaemonSetFacts{} : *set;
    changed = changed || !(seen_sets_[key] == now);
    seen_sets_[key] = now;
  }
  return changed;
}

const core::FleetView& Herd::observe() {
  company_.read(fleet_.wants() == nullptr ? nullptr : &fleet_.wants()->reading());
  if (fleet_.nodes_at_start() == 0 && fleet_.policy() != nullptr) {
    fleet_.set_nodes_at_start(act::nodes_at_start(*fleet_.policy()));
  }
  fleet_.allow_taking(!hands_.has_taken_unseen(nodes_));
  return fleet_.look(loop_.wall());
}

void Herd::apply(const core::FleetView& view, const core::Plan& plan) {
  watch_nodes_in_flight(view);
  if (!foreign_operator().empty()) return;  // two drivers of one car
  const bool waits = std::any_of(view.nodes.begin(), view.nodes.end(),
                                 [](const core::NodeView& node) { return node.phase == core::Phase::Required; });
  if (waits && view.policy.is_on) census_.wanted();
  hands_.bring_operands(fleet_, daemon_sets_);
  hands_.apply(fleet_, view, plan);
  hands_.tidy(fleet_, view, operand_pods_);
  if (fleet_.wants() == nullptr) hands_.withdraw(view, daemon_sets_);
}

// From the cordon (as it was seen, not as it was sent) to the swap.
void Herd::watch_nodes_in_flight(const core::FleetView& view) {
  std::set<std::string> wanted;
  for (const core::NodeView& node : view.nodes) {
    if (node.claim && node.claim_is_written && (core::kBeforeSwap | core::Phase::Restart).has(node.phase))
      wanted.insert(node.name);
  }
  node_pods_.want(wanted);
}

std::string Herd::foreign_operator() const {
  std::string found;
  foreigners_.each([&](const std::string&, const kube::Object& deployment) {
    if (auto name = observe::foreign_operator_in(deployment); !name.empty()) found = std::move(name);
  });
  return found;
}

std::optional<base::Span> Herd::record(const core::FleetView& view, const core::Plan& plan) {
  summary_ = act::summary_of(view, plan, *served_.profile);
  upgrades_are_on_ = fleet_.wants() != nullptr && view.policy.is_on;
  fleet_.set_nodes_at_start(
      summary_.done < summary_.total ? (fleet_.nodes_at_start() > 0 ? fleet_.nodes_at_start() : summary_.total) : 0);
  write_status(view, plan);
  std::optional<base::Span> next = plan.look_again_in;
  const auto sooner = [&](std::optional<base::Span> span) {
    if (span && (!next || *span < *next)) next = span;
  };
  sooner(errands_.next_in());
  if (hands_.has_taken_unseen(nodes_)) sooner(kLookForOurWrite);
  if (status_is_due_) sooner(std::max(base::Span::zero(), base::Span(status_not_before_ - loop_.now())));
  return next;
}

void Herd::write_status(const core::FleetView& view, const core::Plan& plan) {
  const kube::Object* policy = fleet_.policy();
  status_is_due_ = false;
  if (policy == nullptr) return;
  write_ignored();
  if (loop_.now() < status_not_before_) {
    status_is_due_ = true;
    return;
  }
  act::StatusFacts facts{.policy = policy, .wants = fleet_.wants(), .ns = served_.operands.ns};
  facts.foreign_operator = foreign_operator();
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    const auto& held = fleet_.standing(i).held;
    facts.since.push_back(held ? base::rfc3339(held->since) : std::string());
  }
  const json::Value* there = json::find(*policy, {"status"});
  const auto status = act::merge_between(there == nullptr ? json::Value(json::Members()) : *there,
                                         act::policy_status(view, plan, *served_.profile, facts, loop_.wall()));
  if (!status) return;
  const std::string name(kube::name_of(*policy));
  const bool sent = errands_.run(
      "status/" + name,
      // What is left out of a merge stays: it must be made of the status that is there.
      kube::patch(policy_kind_, "", name, kube::PatchKind::Merge,
                  json::Members{{"metadata", json::Members{{"resourceVersion", kube::version_of(*policy)}}},
                                {"status", *status}},
                  "status"),
      kStatusEvery);
  if (sent) status_not_before_ = loop_.now() + kStatusEvery;
}

void Herd::write_ignored() {
  const std::string chosen(kube::name_of(*fleet_.policy()));
  policies_.each([&](const std::string&, const kube::Object& policy) {
    const std::string name(kube::name_of(policy));
    if (name == chosen || json::text_at(policy, {"status", "state"}) == "ignored") return;
    errands_.run("status/" + name,
                 kube::patch(policy_kind_, "", name, kube::PatchKind::Merge,
                             json::Members{{"status", act::ignored_status(policy, chosen, loop_.wall())}}, "status"),
                 kStatusEvery);
  });
}

}  // namespace drover::operate
