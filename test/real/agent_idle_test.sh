#!/bin/bash
# What `drover agent load` costs a node while it has nothing to do and its driver is loaded: at most 4 MB of its own and 12 MB in
# all, no look more often than every ten seconds, no process. Exit 3 where that cannot be asked.
# shellcheck disable=SC2317  # functions are called through expect and trap
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/agent_stage.sh
source "$(dirname "$0")/agent_stage.sh"
most_own=4096 most_in_all=12288  # kB
open_agent_stage agent_idle

# ---- what is looked at

status_of() { awk -v key="$1:" '$1 == key { print $2 }' "/proc/$agent/status"; } # KEY: kB
is_at_most() { [ -n "$1" ] && [ "$1" -le "$2" ]; }                               # NUMBER NUMBER
is_ready() { page "$stage/agent.log" /readyz; }
by_mapping() { # where its memory is, to find out more
    awk '/^[0-9a-f]+-/ { name = $6 } /^Rss:/ { all[name] += $2 } /^Anonymous:/ { own[name] += $2 }
        END { for (name in all) printf "     %6d kB, %5d its own  %s\n", all[name], own[name], name }' "/proc/$agent/smaps" | sort -rnk1 | head -n 12
}
no_process() { ! grep -E '(execve|clone3?|v?fork)\(' "$stage/trace"; }
# Seconds between two looks at the machine; a second is the scheduler's.
shortest_gap() { awk '/sys\/module\/tenstorrent\/initstate/ { if (last && (!least || $2 - last < least)) least = $2 - last; last = $2 } END { print least }' "$stage/trace"; }
# How often it woke for anything at all: what lies less than half a second apart is one time.
times_awake() { awk '$2 - last > 0.5 { times++ } { last = $2 } END { print times + 0 }' "$stage/trace"; }
is_small() { # WHEN
    local own all
    own=$(status_of RssAnon) all=$(status_of VmRSS)
    expect "$1 its own memory is $own kB, of $most_own" is_at_most "$own" $most_own
    expect "$1 it has $all kB in all, of $most_in_all" is_at_most "$all" $most_in_all
}
order() { # VERSION: the operator asks to prepare it
    kubectl annotate --overwrite node idle-1 "drover.dev/order-tenstorrent-driver={\"v\":1,\"id\":\"\",\"target\":\"d\",\"mayLoad\":false,\"prepare\":\"$1\",\"message\":\"\"}"
}

# ---- a driver that is loaded

mkdir -p "$stage/machine/sys/module/tenstorrent"
echo live >"$stage/machine/sys/module/tenstorrent/initstate"
echo 2.0.0 >"$stage/machine/sys/module/tenstorrent/version"
echo 0 >"$stage/machine/sys/module/tenstorrent/refcnt"
expect "the agent starts" start_agent
expect "it says what is loaded" soon 30 kubectl wait node/idle-1 --for='jsonpath={.metadata.labels.driver\.tenstorrent\.com/kmd-version}=2.0.0' --timeout=5s
expect "it is ready" soon 20 is_ready
sleep 25  # two looks and a probe or two

timeout 45 strace -f -ttt -p "$agent" -o "$stage/trace" 2>/dev/null
gap=$(shortest_gap) times=$(times_awake)
expect "it starts no process" no_process
expect "it looks every ten seconds, not more often (${gap:-never} s)" awk -v gap="$gap" 'BEGIN { exit !(gap >= 9 && gap <= 20) }'
expect "and wakes for little else ($times times in 45 s)" is_at_most "$times" 8
is_small "at rest"

# An order is answered much sooner than the next look: the watch is open.
order 2.9.0 >/dev/null
expect "it hears of a change at once" soon 5 reports '2.9.0 cannot be prepared: the headers of kernel'
is_small "with something to say"

expect "the API server ends and comes back" "$bed_scripts/restart" "$bed" kube-apiserver
order 2.9.1 >/dev/null
expect "the agent is there again" soon 60 reports '2.9.1 cannot be prepared'
sleep 32  # it gives back what the new connections needed
is_small "half a minute after a new connection"
[ $failed = 0 ] || by_mapping
stop "$agent"
exit $failed
