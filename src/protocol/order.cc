#include "protocol/order.h"

#include "base/json.h"
#include "base/text.h"

namespace drover::protocol {
namespace {

using base::Result;
using message::Must;

std::string written_order(const Order& order, std::size_t most_text) {
  json::Members members = message::begin();
  members["id"] = message::safe(order.id);
  members["target"] = message::safe(order.target);
  members["mayLoad"] = order.may_load;
  members["paused"] = order.is_paused;
  if (!order.version.empty()) members["version"] = message::safe(order.version);
  if (order.serves != AgentRequest::Nothing) members["serves"] = word(order.serves);
  if (order.is_refused) members["refused"] = true;
  if (!order.prepare.empty()) members["prepare"] = message::safe(order.prepare);
  if (!order.message.empty() && most_text > 0) members["message"] = base::one_line(order.message, most_text);
  return json::text_of(members);
}

}  // namespace

Result<Order> parse_order(std::string_view text) {
  TRY(const json::Value value, message::read(text));
  Order order;
  TRY(order.id, message::name_in(value, "id", Must::BeThere));
  TRY(order.target, message::name_in(value, "target", Must::BeFilled));
  TRY(order.may_load, message::flag_in(value, "mayLoad", Must::BeThere));
  TRY(order.is_paused, message::flag_in(value, "paused", Must::Nothing));
  TRY(order.version, message::name_in(value, "version", Must::Nothing));
  TRY(order.serves, message::request_in(value, "serves"));
  TRY(order.is_refused, message::flag_in(value, "refused", Must::Nothing));
  TRY(order.prepare, message::name_in(value, "prepare", Must::Nothing));
  TRY(order.message, message::text_in(value));
  return order;
}

std::string text_of(const Order& order) {
  return message::shortened([&](std::size_t most_text) { return written_order(order, most_text); });
}

}  // namespace drover::protocol
