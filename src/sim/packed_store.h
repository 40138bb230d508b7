// Where objects lie that nobody has changed for long: packed, at about a thirtieth of the memory they take when they
// are open to reading.
//
// Packed, an object is a run of bytes: kinds, sizes, texts, and keys as numbers of a dictionary that all objects share
// (a thousand pods spell the same few hundred keys). Parts that many objects have alike (the containers of one
// template's pods, who owns which fields, a moment) lie here once, for as long as an object names them. What comes out
// equals what went in, to the order of its keys. The dictionary of keys has an end; keys beyond it are spelled out.
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
  struct Part {
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

  std::deque<Part> parts_;  // they do not move: the index below looks into them
  std::vector<std::uint32_t> free_parts_;
  std::unordered_map<std::string_view, std::uint32_t> part_numbers_;  // looked up only
  std::vector<std::uint32_t> glimpsed_;  // of what was spelled lately: what comes again is worth sharing
  std::string spelling_;                 // kept for its memory
};

// One state of an object, shared by all who refer to it: open, or packed and perhaps in somebody's hands.
struct Lot {
  std::shared_ptr<PackedStore> store;  // while it is packed
  Stored open;
  Packed packed;
  std::weak_ptr<const kube::Object> lent;
  bool is_current = false;  // the one in its place in the store

  void pack(const std::shared_ptr<PackedStore>& into);
};

// What refers to it, or to nothing. Whoever keeps many objects for later keeps these: the objects that nobody looks at
// are packed away meanwhile, and opened again for whoever looks.
class Kept {
 public:
  Kept() = default;
  Kept(Stored object);
  explicit Kept(std::shared_ptr<Lot> lot) : lot_(std::move(lot)) {}

  explicit operator bool() const { return lot_ != nullptr; }
  // Nothing of nothing.
  Stored open() const;
  operator Stored() const { return open(); }
  const std::shared_ptr<Lot>& lot() const { return lot_; }

 private:
  std::shared_ptr<Lot> lot_;
};

}  // namespace drover::sim
