// What this node has: devices, modules, which processes hold them, and whether the driver can be taken out.
//
// Only reads, and only through host::Host; knows no API server. A pod's name comes from the folder in which the kubelet
// keeps its logs, so that it is known with the API server gone. What could not be seen is said, never taken for "none".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/devices.h"
#include "base/json.h"
#include "host/host.h"

namespace drover::agent {

// One function on the bus that is a vendor's accelerator, or another part of its card.
struct BusDevice {
  std::string address;  // "0000:18:00.0"
  std::string vendor;   // "acme"
  std::string id;       // "10de:2335"
  std::string cls;      // "030200"
  bool is_accelerator = false;
  std::string driver = {};  // the kernel driver that is bound; "" for none
  std::string model = {};   // where the driver tells
};

struct Holding {
  int pid = 0;
  std::string command;
  std::vector<std::string> paths;
  std::string pod_uid = {};
  std::string pod = {};  // "ns/name" where it is known
};

struct Inspection {
  std::string boot;
  std::string kernel;
  bool can_unload = true;  // this kernel, anything at all
  std::vector<BusDevice> devices = {};
  std::vector<host::Module> modules = {};  // the vendors', and what stands on them
  std::vector<Holding> holders = {};
  int hidden = 0;                                         // processes that could not be looked into
  std::vector<const DeviceKind*> kinds = {};              // that were looked for
  std::map<std::string, std::string> told_versions = {};  // by vendor: what its driver says of itself
  std::string trouble = {};                               // what could not be read

  int accelerators(std::string_view vendor) const;
  // The driver of that vendor; nullptr when it is not loaded.
  const host::Module* driver(std::string_view vendor) const;
  // What that driver says its version is, where it says so in a file of its own; "" where it does not.
  std::string told_version(std::string_view vendor) const;
};

// NotFound when there is neither /proc nor /sys to look at.
base::Result<Inspection> inspect(host::Host& host, std::vector<const DeviceKind*> kinds);

// For people: what there is, and for each loaded driver whether it could be taken out now, and what is in the way.
std::string text_of(const Inspection& inspection);
json::Value json_of(const Inspection& inspection);

// Why this vendor's driver cannot be unloaded now; "" when nothing is seen that would be in the way.
std::string in_the_way(const Inspection& inspection, const DeviceKind& kind);

// "550.54.15": the first such word in the first line of a version file; "" when there is none.
std::string version_in(std::string_view text);
// The processes that hold this vendor's devices, each once, lowest pid first; those too that only the driver names.
base::Result<std::vector<Holding>> holders_of(host::Host& host, const DeviceKind& kind);
// "pid 7 (train) of pod ml/a, pid 9 (tt-smi) of no pod and 2 more"; "" for none.
std::string names_of(const std::vector<Holding>& holders, std::size_t most);
// "ns/name" of a pod by the kubelet's folder of logs; "" when it has none.
std::string pod_named(host::Host& host, std::string_view uid);

}  // namespace drover::agent
