// What the simulator's doors say of HTTP: the words of serve, known here by their plain names.
#pragma once

#include "serve/exchange.h"

namespace drover::sim {

using serve::Exchange;
using serve::HttpHeader;
using serve::HttpReply;
using serve::HttpRequest;

}  // namespace drover::sim
