// Modules that were built on this machine, kept so that each is built once.
//
// Data at rest, below /var/cache/tt-kmd (root's alone, on the machine's disk):
//   <kernel>/<version>/tenstorrent.ko         the module
//   <kernel>/<version>/50-tenstorrent.rules   what udev is to make of its devices, where its source says so
//   <kernel>/<version>/manifest.json          {"v":1, kernel, machine, version, source, sha256, rules}
//   .build/<kernel>-<version>/                a build under way; what is found there at a start goes
//   .quarantine/<kernel>-<version>-<n>/       entries that were not what they said, the last few, for people to look at
// An entry appears by one rename of a folder that is on the disk already: there is a whole one or none. It is used only
// if the manifest speaks of the very key that is asked for and the file has its fingerprint; else it is put aside and
// built again. Nothing here asks the network or knows Kubernetes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "host/host.h"

namespace drover::agent {

inline constexpr std::string_view kKmdCache = "/var/cache/tt-kmd";
inline constexpr std::string_view kKmdModule = "tenstorrent";

struct KmdKey {
  std::string kernel;
  std::string version;
  auto operator<=>(const KmdKey&) const = default;
};

struct KmdEntry {
  host::Inside file;
  std::string sha256;
  std::string source;             // where it came from, and the commit
  std::string rules_sha256 = {};  // of the rules for udev; "": it has none
};

// NotFound when there is none; Malformed when there is one that must not be used.
base::Result<KmdEntry> find_kmd(host::Host& host, const KmdKey& key);
// Whether there is an entry at all, without reading the module.
bool has_kmd(host::Host& host, const KmdKey& key);
// Puts an entry aside that must not be used.
base::Result<void> quarantine_kmd(host::Host& host, const KmdKey& key);

// An empty folder to build in.
base::Result<std::string> make_bench(host::Host& host, const KmdKey& key);
// Makes an entry of the module that was built; Refused when it is another version's or another kernel's.
// What its source has for udev is kept beside it.
base::Result<KmdEntry> keep_kmd(host::Host& host, const KmdKey& key, const std::string& built,
                                const std::string& source);
// Puts its rules for udev where udev reads them, if they are others; false: it has none, or they are there.
base::Result<bool> place_rules(host::Host& host, const KmdKey& key, const KmdEntry& entry);
// What earlier runs left half done goes.
void sweep_benches(host::Host& host);

}  // namespace drover::agent
