// Where objects lie that nobody has changed for long: packed, at about a tenth of the memory they take when they are
// open to reading.
//
// Packed, an object is a run of bytes: kinds, sizes, texts, and keys as numbers of a dictionary that all objects share
// (a thousand pods spell the same few hundred keys). What comes out equals what went in, to the order of its keys. The
// dictionary has an end; keys beyond it are spelled out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/draft.h"

namespace drover::sim {

class Cellar {
 public:
  std::string pack(const kube::Object& object);
  // Only of what `pack` of this cellar gave.
  Stored unpack(std::string_view packed) const;

  std::size_t keys() const { return keys_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  void put_key(std::string& out, std::string_view key);
  void put(std::string& out, const json::Value& value);
  std::string_view take_key(const char*& at) const;
  void take(const char*& at, json::Value& into) const;

  std::vector<std::string> keys_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;  // looked up only
};

}  // namespace drover::sim
