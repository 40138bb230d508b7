// Which field of which message has which number: the part of the typed clients' wire format that is not in the bytes.
//
// At rest: lines "package.Message: NUMBER NAME TYPE, …;". NAME is the member's name in JSON. TYPE is s (text), b
// (flag), i (integer), y (bytes), d (number), T (metav1.Time), M (MicroTime), Q (Quantity), I (IntOrString), D
// (Duration), R (raw JSON), or a message (of the same package when it names none); after it "[]" for lists, "{}" for
// maps by text,
// "?" where zero is a value and not an absence, "^" where the members belong to the object around it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace drover::sim::protobuf {

extern const std::string_view kCoreMessages;
extern const std::string_view kGroupMessages;

enum class ProtoShape {
  Text,
  Flag,
  Integer,
  Bytes,
  Number,
  Time,
  MicroTime,
  Quantity,
  IntOrString,
  Duration,
  Raw,
  Message
};
enum class Times { Once, List, Map };

struct Message;

struct Field {
  std::string_view name;
  ProtoShape shape = ProtoShape::Text;
  Times times = Times::Once;
  bool keeps_zero = false;
  bool is_inline = false;
  bool is_text_list = false;  // a message that only wraps a list of texts
  std::string type = {};      // of a Message
  const Message* message = nullptr;
};

struct Message {
  std::string_view name;
  std::map<std::uint32_t, Field> fields = {};
};

// By "core.Pod"; nullptr when there is none.
const Message* find_message(std::string_view name);

}  // namespace drover::sim::protobuf
