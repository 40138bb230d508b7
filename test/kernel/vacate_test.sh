#!/bin/bash
# On a real kernel: a driver that DKMS keeps on the host is left alone, `drover agent vacate` takes it off, and then the running agent asks to
# take over. Both signs of DKMS count, each alone.
set -uo pipefail
# shellcheck source=test/kernel/stage.sh
source "$(dirname "$0")/stage.sh"
open_machine

# As dkms leaves it, built for the running kernel.
modules=/lib/modules/$release/updates/dkms
install_dkms() {
  inside "cp -r /share/source /usr/src/tenstorrent-1.0.0 && mkdir -p /var/lib/dkms/tenstorrent/1.0.0 $modules &&
    make -s -C /lib/modules/$release/build M=/usr/src/tenstorrent-1.0.0 modules && cp /usr/src/tenstorrent-1.0.0/tenstorrent.ko $modules/ &&
    depmod && modprobe tenstorrent"
}
git clone -q --branch ttkmd-1.0.0 "$stage/forge/tt-kmd.git" "$share/source" 2>/dev/null
VM_WITHIN=$build_within expect "a driver is on the host as DKMS leaves it" install_dkms
expect "it is loaded" loaded 1.0.0

agent guest 2.0.0
expect "the agent leaves it alone" soon 240 labelled install-mode host
expect "and says by which sign" said guest 'the host manages tt-kmd itself \(/var/lib/dkms/tenstorrent is there\): it is left alone'
inside 'mv /var/lib/dkms/tenstorrent /root/aside'
expect "the sources alone are a sign too" soon 240 said guest 'the host manages tt-kmd itself \(/usr/src/tenstorrent-1\.0\.0 is there\)'
inside 'mv /root/aside /var/lib/dkms/tenstorrent'

inside 'setsid sleep 100000 </dev/tenstorrent/0 >/dev/null 2>&1 & echo $! >/run/holder'
holder=$(inside 'cat /run/holder')
refused=$(inside 'drover agent vacate')
expect "vacate refuses while the device is held" grep -q "the device is held by pid $holder (sleep)" <<<"$refused"
expect "and has changed nothing" inside "test -d /var/lib/dkms/tenstorrent -a -d /usr/src/tenstorrent-1.0.0 -a -f $modules/tenstorrent.ko"
expect "the driver is still loaded" loaded 1.0.0

inside 'kill "$(cat /run/holder)"'
inside "cp -r /usr/src/tenstorrent-1.0.0 $modules/tenstorrent.ko /root/"
vacated=$(inside 'drover agent vacate')
expect "vacate takes the driver off" grep -qx 'host vacated; operator can take over' <<<"$vacated"
expect "nothing is loaded" loaded none
expect "nothing is left" inside "! ls -d /var/lib/dkms/tenstorrent /usr/src/tenstorrent-* $modules/tenstorrent.ko 2>/dev/null | grep ."
expect "modprobe finds nothing" inside '! modprobe --dry-run --quiet tenstorrent'
expect "done twice, it says the same" inside 'drover agent vacate | grep -qx "host vacated; operator can take over"'

# The page's own script, as it is written there. Root needs no sudo, and dkms and lsof are not installed here.
cat >"$share/vacate" <<'SCRIPT'
sudo() { "$@"; }
# 1. Confirm nothing is holding the device
cat /sys/module/tenstorrent/refcnt        # must be 0
lsof /dev/tenstorrent/* 2>/dev/null       # must be empty
# 2. Unload the running module
sudo rmmod tenstorrent
# 3. Remove DKMS install signals
sudo dkms remove tenstorrent --all 2>/dev/null || true
sudo rm -rf /var/lib/dkms/tenstorrent
sudo rm -rf /usr/src/tenstorrent-*
sudo find /lib/modules/$(uname -r) -name 'tenstorrent.ko*' -delete
sudo depmod -a
# 4. Verify
! [ -e /sys/module/tenstorrent/version ] && \
! [ -d /var/lib/dkms/tenstorrent ] && \
! compgen -G "/usr/src/tenstorrent-*" >/dev/null && \
! sudo modprobe tenstorrent 2>/dev/null && \
echo "host vacated; operator can take over"
SCRIPT
expect "DKMS's driver is there again" inside "cp -r /root/tenstorrent-1.0.0 /usr/src/ && cp /root/tenstorrent.ko $modules/ && mkdir -p /var/lib/dkms/tenstorrent/1.0.0 && depmod && modprobe tenstorrent"
expect "and is loaded" loaded 1.0.0
vacated=$(inside 'bash /share/vacate 2>&1')
expect "the page's script takes it off by hand" grep -qx 'host vacated; operator can take over' <<<"$vacated"
expect "nothing is loaded then" loaded none
expect "drover finds nothing left to do" inside 'drover agent vacate | grep -qx "host vacated; operator can take over"'

expect "the running agent notices, builds and asks" soon $build_within said guest 'the host has been vacated; waiting for permission to take over'
expect "nothing is loaded without permission" loaded none
order guest 2.0.0
expect "with it the operator's driver takes over" soon 240 loaded 2.0.0
expect "the Node says so" soon 240 labelled install-mode container
exit $failed
