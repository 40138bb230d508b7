// Asio's side of the event loop, for code that talks to sockets on it (kube/net, the simulator's log server) and no
// other code.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <deque>
#include <functional>
#include <optional>

#include "kube/http_api.h"

namespace drover::kube {

struct AsioLoop::Body {
  boost::asio::io_context io{1};
  std::optional<boost::asio::signal_set> signals;
  std::deque<std::function<void()>> due;  // callbacks whose time has come; some of them run at a time
  bool is_running_due = false;

  void call_soon(std::function<void()> then);
  void run_due();
};

}  // namespace drover::kube
