// What we want to know of a node: made from a projected Node, kept for every node of the fleet, so it is small.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cow_ptr.h"
#include "base/interned_string.h"
#include "base/time.h"
#include "kube/object.h"
#include "kube/projection.h"
#include "protocol/record.h"
#include "protocol/report.h"
#include "vendors/work_profile.h"

namespace drover::observe {

// Who set what on the Node, by its managedFields.
struct FieldOwners {
  bool are_known = false;  // the server keeps them
  bool cordon_is_ours = false;
  base::InternedString cordon_by = {};  // the manager that set spec.unschedulable, when it is not drover
  bool scale_down_is_ours = false;
  std::vector<base::InternedString> labels = {};  // that drover set

  bool owns_label(std::string_view key) const;
};

struct NodeFacts {
  std::string name;
  std::string uid;
  std::string version;  // resourceVersion
  std::string boot;
  std::vector<std::pair<base::InternedString, base::InternedString>> labels;       // those that drover reads
  std::vector<std::pair<base::InternedString, base::InternedString>> annotations;  // likewise
  bool is_cordoned = false;
  bool is_tainted = false;                // by us
  json::Array taints = {};                // all of them, as they are to be written back
  base::InternedString allocatable = {};  // as JSON, kept once for all nodes that are alike
  bool is_ready = false;
  std::vector<std::pair<base::InternedString, base::InternedString>> blocked =
      {};  // by type of our conditions that are True: their reason
  std::optional<base::WallTime> unready_since = {};

  FieldOwners owners = {};
  base::CowPtr<protocol::Record> record = {};
  std::string record_trouble = {};  // it is there and cannot be read
  std::vector<std::pair<base::InternedString, protocol::Report>> reports =
      {};  // of agents, by annotation, about this boot

  // "" when absent.
  std::string_view label(std::string_view key) const;
  bool has_label(std::string_view key) const;
  std::string_view annotation(std::string_view key) const;
  // The reason of our condition of this type; "" while it is not True.
  std::string_view blocked_by(std::string_view type) const;
  // nullptr when there is none about this boot.
  const protocol::Report* report(std::string_view key) const;
};

// The fields that the facts are made of; `labels` are further keys that policies select by.
kube::Projection node_projection(vendors::WorkProfiles profiles, const std::vector<std::string>& labels = {});

NodeFacts node_facts(const kube::Object& node);

}  // namespace drover::observe
