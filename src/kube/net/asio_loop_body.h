// Asio's side of the event loop, for those who talk to sockets on it (kube/net, the simulator's log server) and nobody
// else.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <optional>

#include "kube/http_api.h"

namespace drover::kube {

struct AsioLoop::Body {
  boost::asio::io_context io{1};
  std::optional<boost::asio::signal_set> signals;
};

}  // namespace drover::kube
