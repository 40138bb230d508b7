// What happened on each simulated node and when, as JSON lines: the independent clock of measurements.
//
//   {"at":"2026-11-15T16:22:04.123456Z","mono":12.345678901,"event":"ready","node":"acme-1","pod":"ns/name","uid":"…"}
//
// Written at the moment of the effect (not when the API server has heard of it), one whole line at a time, in order.
// Events of pods: deleted-seen (evicted when the pod says so), stopped, gone, admitted, pull-began, pulled,
// pull-failed, started, ready, unready, exited, succeeded, failed. Of nodes: registered, module-loaded,
// module-unloaded, reboot-began, booted, node-ready, lost, returned, deleted, lease-failed.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/loop.h"
#include "base/result.h"

namespace drover::sim {

class Journal {
 public:
  using Sink = std::function<void(std::string_view line)>;
  Journal(const base::Loop& loop, Sink sink) : loop_(loop), sink_(std::move(sink)) {}

  // Appends to the file (made when missing), each line handed to the system before the call returns.
  static base::Result<std::unique_ptr<Journal>> open(const base::Loop& loop, const std::string& path);

  struct Where {
    std::string_view node;
    std::string_view pod = {};  // "ns/name"
    std::string_view uid = {};
    std::string_view container = {};
  };
  using More = std::initializer_list<std::pair<std::string_view, boost::json::value_ref>>;
  void note(std::string_view event, const Where& where, More more = {});

 private:
  const base::Loop& loop_;
  Sink sink_;
};

}  // namespace drover::sim
