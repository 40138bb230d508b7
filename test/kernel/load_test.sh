#!/bin/bash
# On a real kernel: the agent builds its driver from a tag, loads it, replaces it with permission, and takes an earlier one from the cache. A
# process that holds the device is named and waited for, or killed where that was asked for. Nothing is unloaded before its
# successor is there, as it was built; what does not build or does not load leaves the driver that was.
set -uo pipefail
# shellcheck source=test/kernel/stage.sh
source "$(dirname "$0")/stage.sh"
open_machine

# ---- the first driver of a machine

agent first 1.0.0
expect "an empty machine gets its driver, built from the tag" soon $build_within loaded 1.0.0
expect "it said what it did" said first 'cloning tt-kmd 1.0.0 from https://10\.0\.2\.2:'
expect "the device is there" inside 'test -c /dev/tenstorrent/0 && grep -qx 1.0.0 /dev/tenstorrent/0'
expect "the Node says whose driver it has" soon 240 labelled install-mode container
expect "and which" labelled kmd-version 1.0.0
expect "readiness is answered" inside 'busybox wget -q -O - http://127.0.0.1:8082/readyz | grep -qx ready'
expect "inspect sees it" inside 'drover agent inspect -o json | grep -q "\"version\":\"1.0.0\""'
agent_ends

# ---- upgrade: built while the old one serves, as what the cache has is not what was put there; held; permitted; forced

entry=/var/cache/tt-kmd/$release
inside "cp -r $entry/1.0.0 $entry/2.0.0; sed -i s/1.0.0/2.0.0/ $entry/2.0.0/manifest.json; printf X | dd of=$entry/2.0.0/tenstorrent.ko bs=1 seek=5000 conv=notrunc 2>/dev/null"
inside 'setsid sleep 100000 </dev/tenstorrent/0 >/dev/null 2>&1 & echo $! >/run/holder'
agent second 2.0.0
expect "a changed module in the cache is noticed" soon 240 said second 'its fingerprint is not that of the manifest; it is put aside and built again'
expect "and kept for inspection" inside 'ls /var/cache/tt-kmd/.quarantine | grep -q 2.0.0-1'
expect "the next driver is built while the old one serves" soon $build_within reports prepared 2.0.0
expect "and permission is asked for" reports wants load
expect "nothing was unloaded" loaded 1.0.0
order second 2.0.0
expect "a holder makes the agent end" soon 240 ended second 1
holder=$(inside 'cat /run/holder')
expect "it names the process that holds the device" said second "cannot unload tt-kmd 1\.0\.0: held by pid $holder \(sleep\) of no pod"
expect "and says what to do" said second 'forceUnload=true, or end what holds it'
expect "so does the Node" reports loaded 1.0.0
expect "the old driver serves on" loaded 1.0.0
before=$(fetched)
agent third 2.0.0 TT_FORCE_UNLOAD=true
order third 2.0.0
expect "with forceUnload the holder is killed and the driver replaced" soon 240 loaded 2.0.0
expect "the holder is gone" inside '! test -e /proc/'"$holder"
expect "the cache was enough" test "$(fetched)" = "$before"
expect "the Node has the new version" soon 240 labelled kmd-version 2.0.0
agent_ends

# ---- downgrade: from the cache, and how long the device is away

TRACE='-ttt -T -e trace=delete_module,finit_module' agent fourth 1.0.0
expect "a downgrade is prepared at once" soon 240 reports prepared 1.0.0
order fourth 1.0.0
expect "the earlier version comes back" soon 240 loaded 1.0.0
expect "nothing was fetched for it" test "$(fetched)" = "$before"
# The last successful unload, then the load: what passes between them that is not the kernel's is ours.
ours=$(awk '/delete_module.*= 0/ { from = $1; kernel = substr($NF, 2) + 0 } /finit_module.*= 0/ { kernel += substr($NF, 2); print $1 + substr($NF, 2) - from - kernel }' "$share/fourth.trace")
expect "between unload and load the agent took less than a second ($ours s, emulated)" awk -v s="$ours" 'BEGIN { exit !(s != "" && s < 1) }'
agent_ends

# ---- what cannot be had

agent fifth 4.0.0
expect "what does not build is reported, with the compiler's words" soon $build_within said fifth 'this version does not build'
expect "as a version that cannot be prepared" soon 240 reports cannotPrepare True
expect "the old driver serves on after a failed build" loaded 1.0.0
agent_ends
agent sixth 3.0.13
expect "a driver that will refuse to load is built" soon $build_within reports prepared 3.0.13
order sixth 3.0.13
expect "what does not load makes the agent end" soon 240 ended sixth 1
expect "the version from before was put back" loaded 1.0.0
expect "it says so" said sixth 'tt-kmd 3\.0\.13 did not load: .*; 1\.0\.0 serves on'
exit $failed
