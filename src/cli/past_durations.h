// How long things took here before, from what a vendor's pods and nodes say of their own past; else stated defaults.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "forecast/input.h"
#include "kube/object.h"
#include "observe/pod_facts.h"
#include "vendors/work_profile.h"

namespace drover::cli {

std::optional<base::WallTime> time_at(const json::Value& value, json::Path path);
// Since when a condition is true; nothing while it is not.
std::optional<base::WallTime> true_since(const kube::Object& object, std::string_view type);
// Nothing where it is negative or more than `most`.
std::optional<base::Span> between(const std::optional<base::WallTime>& from, const std::optional<base::WallTime>& to,
                                  base::Span most);

class PastDurations {
 public:
  explicit PastDurations(const vendors::WorkProfile& profile) : profile_(profile) {}

  // What is known of the node that a pod is on.
  struct NodePast {
    std::optional<base::WallTime> joined_at = {};  // when it, or the DaemonSet that brings its driver, was made
    std::optional<base::WallTime> done_at = {};    // when it was done with the driver that it has
  };
  // From a pod of the vendor's operands.
  void learn(const kube::Object& pod, const observe::PodFacts& facts, const NodePast& node);

  forecast::DurationStats stats() const;
  // Where they come from, one line each.
  std::vector<std::string> sources() const;

 private:
  bool has_agent() const { return profile_.flow.has(core::Trait::ResidentAgent); }
  void learn_container(const kube::Object& pod, const observe::PodFacts& facts);
  void learn_agent(const kube::Object& pod, const observe::PodFacts& facts, const NodePast& node);
  std::vector<base::Span> validations() const;

  // A validator's, by node.
  struct Validation {
    std::optional<base::WallTime> driver_ready_at = {};
    std::optional<base::WallTime> made_at = {};
    std::optional<base::WallTime> ready_at = {};
  };

  const vendors::WorkProfile& profile_;
  std::vector<base::Span> preparations_;
  std::vector<base::Span> drivers_;
  std::map<std::string, Validation> validations_;
};

}  // namespace drover::cli
