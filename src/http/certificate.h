// A key and a self-signed certificate, made on the spot, for servers on loopback.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace drover::http {

struct Identity {
  std::string certificate_pem;
  std::string key_pem;
};

// P-256, valid for ten years from a day before `now`; `names` are DNS names or IP addresses, the first is the subject.
base::Result<Identity> make_identity(const std::vector<std::string>& names, base::WallTime now);

}  // namespace drover::http
