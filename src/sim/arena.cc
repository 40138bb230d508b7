#include "sim/arena.h"

#include <cstdint>
#include <memory>
#include <new>

namespace drover::sim {
namespace {

// One block, filled from the front. Nothing is given back to it; it goes as a whole.
class Block final : public boost::json::memory_resource {
 public:
  explicit Block(std::size_t bytes) : bytes_(new std::byte[bytes]), free_(bytes_.get()), end_(bytes_.get() + bytes) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const auto at = reinterpret_cast<std::uintptr_t>(free_);
    const std::size_t padding = (alignment - at % alignment) % alignment;
    if (padding + bytes > static_cast<std::size_t>(end_ - free_))
      return ::operator new(bytes, std::align_val_t(alignment));
    std::byte* found = free_ + padding;
    free_ = found + bytes;
    return found;
  }

  void do_deallocate(void* at, std::size_t /*bytes*/, std::size_t alignment) override {
    if (at >= bytes_.get() && at < end_) return;
    ::operator delete(at, std::align_val_t(alignment));
  }

  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override { return this == &other; }

  std::unique_ptr<std::byte[]> bytes_;
  std::byte* free_;
  std::byte* end_;
};

// Boost.JSON's layout: 24 bytes a value, 40 a member, a header before every table, 15 characters of a string inside the
// value.
constexpr std::size_t kTable = 24;
constexpr std::size_t kMember = 40;
constexpr std::size_t kHashedFrom = 18;

std::size_t footprint_below(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::string: {
      const std::size_t size = value.get_string().size();
      return size <= 15 ? 0 : size + 16;
    }
    case boost::json::kind::array: {
      const json::Array& array = value.get_array();
      std::size_t sum = array.empty() ? 0 : kTable + array.size() * sizeof(json::Value);
      for (const json::Value& element : array) sum += footprint_below(element);
      return sum;
    }
    case boost::json::kind::object: {
      const json::Members& members = value.get_object();
      std::size_t sum = members.empty() ? 0 : kTable + members.size() * kMember;
      if (members.size() > kHashedFrom) sum += members.size() * sizeof(std::uint32_t);
      for (const auto& member : members) sum += member.key().size() + 1 + footprint_below(member.value());
      return sum;
    }
    default: return 0;
  }
}

}  // namespace

std::size_t footprint(const json::Value& value) { return footprint_below(value) + 16; }

json::Value copy_into_block(const json::Value& source, std::size_t room) {
  return json::Value(source, boost::json::make_shared_resource<Block>(footprint(source) + room));
}

}  // namespace drover::sim
