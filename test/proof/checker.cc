#include "checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/same.h"

namespace drover::proof {
namespace {

std::string clock_text(base::Span span) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
  return fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string tail_of(const std::string& text, int lines) {
  std::size_t at = text.size();
  while (at > 0 && lines > 0) {
    at = text.rfind('\n', at - 1);
    if (at == std::string::npos) return text;
    --lines;
  }
  return text.substr(at == 0 ? 0 : at + 1);
}

}  // namespace

Checker::Checker(const Vendor& vendor, sim::World& world, sim::Kubelets& kubelets, CheckerOptions options)
    : vendor_(vendor),
      world_(world),
      kubelets_(kubelets),
      options_(options),
      subscription_(world.server().store().subscribe([this](const sim::Commit& commit) { heard(commit); })) {
  terms_.push_back({});
}

Checker::~Checker() { world_.server().store().unsubscribe(subscription_); }

void Checker::blame(std::string_view invariant, std::string what) {
  if (vendor_.is_exempt(invariant)) return;
  if (breaches_.empty()) at_breach_ = tail_of(chronicle_to_write(), 40);
  if (breaches_.size() < 20) breaches_.push_back({std::string(invariant), std::move(what)});
}

std::string Checker::report() const {
  if (breaches_.empty()) return {};
  std::string text = fmt::format("{}: {}\n", breaches_.front().invariant, breaches_.front().what);
  for (std::size_t i = 1; i < breaches_.size(); ++i) {
    text += fmt::format("  then {}: {}\n", breaches_[i].invariant, breaches_[i].what);
  }
  return text + "before it:\n" + at_breach_;
}

void Checker::note(std::string_view actor, std::string_view what) {
  chronicle_to_write() += fmt::format("{}  {:<10} {}\n", clock_text(world_.loop.now().time_since_epoch()),
                                      actor == kOperator ? "operator" : actor, what);
}

std::string Checker::loaded_on(const std::string& node) const {
  const sim::SimHost* machine = kubelets_.host(node);
  return machine == nullptr ? "" : machine->loaded_version(std::string(vendor_.module)).value_or("");
}

Change Checker::change_of(const sim::Commit& commit) const {
  return {.at = world_.loop.now(),
          .resource = std::string(commit.resource),
          .key = kube::key_of(*commit.after),
          .version = commit.version};
}

bool Checker::is_news(const Change& change, base::Span settling) const {
  if (change.version == 0 || !doors_) return false;
  const base::Instant now = world_.loop.now();
  std::vector<std::pair<const Knowledge*, base::Instant>> writers;
  std::vector<std::pair<const Knowledge*, base::Instant>> readers;
  for (const Door* door : doors_()) {
    const Knowledge& knowledge = door->knowledge();
    const auto asked =
        being_written_ ? knowledge.asked(being_written_->first, being_written_->second, now) : std::nullopt;
    if (asked) writers.emplace_back(&knowledge, *asked);
    if (!door->is_shut() && !knowledge.is_blank()) readers.emplace_back(&knowledge, now);
  }
  const auto& who = writers.empty() ? readers : writers;
  return who.empty() || std::any_of(who.begin(), who.end(),
                                    [&](const auto& one) { return !one.first->knew(change, one.second - settling); });
}

void Checker::operators_hear(bool they_do) {
  heard_ = heard();
  hears_since_.reset();
  if (they_do) hears_since_ = world_.loop.now();
}

bool Checker::no_terms(const std::function<bool(const Terms&)>& fits) const {
  for (std::size_t i = terms_.size(); i > 0; --i) {
    if (fits(terms_[i - 1].terms)) return false;
    // Who knows of them does not act on those before.
    if (!is_news(terms_[i - 1].since)) break;
  }
  return true;
}

std::int64_t Checker::managed_nodes() const {
  const auto gone =
      std::count_if(nodes_gone_.begin(), nodes_gone_.end(), [&](const Change& change) { return is_news(change); });
  return gone +
         std::count_if(nodes_.begin(), nodes_.end(), [](const auto& one) { return one.second.marks.is_selected; });
}

void Checker::heard(const sim::Commit& commit) {
  const bool is_operators = world_.server().asker() == kOperator;  // for whichever vendor
  const bool ours = is_operators && !is_for_another(commit);
  being_written_.reset();
  if (is_operators) being_written_.emplace(commit.resource, kube::key_of(*commit.after));
  const bool is_policy = commit.resource == vendor_.policy.qualified();
  if (ours && commit.resource != "events" && commit.resource != "leases.coordination.k8s.io" && !is_policy) {
    last_operator_write_ = fmt::format("{} {}", commit.resource, kube::key_of(*commit.after));
  }
  if (commit.resource == "nodes") return heard_node(commit, ours);
  if (commit.resource == "pods") return heard_pod(commit, ours);
  if (is_policy) return heard_policy(commit, ours);
  if (commit.resource == "events") return heard_event(commit, ours);
}

void Checker::meddled_with(const std::string& node) {
  nodes_[node].writes = 0;
  nodes_[node].events.clear();
}

void Checker::heard_node(const sim::Commit& commit, bool ours) {
  const std::string name(kube::name_of(*commit.after));
  if (commit.kind == sim::Commit::Kind::Removed) {
    if (nodes_.erase(name) > 0) nodes_gone_.push_back(change_of(commit));
    machine_goes_down(name);  // should it come back under the same name, its old pods still speak of the old machine
    if (options_.chronicler == nullptr) note(world_.server().asker(), name + " is deleted");
    if (ours) blame("I23 foreign mutation", fmt::format("the operator deleted node {}", name));
    return;
  }
  Tracked& node = nodes_[name];
  listen_to_machine(name, node);
  if (!ours) node.changed_at = change_of(commit);
  const NodeMarks now = marks_of(vendor_, *commit.after);
  if (commit.kind == sim::Commit::Kind::Changed) {
    if (ours) check_node_write(*commit.before, *commit.after, node, now);
    if (ours || (world_.server().asker() != kOperator && options_.chronicler == nullptr))
      tell_node(node.marks, now, world_.server().asker());
  }
  const bool touches = commit.kind == sim::Commit::Kind::Created ||
                       !json::same(kube::labels_of(*commit.before), kube::labels_of(*commit.after)) ||
                       !json::same(json::members_at(*commit.before, {"metadata", "annotations"}),
                                   json::members_at(*commit.after, {"metadata", "annotations"})) ||
                       node.marks.is_cordoned != now.is_cordoned;
  if (node.marks.asks_for_room() || now.asks_for_room()) {
    node.wished_at = change_of(commit);
    node.touched_since_failed = true;
  }
  // What kubelets and agents say of their own machine is not meddling.
  const bool is_operators = world_.server().asker() == kOperator;  // for whichever vendor
  if (!is_operators && touches && !world_.server().asker().starts_with("kubelet") &&
      world_.server().asker() != kAgent) {
    node.touched_at = change_of(commit);
    node.touched_since_failed = true;
    meddled_with(name);
  }
  const bool was_up =
      commit.kind == sim::Commit::Kind::Created || !node.marks.is_down();  // one that joins is down first
  if (!is_operators && now.is_down() && was_up) node.down_by_others_at = change_of(commit);
  follow_cordon(commit, node, now, ours);
  const bool changes_record =
      commit.kind == sim::Commit::Kind::Changed &&
      kube::annotation_of(*commit.before, kRecord) != kube::annotation_of(*commit.after, kRecord);
  follow_record(node, now, ours, changes_record, world_.server().asker());
  if (ours && now.is_failed() && !node.marks.is_failed()) {
    // Who only found a failure in the record has not seen it happen.
    node.touched_since_failed = is_news(node.touched_at) || node.marks.result == "failed";
    node.policy_since_failed =
        terms_.size() > 1 && (is_news(terms_.back().since) || driver_is_older_than_the_terms(now.name));
  }
  if (now.is_failed() && !node.marks.is_failed()) {
    check_cause(node, now);
    if (ours) check_timeout(node, now);
  }
  const bool stays = node.marks.claim && now.claim && node.marks.claim->id == now.claim->id &&
                     node.marks.claim->phase == now.claim->phase;
  if (!node.marks.claim || !now.claim || node.marks.claim->id != now.claim->id) {
    node.removals.clear();
    node.claimed_at = world_.loop.now();
  }
  if (!stays) {
    node.heard_before_phase = heard();
    node.starts_before_phase = starts_;
  }
  node.marks = now;
}

// Whose the cordon is, for an observer of every commit.
void Checker::follow_cordon(const sim::Commit& commit, Tracked& node, const NodeMarks& now, bool ours) {
  if (ours) node.uncordon_is_written = true;
  if (!now.is_cordoned) {
    node.cordon_is_ours = false;
    if (!node.marks.is_cordoned || world_.server().asker() == kOperator) return;
    node.uncordoned_at = change_of(commit);
    node.uncordon_is_written = false;
    return;
  }
  const std::string_view asker = world_.server().asker();
  if (!node.marks.is_cordoned) {
    // An uncordon and another cordon between two looks may not be seen.
    const bool marks_say_so = now.marks_say_the_cordon_is_the_machines();
    node.cordon_is_unsure = !ours && asker != vendor_.own_operator && (marks_say_so || !node.uncordon_is_written);
    node.cordon_is_ours = ours || asker == vendor_.own_operator;
    node.cordon_was_set_by_us = asker == kOperator || asker == vendor_.own_operator;
    return;
  }
  // A node that is given up and stays cordoned is left to the user who wanted that.
  if (ours && node.marks.claim_is_ours() && !now.claim_is_ours()) node.cordon_is_ours = false;
  // A user who changes the marks of the cordon's owner takes that risk.
  if (!ours && now.marks_say_the_cordon_is_the_machines() != node.marks.marks_say_the_cordon_is_the_machines()) {
    node.cordon_is_unsure = true;
  }
}

// Who changes the record changes what is known of the cordon, of gates whose value does not say, and of the claim.
void Checker::follow_record(Tracked& node, const NodeMarks& now, bool ours, bool changes_record,
                            std::string_view asker) {
  const NodeMarks& was = node.marks;
  if (was.has_paused_gates != now.has_paused_gates) node.gates_may_be_others = !ours && now.has_paused_gates;
  const bool is_another = now.claim && (!was.claim || was.claim->id != now.claim->id);
  if (ours && (!now.claim || is_another)) node.claim_is_others = false;
  if (asker == kOperator || !changes_record || asker == vendor_.own_operator) return;
  node.cordon_is_unsure = true;
  if (now.has_paused_gates) node.gates_may_be_others = true;
  node.claim_is_others = now.claim_is_ours();
}

void Checker::tell_node(const NodeMarks& was, const NodeMarks& now, std::string_view asker) {
  const auto shown = [](const std::string& state) { return state.empty() ? std::string("(no state)") : state; };
  if (was.state != now.state) {
    note(asker, fmt::format("{}  {} -> {}", now.name, shown(was.state), shown(now.state)));
  }
  if (was.is_cordoned != now.is_cordoned) {
    note(asker, fmt::format("{}  {}", now.name, now.is_cordoned ? "cordoned" : "uncordoned"));
  }
  if (was.is_tainted != now.is_tainted && !was.name.empty()) {
    note(asker, fmt::format("{}  {}", now.name, now.is_tainted ? "tainted" : "no longer tainted"));
  }
  if (was.is_ready != now.is_ready && !was.name.empty()) {
    note(asker, fmt::format("{}  is {}", now.name, now.is_ready ? "ready" : "not ready"));
  }
  if (asker != kOperator && was.record_is_there && was.record_is_good &&
      (!now.record_is_there || !now.record_is_good)) {
    note(asker, fmt::format("{}  record {}", now.name, now.record_is_there ? "garbled" : "removed"));
  }
}

void Checker::heard_pod(const sim::Commit& commit, bool ours) {
  const kube::Object& pod = *commit.after;
  const std::string_view role = our_role(vendor_, pod);
  const bool is_driver = role == vendor_.driver_role;
  const bool proves = !role.empty() && role == vendor_.preflight_role;
  const std::string node(json::text_at(pod, {"spec", "nodeName"}));
  const auto at = nodes_.find(node);
  const bool has_come = commit.kind != sim::Commit::Kind::Removed && !node.empty() &&
                        (!commit.before || json::text_at(*commit.before, {"spec", "nodeName"}).empty());
  if (is_driver && has_come) ++effects_[node].driver_pods;
  if (is_driver && at != nodes_.end()) {
    const bool has_driver = has_ready_driver(node);
    if (at->second.had_driver && !has_driver) at->second.driver_lost_at = ours ? Change() : change_of(commit);
    at->second.had_driver = has_driver;
  }
  if (proves && at != nodes_.end() && json::text_at(pod, {"status", "phase"}) == "Succeeded")
    at->second.proven.emplace(kube::label_of(pod, kDigest));
  const bool was_going = commit.before && kube::is_being_deleted(*commit.before);
  const bool goes = !was_going && (commit.kind == sim::Commit::Kind::Removed || kube::is_being_deleted(pod));
  if (!goes) return;
  if (!ours) {
    if (!is_driver) return;
    const bool is_person = world_.server().asker() == "person";
    if (is_person) note("person", fmt::format("{}  driver pod deleted", node));
    if (at == nodes_.end()) return;
    if (is_person) at->second.driver_deleted_at = change_of(commit);
    // The next one's agent asks, and that is another try.
    if (vendor_.agent_asks_first) at->second.touched_since_failed = true;
    return;
  }
  const bool evicted = was_evicted(pod);
  if (!proves) {
    note(kOperator, fmt::format("{}  {} a pod of {}", node, evicted ? "evicted" : "deleted", family_of(vendor_, pod)));
  }
  check_removal(pod);
  Effects& effects = effects_[node];
  if (is_driver) {
    ++effects.driver_deletes;
  } else if (role.empty()) {
    ++(evicted ? effects.evictions : effects.deletes);
  }
}

void Checker::heard_policy(const sim::Commit& commit, bool ours) {
  if (kube::name_of(*commit.after) != vendor_.policy_name) return;
  const bool is_gone = commit.kind == sim::Commit::Kind::Removed;
  const auto spec_of = [](const kube::Object& policy) { return json::find(policy, {"spec"}); };
  const bool is_same = !is_gone && commit.before && json::same(spec_of(*commit.before), spec_of(*commit.after));
  if (ours && !is_gone) {
    if (commit.before && !is_same) blame("I23 foreign mutation", "the operator changed the spec of a policy");
    const std::string trouble = vendor_.status_trouble(*commit.after, false);
    if (!trouble.empty()) blame("I20 truthful status", trouble);
    return check_ready(*commit.after);
  }
  if (is_same) return;
  terms_.push_back({change_of(commit), is_gone ? Terms{} : vendor_.terms_of(*commit.after)});
  for (auto& [name, node] : nodes_) {
    node.policy_since_failed = true;
    if (!is_gone) meddled_with(name);
  }
  const Terms& terms = terms_.back().terms;
  if (is_gone) return note(world_.server().asker(), "policy is deleted");
  note(world_.server().asker(), fmt::format("policy wants {}{}", terms.version, terms.is_on ? "" : ", upgrades off"));
}

void Checker::heard_event(const sim::Commit& commit, bool ours) {
  if (!ours || commit.kind == sim::Commit::Kind::Removed) return;
  if (json::text_at(*commit.after, {"reason"}) != vendor_.event_reason) return;
  const std::string name(json::text_at(*commit.after, {"involvedObject", "name"}));
  const std::string message(json::text_at(*commit.after, {"message"}));
  const bool is_warning = json::text_at(*commit.after, {"type"}) == "Warning";
  if (is_warning || !message.starts_with(vendor_.step_event)) note("event", fmt::format("{}  {}", name, message));
  const auto node = nodes_.find(name);
  if (node == nodes_.end() || !options_.counts_writes) return;
  if (++node->second.events[message] > 1 && !is_warning) {
    blame("I24 bounded writes", fmt::format("{} got the Event \"{}\" twice in one upgrade", name, message));
  }
}

}  // namespace drover::proof
