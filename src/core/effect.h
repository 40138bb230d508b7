// What a move does to a node besides changing its phase: named, so that the joined table of a flow shows it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/set.h"
#include "core/phase.h"
#include "core/policy.h"
#include "core/view.h"

namespace drover::core {

struct Flow;
struct Rule;

// In the order in which they are applied.
enum class Effect : std::uint8_t {
  Take,            // a claim; whose the cordon is; cordon and taint if the policy cordons; a request is heard
  WidenScope,      // the claim serves a drain request now
  Retarget,        // the claim names what is wanted now
  CloseGates,      // the vendor's other pods are kept off the device
  OpenGates,       // and let back; the taint goes with it
  AcceptUnproven,  // nothing validates a driver that an init container asked for: its failure is forgotten
  PutBack,         // as before this attempt: in service, or held because of the attempt before
  AskAgain,        // a new pod that waits for permission after a failure is a person's request
  Requeue,         // it waits for a slot; without the controller if it came so
  Succeed,         // the outcome: the wanted driver serves
  Fail,            // the outcome: it failed; held once the swap has begun, else released
  RememberPod,     // with Fail: the pod that failed does not count as another attempt
  ForgetOutcome,   // if no policy wants the node any more
  Release,         // nothing of ours stays on the node
};

using Effects = base::Set<Effect>;

struct EffectRow {
  Effect effect;
  std::string_view name;  // for the docs
};

inline constexpr std::array<EffectRow, 14> kEffectTable = {{
    {Effect::Take, "take"},
    {Effect::WidenScope, "widen the scope"},
    {Effect::Retarget, "retarget"},
    {Effect::CloseGates, "close gates"},
    {Effect::OpenGates, "open gates"},
    {Effect::AcceptUnproven, "accept unproven"},
    {Effect::PutBack, "put back"},
    {Effect::AskAgain, "ask again"},
    {Effect::Requeue, "requeue"},
    {Effect::Succeed, "succeed"},
    {Effect::Fail, "fail"},
    {Effect::RememberPod, "remember the pod"},
    {Effect::ForgetOutcome, "forget the outcome"},
    {Effect::Release, "release"},
}};

// A node on its way through the table within one decision: a copy, of which only our marks change, and what a move
// makes old. The facts stay as they were seen.
class WalkedNode {
 public:
  explicit WalkedNode(const NodeView& seen) : now_(seen) {}
  const NodeView& now() const { return now_; }
  NodeMarks& marks() { return now_; }
  WalkState& walk() { return now_; }

 private:
  NodeView now_;
};

// The node as it will be once the rule has moved it; `because` is the rule's reason with its detail.
void enter(WalkedNode& node, const Flow& flow, const Policy& policy, const Rule& rule, const std::string& because);

// ---- shared with the repairs

// Gives the node back as it was: nothing of ours stays on it, and only a cordon that a person holds.
void release(NodeMarks& marks, WalkState& walk, bool is_held);
// Nothing new is scheduled there from now on; pods that were seen before do not count.
void cordon_and_taint(NodeMarks& marks, WalkState& walk);
// What was closed before is remembered as it was then.
void close_gates(NodeMarks& marks, const WalkState& walk);
// The old driver no longer serves: there is no way back.
bool is_swapped(const NodeView& node, const Flow& flow, Phase phase);

}  // namespace drover::core
