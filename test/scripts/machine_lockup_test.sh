#!/bin/bash
# A virtual machine whose console says, while it boots, that a processor hangs is started once more, and the run says so; a second time is a
# failure that quotes the console. qemu is played by a program that writes a console and boots, or does not.
set -u  # a script that sources lib.sh may have said pipefail, or not
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=test/vm/lib.sh
source "$top/test/vm/lib.sh"
stage=$(mktemp -d)
machine=$stage/m failed=0 status=0
leave() {
  vm_cut "$machine"
  rm -rf "$stage"
}
trap leave EXIT

# A machine is known by its executable, so a script cannot play it.
mkdir "$stage/bin"
cc -x c -o "$stage/bin/qemu-system-x86_64" - <<'C' || { echo "FAIL no C compiler"; exit 1; }
#include <stdlib.h>
#include <unistd.h>
int main(void) { if (system(getenv("FAKE_BOOT")) == 0) for (;;) pause(); return 1; }
C
PATH=$stage/bin:$PATH
# The N-th start says what console-N holds, and boots where there is a boots-N.
cat >"$stage/boot" <<'BOOT'
#!/bin/bash
cd "$FAKE_MACHINE" && n=$(($(cat starts) + 1)) && echo $n >starts
cat "console-$n" >>console
[ ! -e "boots-$n" ] || echo "boot-$n" >share/booted
BOOT
chmod +x "$stage/boot"
export FAKE_BOOT=$stage/boot FAKE_MACHINE=$machine

fresh() { # CONSOLE...: what each of its starts says
  local n=0 said
  vm_cut "$machine"
  rm -rf "$machine"
  mkdir -p "$machine/share"
  echo 0 >"$machine/starts"
  for said in "$@"; do
    n=$((n + 1))
    printf 'Linux version 6.1\r\n%s\r\n' "$said" >"$machine/console-$n"
  done
}
boots() { touch "$machine/boots-$1"; } # N
up() {
  vm_up "$machine" "$stage" >"$stage/said" 2>&1
  status=$?
}
expect() { # TITLE CONDITION...
  local title=$1
  shift
  if "$@"; then echo "ok $title"; else
    echo "FAIL $title: status $status, starts $(cat "$machine/starts"), it said: $(cat "$stage/said")"
    failed=1
  fi
}
ended() { [ $status = "$1" ] && [ "$(cat "$machine/starts")" = "$2" ]; } # STATUS STARTS
says() { grep -qF -- "$1" "$stage/said"; }
silent() { [ ! -s "$stage/said" ]; }

lockup='[   48.1] watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [iptables:311]'
fresh 'all is well'
boots 1
up
expect "a machine that boots is started once" ended 0 1
expect "and nothing is said" silent

fresh "$lockup" ''
boots 2
up
expect "a machine that hangs while it boots is started once more" ended 0 2
expect "the run says so" says '-- machine m: its console shows a lockup; started once more: [   48.1] watchdog: BUG: soft lockup - CPU#0'
expect "the machine that runs is the second" test "$(cat "$machine/share/booted")" = boot-2

fresh "$lockup" "${lockup/22s/26s}"
up
expect "a machine that hangs twice is a failure, and is not started a third time" ended 1 2
expect "which quotes its console" says 'was started twice: [   48.1] watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [iptables:311]'

for line in '[ 81.2] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:' '[ 81.2] rcu: INFO: rcu_sched self-detected stall on CPU' \
  '[ 121.0] INFO: task kubelet:301 blocked for more than 120 seconds.'; do
  fresh "$line" ''
  boots 2
  up
  expect "so is one that says ${line#*] }" ended 0 2
done

fresh "$lockup" ''
boots 1
boots 2
is_ready() { [ "$(cat "$machine/starts")" = 2 ]; }
vm_until=(is_ready)
up
expect "a boot that is over only when something else holds is looked after until then" ended 0 2
unset vm_until

fresh '' ''
boots 1
boots 2
up
echo "$lockup" >>"$machine/console"
vm_cut "$machine"
up
expect "what the console said in an earlier boot does not count" ended 0 2
exit $failed
