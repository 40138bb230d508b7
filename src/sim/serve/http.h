// The HTTP types of serve, under short names for the simulator.
#pragma once

#include "http/exchange.h"

namespace drover::sim {

using http::Exchange;
using http::HttpHeader;
using http::HttpReply;
using http::HttpRequest;

}  // namespace drover::sim
