// How a simulated container behaves: a few steps, written as one line of text.
//
//   say building the module; wait driver; load acme $VERSION; ready; wait forever; when-stopped; unload acme
//
// Statements are separated by ";" and run one after the other; after the last one the container exits with 0.
//   say TEXT            a line of log                    wait SPAN|NAME|forever   "5s", or a named span of the Tempo:
//   driver, task ready / unready     what its probes answer           sick                     the liveness probe fails
//   from here on load MODULE VERSION [on MODULE]   unloads another version first; exits with 1 when the kernel refuses
//   unload MODULE       exits with 1 while it is held    try-unload MODULE        goes on if it is held
//   load-or-mark MODULE VERSION PATH   while another version is loaded: writes PATH (a reboot is wanted) and waits for
//   ever await MODULE [VERSION]   waits until it is loaded    need MODULE [VERSION]    exits with 1 when it is not
//   loaded hold PATH           opens a device                   write PATH TEXT, remove PATH   files of the host reboot
//   reboots the machine              exit CODE, repeat        repeat goes back to the first step
// Settings, anywhere: pull SPAN, start SPAN, stop SPAN (how long it takes to end after SIGTERM), deaf (ends only when
// killed), missing (the image is not there), program NAME (C++ code plays the container: sim/program.h). Steps after
// `when-stopped` run on SIGTERM. Without a `ready` step a container is ready as soon as it runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace drover::sim {

using base::Result;

// Default durations; each one is drawn again, within `jitter`, every time it is used.
struct Tempo {
  base::Span pull = std::chrono::seconds(2);
  base::Span start = std::chrono::milliseconds(500);
  base::Span driver = std::chrono::seconds(5);  // to build or install a driver: "wait driver"
  base::Span stop = std::chrono::seconds(1);
  base::Span task = std::chrono::seconds(2);  // work that ends by itself: Jobs, validations: "wait task"
  double jitter = 0.1;
};

struct Step {
  enum class Kind {
    Say,
    Wait,
    Ready,
    Unready,
    Sick,
    Load,
    LoadOrMark,
    Unload,
    TryUnload,
    Await,
    Need,
    Hold,
    Write,
    Remove,
    Reboot,
    Exit,
    Repeat
  };
  Kind kind;
  std::string what;                     // text, module, path; Wait: "driver", "task" or ""
  std::string with;                     // version, file text
  std::string on;                       // Load: the module that it depends on; LoadOrMark: the file
  std::optional<base::Span> span = {};  // Wait: nothing (and no name) is for ever
  int code = 0;
};

struct Script {
  std::optional<base::Span> pull = {};
  std::optional<base::Span> start = {};
  std::optional<base::Span> stop = {};
  bool image_is_missing = false;
  bool is_deaf = false;
  std::string program;
  std::vector<Step> steps;
  std::vector<Step> when_stopped;

  bool says_when_ready() const;
};

// Refused names the statement that makes no sense and says why.
Result<Script> parse_script(std::string_view text);

// What a plain command line means: sleep, echo, true, false, exit, `sh -c` with these (";", "&&", newlines, `while
// true; do …; done`), and "reboot" run through nsenter. Nothing when it is anything else.
std::optional<Script> script_of_command(const std::vector<std::string>& argv);

// The span of a Wait step; nothing for ever.
std::optional<base::Span> span_of(const Step& wait, const Tempo& tempo);

}  // namespace drover::sim
