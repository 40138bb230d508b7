// One node on its way from DKMS to the operator, or back: what is to be done next, by what is there.
//
// Pure. Everything that a second run needs to go on stands in the cluster: a mark on the Node says that a migration
// cordoned it, a pod on it does the work on the machine, labels say which side has the driver. So an interrupted
// command is started again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace drover::cli {

// On the Node while it is under way; how it was found.
inline constexpr std::string_view kMigrationAnnotation = "drover.dev/migration";
inline constexpr std::string_view kWasOpen = "cordoned-by-us";
inline constexpr std::string_view kWasCordoned = "found-cordoned";

enum class Direction { ToOperator, ToHost };

// The pod that does the work on the machine.
struct HelperView {
  enum class State { None, UnderWay, Succeeded, Failed };
  State state = State::None;
  std::string uid = {};
  std::string said = {};  // why it does not run, or how it failed
  bool is_going = false;
};

// A pod that must leave before the driver does.
struct LeavingPod {
  std::string ns;
  std::string name;
  std::string uid = {};
  bool is_going = false;
  bool has_local_data = false;
  bool is_bare = false;      // it has no controller
  std::string held_by = {};  // what the server said when it refused to evict it

  std::string full_name() const { return ns + "/" + name; }
};

// The policy that would take the node.
struct PolicyView {
  std::string name;
  std::string version;
  bool is_paused = false;
};

struct MigrationView {
  std::string node;
  bool is_there = false;
  std::string version = {};  // resourceVersion
  std::string install_mode = {};
  std::string kmd_version = {};
  bool is_skipped = false;
  bool is_cordoned = false;
  std::string mark = {};
  std::vector<LeavingPod> pods = {};
  bool builder_is_there = false;  // the pod that would load the operator's driver again
  HelperView helper = {};
  bool helper_is_ours = false;  // this run has made it
  std::optional<PolicyView> policy = {};
  base::Span spent = {};  // since this run turned to the node
};

struct MigrationTerms {
  Direction direction = Direction::ToOperator;
  base::Span drain_at_most = std::chrono::minutes(10);
  bool deletes_local_data = false;
  bool is_forced = false;  // bare pods go, too
};

enum class Operation {
  Refuse,  // nothing was changed by this run
  Fail,    // something was, and the text says how it stands
  Skip,    // the skip label
  Cordon,  // with the mark, in one write
  Evict,
  StartHelper,
  RemoveHelper,
  SayHost,  // the label that the host has its own driver
  Release,  // the mark goes, and the cordon if it was ours
  Wait,
  Done,
};

struct NextDeed {
  Operation operation;
  std::string text;  // for people: what is done, awaited, or wrong
};

NextDeed next_deed(const MigrationView& view, const MigrationTerms& terms);

// Everything that a run would do, without doing it.
std::vector<std::string> migration_preview(const MigrationView& view, const MigrationTerms& terms);

}  // namespace drover::cli
