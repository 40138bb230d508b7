// What orders and reports are made of: the requests, and how a message is read and written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace drover::protocol {

inline constexpr std::size_t kMostMessageBytes = 2048;

// What an agent needs done before it can go on.
enum class AgentRequest { Nothing, Load, Evict, Drain };
// "" for nothing, "load", "evict", "drain".
std::string_view word(AgentRequest request);

// For order.cc and report.cc. What cannot be used is Malformed, with what is wrong.
namespace message {

inline constexpr std::size_t kMostTextBytes = 1200;

// The object, in our version of the words.
base::Result<json::Value> read(std::string_view text);
json::Members begin();

enum class Must { BeThere, BeFilled, Nothing };
// Ids, digests and versions: nothing that could be more than a word.
base::Result<std::string> name_in(const json::Value& value, std::string_view key, Must must);
base::Result<bool> flag_in(const json::Value& value, std::string_view key, Must must);
base::Result<AgentRequest> request_in(const json::Value& value, std::string_view key);
base::Result<std::string> text_in(const json::Value& value);

// A name that could not be read back is not written at all: an empty one gives no permission.
std::string_view safe(std::string_view name);

// Characters that JSON escapes take more room than they seem to.
template <class Write>
std::string shortened(const Write& write) {
  std::size_t most_text = kMostTextBytes;
  std::string text = write(most_text);
  while (text.size() > kMostMessageBytes) text = write(most_text /= 2);
  return text;
}

}  // namespace message
}  // namespace drover::protocol
