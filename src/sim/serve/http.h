// What the simulator's doors say of HTTP: the words of serve, known here by their plain names.
#pragma once

#include "http/exchange.h"

namespace drover::sim {

using http::Exchange;
using http::HttpHeader;
using http::HttpReply;
using http::HttpRequest;

}  // namespace drover::sim
