// Mistakes that the embedded cluster makes when it is told to: so that the tests that judge it can be judged.
//
// One table names them all, for the command line and for the tests. Every one is a mistake that a conformance table
// must find. None is ever made unless Server::commit_bug was called.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace drover::sim {

enum class Bug {
  VersionNotChecked,
  GenerationNotCounted,
  StatusThroughObject,
  MergeKeepsNulls,
  StrategicReplacesLists,
  UnequalWantsTheKey,
  DeletedWithoutState,
  EvictionIgnoresBudget,
  FinalizersIgnored,
  DefaultsForgotten,
  PruningForgotten,
  TransitionRulesSkipped,
  ApplyNeverConflicts,
  RoleNamesIgnored,
  DaemonOnTaintedNode,
  DependentsStay,
  WrongReason,
};

struct BugRow {
  Bug bug;
  std::string_view name;      // "version-not-checked"
  std::string_view area;      // of the conformance table
  std::string_view sentence;  // what goes wrong, for people
};

// All of them, in the order of the enum.
std::span<const BugRow> all_bugs();
std::string_view name(Bug bug);
// Refused names those that exist.
base::Result<Bug> parse_bug(std::string_view name);

// Those that were committed.
class Bugs {
 public:
  void commit(Bug bug) { bits_ |= bit(bug); }
  bool has(Bug bug) const { return (bits_ & bit(bug)) != 0; }

 private:
  static std::uint32_t bit(Bug bug) { return std::uint32_t{1} << static_cast<unsigned>(bug); }
  std::uint32_t bits_ = 0;
};

}  // namespace drover::sim
