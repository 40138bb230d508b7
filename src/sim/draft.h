// An object on its way into the store, and where it lives in memory.
//
// An object of the store is built once, then only read, then goes as a whole. So all its small parts (keys, strings,
// tables) lie in one block, filled from the front: a copy costs one allocation instead of a hundred, and throwing the
// object away costs one instead of walking it. That is most of the difference between 50,000 and 200,000 requests a
// second.
//
// What readers must know: nothing. A value copied out of a stored object lives on the heap and may outlive it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/json.h"
#include "kube/object.h"

namespace drover::sim {

// An object as committed. Shared, never changed.
using Stored = std::shared_ptr<const kube::Object>;

class Draft {
 public:
  // A copy of `source`, with room for about `room` more bytes (more is possible, and costs another block).
  explicit Draft(const json::Value& source, std::size_t room = 0);
  // An empty value with room for about `room` bytes.
  static Draft blank(std::size_t room);
  Draft(Draft&& other) noexcept;
  Draft& operator=(Draft&& other) noexcept;
  ~Draft();

  kube::Object& operator*() { return *object_; }
  const kube::Object& operator*() const { return *object_; }
  kube::Object* operator->() { return object_; }
  const kube::Object* operator->() const { return object_; }

  // Ends the building: from now on the object is shared and constant.
  Stored seal() &&;

  // The bytes that the parts of a value take in a block.
  static std::size_t footprint(const json::Value& value);
  // The memory under a stored object.
  static std::size_t weight(const kube::Object& stored);

  class Block;

 private:
  Draft() = default;

  Block* block_ = nullptr;
  kube::Object* object_ = nullptr;
};

}  // namespace drover::sim
