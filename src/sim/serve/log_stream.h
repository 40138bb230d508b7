// One reader of a container's log. A reader has a place in the log, not a queue: one that reads
// slowly loses what the log drops meanwhile.
#pragma once

#include <memory>

#include "base/loop.h"
#include "sim/kubelet_logs.h"
#include "sim/serve/http.h"
#include "sim/serve/log_query.h"
#include "sim/serve/stream.h"

namespace drover::sim {

// What log streams share, and their owner.
struct LogRoom {
  base::Loop& loop;
  LogBook& logs;
  Streams& streams;
};

// Sends `head`, the lines of this run (the one that the query asks for), and the end; when the query follows, the end
// comes with the container's or when the reader goes.
void stream_log(const LogRoom& room, LogQuery query, const LogBook::Run& run, const std::shared_ptr<Exchange>& exchange,
                HttpReply head);

}  // namespace drover::sim
