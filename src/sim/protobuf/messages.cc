#include "sim/protobuf/messages.h"

#include "base/text.h"

namespace drover::sim::protobuf {
namespace {

using Messages = std::map<std::string, Message, std::less<>>;

ProtoShape shape_of(std::string_view type) {
  if (type == "s") return ProtoShape::Text;
  if (type == "b") return ProtoShape::Flag;
  if (type == "i") return ProtoShape::Integer;
  if (type == "y") return ProtoShape::Bytes;
  if (type == "d") return ProtoShape::Number;
  if (type == "T") return ProtoShape::Time;
  if (type == "M") return ProtoShape::MicroTime;
  if (type == "Q") return ProtoShape::Quantity;
  if (type == "I") return ProtoShape::IntOrString;
  if (type == "D") return ProtoShape::Duration;
  if (type == "R") return ProtoShape::Raw;
  return ProtoShape::Message;
}

// "1 metadata meta.ObjectMeta"
void read_field(std::string_view text, std::string_view package, Message& message) {
  const auto words = base::split(text, ' ');
  if (words.size() != 3) return;
  Field field;
  field.name = words[1];
  std::string_view type = words[2];
  if (type.ends_with('^')) {
    field.is_inline = true;
    type.remove_suffix(1);
  }
  if (type.ends_with('?')) {
    field.keeps_zero = true;
    type.remove_suffix(1);
  }
  if (type.ends_with("[]")) {
    field.times = Times::List;
    type.remove_suffix(2);
  } else if (type.ends_with("{}")) {
    field.times = Times::Map;
    type.remove_suffix(2);
  }
  field.shape = shape_of(type);
  if (field.shape == ProtoShape::Message) {
    field.is_text_list = type.ends_with("ExtraValue");
    field.type =
        type.find('.') == std::string_view::npos ? std::string(package) + "." + std::string(type) : std::string(type);
  }
  message.fields[static_cast<std::uint32_t>(base::parse_int(words[0]).value_or(0))] = std::move(field);
}

void read_table(std::string_view table, Messages& messages) {
  for (const std::string_view line : base::split(table, ';')) {
    const std::string_view row = base::trim(line);
    const std::size_t colon = row.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = row.substr(0, colon);
    Message& message = messages[std::string(name)];
    message.name = name;
    for (const std::string_view field : base::split(row.substr(colon + 1), ',')) {
      read_field(base::trim(field), name.substr(0, name.find('.')), message);
    }
  }
}

Messages read_all() {
  Messages messages;
  read_table(kCoreMessages, messages);
  read_table(kGroupMessages, messages);
  for (auto& [name, message] : messages) {
    for (auto& [number, field] : message.fields) {
      if (const auto at = messages.find(field.type); at != messages.end()) field.message = &at->second;
    }
  }
  return messages;
}

}  // namespace

const Message* find_message(std::string_view name) {
  static const Messages messages = read_all();
  const auto at = messages.find(name);
  return at == messages.end() ? nullptr : &at->second;
}

}  // namespace drover::sim::protobuf
