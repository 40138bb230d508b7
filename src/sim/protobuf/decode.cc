#include "sim/protobuf/decode.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/text.h"
#include "base/time.h"
#include "sim/cel/go_text.h"
#include "sim/protobuf/messages.h"

namespace drover::sim::protobuf {
namespace {

using base::Fault;
using base::Result;

constexpr std::string_view kMagic("k8s\0", 4);
constexpr int kMostDepth = 64;

std::unexpected<Fault> broken(std::string_view why) {
  return base::fault(Fault::Kind::Malformed, fmt::format("the protobuf body is broken: {}", why));
}

// One field of a message as it stands in the bytes.
struct Item {
  std::uint32_t number = 0;
  std::uint64_t whole = 0;      // varint and fixed fields
  std::string_view bytes = {};  // length-delimited fields
  bool is_bytes = false;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : left_(bytes) {}
  bool at_end() const { return left_.empty(); }

  Result<Item> next() {
    TRY(const std::uint64_t tag, varint());
    Item item;
    item.number = static_cast<std::uint32_t>(tag >> 3);
    switch (tag & 7) {
      case 0: {
        TRY(item.whole, varint());
        return item;
      }
      case 1: {
        TRY(item.whole, fixed(8));
        return item;
      }
      case 2: {
        TRY(const std::uint64_t length, varint());
        if (length > left_.size()) return broken("a field is longer than what is left");
        item.bytes = left_.substr(0, length);
        item.is_bytes = true;
        left_.remove_prefix(length);
        return item;
      }
      case 5: {
        TRY(item.whole, fixed(4));
        return item;
      }
      default: return broken("a field of an unknown wire type");
    }
  }

 private:
  Result<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (left_.empty()) return broken("it ends inside a number");
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return broken("a number is too long");
  }

  Result<std::uint64_t> fixed(std::size_t size) {
    if (left_.size() < size) return broken("it ends inside a number");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(left_[i])) << (8 * i);
    }
    left_.remove_prefix(size);
    return value;
  }

  std::string_view left_;
};

// The fields of a small message by number: 1, 2 and 3 are all that the wrapped scalars have.
struct Small {
  Item one, two, three;
};
Result<Small> read_small(std::string_view bytes) {
  Small small;
  for (WireReader reader(bytes); !reader.at_end();) {
    TRY(const Item item, reader.next());
    if (item.number == 1) small.one = item;
    if (item.number == 2) small.two = item;
    if (item.number == 3) small.three = item;
  }
  return small;
}

Result<json::Value> time_of(std::string_view bytes, bool micro) {
  TRY(const Small small, read_small(bytes));
  const auto seconds = static_cast<std::int64_t>(small.one.whole);
  if (seconds == 0) return json::Value(nullptr);
  // Years that RFC 3339 cannot write are no times.
  if (seconds < -62'135'596'800 || seconds > 253'402'300'799) return broken("a time outside of the calendar");
  const base::WallTime at = base::WallTime(std::chrono::seconds(seconds)) +
                            std::chrono::microseconds(static_cast<std::int32_t>(small.two.whole) / 1000);
  return json::Value(micro ? base::rfc3339_micro(at) : base::rfc3339(at));
}

Result<json::Value> raw_of(std::string_view bytes) {
  TRY(const Small small, read_small(bytes));
  if (small.one.bytes.empty()) return json::Value(nullptr);
  return json::parse(small.one.bytes);
}

Result<json::Value> message_of(const Message& message, std::string_view bytes, int depth);

Result<json::Value> texts_of(std::string_view bytes) {
  json::Array texts;
  for (WireReader reader(bytes); !reader.at_end();) {
    TRY(const Item item, reader.next());
    if (item.number == 1) texts.emplace_back(item.bytes);
  }
  return json::Value(std::move(texts));
}

