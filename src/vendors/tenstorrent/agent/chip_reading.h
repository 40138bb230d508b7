// Which firmware the chips of this node run, and how many there should be.
//
// On a node in service only sysfs is read, as tt-smi beside a workload can hang the devices; after the drain tt-smi is
// asked too, which also sees chips behind others (the second one of an n300). A version that cannot be read is a value
// here, not an error. Knows no claim, no bundle and no API server.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "host/host.h"
#include "protocol/verdict.h"
#include "vendors/tenstorrent/agent/firmware_version.h"

namespace drover::agent {

// A function on the PCI bus that is a Tenstorrent accelerator.
struct ChipFunction {
  std::string address;  // "0000:01:00.0"
  int subsystem = 0;    // which board it is on
  std::string driver;   // that is bound: "tenstorrent", "vfio-pci", "" for none
  bool operator==(const ChipFunction&) const = default;
};

struct Chip {
  std::string name;     // its address, or "chip 1" for one behind another
  std::string version;  // "19.8.0.0"; "" when it could not be read
  bool operator==(const Chip&) const = default;
};

struct ChipReading {
  std::vector<ChipFunction> functions;
  std::vector<Chip> chips;       // one for each function, then those behind others
  std::string smi_trouble = {};  // why tt-smi told nothing; "" when it told, or was not asked
  int told_by_smi = -1;          // chips; -1: it told nothing
};

// What sysfs says: at any time.
ChipReading read_chips(host::Host& host);
// The same with what tt-smi printed taken in: its versions first, those of sysfs where it has none.
ChipReading with_smi(ChipReading reading, std::string_view output);

// Asks sysfs and tt-smi; only on a node that was drained. `done` comes later, once. tt-smi that hangs is ended after
// two minutes.
void read_drained_chips(host::Host& host, base::Loop& loop, std::function<void(ChipReading)> done);

// How the chips stand to a version.
enum class Readback { AtTarget, Differs, Unread };
// Unread where any chip could not be read, or none is there.
Readback compare(const ChipReading& reading, const FirmwareVersion& target);
std::vector<protocol::Part> parts_of(const ChipReading& reading);

// "no version (0000:02:00.0), 19.8.0.0 (0000:01:00.0, 0000:03:00.0)": for people; what the fewest chips say first.
std::string text_of(const ChipReading& reading);
// The functions that tt-kmd does not serve, with what does: "0000:01:00.0 (vfio-pci)"; "" for none.
std::string without_driver(const ChipReading& reading);
// Those that do not tell their version; "" for none.
std::string unread_chips(const ChipReading& reading);

}  // namespace drover::agent
