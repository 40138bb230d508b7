#include "protocol/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace drover::protocol {
namespace {

using base::Fault;
using base::Result;

constexpr std::size_t kMostNameBytes = 128;
constexpr std::int64_t kSpoken = 1;  // the version of these words

constexpr std::array<std::pair<AgentRequest, std::string_view>, 4> kRequests{{
    {AgentRequest::Nothing, ""},
    {AgentRequest::Load, "load"},
    {AgentRequest::Evict, "evict"},
    {AgentRequest::Drain, "drain"},
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

}  // namespace

std::string_view word(AgentRequest request) {
  for (const auto& [which, name] : kRequests) {
    if (which == request) return name;
  }
  return "";
}

namespace message {

Result<json::Value> read(std::string_view text) {
  if (text.size() > kMostMessageBytes) return malformed(fmt::format("it is longer than {} bytes", kMostMessageBytes));
  TRY(json::Value value, json::parse(text, 8));
  if (!value.is_object()) return malformed("it is not a JSON object");
  const json::Value* spoken = json::find(value, {"v"});
  if (spoken == nullptr || !spoken->is_int64()) return malformed("it does not say its version (\"v\": 1)");
  if (spoken->get_int64() != kSpoken) {
    return malformed(fmt::format("it speaks version {} and this drover {}; run the same release on both sides",
                                 spoken->get_int64(), kSpoken));
  }
  return value;
}

json::Members begin() { return {{"v", kSpoken}}; }

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

Result<AgentRequest> request_in(const json::Value& value, std::string_view key) {
  const json::Value* found = json::find(value, {key});
  if (found == nullptr) return AgentRequest::Nothing;
  for (const auto& [request, name] : kRequests) {
    if (found->is_string() && std::string_view(found->get_string()) == name) return request;
  }
  return malformed(fmt::format("\"{}\" is {}; load, evict, drain or nothing is wanted", key,
                               base::one_line(json::text_of(*found), 60)));
}

Result<std::string> text_in(const json::Value& value) {
  const json::Value* found = json::find(value, {"message"});
  if (found == nullptr) return std::string();
  if (!found->is_string()) return malformed("\"message\" is not a string");
  // It ends in Events and on screens.
  return base::one_line(std::string_view(found->get_string()), kMostMessageBytes);
}

std::string_view safe(std::string_view name) { return is_word(name) ? name : std::string_view(); }

}  // namespace message
}  // namespace drover::protocol
