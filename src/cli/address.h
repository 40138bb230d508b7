// Where to listen, as people write it: "127.0.0.1:6443", "[::1]:0", ":8080".
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace drover::cli {

struct Address {
  std::string host;
  int port = 0;
  bool is_loopback = false;
  bool is_everywhere = false;
};

// What does not parse says what would; the flag is always --listen.
base::Result<Address> parse_address(const std::string& text);

// The addresses of this machine, as text.
std::vector<std::string> own_addresses();

}  // namespace drover::cli
