// Reads Tenstorrent's TenstorrentDriverPolicy (driver.tenstorrent.com/v1alpha1, cluster-scoped): which version of
// tt-kmd its nodes are to have and how it is upgraded.
//
// Pure: an object in, a reading out. Absent fields mean the document's defaults. A field that cannot be used is a
// trouble with its path and what would be right; nothing of a reading with trouble outside upgradePolicy is rendered.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/selector.h"
#include "vendors/desired.h"
#include "vendors/shared/upgrade_policy.h"

namespace drover::vendors {

struct DriverPolicyReading {
  PolicyReading upgrade;     // its policy.trouble speaks of every trouble here; `drained` is the second pass's filter
  std::string version = {};  // of tt-kmd
  std::string image = {};    // of the builder; "": the operator's default
  std::string pull_policy = "IfNotPresent";
  bool kills_holders = false;               // forceUnload
  base::Selector nodes = {};                // nodeAffinity, or its older name
  bool nodes_are_known = false;             // that could be read
  std::vector<FieldTrouble> troubles = {};  // all of them
  bool can_be_rendered = true;              // no trouble outside upgradePolicy

  // Whether this policy means a node with these labels: device, selector, and not skipped.
  bool selects(const LabelsOf& labels, bool needs_pci_label = true) const;
};

DriverPolicyReading read_driver_policy(const json::Value& object);

}  // namespace drover::vendors
