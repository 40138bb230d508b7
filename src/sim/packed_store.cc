#include "sim/packed_store.h"

#include <cstring>

namespace drover::sim {
namespace {

constexpr std::size_t kMostKeys = 1 << 16;
constexpr std::size_t kLongestKey = 128;

// Naming a part takes up to five bytes, and keeping it about a hundred.
constexpr std::size_t kShortestPart = 16;
constexpr std::size_t kLongestPart = 4096;
constexpr std::size_t kGlimpses = 1 << 15;

enum class Mark : char { Null, False, True, Int, Unsigned, Double, Text, List, Members, Part };

void put_mark(std::string& out, Mark mark) { out += static_cast<char>(mark); }

// Seven bits a byte, the last without the eighth.
void put_number(std::string& out, std::uint64_t number) {
  while (number >= 0x80) {
    out += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  out += static_cast<char>(number);
}

std::uint64_t take_number(const char*& at) {
  std::uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

std::string_view take_text(const char*& at) {
  const auto size = take_number(at);
  const std::string_view text(at, size);
  at += size;
  return text;
}

}  // namespace

void PackedStore::put_key(std::string& out, std::string_view key) {
  auto found = numbers_.find(key);
  if (found == numbers_.end() && keys_.size() < kMostKeys && key.size() <= kLongestKey) {
    keys_.emplace_back(key);
    found = numbers_.emplace(std::string(key), static_cast<std::uint32_t>(keys_.size())).first;
  }
  if (found != numbers_.end()) return put_number(out, found->second);
  put_number(out, 0);
  put_text(out, key);
}

std::string_view PackedStore::take_key(const char*& at) const {
  const auto number = take_number(at);
  return number == 0 ? take_text(at) : std::string_view(keys_[number - 1]);
}

void PackedStore::put(std::string& out, const json::Value& value) {
  const std::size_t begin = out.size();
  switch (value.kind()) {
    case boost::json::kind::null: return put_mark(out, Mark::Null);
    case boost::json::kind::bool_: return put_mark(out, value.get_bool() ? Mark::True : Mark::False);
    case boost::json::kind::int64: {
      put_mark(out, Mark::Int);
      const std::int64_t number = value.get_int64();
      // The sign goes last, so that small numbers of either sign stay short.
      return put_number(out, (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63));
    }
    case boost::json::kind::uint64: put_mark(out, Mark::Unsigned); return put_number(out, value.get_uint64());
    case boost::json::kind::double_: {
      put_mark(out, Mark::Double);
      const double number = value.get_double();
      char bytes[sizeof number];
      std::memcpy(bytes, &number, sizeof number);
      out.append(bytes, sizeof number);
      return;
    }
    case boost::json::kind::string:
      put_mark(out, Mark::Text);
      put_text(out, value.get_string());
      return share(out, begin);
    case boost::json::kind::array:
      put_mark(out, Mark::List);
      put_number(out, value.get_array().size());
      for (const json::Value& element : value.get_array()) put(out, element);
      return share(out, begin);
    case boost::json::kind::object: put_members(out, value.get_object()); return share(out, begin);
  }
}

void PackedStore::put_members(std::string& out, const json::Members& members) {
  put_mark(out, Mark::Members);
  put_number(out, members.size());
  for (const auto& member : members) {
    put_key(out, member.key());
    put(out, member.value());
  }
}

// Shared parts.

// What was spelled from `begin` on becomes the name of a part when it is one, or comes for the second time.
void PackedStore::share(std::string& out, std::size_t begin) {
  const std::string_view spelled = std::string_view(out).substr(begin);
  if (spelled.size() < kShortestPart || spelled.size() > kLongestPart) return;
  std::uint32_t number = 0;
  if (const auto found = part_numbers_.find(spelled); found != part_numbers_.end()) {
    number = found->second;
    ++parts_[number].uses;  // first: the parts of this one are named by it as well
    release(spelled);
  } else if (was_glimpsed(spelled)) {
    number = add_part(spelled);  // which takes over the parts that were named
    ++parts_[number].uses;
  } else {
    return;
  }
  out.resize(begin);
  put_mark(out, Mark::Part);
  put_number(out, number);
}

bool PackedStore::was_glimpsed(std::string_view spelled) {
  if (glimpsed_.empty()) glimpsed_.resize(kGlimpses);
  const std::uint64_t digest = Hash()(spelled);
  std::uint32_t& glimpse = glimpsed_[digest % kGlimpses];
  const auto tag = static_cast<std::uint32_t>(digest >> 32);
  return std::exchange(glimpse, tag) == tag;
}

std::uint32_t PackedStore::add_part(std::string_view spelled) {
  std::uint32_t number = 0;
  if (free_parts_.empty()) {
    number = static_cast<std::uint32_t>(parts_.size());
    parts_.emplace_back();
  } else {
    number = free_parts_.back();
    free_parts_.pop_back();
  }
  parts_[number].spelled = spelled;
  part_numbers_.emplace(parts_[number].spelled, number);
  return number;
}

void PackedStore::release(std::string_view spelled) {
  for (const char* at = spelled.data(); at != spelled.data() + spelled.size();) release_one(at);
}

void PackedStore::release_one(const char*& at) {
  switch (static_cast<Mark>(*at++)) {
    case Mark::Null:
    case Mark::False:
    case Mark::True: return;
    case Mark::Int:
    case Mark::Unsigned: take_number(at); return;
    case Mark::Double: at += sizeof(double); return;
    case Mark::Text: take_text(at); return;
    case Mark::List:
      for (auto left = take_number(at); left > 0; --left) release_one(at);
      return;
    case Mark::Members:
      for (auto left = take_number(at); left > 0; --left) {
        if (take_number(at) == 0) take_text(at);
        release_one(at);
      }
      return;
    case Mark::Part: {
      const auto number = static_cast<std::uint32_t>(take_number(at));
      if (--parts_[number].uses > 0) return;
      part_numbers_.erase(parts_[number].spelled);
      const std::string unused = std::exchange(parts_[number].spelled, {});
      free_parts_.push_back(number);
      release(unused);
      return;
    }
  }
}

// Opening again.

void PackedStore::take(const char*& at, json::Value& into) const {
  switch (static_cast<Mark>(*at++)) {
    case Mark::Null: into = nullptr; return;
    case Mark::False: into = false; return;
    case Mark::True: into = true; return;
    case Mark::Int: {
      const auto number = take_number(at);
      into = static_cast<std::int64_t>((number >> 1) ^ (~(number & 1) + 1));
      return;
    }
    case Mark::Unsigned: into = take_number(at); return;
    case Mark::Double: {
      double number = 0;
      std::memcpy(&number, at, sizeof number);
      at += sizeof number;
      into = number;
      return;
    }
    case Mark::Text: into.emplace_string() = take_text(at); return;
    case Mark::List: {
      const auto size = take_number(at);
      json::Array& list = into.emplace_array();
      list.reserve(size);
      for (std::uint64_t i = 0; i < size; ++i) take(at, list.emplace_back(nullptr));
      return;
    }
    case Mark::Members: {
      const auto size = take_number(at);
      json::Members& members = into.emplace_object();
      members.reserve(size);
      for (std::uint64_t i = 0; i < size; ++i) {
        const std::string_view key = take_key(at);
        take(at, members.emplace(key, nullptr).first->value());
      }
      return;
    }
    case Mark::Part: {
      const char* part = parts_[take_number(at)].spelled.data();
      return take(part, into);
    }
  }
}

Packed PackedStore::pack(const kube::Object& object) {
  spelling_.clear();
  put_number(spelling_, Draft::footprint(object));
  put(spelling_, object);
  return Packed(*this, spelling_);
}

Stored PackedStore::unpack(const Packed& packed) const {
  const char* at = packed.bytes().data();
  Draft object = Draft::blank(take_number(at));
  take(at, *object);
  return std::move(object).seal();
}

Packed::Packed(PackedStore& packed, std::string_view bytes)
    : packed_(&packed),
      size_(static_cast<std::uint32_t>(bytes.size())),
      bytes_(std::make_unique_for_overwrite<char[]>(bytes.size())) {
  bytes.copy(bytes_.get(), bytes.size());
}

Packed::~Packed() {
  if (packed_ == nullptr || !bytes_) return;
  const char* at = bytes_.get();
  take_number(at);
  packed_->release_one(at);
}

void StoredState::pack(const std::shared_ptr<PackedStore>& into) {
  store = into;
  packed = into->pack(*open);
  const Stored object = std::exchange(open, nullptr);
  if (object.use_count() > 1) lent = object;
}

Kept::Kept(Stored object) {
  if (!object) return;
  state_ = std::make_shared<StoredState>();
  state_->open = std::move(object);
}

Stored Kept::open() const {
  if (!state_ || state_->open) return state_ ? state_->open : nullptr;
  Stored object = state_->lent.lock();
  if (!object) state_->lent = object = state_->store->unpack(state_->packed);
  return object;
}

}  // namespace drover::sim
