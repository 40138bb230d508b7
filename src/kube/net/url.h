// The parts of an absolute URL, as far as kubeconfigs need them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::kube::net {

struct Url {
  std::string scheme;  // lower case
  std::string user;    // percent-decoded
  std::string password;
  std::string host;  // without the brackets of IPv6
  std::string port;  // "" when none is named
  std::string path;  // "" or "/…" without a slash at the end
};

// Refused with the part that makes no sense; user and password are never shown.
base::Result<Url> parse_url(std::string_view text);

}  // namespace drover::kube::net
