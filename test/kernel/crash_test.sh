#!/bin/bash
# On a real kernel: the agent is killed before every deed of a swap, and between any two, and the power is cut in the middle of a build and
# between unload and load. It always ends with the driver that was wanted.
set -uo pipefail
# shellcheck source=test/kernel/stage.sh
source "$(dirname "$0")/stage.sh"
open_machine

# ---- the power goes in the middle of a build

agent first 1.0.0
expect "a build begins" soon 240 said first 'running make modules for tt-kmd 1\.0\.0'
expect "the compiler is at work" soon 240 inside 'pgrep -f "make.*modules" >/dev/null && test -n "$(find /var/cache/tt-kmd/.build -name "*.cmd" -o -name "*.o" | head -1)"'
vm_cut "$machine"
expect "the machine comes back" boot
expect "half a build is not in the cache" inside "! test -e /var/cache/tt-kmd/$release/1.0.0"
agent again 1.0.0
expect "it is built again and loaded" soon $build_within loaded 1.0.0
expect "what was left on the bench is gone" inside '! ls -A /var/cache/tt-kmd/.build 2>/dev/null | grep .'
agent_ends

# ---- killed while make runs: make goes too, and the next run builds

agent killed 2.0.0
expect "a second build begins" soon 240 said killed 'running make modules for tt-kmd 2\.0\.0'
agent_ends
expect "make does not outlive the agent" soon 60 inside '! pgrep -x make >/dev/null'
expect "the driver serves on" loaded 1.0.0
agent second 2.0.0
expect "the next run builds" soon $build_within reports prepared 2.0.0
agent_ends

# ---- killed before every deed of a swap. strace kills on entering the n-th of these calls, so the call itself is not done; each sweep ends with
# the run that needed fewer of them. Which version is wanted changes with every run.

wanted=2.0.0 other=1.0.0 kills=0 gap=no before=$(fetched)
settled() { [ -e "$share/$1.code" ] || said "$1" "tt-kmd $2 is loaded"; } # POD VERSION: killed, or there
turn() { local swap=$wanted; wanted=$other other=$swap; }
# Kills a swap before the N-th CALL; false when it got there without one.
kill_before() { # CALL N
  local pod=$1-$2
  order "$pod" $wanted
  TRACE="-e trace=$1 -e inject=$1:signal=KILL:when=$2" agent "$pod" $wanted
  if ! soon 240 settled "$pod" $wanted >/dev/null || ! [ -e "$share/$pod.code" ]; then
    expect "a swap without a $2. $1 gets to $wanted" loaded $wanted
    agent_ends
    turn
    return 1
  fi
  loaded none >/dev/null && gap=yes
  kills=$((kills + 1))
  agent "after-$pod" $wanted
  order "after-$pod" $wanted
  expect "killed before the $2. $1 of a swap, the next run gets to $wanted" soon 240 loaded $wanted
  agent_ends
  turn
}
for call in delete_module finit_module rename fsync; do
  n=0
  while [ $n -lt 20 ] && kill_before $call $((++n)); do :; done
done
expect "a swap has deeds ($kills)" test $kills -gt 4
expect "one of them lies between unload and load" test $gap = yes
expect "nothing had to be built for all that" test "$(fetched)" = "$before"

# ---- the power goes between unload and load

TRACE='-e trace=finit_module -e inject=finit_module:delay_enter=120000000' agent cut $wanted
order cut $wanted
expect "the driver is out" soon 240 loaded none
vm_cut "$machine"
expect "the machine comes back from that, too" boot
expect "without a driver" loaded none
agent last $wanted
expect "and gets the one that was wanted, without a word from the operator" soon 240 loaded $wanted
exit $failed
