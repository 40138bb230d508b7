// What runs on a node: the agent's programs, and the table by which `drover agent` and the simulator start them.
//
// Most programs talk to the API server and run until they are ended. A few are deeds that are done once to the machine,
// by hand or by a pod, and know no API server. A task is a program that runs in a pod without a token: it asks no API
// server, and ends with a verdict. Everything that a program may touch is handed to it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "agent/devices.h"
#include "agent/download.h"
#include "agent/environment.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/result.h"
#include "host/host.h"
#include "kube/api.h"

namespace drover::agent {

// What a program of the agent may touch. `exit` is called once; the program does nothing after it.
struct ProgramContext {
  host::Host& host;
  kube::Api& api;
  base::Loop& loop;
  base::Random random;
  std::function<void(std::string_view line)> say;
  std::function<void(int code)> exit;
  // For tasks. The verdict (protocol/verdict.h) goes to the kubelet as the pod's termination message.
  std::function<void(std::string_view text)> tell_verdict = {};
  Downloads* downloads = nullptr;  // nullptr: there is no network to ask
};

class Program {
 public:
  virtual ~Program() = default;
  virtual void start() = 0;
  // SIGTERM: ends soon by calling `exit`.
  virtual void terminate() = 0;
};

// Makes a program whose settings were read. `ready` may be told at every look.
using MakeProgram =
    std::function<std::unique_ptr<Program>(ProgramContext surroundings, std::function<void(bool)> ready)>;

// Whether a deed was done, or what is in the way.
using DeedDone = std::function<void(const base::Result<void>&)>;
using DeedSays = std::function<void(std::string_view line)>;

// One row of a vendor's table. It has `read` or `begin`.
struct ProgramRow {
  std::string_view name;          // `drover agent <name>`
  std::string_view help;          // one line
  std::string_view footer = {};   // below the help of the command itself
  std::string_view example = {};  // what it does in a few words, below the help of `drover agent`

  // Refused names the variable that makes no sense.
  base::Result<MakeProgram> (*read)(const Environment& environment) = nullptr;
  // The deed ends when what this returns is destroyed.
  std::shared_ptr<void> (*begin)(host::Host& host, base::Loop& loop, DeedSays say, DeedDone done) = nullptr;

  // It has no token: it is run without an API server.
  bool is_task = false;

  // On a real machine.
  bool sees_host_folder = false;     // its container has the machine's files below /host
  std::string_view own_folder = {};  // and this one of them in its own place
  bool (*is_ready)(host::Host& host, const Environment& environment) = nullptr;  // as /readyz says it
  std::string_view unready_text = {};                                            // what /readyz says then
  bool (*has_passed)(host::Host& host) = nullptr;                                // an earlier run of it in the same pod
};

// What one vendor brings to the agent.
struct VendorAgent {
  DeviceKind device;
  std::span<const ProgramRow> programs = {};
};
using VendorAgents = std::span<const VendorAgent* const>;

// A deed as a row's `begin`: it does its work from its construction on.
template <class Operation>
std::shared_ptr<void> begin_deed(host::Host& host, base::Loop& loop, DeedSays say, DeedDone done) {
  return std::make_shared<Operation>(host, loop, std::move(say), std::move(done));
}

// The devices of all of them.
std::vector<const DeviceKind*> devices_of(VendorAgents agents);
// By its name; nullptr when no vendor has it.
const ProgramRow* find_program(VendorAgents agents, std::string_view name);

// Every vendor that is there (cmake/vendors.cmake), for main: everything else is given the vendors that it serves.
VendorAgents all();

}  // namespace drover::agent
