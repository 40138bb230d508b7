// How long a node may be in its phase, and when the time that it has spent there is written into its record, so that
// the next leader goes on from it: a quarter of the limit at most is counted twice, or not at all.
#pragma once

#include <optional>

#include "core/flow.h"
#include "core/policy.h"
#include "core/view.h"

namespace drover::core {

// Nothing: it may stay for as long as it takes.
std::optional<Span> limit_of(const Flow& flow, const Policy& policy, Phase phase);

// How far what is written may be behind; of a phase without a limit nothing depends on it.
Span time_unwritten_at_most(const std::optional<Span>& limit);

// What stands in its record is too old, or the leader before wrote it. At most three times for each limit, and once for
// each leader.
bool time_is_to_be_written(const NodeView& node, const Flow& flow, const Policy& policy);
// When it will be, if nothing happens before.
std::optional<Span> time_is_written_in(const NodeView& node, const Flow& flow, const Policy& policy);

}  // namespace drover::core
