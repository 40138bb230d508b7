// The table of everything that can go wrong.
#include "sim/bad_luck.h"

#include <fmt/format.h>

#include "base/text.h"

namespace drover::sim {
namespace {

constexpr LuckRow kLuckTable[] = {
    {Luck::LostAnswer, "lost-answer", true, "a request is carried out, but its answer does not come"},
    {Luck::NeverSent, "never-sent", true, "a request does not reach the API server"},
    {Luck::Conflict, "conflict", true, "a write is refused because somebody else wrote first"},
    {Luck::Throttled, "throttled", true, "the API server asks to slow down"},
    {Luck::ServerError, "server-error", true, "the API server fails with an internal error and does nothing"},
    {Luck::Slow, "slow", true, "an answer takes long"},
    {Luck::StaleWatch, "stale-watch", true, "the events of a watch come late"},
    {Luck::WatchStall, "watch-stall", true, "a watch falls silent and does not end"},
    {Luck::WatchCut, "watch-cut", true, "a watch's connection breaks"},
    {Luck::Gone410, "gone-410", true, "the API server has forgotten its history: watches end and lists begin again"},
    {Luck::DuplicateEvent, "duplicate-event", true, "a watch tells the same event twice"},
    {Luck::OperatorDies, "operator-dies", false, "the operator's process is killed and starts again"},
    {Luck::LeaderPaused, "leader-paused", false, "the operator's process stands still longer than its lease lasts"},
    {Luck::NodeNeverReturns, "node-never-returns", false, "a node that reboots does not come back"},
    {Luck::NodeDeleted, "node-deleted", false, "a node's object is deleted"},
    {Luck::NodeNotReady, "node-not-ready", false, "a kubelet stops reporting for a while"},
    {Luck::DiskFull, "disk-full", false, "a host's disk takes no more writes"},
    {Luck::TornWrite, "torn-write", false, "a host loses power in the middle of a write"},
    {Luck::ClockJumps, "clock-jumps", false, "the wall clock jumps"},
    {Luck::ImageMissing, "image-missing", false, "an image cannot be pulled"},
    {Luck::ContainerCrashes, "container-crashes", false, "a container exits again and again"},
    {Luck::BudgetNeverYields, "budget-never-yields", false, "a disruption budget allows nothing, for ever"},
    {Luck::PersonCordons, "person-cordons", false, "a person cordons a node"},
    {Luck::PersonUncordons, "person-uncordons", false, "a person uncordons a node that drover works on"},
};

}  // namespace

std::span<const LuckRow> all_luck() { return kLuckTable; }

std::string_view word(Luck luck) { return kLuckTable[static_cast<std::size_t>(luck)].name; }

base::Result<Luck> parse_luck(std::string_view name) {
  std::string names;
  for (const LuckRow& row : kLuckTable) {
    if (row.name == name) return row.luck;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return base::fault(base::Fault::Kind::Refused, fmt::format("\"{}\" is no bad luck that can be had; choose one of {}",
                                                             base::one_line(name, 40), names));
}

}  // namespace drover::sim
