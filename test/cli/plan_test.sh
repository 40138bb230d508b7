#!/bin/bash
# `drover plan` over the wire: what is no input is one line and 1; with a cluster and no policy it says what to do.
set -uo pipefail
drover=${DROVER:-build/drover}
drover_sim=${DROVER_SIM:-$drover-sim}
stage=$(mktemp -d)
# shellcheck source=test/cli/said.sh
source "$(dirname "$0")/said.sh"
server=
# shellcheck disable=SC2317 # called by the trap
end() {
    [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
    rm -rf "$stage"
}
trap end EXIT

"$drover_sim" demo --frame 1ms --write-kubeconfig "$stage/config" >"$stage/log" 2>&1 &
server=$!
for _ in $(seq 600); do
    grep -q 'Ctrl-C ends it' "$stage/log" && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
plan() { "$drover" plan --kubeconfig "$stage/config" "$@" 2>&1; }

text=$(plan)
check "a fleet that is done has nothing to do, with 0" '^0 nothing is to be done' "$? $(tail -n 1 <<<"$text")"
check "it says first whether an operator is at work" '^drover: operator .* works without a lease' "$text"
policy() { printf 'apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata:\n  name: %s\nspec:\n  driver:\n    version: "%s"\n    upgradePolicy:\n      autoUpgrade: true\n      maxUnavailable: %s\n' "$@"; }
policy cluster-policy 570.10.10 3 >"$stage/next.yaml"
text=$(plan -f "$stage/next.yaml")
status=$?
check "another version is planned, node by node" '^1 +nvidia-.*550\.54\.14 → 570\.10\.10' "$text"
check "it says how it ends" '^it (gets through|would get stuck): ' "$text"
check "the exit code says the same" '^([03] it gets|2 it would)' "$status $(tail -n 1 <<<"$text")"
check "JSON for programs" '^\{"getsThrough":(true|false),' "$(plan -f "$stage/next.yaml" -o json)"
policy cluster-policy 570.10.10 5x >"$stage/bad.yaml"
text=$(plan -f "$stage/bad.yaml")
check "a field that cannot be read is one line and 1" '^1 drover: .*maxUnavailable is "5x"' "$? $text"
policy another 570.10.10 3 >"$stage/other.yaml"
text=$(plan -f "$stage/other.yaml")
check "a policy that would be ignored is refused" '^1 drover: .*would be ignored' "$? $text"
driver() { printf -- '---\napiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata:\n  name: %s\nspec:\n  version: "%s"\n  %s\n' "$@"; }
driver all 570.10.10 'default: true' >"$stage/driver.yaml"
text=$(plan -f "$stage/driver.yaml")
check "an NVIDIADriver beside a ClusterPolicy that counts" '^1 drover: .*NVIDIADriver all would be ignored: .*useNvidiaDriverCRD' "$? $text"
{
    printf 'apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata:\n  name: cluster-policy\nspec:\n  driver:\n    useNvidiaDriverCRD: true\n'
    driver all 570.10.10 'default: true'
} >"$stage/both.yaml"
check "both kinds in one file" '^1 +nvidia-.*550\.54\.14 → 570\.10\.10' "$(plan -f "$stage/both.yaml")"
text=$(plan -f "$stage/both.yaml" --max-unavailable 5x)
check "a limit that cannot be read is a usage error" '^2 .*neither a number of nodes' "$? $text"
tenstorrent() { printf 'apiVersion: driver.tenstorrent.com/v1alpha1\nkind: TenstorrentDriverPolicy\nmetadata:\n  name: default\nspec:\n  %s\n' "$1" >"$stage/kind.yaml"; }
tenstorrent 'version: 2.8.0'
text=$(plan -f "$stage/kind.yaml")
check "a policy of another vendor is read as its own vendor reads it" '^1 drover: .*TenstorrentDriverPolicy default: .*nodeAffinity' "$? $text"
tenstorrent '{version: 2.8.0, nodeAffinity: {}}'
text=$(plan -f "$stage/kind.yaml")
check "and planned beside the one that is there" '^0 nothing is to be done' "$? $(tail -n 1 <<<"$text")"
text=$(plan -f "$stage/nowhere.yaml")
check "a file that is not there" '^1 drover: .*cannot be read' "$? $text"
text=$("$drover" plan --kubeconfig "$stage/nowhere" 2>&1)
check "no cluster" '^1 drover: ' "$? $text"
exit $failed
