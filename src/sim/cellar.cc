#include "sim/cellar.h"

#include <cstring>

namespace drover::sim {
namespace {

constexpr std::size_t kMostKeys = 1 << 16;
constexpr std::size_t kLongestKey = 128;

enum class Mark : char { Null, False, True, Int, Unsigned, Double, Text, List, Members };

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

void Cellar::put_key(std::string& out, std::string_view key) {
  auto found = numbers_.find(key);
  if (found == numbers_.end() && keys_.size() < kMostKeys && key.size() <= kLongestKey) {
    keys_.emplace_back(key);
    found = numbers_.emplace(std::string(key), static_cast<std::uint32_t>(keys_.size())).first;
  }
  if (found != numbers_.end()) return put_number(out, found->second);
  put_number(out, 0);
  put_text(out, key);
}

std::string_view Cellar::take_key(const char*& at) const {
  const auto number = take_number(at);
  return number == 0 ? take_text(at) : std::string_view(keys_[number - 1]);
}

void Cellar::put(std::string& out, const json::Value& value) {
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
    case boost::json::kind::string: put_mark(out, Mark::Text); return put_text(out, value.get_string());
    case boost::json::kind::array:
      put_mark(out, Mark::List);
      put_number(out, value.get_array().size());
      for (const json::Value& element : value.get_array()) put(out, element);
      return;
    case boost::json::kind::object:
      put_mark(out, Mark::Members);
      put_number(out, value.get_object().size());
      for (const auto& member : value.get_object()) {
        put_key(out, member.key());
        put(out, member.value());
      }
      return;
  }
}

void Cellar::take(const char*& at, json::Value& into) const {
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
  }
}

std::string Cellar::pack(const kube::Object& object) {
  std::string packed;
  packed.reserve(2048);
  put_number(packed, Draft::footprint(object));
  put(packed, object);
  packed.shrink_to_fit();
  return packed;
}

Stored Cellar::unpack(std::string_view packed) const {
  const char* at = packed.data();
  Draft object = Draft::blank(take_number(at));
  take(at, *object);
  return std::move(object).seal();
}

}  // namespace drover::sim
