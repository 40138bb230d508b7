// Handing a machine back to DKMS: unloads the operator's tt-kmd, and waits until the host's own driver is there.
//
// The way back of agent/vacate.h, for `kubectl drover migrate --rollback`. Installing the package is the host's own
// business: nothing is installed here, and no process is killed. Safe to repeat at any point. Knows no API server: the
// node must have been drained, and its builder pod must be gone, or it would load the driver again.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/loop.h"
#include "base/result.h"
#include "host/host.h"

namespace drover::agent {

inline constexpr std::string_view kHandedBack = "the host has its own driver again";

class HandBack {
 public:
  using Say = std::function<void(std::string_view line)>;
  using Done = std::function<void(const base::Result<void>&)>;
  // `done` is called once, later, unless this is destroyed before. Refused says what is in the way.
  HandBack(host::Host& host, base::Loop& loop, Say say, Done done);
  ~HandBack();
  HandBack(const HandBack&) = delete;
  HandBack& operator=(const HandBack&) = delete;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace drover::agent
