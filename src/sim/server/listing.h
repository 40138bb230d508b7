// One page of a list, consistent with the pages before it.
#pragma once

#include <string>

#include "sim/server.h"
#include "sim/server/catalog.h"
#include "sim/store.h"

namespace drover::sim {

Answer<ListPage> list_page(const Store& store, const ResourceRules& rules, const Filter& filter, int limit,
                           const std::string& continue_token, const std::string& resource_version);

}  // namespace drover::sim
