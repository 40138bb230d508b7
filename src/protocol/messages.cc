#include "protocol/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace drover::protocol {
namespace {

using base::Fault;
using base::Result;

constexpr std::size_t kMostNameBytes = 128;
constexpr std::size_t kMostTextBytes = 1200;
constexpr std::int64_t kSpoken = 1;  // the version of these words

constexpr std::array<std::pair<Wish, std::string_view>, 4> kWishes{{
    {Wish::Nothing, ""},
    {Wish::Load, "load"},
    {Wish::Evict, "evict"},
    {Wish::Drain, "drain"},
}};

std::unexpected<Fault> malformed(std::string message) {
  return base::fault(Fault::Kind::Malformed, std::move(message));
}

// Ids, digests and versions: nothing that could be more than a word.
bool is_word(std::string_view text) {
  return text.size() <= kMostNameBytes && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
                  c == ':' || c == '-' || c == '+';
         });
}

Result<json::Value> read(std::string_view text) {
  if (text.size() > kMostMessageBytes) return malformed(fmt::format("it is longer than {} bytes", kMostMessageBytes));
  TRY(json::Value value, json::parse(text, 8));
  if (!value.is_object()) return malformed("it is no JSON object");
  const json::Value* spoken = json::find(value, {"v"});
  if (spoken == nullptr || !spoken->is_int64()) return malformed("it does not say its version (\"v\": 1)");
  if (spoken->get_int64() != kSpoken) {
    return malformed(fmt::format("it speaks version {} and this drover {}; run the same release on both sides",
                                 spoken->get_int64(), kSpoken));
  }
  return value;
}

enum class Must { BeThere, BeFilled, Nothing };

Result<std::string> name_in(const json::Value& value, std::string_view key, Must must) {
  const json::Value* found = json::find(value, {key});
  if (found == nullptr && must == Must::Nothing) return std::string();
  if (found == nullptr) return malformed(fmt::format("\"{}\" is missing", key));
  if (!found->is_string() || !is_word(found->get_string())) {
    return malformed(fmt::format("\"{}\" is {}; at most {} letters, digits and . _ : + - are wanted", key,
                                 base::one_line(json::text_of(*found), 60), kMostNameBytes));
  }
  if (found->get_string().empty() && must == Must::BeFilled) return malformed(fmt::format("\"{}\" is empty", key));
  return std::string(found->get_string());
}

Result<bool> flag_in(const json::Value& value, std::string_view key, Must must) {
  const json::Value* found = json::find(value, {key});
  if (found == nullptr && must == Must::Nothing) return false;
  if (found == nullptr) return malformed(fmt::format("\"{}\" is missing", key));
  if (found->is_bool()) return found->get_bool();
  return malformed(
      fmt::format("\"{}\" is {}; true or false is wanted", key, base::one_line(json::text_of(*found), 60)));
}

Result<Wish> wish_in(const json::Value& value, std::string_view key) {
  const json::Value* found = json::find(value, {key});
  if (found == nullptr) return Wish::Nothing;
  for (const auto& [wish, name] : kWishes) {
    if (found->is_string() && std::string_view(found->get_string()) == name) return wish;
  }
  return malformed(fmt::format("\"{}\" is {}; load, evict, drain or nothing is wanted", key,
                               base::one_line(json::text_of(*found), 60)));
}

Result<std::string> message_in(const json::Value& value) {
  const json::Value* found = json::find(value, {"message"});
  if (found == nullptr) return std::string();
  if (!found->is_string()) return malformed("\"message\" is no text");
  // It ends in Events and on screens.
  return base::one_line(std::string_view(found->get_string()), kMostMessageBytes);
}

// A name that could not be read back is not written at all: an empty one gives nobody permission.
std::string_view safe(std::string_view name) { return is_word(name) ? name : std::string_view(); }

