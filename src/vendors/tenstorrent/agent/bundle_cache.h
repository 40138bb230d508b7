// Firmware bundles that this machine has fetched, so that a flash needs no network.
//
// Data at rest, below the firmware folder (words.h):
//   bundles/<key>/bundle.fwbundle   the file as it came
//   bundles/<key>/entry.json        {"v":1, number, url, sha256, version, boards}
//   part/<key>                      a download under way, which the next probe of this bundle goes on with
//   part/<key>.lock                 held while a pod is at it; what no pod is at goes when another bundle is fetched
//   part/<key>.entry/               an entry that is being made; what is found there goes
// The key is made of the URL. An entry appears by one rename, and is used only if its file has the fingerprint that was
// noted when it was read and checked. The last few are kept.
#pragma once

#include <string>

#include "base/result.h"
#include "host/host.h"
#include "vendors/tenstorrent/agent/bundle_reader.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {

struct CachedBundle {
  std::string path;  // for tt-flash
  std::string sha256;
  Bundle bundle;
};

// NotFound where there is none; Malformed where there is one that must not be used: garbled, changed since, or not the
// file that the URL's checksum names.
base::Result<CachedBundle> find_bundle(host::Host& host, const vendors::BundleUrl& url);
void drop_bundle(host::Host& host, const vendors::BundleUrl& url);

// Where a download is kept until it is whole.
std::string bundle_part(const vendors::BundleUrl& url);
// Reads and checks what was downloaded, and makes it an entry. Malformed: it is not the bundle that the checksum names,
// or not a bundle; what was downloaded is removed then.
base::Result<CachedBundle> keep_bundle(host::Host& host, const vendors::BundleUrl& url);

}  // namespace drover::agent
