// Which pods stand between a node and its new driver, and what may be done about each.
//
// Which pods are being drained is not stored: the pods still on the node say it. So every pass sorts them again, and an
// eviction that was asked for twice is harmless.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/policy.h"
#include "core/view.h"

namespace drover::core {

enum class Way : std::uint8_t {
  Stays,   // not in the way
  Goes,    // on its way out already
  Evict,   // to be asked
  MayNot,  // in the way, and the policy does not allow us to remove it
};

// Pods are placed past the scheduler when they come back to a cordoned node; evicting them for ever would not help.
inline constexpr int kMostReturns = 3;

struct PodFate {
  const PodView* pod;
  Way way;
  std::string_view because;  // for MayNot: what would have to change; for Stays: why
};

PodFate fate_of(const PodView& pod, Scope scope, const Removal& removal);

// All pods of a node, sorted by what becomes of them; pointers into `pods`.
struct Clearing {
  std::vector<const PodView*> going;
  std::vector<const PodView*> to_evict;
  std::vector<PodFate> refused;

  bool is_done() const { return going.empty() && to_evict.empty() && refused.empty(); }
  std::size_t in_the_way() const { return going.size() + to_evict.size() + refused.size(); }
};

Clearing clearing_of(const std::vector<PodView>& pods, Scope scope, const Removal& removal);

// "ml/train-7 (blocked by PodDisruptionBudget ml/train), ml/train-8 and 3 more": the pods in the way, at most three by
// name.
std::string names_of(const Clearing& clearing);

// Pods that are left alone because others of their owner came back too often, by name; "" for none.
std::string names_of_returned(const std::vector<PodView>& pods);

}  // namespace drover::core