std::string written(const Report& report, std::size_t most_text) {
  json::Members members;
  members["v"] = kSpoken;
  members["boot"] = safe(report.boot);
  members["id"] = safe(report.id);
  members["digest"] = safe(report.digest);
  members["wants"] = word(report.wants);
  members["canUnload"] = report.can_unload;
  if (report.has_paused) members["pausedGates"] = true;
  if (!report.loaded.empty()) members["loaded"] = safe(report.loaded);
  if (!report.prepared.empty()) members["prepared"] = safe(report.prepared);
  if (report.cannot_prepare) members["cannotPrepare"] = true;
  if (report.is_blocked) members["blocked"] = true;
  if (report.is_refused) members["refused"] = true;
  members["message"] = most_text == 0 ? "" : base::one_line(report.message, most_text);
  return json::text_of(members);
}

std::string written(const Order& order, std::size_t most_text) {
  json::Members members;
  members["v"] = kSpoken;
  members["id"] = safe(order.id);
  members["target"] = safe(order.target);
  members["mayLoad"] = order.may_load;
  members["paused"] = order.is_paused;
  if (!order.version.empty()) members["version"] = safe(order.version);
  if (order.serves != Wish::Nothing) members["serves"] = word(order.serves);
  if (order.is_refused) members["refused"] = true;
  if (!order.prepare.empty()) members["prepare"] = safe(order.prepare);
  if (!order.message.empty() && most_text > 0) members["message"] = base::one_line(order.message, most_text);
  return json::text_of(members);
}

// Characters that JSON escapes take more room than they seem to.
template <class Write>
std::string shortened(const Write& write) {
  std::size_t most_text = kMostTextBytes;
  std::string text = write(most_text);
  while (text.size() > kMostMessageBytes) text = write(most_text /= 2);
  return text;
}

}  // namespace

std::string_view word(Wish wish) {
  for (const auto& [which, name] : kWishes) {
    if (which == wish) return name;
  }
  return "";
}

Result<Order> parse_order(std::string_view text) {
  TRY(const json::Value value, read(text));
  Order order;
  TRY(order.id, name_in(value, "id", Must::BeThere));
  TRY(order.target, name_in(value, "target", Must::BeFilled));
  TRY(order.may_load, flag_in(value, "mayLoad", Must::BeThere));
  TRY(order.is_paused, flag_in(value, "paused", Must::Nothing));
  TRY(order.version, name_in(value, "version", Must::Nothing));
  TRY(order.serves, wish_in(value, "serves"));
  TRY(order.is_refused, flag_in(value, "refused", Must::Nothing));
  TRY(order.prepare, name_in(value, "prepare", Must::Nothing));
  TRY(order.message, message_in(value));
  return order;
}

Result<Report> parse_report(std::string_view text) {
  TRY(const json::Value value, read(text));
  Report report;
  TRY(report.boot, name_in(value, "boot", Must::BeFilled));
  TRY(report.id, name_in(value, "id", Must::BeThere));
  TRY(report.digest, name_in(value, "digest", Must::BeThere));
  TRY(report.wants, wish_in(value, "wants"));
  TRY(report.can_unload, flag_in(value, "canUnload", Must::BeThere));
  TRY(report.has_paused, flag_in(value, "pausedGates", Must::Nothing));
  TRY(report.loaded, name_in(value, "loaded", Must::Nothing));
  TRY(report.prepared, name_in(value, "prepared", Must::Nothing));
  TRY(report.cannot_prepare, flag_in(value, "cannotPrepare", Must::Nothing));
  TRY(report.is_blocked, flag_in(value, "blocked", Must::Nothing));
  TRY(report.is_refused, flag_in(value, "refused", Must::Nothing));
  TRY(report.message, message_in(value));
  return report;
}

std::string text_of(const Order& order) {
  return shortened([&](std::size_t most_text) { return written(order, most_text); });
}

std::string text_of(const Report& report) {
  return shortened([&](std::size_t most_text) { return written(report, most_text); });
}

}  // namespace drover::protocol
