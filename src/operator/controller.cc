#include "operator/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "act/node_conditions.h"
#include "act/operands.h"
#include "act/writes_of.h"
#include "base/log.h"
#include "observe/ranges.h"

namespace drover::operate {
namespace {

constexpr base::Span kLookForOurWrite = std::chrono::seconds(1);

void add(act::Summary& sum, const act::Summary& more) {
  sum.total += more.total;
  sum.pending += more.pending;
  sum.available += more.available;
  sum.in_flight += more.in_flight;
  sum.done += more.done;
  sum.failed += more.failed;
  sum.unavailable += more.unavailable;
  for (const auto& [state, count] : more.states) sum.states[state] += count;
  for (const auto& [reason, count] : more.reasons) sum.reasons[reason] += count;
}

}  // namespace

Controller::Controller(kube::Api& api, base::Loop& loop, base::Random random, const Served& served,
                       kube::Cache<observe::NodeFacts>& nodes, kube::EventRecorder& events,
                       std::function<bool()> permission, std::function<void()> wake)
    : api_(api),
      loop_(loop),
      random_(std::move(random)),
      served_(served),
      wake_(std::move(wake)),
      events_(events),
      nodes_(nodes),
      policies_(observe::policy_caches(*served.profile)),
      kinds_(api, loop, random_, *served.profile, policies_, wake_),
      operand_pods_([this](const kube::Object& object) { return observe::operand_facts(object, *served_.profile); }),
      daemon_sets_([this](const kube::Object& object) { return observe::daemon_set_facts(object, *served_.profile); }),
      competing_operators_([](const kube::Object& object) { return object; }),
      claims_(observe::claims_of(*served.profile)),
      node_pods_(api, loop, random_.fork("node-pods"), *served.profile,
                 [this](const std::string& node) {
                   pods_changed_.insert(node);
                   wake_();
                 }),
      node_news_(api, loop, *served.profile, served.operands.ns, nodes, operand_pods_, wake_),
      device_pod_counter_(api, loop, *served.profile, claims_,
                          [this] {
                            for (const auto& state : policy_states_) state->fleet.everything_changed();
                            wake_();
                          }),
      runtime_(loop, node_pods_, device_pod_counter_),
      executor_(api, loop, random_.fork("errands"), events, std::move(permission), [this] { wake_(); }),
      operand_index_(operand_pods_, daemon_sets_, *served.profile),
      policy_set_(policies_, *served.profile),
      status_writer_(loop, executor_, kinds_, policy_set_, served_) {
  policy_states_.push_back(state_of_policy({}));
}

std::unique_ptr<PolicyState> Controller::state_of_policy(std::optional<observe::PolicyRef> policy) {
  return std::make_unique<PolicyState>(observe::Fleet({.nodes = nodes_,
                                                       .operand_pods = operand_index_,
                                                       .daemon_sets = daemon_sets_,
                                                       .policy_set = policy_set_,
                                                       .claims = claims_,
                                                       .stopwatch = stopwatch_},
                                                      std::move(policy), *served_.profile, served_.operands));
}

void Controller::begin_watch(std::string_view name, kube::Range range, kube::Projection projection,
                             kube::Listener listener) {
  const std::string kind = range.resource.qualified();
  watches_.push_back({kind, std::make_unique<kube::Reflector>(api_, loop_, random_.fork(name), std::move(range),
                                                              std::move(projection), std::move(listener))});
  watches_.back().reflector->start();
}

void Controller::watch(std::string_view name, kube::Range range, kube::Projection projection, kube::Listener listener) {
  listener.trouble = [kind = range.resource.qualified()](const kube::Fault& fault) {
    log::warn("watching " + kind + " is interrupted", {{"why", fault.message}});
  };
  begin_watch(name, std::move(range), std::move(projection), std::move(listener));
}

// What the server does not know has no objects; it may come to know it.
void Controller::watch_if_known(std::string_view name, kube::Range range, kube::Projection projection,
                                kube::Listener listener) {
  const std::string kind = range.resource.qualified();
  listener.sweep_ended = [this, kind, ended = listener.sweep_ended] {
    unknown_kinds_.erase(kind);
    ended();
  };
  listener.trouble = [this, kind](const kube::Fault& fault) {
    if (fault.kind != base::Fault::Kind::NotFound) {
      log::warn("watching " + kind + " is interrupted", {{"why", fault.message}});
    } else if (unknown_kinds_.insert(kind).second) {
      log::info("the server does not know " + kind + ", so there are none", {});
      wake_();
    }
  };
  begin_watch(name, std::move(range), std::move(projection), std::move(listener));
}

void Controller::start(act::OperatorName as) {
  status_writer_.write_as(std::move(as));
  const vendors::WorkProfile& profile = *served_.profile;
  const std::string& ns = served_.operands.ns;
  kinds_.start();
  watch("operand-pods", observe::operand_pods_of(profile, ns), observe::operand_projection(profile),
        kube::feed(operand_pods_, wake_));
  watch("daemon-sets", observe::daemon_sets_in(ns), observe::daemon_set_projection(), kube::feed(daemon_sets_, wake_));
  if (!profile.vendor.own_operator.empty()) {
    watch("foreigners", observe::competing_operators_of(profile, ns), observe::competing_operator_projection(),
          kube::feed(competing_operators_, wake_));
  }
  if (!profile.vendor.claim_driver.empty()) {
    watch_if_known("claims", observe::all_claims(), observe::claim_projection(), kube::feed(claims_, wake_));
  }
}

std::vector<std::string> Controller::label_keys() const {
  std::vector<std::string> keys = policy_set_.label_keys();
  vendors::each_part(served_.operands.gates.value_or(""), [&](std::string_view gate) { keys.emplace_back(gate); });
  return keys;
}

bool Controller::is_synced() const {
  return kinds_.are_heard() && !watches_.empty() &&
         std::all_of(watches_.begin(), watches_.end(), [this](const Watch& watch) {
           return watch.reflector->is_synced() || unknown_kinds_.contains(watch.kind);
         });
}

void Controller::absorb(const std::vector<std::string>& changed_nodes) {
  const std::vector<act::WriteResult> results = executor_.take_results();
  for (const act::WriteResult& result : results) {
    counters_.count(result);
    if (result.purpose == act::Purpose::ForceDelete && !result.fault) note_forced(result);
  }
  read_policies();
  const bool sets_changed = daemon_sets_changed();
  competing_operators_.take_changes();
  // Which pod holds what may have changed on any node that is being emptied.
  if (!claims_.take_changes().empty()) {
    for (const auto& state : policy_states_) pods_changed_.insert(state->in_flight.begin(), state->in_flight.end());
  }
  // First what was evicted, then what came since.
  Runtime::News news = runtime_.absorb(results);
  std::set<std::string> nodes = std::move(news.nodes);
  nodes.insert(changed_nodes.begin(), changed_nodes.end());
  for (const std::string& name : pods_changed_) {
    const observe::NodeFacts* facts = nodes_.find(name);
    const bool is_held = facts != nullptr && facts->record && facts->record->held;
    runtime_.see_pods(name, is_held ? facts->record->held->claim.device_pod_returns : 0);
  }
  nodes.merge(std::exchange(pods_changed_, {}));
  std::set<std::string> operands_changed;
  for (const std::string& key : operand_pods_.take_changes()) {
    for (std::string& node : operand_index_.changed(key)) operands_changed.insert(std::move(node));
  }
  for (const auto& state : policy_states_) {
    if (sets_changed || news.all_nodes) state->fleet.everything_changed();
    for (const std::string& name : nodes) state->fleet.node_changed(name);
    for (const std::string& name : operands_changed) state->fleet.pods_changed(name);
  }
}

void Controller::note_forced(const act::WriteResult& result) {
  const act::Subject& subject = result.subject;
  for (const auto& state : policy_states_) {
    if (state->fleet.policy_ref() != subject.policy) continue;
    state->forced.push_back(
        {.pod = subject.pod_name, .node = subject.node, .budget = subject.budget, .at = base::rfc3339(loop_.wall())});
    if (state->forced.size() > act::kMostForcedListed) state->forced.erase(state->forced.begin());
  }
}

// Our own writing of a status, and every pod that a DaemonSet counts, changes the object; neither changes what is
// wanted.
void Controller::read_policies() {
  bool any = false;
  bool changed = false;
  for (std::size_t kind = 0; kind < policies_.size(); ++kind) {
    for (const std::string& key : policies_[kind].take_changes()) {
      any = true;
      const kube::Object* policy = policies_[kind].find(key);
      std::string mark = policy == nullptr ? std::string()
                                           : fmt::format("{}/{}/{}", kube::uid_of(*policy),
                                                         json::int_at(*policy, {"metadata", "generation"}),
                                                         kube::is_being_deleted(*policy));
      std::string& before = seen_policies_[{.kind = kind, .key = key}];
      changed = changed || before != mark;
      if (mark.empty()) counters_.forget({.kind = kind, .key = key});
      before = std::move(mark);
    }
  }
  if (any) policy_set_.read();  // it points to them
  if (!changed) return;
  std::vector<std::unique_ptr<PolicyState>> policy_states;
  std::vector<std::optional<observe::PolicyRef>> wanted;
  for (observe::PolicyRef& policy : policy_set_.counting()) wanted.emplace_back(std::move(policy));
  wanted.emplace_back(std::nullopt);
  for (auto& policy : wanted) {
    const auto at = std::find_if(policy_states_.begin(), policy_states_.end(), [&](const auto& state) {
      return state != nullptr && state->fleet.policy_ref() == policy;
    });
    policy_states.push_back(at == policy_states_.end() ? state_of_policy(policy) : std::move(*at));
  }
  policy_states_ = std::move(policy_states);
  for (const auto& state : policy_states_) state->fleet.everything_changed();
}

bool Controller::daemon_sets_changed() {
  bool changed = false;
  for (const std::string& key : daemon_sets_.take_changes()) {
    const observe::DaemonSetFacts* set = daemon_sets_.find(key);
    const observe::DaemonSetFacts now = set == nullptr ? observe::DaemonSetFacts{} : *set;
    changed = changed || !(seen_sets_[key] == now);
    seen_sets_[key] = now;
  }
  return changed;
}

void Controller::observe(const Heard& heard) {
  const auto operands = std::find_if(watches_.begin(), watches_.end(),
                                     [](const Watch& watch) { return watch.kind == kube::kPods.qualified(); });
  const auto operands_at = operands == watches_.end() ? std::nullopt : operands->reflector->heard_at();
  const observe::RuntimeFacts& runtime =
      runtime_.look(heard, operands_at.value_or(base::Instant()), node_news_.asked_at());
  for (const auto& state : policy_states_) {
    observe::Fleet& fleet = state->fleet;
    if (fleet.nodes_at_start() == 0 && fleet.policy() != nullptr) {
      fleet.set_nodes_at_start(act::nodes_at_start(*fleet.policy()));
    }
    fleet.look(runtime, loop_.wall());
  }
}

void Controller::apply(PolicyState& state, const core::FleetView& view, const core::Plan& plan) {
  // From the cordon (as it was seen, not as it was sent) to the swap.
  state.in_flight.clear();
  state.some_are_in_flight = false;
  for (const core::NodeView& node : view.nodes) {
    state.some_are_in_flight = state.some_are_in_flight || core::is_in_flight(node.phase);
    if (node.claim && node.claim_is_written && (core::kBeforeSwap | core::Phase::Restart).has(node.phase))
      state.in_flight.insert(node.name);
  }
  state.is_waiting = view.policy.is_on &&
                     std::any_of(plan.decisions.begin(), plan.decisions.end(), [&](const core::Decision& decision) {
                       const core::Phase now = view.nodes[decision.node].phase;
                       return (decision.change ? decision.change->after.phase : now) == core::Phase::Required;
                     });
  if (!competing_operator().empty()) return;  // the vendor's own operator drives
  if (state.is_waiting) device_pod_counter_.wanted();
  bring_operands(state, view);
  act::Writes writes = act::writes_of(
      {.fleet = state.fleet, .view = view, .plan = plan, .profile = *served_.profile, .ns = served_.operands.ns},
      runtime_.facts(), executor_.pending(), loop_.wall());
  executor_.run(std::move(writes.writes));
  runtime_.absorb(std::move(writes.attempts));
  ask_for_news(view, plan);
}

// Before the swap a limit is about the node's pods, after it about ours.
void Controller::ask_for_news(const core::FleetView& view, const core::Plan& plan) {
  for (const core::Decision& decision : plan.decisions) {
    if (!decision.wants_news) continue;
    const core::NodeView& node = view.nodes[decision.node];
    core::kBeforeSwap.has(node.phase) ? node_pods_.renew(node.name) : node_news_.ask(node.name);
  }
}

// An agent that loads by itself what is missing must know that it is paused before it is there, and pods that people
// delete meanwhile come back as they were.
void Controller::bring_operands(const PolicyState& state, const core::FleetView& view) {
  const bool is_paused = served_.profile->flow.has(core::Trait::ResidentAgent) && !view.policy.is_on;
  for (std::size_t i = 0; is_paused && i < view.nodes.size(); ++i) {
    if (state.fleet.metadata_is_missing(i)) return;
  }
  executor_.run(act::apply_operands(state.fleet, daemon_sets_, served_.operands.ns, is_paused, executor_.pending()));
  executor_.run(act::try_pods(state.fleet, served_.operands.ns, loop_.now()));
}

void Controller::tidy() {
  std::set<std::string> watched;
  std::set<std::string> wanted;
  std::set<std::string> queued;
  std::vector<const observe::Fleet*> fleets;
  bool some_are_in_flight = false;
  bool some_come_back = false;  // nodes without a policy
  bool keeps_what_is_there = false;
  for (const auto& state : policy_states_) {
    watched.insert(state->in_flight.begin(), state->in_flight.end());
    fleets.push_back(&state->fleet);
    for (const core::NodeView& node : state->fleet.seen().nodes) {
      if (node.refusal && node.phase == core::Phase::Required && state->fleet.seen().policy.is_on)
        queued.insert(node.name);
    }
    const vendors::Desired* wants = state->fleet.wants();
    some_are_in_flight = some_are_in_flight || state->some_are_in_flight;
    if (wants == nullptr) {
      some_come_back = some_come_back || state->some_are_in_flight;
      continue;
    }
    keeps_what_is_there = keeps_what_is_there || wants->keeps_what_is_there();
    for (const json::Value& set : wants->daemon_sets()) wanted.emplace(json::text_at(set, {"metadata", "name"}));
  }
  runtime_.want_pods(watched);
  runtime_.set_queued(std::move(queued));
  if (!competing_operator().empty()) return;
  executor_.run(act::remove_probes(fleets, operand_index_, operand_pods_));
  if (keeps_what_is_there) return;
  const vendors::WorkProfile& profile = *served_.profile;
  const auto remove = [&](std::string_view role) {
    executor_.run(act::remove_unwanted(wanted, role, daemon_sets_, served_.operands.ns));
  };
  if (!some_are_in_flight) remove(profile.validator_role);
  // A driver that stays loaded without its pod outlives its policy by itself. A node that another policy has by now
  // must not keep the pod of the one before beside that policy's.
  if (!some_come_back && profile.flow.has(core::Trait::ResidentAgent)) remove(profile.driver_role);
}

std::string Controller::competing_operator() const {
  std::string found;
  competing_operators_.each([&](const std::string&, const kube::Object& deployment) {
    if (auto name = observe::competing_operator_in(deployment); !name.empty()) found = std::move(name);
  });
  return found;
}

act::Summary Controller::summary() const {
  act::Summary sum;
  for (const auto& state : policy_states_) add(sum, state->summary);
  return sum;
}

std::vector<vendors::MetricFamily> Controller::metrics() const {
  if (served_.profile->metrics == nullptr) return {};
  std::vector<vendors::PolicyMetrics> policies;
  for (const auto& state : policy_states_) {
    const observe::Fleet& fleet = state->fleet;
    if (!fleet.policy_ref()) continue;
    vendors::PolicyMetrics figures{.policy = fleet.policy_ref()->key, .fleet = &fleet.seen()};
    if (fleet.wants() != nullptr) figures.version = fleet.wants()->version();
    figures.counters = counters_.of(*fleet.policy_ref());
    figures.looked_at = state->looked_at;
    policies.push_back(std::move(figures));
  }
  return served_.profile->metrics(policies);
}

bool Controller::upgrades_are_on() const {
  return std::any_of(policy_states_.begin(), policy_states_.end(),
                     [](const auto& state) { return state->upgrades_are_on; });
}

std::optional<base::Span> Controller::record(PolicyState& state, const core::FleetView& view, const core::Plan& plan) {
  observe::Fleet& fleet = state.fleet;
  const act::Summary& summary = state.summary = act::summary_of(view, plan, *served_.profile);
  state.upgrades_are_on = fleet.wants() != nullptr && view.policy.is_on;
  fleet.set_nodes_at_start(
      summary.done < summary.total ? (fleet.nodes_at_start() > 0 ? fleet.nodes_at_start() : summary.total) : 0);
  const act::Obstacles obstacles = act::obstacles_of(served_.profile->flow, view, plan);
  tell_news(state, view, plan, obstacles);
  if (competing_operator().empty()) {
    executor_.run(act::node_conditions(fleet, obstacles.found, *served_.profile, executor_.pending(), loop_.wall()));
  }
  state.status_is_due = false;
  if (fleet.policy() == nullptr) {
    status_writer_.write_ignored();
  } else {
    status_writer_.write(state, view, plan, competing_operator());
  }
  state.looked_at = loop_.wall();
  std::optional<base::Span> next = plan.look_again_in;
  const auto sooner = [&](std::optional<base::Span> span) {
    if (span && (!next || *span < *next)) next = span;
  };
  sooner(executor_.next_in());
  sooner(runtime_.next_in());
  sooner(fleet.next_without_pod_in(loop_.now()));
  sooner(state.news.look_again_in());
  if (state.is_waiting) sooner(device_pod_counter_.next_in());
  if (has_pending_takes()) sooner(kLookForOurWrite);
  if (state.status_is_due) sooner(std::max(base::Span::zero(), base::Span(state.status_not_before - loop_.now())));
  return next;
}

void Controller::tell_news(PolicyState& state, const core::FleetView& view, const core::Plan& plan,
                           const act::Obstacles& obstacles) {
  const kube::Object* policy = state.fleet.policy();
  if (policy == nullptr || !competing_operator().empty()) return;
  const kube::Resource kind = observe::policy_kind_of(*served_.profile, state.fleet.policy_ref()->kind);
  for (const kube::Event& event : state.news.look(view, plan, obstacles, *served_.profile, kind, *policy)) {
    if (event.type == kube::Event::Type::Warning) log::warn(event.message, {{event.resource.plural, event.name}});
    events_.record(event);
  }
}

}  // namespace drover::operate
