// The table of faults.
#include "sim/faults.h"

#include <fmt/format.h>

#include "base/text.h"

namespace drover::sim {
namespace {

constexpr FaultRow kFaultTable[] = {
    {FaultKind::LostAnswer, "lost-answer", true, "a request is carried out, but its answer does not come"},
    {FaultKind::NeverSent, "never-sent", true, "a request does not reach the API server"},
    {FaultKind::Conflict, "conflict", true, "a write is refused because the object has changed since it was read"},
    {FaultKind::Throttled, "throttled", true, "the API server asks to slow down"},
    {FaultKind::ServerError, "server-error", true, "the API server fails with an internal error and does nothing"},
    {FaultKind::Slow, "slow", true, "an answer takes long"},
    {FaultKind::StaleWatch, "stale-watch", true, "the events of a watch come late"},
    {FaultKind::WatchStall, "watch-stall", true, "a watch falls silent and does not end"},
    {FaultKind::WatchCut, "watch-cut", true, "a watch's connection breaks"},
    {FaultKind::Gone410, "gone-410", true,
     "the API server has forgotten its history: watches end and lists begin again"},
    {FaultKind::DuplicateEvent, "duplicate-event", true, "a watch tells the same event twice"},
    {FaultKind::OperatorDies, "operator-dies", false, "the operator's process is killed and starts again"},
    {FaultKind::LeaderPaused, "leader-paused", false,
     "the operator's process stands still longer than its lease lasts"},
    {FaultKind::NodeNeverReturns, "node-never-returns", false, "a node that reboots does not come back"},
    {FaultKind::NodeDeleted, "node-deleted", false, "a node's object is deleted"},
    {FaultKind::NodeNotReady, "node-not-ready", false, "a kubelet stops reporting for a while"},
    {FaultKind::DiskFull, "disk-full", false, "a host's disk takes no more writes"},
    {FaultKind::TornWrite, "torn-write", false, "a host loses power in the middle of a write"},
    {FaultKind::ClockJumps, "clock-jumps", false, "the wall clock jumps"},
    {FaultKind::ImageMissing, "image-missing", false, "an image cannot be pulled"},
    {FaultKind::ContainerCrashes, "container-crashes", false, "a container exits again and again"},
    {FaultKind::BudgetNeverYields, "budget-never-yields", false, "a disruption budget allows nothing, for ever"},
    {FaultKind::PersonCordons, "person-cordons", false, "a person cordons a node"},
    {FaultKind::PersonUncordons, "person-uncordons", false, "a person uncordons a node that drover works on"},
};

}  // namespace

std::span<const FaultRow> all_faults() { return kFaultTable; }

std::string_view name(FaultKind kind) { return kFaultTable[static_cast<std::size_t>(kind)].name; }

base::Result<FaultKind> parse_fault_kind(std::string_view name) {
  std::string names;
  for (const FaultRow& row : kFaultTable) {
    if (row.name == name) return row.fault;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return base::fault(base::Fault::Kind::Refused,
                     fmt::format("unknown fault \"{}\": choose one of {}", base::one_line(name, 40), names));
}

}  // namespace drover::sim
