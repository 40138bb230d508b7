// Whether a pod of a DaemonSet could be on a node, before there is one: its template beside the node.
//
// A DaemonSet's controller makes no pod where a taint or a label is against it, and says nothing; a pod that asks for
// more than the whole node has waits for ever. What other pods have taken is not looked at: they may go.
#pragma once

#include <string>

#include "base/json.h"
#include "kube/placement.h"
#include "observe/node_facts.h"

namespace drover::observe {

// Why it could not, in words that name the field; "" when it could. `label` is asked instead of the node's labels, as
// some are written together with the swap.
std::string misfit_of(const json::Value& pod_spec, const NodeFacts& node, const kube::LabelOf& label);

}  // namespace drover::observe
