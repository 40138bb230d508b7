#!/bin/bash
# `drover-sim demo`: the story ends well, in a pipe and in a terminal, and is the same again from the same seed; kubectl's door
# opens when it is asked for.
set -uo pipefail
drover=${DROVER:-build/drover}
drover_sim=${DROVER_SIM:-$drover-sim}
stage=$(mktemp -d)
# shellcheck source=test/cli/said.sh
source "$(dirname "$0")/said.sh"
demo=
# shellcheck disable=SC2317 # called by the trap
end() {
    [ -z "$demo" ] || { kill "$demo" && wait "$demo"; } 2>/dev/null
    rm -rf "$stage"
}
trap end EXIT

first=$("$drover_sim" demo --once)
check "it ends with 0" '^0$' "$?"
check "a budget is in the way" 'PodDisruptionBudget ml/train refuses' "$first"
check "every node is done" '^12 nodes have driver 550\.54\.14$' "$first"
check "nothing was forced" 'granted, [1-9][0-9]* refused by disruption budgets, 0 forced' "$first"
check "a pipe has no escapes" '^0$' "$(grep -c $'\x1b' <<<"$first")"
second=$("$drover_sim" demo --once)
if diff <(grep -v 'real time' <<<"$first") <(grep -v 'real time' <<<"$second") >"$stage/diff"; then
    report "the same seed tells the same story" yes
else
    report "the same seed tells the same story" no "$(cat "$stage/diff")"
fi

pictures=$(script -qec "stty rows 40 cols 120; $drover_sim demo --once --frame 1ms" /dev/null)
check "a picture says how long the rollout takes, as the forecaster has it" 'in flight, [0-9]+ waiting, ~[0-9hms]+ left' "$pictures"
for rows in 40 10; do
    screen=$(python3 test/cli/terminal.py $rows "$drover_sim" demo --once --frame 1ms)
    check "no line is longer than a terminal of $rows rows, and no picture higher" '^wrapped=0 beyond=0 status=0$' "$screen"
    check "every story line stays, once, in $rows rows" '^1$' "$(grep -c 'its owner relaxes it' <<<"$screen")"
    check "one picture is left in $rows rows" '^1$' "$(grep -c '^NODE  ' <<<"$screen")"
done

"$drover_sim" demo --frame 1ms --write-kubeconfig "$stage/config" >"$stage/log" 2>&1 &
demo=$!
for _ in $(seq 600); do
    grep -q 'Ctrl-C ends it' "$stage/log" && break
    kill -0 "$demo" 2>/dev/null || break
    sleep 0.1
done
check "with a kubeconfig it stays" 'The cluster stays' "$(cat "$stage/log")"
check "with the kubeconfig the fleet is seen" 'nvidia-12 .*550\.54\.14 .*done' "$("$drover" status --kubeconfig "$stage/config" 2>&1)"
kill -TERM "$demo"
wait "$demo"
check "a signal ends it with 0" '^0$' "$?"
demo=

exit $failed
