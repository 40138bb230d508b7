// Deliberate bugs: mistakes that an engine could make, each made between it and the API server, so that nothing of them
// is in the engine itself. Every one of them must be caught by the checker; a checker that misses one proves nothing.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "door.h"
#include "vendor.h"

namespace drover::proof {

struct Bug {
  std::string_view name;
  std::string_view stories;    // in which it shows, comma-separated; each says of which vendor it is
  std::string_view invariant;  // that must be broken
  bool (*alter)(const Vendor&, kube::Request&) = nullptr;
  bool (*see)(const Vendor&, const kube::Range&, kube::Object&) = nullptr;
  void (*hear)(const Vendor&, const kube::Resource&, kube::Fault&) = nullptr;
  std::string_view not_hunted_in = {};  // vendors in whose random trouble it does not show, comma-separated

  Door::Mistakes mistakes(const Vendor& vendor) const;
};

std::span<const Bug> all_bugs();

inline void PrintTo(const Bug& bug, std::ostream* out) { *out << bug.name; }

}  // namespace drover::proof
