// Answers one reader of a container's log, whoever serves it. A reader has a place in the log, not a queue: one that
// reads slowly loses what the log drops meanwhile.
#pragma once

#include <memory>

#include "base/loop.h"
#include "sim/kubelet_logs.h"
#include "sim/serve/exchange.h"
#include "sim/serve/log_query.h"

namespace drover::sim {

// Sends the lines and ends, or, for a query that follows, goes on until the container ends or the reader goes. A
// container without a log is answered with a line that says why. The logs must outlive the exchange.
void stream_log(LogBook& logs, LogQuery query, base::WallTime now, std::shared_ptr<Exchange> exchange);

}  // namespace drover::sim
