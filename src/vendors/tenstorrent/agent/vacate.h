// Vacating a host: takes a DKMS-managed tt-kmd off this machine, so that the operator can bring its own.
//
// The vendor's per-node procedure, safe to repeat at any point: refuse while the device is held, unload, remove what
// DKMS left (its state, its sources, the installed module files of the running kernel), and see that all four
// conditions hold. Nothing is forced and no process is killed. Knows no API server: the node must have been cordoned
// and drained before.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/loop.h"
#include "base/result.h"
#include "host/host.h"

namespace drover::agent {

inline constexpr std::string_view kVacated = "host vacated; operator can take over";

class Vacate {
 public:
  using Say = std::function<void(std::string_view line)>;
  using Done = std::function<void(const base::Result<void>&)>;
  // `done` is called once, later, unless this is destroyed before. Refused says what is in the way.
  Vacate(host::Host& host, base::Loop& loop, Say say, Done done);
  ~Vacate();
  Vacate(const Vacate&) = delete;
  Vacate& operator=(const Vacate&) = delete;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::agent
