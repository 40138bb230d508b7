// What a reader of container logs asks for, and the text that answers it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "sim/kubelet_logs.h"

namespace drover::sim {

struct LogQuery {
  std::string container;  // "ns/pod/container"
  bool follow = false;
  bool timestamps = false;
  bool previous = false;
  std::optional<std::uint64_t> tail = {};
  std::optional<base::Span> since = {};
  std::optional<base::WallTime> since_time = {};
  std::optional<std::uint64_t> most_bytes = {};
};

// "/containerLogs/NS/POD/CONTAINER?follow=true&tailLines=10". NotFound for other paths; Refused for values that make no
// sense.
base::Result<LogQuery> parse_log_query(std::string_view target);

// The number of the first line that the query wants of this run.
std::uint64_t first_line(const LogQuery& query, const LogBook::Run& run, base::WallTime now);

// Lines from number `next` on, about `most` bytes of them; moves `next` past them.
std::string take_lines(const LogQuery& query, const LogBook::Run& run, std::uint64_t& next, std::size_t most);

}  // namespace drover::sim
