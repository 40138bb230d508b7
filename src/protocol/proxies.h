// How programs are told of HTTP proxies: what the operator finds in its environment is true for agents, too.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace drover::protocol {

inline constexpr std::array<std::string_view, 6> kProxyVariables{"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
                                                                 "https_proxy", "http_proxy", "no_proxy"};

// What such a variable may say: a URL, or a list of hosts; one line of printable characters without spaces.
inline bool is_proxy_text(std::string_view text) {
  return text.size() <= 1024 && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace drover::protocol
