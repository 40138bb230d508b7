#!/bin/bash
# The command line itself: help is help, and what makes no sense is refused with exit 2 and one line.
set -uo pipefail
drover=${DROVER:-build/drover}
drover_sim=${DROVER_SIM:-$drover-sim}
failed=0
check() { # TITLE STATUS WORDS COMMAND...
    local title=$1 status=$2 words=$3 said got
    shift 3
    said=$("$@" 2>&1)
    got=$?
    if [ $got -eq "$status" ] && grep -qE -- "$words" <<<"$said" && { [ "$status" -ne 2 ] || [ "$(wc -l <<<"$said")" -eq 1 ]; }; then
        echo "ok $title"
    else
        echo "FAIL $title: it ended with $got and said: $said"
        failed=1
    fi
}

check "help lists the commands" 0 "ping .*API server" "$drover" --help
check "a command has its own help" 0 "drover.dev/simulated=true" "$drover_sim" kubelet --help
check "the version is said" 0 "^drover " "$drover" version
check "no command is a usage error" 2 "say what to do" "$drover"
check "an unknown command is named" 2 '"dance"' "$drover" dance
check "an unknown command of agent is named" 2 '"dance"' "$drover" agent dance
check "drover-sim speaks under its own name" 2 '^drover-sim: "dance" .*; see drover-sim --help$' "$drover_sim" dance
check "drover-sim says its version" 0 "^drover-sim " "$drover_sim" version
check "an unknown flag is named" 2 "\"--nope\"" "$drover" ping --nope
check "a time that is none is named" 2 "--pull: invalid duration \"soon\"" "$drover_sim" kubelet --pull soon
check "a part that is none is named" 2 "--jitter: invalid fraction \"300%\"" "$drover_sim" kubelet --jitter 300%
check "a log level that is none is named" 2 '"loud"' "$drover" --log-level loud version
check "flags for logs may stand anywhere" 0 "^drover " "$drover" version --log-level debug
check "a vendor that is none is named" 2 '--vendor: "amd" is none of nvidia' "$drover" operator --vendor amd=gpu
check "a vendor without its namespace is refused" 2 "nvidia= names no namespace" "$drover" operator --vendor nvidia=
check "a lease without its namespace is refused" 2 '--lease: "drover" is not a NAMESPACE/NAME' "$drover" operator --lease drover
check "a lease that would be lost at every breath is refused" 2 "--lease-seconds" "$drover" operator --lease a/b --lease-seconds 1
check "a pull policy that is none is refused" 2 "Sometimes" "$drover" operator --image-pull-policy Sometimes
check "a fleet that is none is refused" 1 "amd.*ascend, nvidia, rebellions, tenstorrent, cpu" "$drover_sim" kubelet --nodes amd=3

for moved in "demo:drover-sim demo" "sim serve:drover-sim serve" "sim kubelet:drover-sim kubelet" "sim:drover-sim --help"; do
    was=${moved%%:*} is=${moved#*:}
    # shellcheck disable=SC2086  # the words of a command
    check "$was says where it is now" 2 "^drover: \"$was\" is a command of drover-sim: run \"$is\"\$" "$drover" $was --seed 3
done
check "a command that moved says so also when asked for help" 2 'run "drover-sim serve"' "$drover" sim serve --help
check "a command that moved is not in the help" 0 '^0$' sh -c '"$1" --help | grep -cE "demo|sim" || true' sh "$drover"

config=$(mktemp)
trap 'rm -f "$config"' EXIT
cat >"$config" <<'YAML'
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
YAML
check "a journal that cannot be is refused" 1 "/no/such/folder" "$drover_sim" kubelet --kubeconfig "$config" --journal /no/such/folder/j
check "scripts that make no sense are refused" 1 "line 1" "$drover_sim" kubelet --kubeconfig "$config" --scripts <(echo "app:* : dance")

exit $failed
