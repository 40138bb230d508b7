#include "sim/server/bugs.h"

#include <fmt/format.h>

#include "base/text.h"

namespace drover::sim {
namespace {

constexpr BugRow kBugTable[] = {
    {Bug::VersionNotChecked, "version-not-checked", "conflicts", "a write with an old resourceVersion is taken"},
    {Bug::GenerationNotCounted, "generation-not-counted", "crud",
     "a changed spec leaves metadata.generation as it was"},
    {Bug::StatusThroughObject, "status-through-object", "subresources",
     "a write to the object changes its status as well"},
    {Bug::MergeKeepsNulls, "merge-keeps-nulls", "patches", "a null in a merge patch is stored, not a removal"},
    {Bug::StrategicReplacesLists, "strategic-replaces-lists", "patches",
     "a strategic merge patch replaces keyed lists"},
    {Bug::UnequalWantsTheKey, "unequal-wants-the-key", "selectors",
     "the selector a!=b misses objects without the label a"},
    {Bug::DeletedWithoutState, "deleted-without-state", "watches", "a DELETED event tells only the object's name"},
    {Bug::EvictionIgnoresBudget, "eviction-ignores-budget", "evictions", "an eviction asks no disruption budget"},
    {Bug::FinalizersIgnored, "finalizers-ignored", "finalizers", "a delete does not wait for finalizers"},
    {Bug::DefaultsForgotten, "defaults-forgotten", "crd-schema", "defaults of a CRD's schema are not filled in"},
    {Bug::PruningForgotten, "pruning-forgotten", "crd-schema", "fields that a CRD's schema does not know are kept"},
    {Bug::TransitionRulesSkipped, "transition-rules-skipped", "cel", "rules that look at oldSelf are not run"},
    {Bug::ApplyNeverConflicts, "apply-never-conflicts", "apply", "an apply takes fields from other managers unasked"},
    {Bug::RoleNamesIgnored, "role-names-ignored", "rbac", "a rule for some resourceNames counts for all names"},
    {Bug::DaemonOnTaintedNode, "daemon-on-tainted-node", "workloads",
     "a DaemonSet runs pods on nodes whose taints they do not tolerate"},
    {Bug::DependentsStay, "dependents-stay", "gc", "what a deleted object owned is not collected"},
    {Bug::WrongReason, "wrong-reason", "errors", "a name that is taken is refused as a Conflict"},
};

}  // namespace

std::span<const BugRow> all_bugs() { return kBugTable; }

std::string_view name(Bug bug) { return kBugTable[static_cast<std::size_t>(bug)].name; }

base::Result<Bug> parse_bug(std::string_view name) {
  std::string names;
  for (const BugRow& row : kBugTable) {
    if (row.name == name) return row.bug;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return base::fault(base::Fault::Kind::Refused,
                     fmt::format("unknown bug \"{}\": choose one of {}", base::one_line(name, 40), names));
}

}  // namespace drover::sim
