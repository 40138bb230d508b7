// Where stored objects live in memory.
//
// An object of the store is copied once and then never changed, so all its small parts (keys, strings, tables) can lie
// in one block: a copy costs one allocation instead of a hundred, and 50,000 pods cost half the memory. The block is
// counted by the JSON values in it, so a value copied or moved out of a stored object may outlive it. What does not fit
// into the block (the object grew after it was measured) comes from the heap and goes back there.
#pragma once

#include <cstddef>

#include "base/json.h"

namespace drover::sim {

// A deep copy in a block of its own, with room for about `room` more bytes.
json::Value copy_into_block(const json::Value& source, std::size_t room = 0);

// About how many bytes a deep copy of this value needs.
std::size_t footprint(const json::Value& value);

}  // namespace drover::sim
