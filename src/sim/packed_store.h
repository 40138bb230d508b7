// Compact storage of objects that have not changed for long: about a thirtieth of the memory of unpacked ones.
//
// Packed, an object is a run of bytes: kinds, sizes, texts, and keys as numbers of a dictionary that all objects share
// (a thousand pods spell the same few hundred keys). Parts that many objects share (the containers of one
// template's pods, managedFields, timestamps) are stored once, as long as an object refers to them. What comes
// out equals what went in, to the order of its keys. The dictionary has a limited size; keys beyond it are stored as
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/draft.h"

namespace drover::sim {

class PackedStore;

// One packed object, or nothing. It must not outlive its store, to which it gives back what it shares.
class Packed {
 public:
  Packed() = default;
  Packed(Packed&& other) noexcept
      : packed_(std::exchange(other.packed_, nullptr)), size_(other.size_), bytes_(std::move(other.bytes_)) {}
  Packed& operator=(Packed&& other) noexcept {
    std::swap(packed_, other.packed_);
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Packed();

  explicit operator bool() const { return bytes_ != nullptr; }
  std::size_t size() const { return size_; }

 private:
  friend class PackedStore;
  Packed(PackedStore& packed, std::string_view bytes);
  std::string_view bytes() const { return {bytes_.get(), size_}; }

  PackedStore* packed_ = nullptr;
  std::uint32_t size_ = 0;
  std::unique_ptr<char[]> bytes_;
};

class PackedStore {
 public:
  PackedStore() = default;
  PackedStore(const PackedStore&) = delete;
  PackedStore& operator=(const PackedStore&) = delete;

  Packed pack(const kube::Object& object);
  // Only of what `pack` of this store gave.
  Stored unpack(const Packed& packed) const;

  std::size_t keys() const { return keys_.size(); }
  // How many parts are shared now.
  std::size_t parts() const { return part_numbers_.size(); }

 private:
  friend class Packed;
  struct SharedPart {
    std::string spelled;
    std::uint32_t uses = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  void put_key(std::string& out, std::string_view key);
  void put(std::string& out, const json::Value& value);
  void put_members(std::string& out, const json::Members& members);
  void share(std::string& out, std::size_t begin);
  bool was_glimpsed(std::string_view spelled);
  std::uint32_t add_part(std::string_view spelled);
  void release(std::string_view spelled);
  void release_one(const char*& at);
  std::string_view take_key(const char*& at) const;
  void take(const char*& at, json::Value& into) const;

  std::vector<std::string> keys_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;  // looked up only

  std::deque<SharedPart> parts_;  // they do not move: the index below looks into them
  std::vector<std::uint32_t> free_parts_;
  std::unordered_map<std::string_view, std::uint32_t> part_numbers_;  // looked up only
  std::vector<std::uint32_t> glimpsed_;  // of what was spelled lately: what comes again is worth sharing
  std::string spelling_;                 // kept for its memory
};

// One version of an object, shared by all its references: unpacked, or packed with an unpacked copy still in use.
struct StoredState {
  std::shared_ptr<PackedStore> store;  // while it is packed
  Stored open;
  Packed packed;
  std::weak_ptr<const kube::Object> lent;
  bool is_current = false;  // the one in its place in the store

  void pack(const std::shared_ptr<PackedStore>& into);
};

// A reference to a StoredState, or to nothing. Keep this instead of the object to hold many objects for long: unused
// ones are packed meanwhile and unpacked when they are read.
class Kept {
 public:
  Kept() = default;
  Kept(Stored object);
  explicit Kept(std::shared_ptr<StoredState> state) : state_(std::move(state)) {}

  explicit operator bool() const { return state_ != nullptr; }
  // Nothing of nothing.
  Stored open() const;
  operator Stored() const { return open(); }
  const std::shared_ptr<StoredState>& state() const { return state_; }

 private:
  std::shared_ptr<StoredState> state_;
};

}  // namespace drover::sim