Result<json::Value> value_of(const Field& field, const Item& item, int depth) {
  switch (field.shape) {
    case ProtoShape::Text: return json::Value(item.bytes);
    case ProtoShape::Flag: return json::Value(item.whole != 0);
    case ProtoShape::Integer: return json::Value(static_cast<std::int64_t>(item.whole));
    case ProtoShape::Bytes: return json::Value(base::base64_encode(item.bytes));
    case ProtoShape::Number: return json::Value(std::bit_cast<double>(item.whole));
    case ProtoShape::Time: return time_of(item.bytes, false);
    case ProtoShape::MicroTime: return time_of(item.bytes, true);
    case ProtoShape::Raw: return raw_of(item.bytes);
    case ProtoShape::Quantity: {
      TRY(const Small small, read_small(item.bytes));
      return json::Value(small.one.bytes);
    }
    case ProtoShape::IntOrString: {
      TRY(const Small small, read_small(item.bytes));
      if (small.one.whole == 1) return json::Value(small.three.bytes);
      return json::Value(static_cast<std::int64_t>(small.two.whole));
    }
    case ProtoShape::Duration: {
      TRY(const Small small, read_small(item.bytes));
      return json::Value(cel::go_duration(static_cast<std::int64_t>(small.one.whole)));
    }
    case ProtoShape::Message: break;
  }
  if (field.is_text_list) return texts_of(item.bytes);
  if (field.message == nullptr) return json::Value(nullptr);
  return message_of(*field.message, item.bytes, depth + 1);
}

// An absent field of a map's entry is its zero.
Result<void> add_entry(const Field& field, std::string_view bytes, json::Members& map, int depth) {
  TRY(const Small small, read_small(bytes));
  TRY(json::Value value, value_of(field, small.two, depth));
  map[small.one.bytes] = std::move(value);
  return {};
}

bool is_zero(const json::Value& value) {
  if (value.is_null()) return true;
  if (const auto* text = value.if_string()) return text->empty();
  if (const bool* flag = value.if_bool()) return !*flag;
  if (const std::int64_t* number = value.if_int64()) return *number == 0;
  return false;
}

Result<json::Value> message_of(const Message& message, std::string_view bytes, int depth) {
  if (depth > kMostDepth) return broken("it is nested too deep");
  json::Members object;
  for (WireReader reader(bytes); !reader.at_end();) {
    TRY(const Item item, reader.next());
    const auto at = message.fields.find(item.number);
    if (at == message.fields.end()) continue;  // newer than our tables
    const Field& field = at->second;
    if (field.times == Times::Map) {
      json::Value& map = object[field.name];
      if (!map.is_object()) map.emplace_object();
      TRY_VOID(add_entry(field, item.bytes, map.get_object(), depth));
      continue;
    }
    TRY(json::Value value, value_of(field, item, depth));
    if (field.times == Times::List) {
      json::Value& list = object[field.name];
      if (!list.is_array()) list.emplace_array();
      list.get_array().push_back(std::move(value));
    } else if (field.is_inline && value.is_object()) {
      for (auto& member : value.get_object()) object[member.key()] = std::move(member.value());
    } else if (field.keeps_zero ? !value.is_null() : !is_zero(value)) {
      object[field.name] = std::move(value);
    }
  }
  return json::Value(std::move(object));
}

}  // namespace

std::string message_of_kind(std::string_view api_version, std::string_view kind) {
  if (kind == "DeleteOptions") return "meta.DeleteOptions";
  const std::size_t slash = api_version.find('/');
  const std::string_view group = slash == std::string_view::npos ? "core" : api_version.substr(0, slash);
  std::string name = fmt::format("{}.{}", group.substr(0, group.find('.')), kind);
  return find_message(name) == nullptr ? std::string() : name;
}

Result<json::Value> decode(std::string_view body) {
  if (!body.starts_with(kMagic)) {
    return base::fault(Fault::Kind::Malformed,
                       "provided data does not appear to be a protobuf message, expected prefix");
  }
  Small envelope;
  TRY(envelope, read_small(body.substr(kMagic.size())));
  TRY(const Small meta, read_small(envelope.one.bytes));
  const std::string_view api_version = meta.one.bytes;
  const std::string_view kind = meta.two.bytes;
  const Message* message = find_message(message_of_kind(api_version, kind));
  if (message == nullptr) {
    return base::fault(
        Fault::Kind::Malformed,
        fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
                    base::one_line(kind), base::one_line(api_version)));
  }
  TRY(json::Value object, message_of(*message, envelope.two.bytes, 0));
  object.get_object()["kind"] = kind;
  object.get_object()["apiVersion"] = api_version;
  return object;
}

}  // namespace drover::sim::protobuf
