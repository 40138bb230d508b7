// Blocks, and why a value that outlives its block is safe.
//
// Every JSON value remembers the memory resource it was made with, and a copy of it uses the same one. Here that is the
// Block. A Block is therefore never destroyed: when its object goes, it is emptied and used again for another. While it
// is open (an object is being built) it hands out its own memory; once sealed it hands out memory from the heap, and
// takes back either. So a copy of a stored object is an ordinary value on the heap, whose resource pointer stays
// valid for ever.
#include "sim/draft.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace drover::sim {
namespace {

// Boost.JSON's layout: 24 bytes a value, 40 a member, a header before every table, 15 characters of a string inside the
// value.
constexpr std::size_t kKeyTable = 24;
constexpr std::size_t kMember = 40;
constexpr std::size_t kHashedFrom = 18;

constexpr std::size_t kAlignment = alignof(std::max_align_t);
constexpr std::size_t kMostKept = 64;        // empty blocks that keep their memory for the next object
constexpr std::size_t kLargestKept = 32768;  // of at most this size

}  // namespace

std::size_t Draft::footprint(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::string: {
      const std::size_t size = value.get_string().size();
      return size <= 15 ? 0 : size + 16;
    }
    case boost::json::kind::array: {
      const json::Array& array = value.get_array();
      std::size_t sum = array.empty() ? 0 : kKeyTable + array.size() * sizeof(json::Value);
      for (const json::Value& element : array) sum += footprint(element);
      return sum;
    }
    case boost::json::kind::object: {
      const json::Members& members = value.get_object();
      std::size_t sum = members.empty() ? 0 : kKeyTable + members.size() * kMember;
      if (members.size() > kHashedFrom) sum += members.size() * sizeof(std::uint32_t);
      for (const auto& member : members) sum += member.key().size() + 1 + footprint(member.value());
      return sum;
    }
    default: return 0;
  }
}

class Draft::Block final : public boost::json::memory_resource {
 public:
  // An empty, open block of at least `bytes`.
  static Block* open(std::size_t bytes) {
    std::vector<Block*>& idle = idle_blocks();
    Block* block = nullptr;
    if (idle.empty()) {
      block = new Block;
    } else {
      block = idle.back();
      idle.pop_back();
    }
    // An idle block's memory serves again when it is about the right size: large blocks under small objects add up.
    if (block->size_ < bytes || block->size_ > 2 * bytes) {
      block->memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      block->size_ = bytes;
    }
    block->begin_ = block->free_ = block->memory_.get();
    block->end_ = block->free_ + block->size_;
    block->used_before_ = 0;
    block->is_open_ = true;
    return block;
  }

  void seal() { is_open_ = false; }

  // The object is gone: nothing of it is walked or destroyed.
  void empty() {
    is_open_ = false;
    more_.clear();
    std::vector<Block*>& idle = idle_blocks();
    if (idle.size() >= kMostKept || size_ > kLargestKept) {
      memory_.reset();
      size_ = 0;
    }
    begin_ = free_ = end_ = nullptr;
    used_before_ = 0;
    idle.push_back(this);
  }

  // Bytes handed out since it was opened; 0 when it is empty.
  std::size_t used() const { return used_before_ + static_cast<std::size_t>(free_ - begin_); }

 private:
  struct More {
    std::unique_ptr<std::byte[]> memory;
    std::byte* end;
  };

  Block() = default;

  // Blocks that wait for an object. They are never destroyed (see above), so neither is their list.
  static std::vector<Block*>& idle_blocks() {
    static thread_local auto* const kIdle = new std::vector<Block*>;
    return *kIdle;
  }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (!is_open_) return ::operator new(bytes);
    // Alignments are powers of two, and a division here would cost as much as everything else.
    const std::size_t padding = -reinterpret_cast<std::uintptr_t>(free_) & (alignment - 1);
    if (padding + bytes > static_cast<std::size_t>(end_ - free_)) {
      grow(bytes);
      return do_allocate(bytes, alignment);
    }
    std::byte* found = free_ + padding;
    free_ = found + bytes;
    return found;
  }

  void do_deallocate(void* at, std::size_t /*bytes*/, std::size_t /*alignment*/) override {
    if (!is_mine(at)) ::operator delete(at);
  }

  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override { return this == &other; }

  bool is_mine(const void* at) const {
    if (at >= memory_.get() && at < memory_.get() + size_) return true;
    return std::any_of(more_.begin(), more_.end(),
                       [at](const More& more) { return at >= more.memory.get() && at < more.end; });
  }

  void grow(std::size_t bytes) {
    const std::size_t size = std::max<std::size_t>(bytes + kAlignment, 1024);
    used_before_ = used();
    more_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), nullptr});
    begin_ = free_ = more_.back().memory.get();
    end_ = more_.back().end = free_ + size;
  }

  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
  std::byte* begin_ = nullptr;  // of the memory being filled: the first piece, or the newest of `more_`
  std::byte* free_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t used_before_ = 0;
  bool is_open_ = false;
  std::vector<More> more_;
};

Draft::Draft(const json::Value& source, std::size_t room) {
  // A stored object knows its size; others are measured.
  const auto* its_block = dynamic_cast<const Block*>(source.storage().get());
  const std::size_t size = its_block != nullptr && its_block->used() > 0 ? its_block->used() : footprint(source);
  block_ = Block::open(sizeof(kube::Object) + kAlignment + size + room);
  void* place = block_->allocate(sizeof(kube::Object), alignof(kube::Object));
  object_ = new (place) kube::Object(source, boost::json::storage_ptr(block_));
}

std::size_t Draft::weight(const kube::Object& stored) {
  const auto* its_block = dynamic_cast<const Block*>(stored.storage().get());
  return its_block != nullptr ? its_block->used() : footprint(stored);
}

Draft Draft::blank(std::size_t room) {
  Draft draft;
  draft.block_ = Block::open(sizeof(kube::Object) + kAlignment + room);
  void* place = draft.block_->allocate(sizeof(kube::Object), alignof(kube::Object));
  draft.object_ = new (place) kube::Object(boost::json::storage_ptr(draft.block_));
  return draft;
}

Draft::Draft(Draft&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)), object_(std::exchange(other.object_, nullptr)) {}

Draft& Draft::operator=(Draft&& other) noexcept {
  std::swap(block_, other.block_);
  std::swap(object_, other.object_);
  return *this;
}

Draft::~Draft() {
  if (block_ != nullptr) block_->empty();
}

Stored Draft::seal() && {
  Block* block = std::exchange(block_, nullptr);
  block->seal();
  return Stored(std::exchange(object_, nullptr), [block](const kube::Object*) { block->empty(); });
}

}  // namespace drover::sim
