// A flow: which way a node goes from one driver to the next. Fragments, filtered by how the work is done, joined at
// compile time into one table; what entering a phase does is written once and added to each rule that leads there.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include "core/rule.h"

namespace drover::core {

// What happens whenever a phase is entered.
struct Entry {
  Phase phase;
  Effects effects;
};

struct FlowSpec {
  std::string_view name = {};
  Traits traits = {};
  Phase swap = Phase::Restart;           // what the fragments call kSwap
  Phases phases = {};                    // that the flow uses
  Phases strays = {};                    // of them, those that only a record of another origin leads to
  std::span<const Entry> on_entry = {};  // a static array
};

// Fixed room instead of size arithmetic: the joining is an ordinary loop.
inline constexpr std::size_t kMostRules = 160;

struct Flow {
  FlowSpec spec = {};
  std::array<Rule, kMostRules> table = {};
  std::size_t size = 0;

  constexpr std::string_view name() const { return spec.name; }
  constexpr std::span<const Rule> rules() const { return {table.data(), size}; }
  constexpr bool has(Trait trait) const { return spec.traits.has(trait); }
  constexpr Effects on_entry(Phase phase) const {
    for (const Entry& entry : spec.on_entry) {
      if (entry.phase == phase) return entry.effects;
    }
    return {};
  }
};

// Some effects are about where a node comes from: a rule that never comes from there does not show them.
constexpr Effects without_idle_ones(Effects effects, Phases from, Phase swap) {
  if ((from & kInFlight).empty()) effects = effects.without(Effect::PutBack);
  if (!from.has(swap)) effects = effects.without(Effect::AcceptUnproven);
  if (!from.has(Phase::Failed)) effects = effects.without(Effect::AskAgain);
  return effects;
}

consteval Flow compose(const FlowSpec& spec, std::initializer_list<std::span<const Rule>> fragments) {
  Flow flow{.spec = spec};
  for (const std::span<const Rule> fragment : fragments) {
    for (Rule rule : fragment) {
      if (!spec.traits.has_all(rule.only)) continue;
      if (flow.size == kMostRules) throw "kMostRules is too small";  // a compile error, never code
      rule.in = rule.in.replaced(kSwap, spec.swap) & spec.phases;
      if (rule.in.empty()) continue;  // a rule about phases that the flow does not have
      if (rule.to == kSwap) rule.to = spec.swap;
      if (rule.kind == Rule::Kind::Move)
        rule.effects = rule.effects | without_idle_ones(flow.on_entry(rule.to), rule.in, spec.swap);
      flow.table[flow.size++] = rule;
    }
  }
  return flow;
}

// ---- what every flow is held to, at compile time

// Every phase ends in a rule that always applies: no node can stand where nothing is said.
constexpr bool is_total(const Flow& flow) {
  for (const PhaseRow& row : kPhaseTable) {
    if (!flow.spec.phases.has(row.phase)) continue;
    const Rule* last = nullptr;
    for (const Rule& rule : flow.rules()) {
      if (rule.in.has(row.phase)) last = &rule;
    }
    if (last == nullptr || last->when.first.holds != otherwise.holds) return false;
  }
  return true;
}

// No rule stands behind one of its phase that asks for less, so that it could never apply.
constexpr bool shadows_nothing(const Flow& flow) {
  const auto asks = [](const Rule& rule, auto holds) {
    return holds == nullptr || rule.when.first.holds == holds || rule.when.second.holds == holds;
  };
  for (std::size_t j = 0; j < flow.size; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const Rule& early = flow.table[i];
      const Rule& late = flow.table[j];
      if ((early.in & late.in).empty()) continue;
      const bool always = early.when.first.holds == otherwise.holds;
      if (always || (asks(late, early.when.first.holds) && asks(late, early.when.second.holds))) return false;
    }
  }
  return true;
}

// Every phase can be reached, the strays excepted, which cannot.
constexpr bool every_phase_is_entered(const Flow& flow) {
  Phases reached = Phase::Idle;
  for (bool grew = true; grew;) {
    grew = false;
    for (const Rule& rule : flow.rules()) {
      if (rule.kind != Rule::Kind::Move || (rule.in & reached).empty() || reached.has(rule.to)) continue;
      reached = reached | rule.to;
      grew = true;
    }
  }
  return reached == flow.spec.phases.without(flow.spec.strays);
}

// A node that is in flight leaves that state only together with what gives it back, or holds it for a stated reason.
constexpr bool gives_every_node_back(const Flow& flow) {
  constexpr Effects kGivesBack = {Effect::Release, Effect::PutBack, Effect::Fail};
  for (const Rule& rule : flow.rules()) {
    if (rule.kind != Rule::Kind::Move || (rule.in & kInFlight).empty() || is_in_flight(rule.to)) continue;
    if ((rule.effects & kGivesBack).empty()) return false;
  }
  return true;
}

constexpr bool is_sound(const Flow& flow) {
  return is_total(flow) && shadows_nothing(flow) && every_phase_is_entered(flow) && gives_every_node_back(flow);
}

}  // namespace drover::core
