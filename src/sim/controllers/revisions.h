// ControllerRevisions: the templates that a DaemonSet had, numbered, so that a roll-back can find them and pods can say
// which one they were made from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/selector.h"
#include "kube/api.h"
#include "sim/controllers/controller.h"
#include "sim/server.h"

namespace drover::sim {

struct Revisions {
  Stored current;
  std::vector<Stored> old;  // oldest first
};

using Ask = std::function<Answer<Stored>(kube::Request)>;

// Finds the revision equal to the DaemonSet's template, or makes it; an old one that is equal again becomes the newest.
// Revisions that match `selector` and have no controller are adopted, duplicates removed.
Answer<Revisions> current_revision(const Store& store, const Ask& ask, const kube::Object& ds,
                                   const base::Selector& selector);

// What a ControllerRevision holds: a patch that puts the template back.
json::Value revision_payload(const kube::Object& ds);

}  // namespace drover::sim
