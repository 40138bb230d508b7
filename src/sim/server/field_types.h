// What kind of thing stands at a place in an object: what strategic merge patch and server-side apply must know beyond
// JSON.
//
// A place is named by its keys; list elements add nothing ("spec", "containers", "ports"). Built-in kinds are described
// by one table; a custom resource brings the answers of its schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drover::sim {

using Place = std::vector<std::string_view>;

struct FieldType {
  enum class List { Atomic, Set, Map };
  List list = List::Atomic;            // how apply sees a list here
  std::vector<std::string> keys = {};  // what tells the elements of a Map list apart, sorted
  bool atomic_object = false;          // apply: an object here has one owner
  bool free_keys = false;              // an object here has data for keys (labels), not fields

  bool merges = false;         // strategic merge patch: lists are merged, not replaced
  std::string merge_key = {};  // by this key; "" for lists of plain values
  bool replaces = false;       // strategic merge patch: an object here is replaced
};

class FieldTypes {
 public:
  virtual ~FieldTypes() = default;
  virtual FieldType at(const Place& place) const = 0;
};

// The built-in kinds; `kind` decides where the same field name means different things.
const FieldTypes& built_in_types(std::string_view kind);
// Nothing is known: objects have free keys, lists are atomic.
const FieldTypes& unknown_types();

// The value that a missing list key stands for ("TCP" for a port's protocol); "" when none.
std::string_view default_of_key(std::string_view key);

}  // namespace drover::sim
