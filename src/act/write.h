// A request that a pass wants sent, and what came of it. Values: made by writes_of and its siblings, sent by the
// Executor, absorbed by the next pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "kube/api.h"
#include "kube/event_recorder.h"
#include "observe/policy_set.h"

namespace drover::act {

// A pod that was asked to go is not asked again before it could have gone.
inline constexpr base::Span kAskAgain = std::chrono::seconds(30);
inline constexpr base::Span kDeleteAgain = std::chrono::seconds(10);

enum class Purpose : std::uint8_t {
  Node,           // the PATCH of a Node: a move, its labels, an order to its agent
  NodeStatus,     // the PATCH of its condition
  Evict,          // a pod that uses the device
  EvictInDrain,   // another one
  ForceDelete,    // a pod whose documented time is over
  ReplaceDriver,  // delete the old driver's pod
  RemovePod,      // a pod of ours that is not needed any more
  ProveImage,     // make the pod that fetches the image
  ApplySet,       // a DaemonSet as the policy wants it
  TryPod,         // a dry run of a pod that its DaemonSet should have made
  DetachSet,      // take an owner off it
  RemoveSet,      // a DaemonSet that no policy wants any more
  Status,         // of a policy
};

// It takes a pod off its node.
constexpr bool has_pending_evictions(Purpose purpose) {
  return purpose == Purpose::Evict || purpose == Purpose::EvictInDrain || purpose == Purpose::ForceDelete;
}

// What a write is about, as far as something later depends on it.
struct Subject {
  std::optional<observe::PolicyRef> policy = {};
  std::string node = {};
  std::string ns = {};           // of the pod
  std::string pod = {};          // its uid
  std::string pod_name = {};     // "ml/train-7"
  std::string budget = {};       // that refused its eviction, "ml/train"
  bool takes = false;            // it cordons
  std::string claim = {};        // the id of the claim that this makes
  bool gives_back = false;       // it uncordons
  bool ends_driver = false;      // with the pod that it deletes
  bool is_low_priority = false;  // a moment more or less is nothing to it: only a few such at a time
  std::string decided_on = {};   // the Node's resourceVersion
  std::string object = {};       // the DaemonSet's name
  std::uint64_t text = 0;        // which text of it
  std::int64_t generation = 0;   // on which generation; 0: it was not there
};

struct Write {
  std::string key;  // one under way at a time
  kube::Request request;
  Purpose purpose;
  Subject subject = {};
  base::Span rest = {};                  // after a success: not again before the world could show what was done
  std::vector<kube::Event> events = {};  // recorded once it has succeeded
  std::string path = {};                 // of a move, for the log
  std::string repairs = {};              // that it writes, for the log
};

struct WriteResult {
  std::string key;
  Purpose purpose;
  Subject subject;
  std::optional<kube::Fault> fault = {};
  int faults = 0;               // in a row, this one included
  std::string version = {};     // that a success made
  std::int64_t generation = 0;  // likewise
};

}  // namespace drover::act
