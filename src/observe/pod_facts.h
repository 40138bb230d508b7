// What we want to know of a pod, whosever it is. Made from a projected Pod and a vendor's profile; pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interned_string.h"
#include "base/selector.h"
#include "base/time.h"
#include "core/view.h"
#include "kube/cache.h"
#include "kube/object.h"
#include "kube/projection.h"
#include "vendors/work_profile.h"

namespace drover::observe {

struct PodFacts {
  base::InternedString ns;
  std::string name;
  std::string uid;
  std::string version;                  // resourceVersion
  std::string node;                     // where it runs; empty: nowhere yet
  base::InternedString meant_for = {};  // the only node that it may run on, while it runs nowhere; of pods of ours
  std::vector<std::pair<base::InternedString, base::InternedString>> labels;
  base::InternedString owner;      // "ReplicaSet ml/train"
  base::InternedString owner_uid;  // of its controller

  bool is_finished = false;
  bool has_failed = false;
  bool is_going = false;
  bool is_mirror = false;
  bool is_daemon = false;
  bool has_local_data = false;
  bool uses_device = false;  // by what it asks for; by its claims: observe/claims.h
  bool tolerates_the_swap = false;
  bool is_ready = false;
  bool has_run = false;                              // one of its containers, init containers aside
  std::optional<base::WallTime> running_since = {};  // all its containers run since then

  std::vector<base::InternedString> claims = {};  // names of its ResourceClaims, as far as they were made

  base::InternedString digest;         // of the driver that it carries; empty: it was not made by us
  base::InternedString image;          // of its first container
  base::InternedString template_mark;  // what its template is made of besides; empty: it does not say
  bool may_force = false;              // it may end what holds the device
  base::InternedString trouble;        // "ImagePullBackOff: …"

  std::string_view label(std::string_view key) const;
  base::Selector::Lookup lookup() const;
};

// The fields that the facts are made of; of pods of ours some more.
kube::Projection pod_projection();
kube::Projection operand_projection(const vendors::WorkProfile& profile);

PodFacts pod_facts(const kube::Object& pod, const vendors::WorkProfile& profile);
// Of a pod of ours. They are as many as there are nodes, twice, and of their labels only the role is read.
PodFacts operand_facts(const kube::Object& pod, const vendors::WorkProfile& profile);

// The part that the rules see, with what the policy's selectors say of it.
core::PodView pod_view(const PodFacts& facts, const base::Selector& jobs, const base::Selector& drained,
                       const vendors::WorkProfile& profile, const std::string& our_namespace,
                       const kube::Cache<bool>* claims = nullptr);

}  // namespace drover::observe
