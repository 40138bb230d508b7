#!/bin/bash
# Several NVIDIADrivers in one cluster, on a real control plane with simulated kubelets and on the embedded cluster: what the
# definition refuses, who has which node, and what a change costs which node. The operator runs as its own ServiceAccount, with the
# chart's roles. Exit 3 where no control plane can be built.
# shellcheck disable=SC2317,SC2016  # functions are called through expect and trap; nothing is to expand
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/nvidia_stage.sh
source "$(dirname "$0")/nvidia_stage.sh"
open_bed nvidia-drivers

manifest() { # NAME SPEC: further members of the spec, as YAML in one line
    cat <<YAML
---
apiVersion: nvidia.com/v1alpha1
kind: NVIDIADriver
metadata: {name: $1}
spec: {startupProbe: {initialDelaySeconds: 0, periodSeconds: 1}, $2}
YAML
}
driver() { manifest "$@" | kubectl apply -f -; }
foresees() { # EXIT_CODE PATTERN...: what a plan of $stage/changed.yaml says, each somewhere
    local said code=0 pattern
    said=$("$drover" plan --kubeconfig "$KUBECONFIG" -f "$stage/changed.yaml" 2>&1) || code=$?
    [ "$code" = "$1" ] || { echo "it ends with $code: $said"; return 1; }
    for pattern in "${@:2}"; do grep -qE "$pattern" <<<"$said" || { echo "it says: $said"; return 1; }; done
}
patch() { kubectl patch nvd "$1" --type=merge -p "$2"; } # NAME PATCH
refused() { # TEXT COMMAND...
    local said
    said=$("${@:2}" 2>&1) && { echo "it was accepted: $said"; return 1; }
    grep -qF "$1" <<<"$said" || { echo "it says: $said"; return 1; }
}
runs() { # NODE VERSION...: which driver each node's pod carries
    local got wanted="" node
    got=$(driver_images | sed 's/ .*driver:/ /; s/-ubuntu.*//')
    while [ $# -gt 0 ]; do
        wanted+="nvidia-$1 $2"$'\n'
        shift 2
    done
    [ "$got"$'\n' = "$wanted" ] || { echo "they run: $got"; return 1; }
}
owned() { # NODE OWNER
    is "$2" "node/nvidia-$1" '{.metadata.labels.nvidia\.com/gpu-operator\.driver\.owner}'
}
condition() { # NAME TYPE STATUS
    kubectl wait "nvidiadriver/$1" --for="condition=$2=$3" --timeout=15s
}
driver_pods() { kubectl get pods -n gpu-operator -l app=nvidia-driver-daemonset -o 'jsonpath={range .items[*]}{.metadata.uid}{"\n"}{end}' | sort; }

they_share_the_nodes() {
    start_operator
    local pods
    for node in 1 2; do kubectl label node "nvidia-$node" pool=a --overwrite >/dev/null; done
    kubectl label node nvidia-3 pool=b --overwrite >/dev/null

    expect "one for pool a" soon 10 driver a 'version: 470.82.01, nodeSelector: {pool: a}'
    expect "one for pool b" driver b 'version: 510.85.02, nodeSelector: {pool: b}'
    expect "each pool gets its own" soon 90 runs 1 470.82.01 2 470.82.01 3 510.85.02
    expect "a is ready" condition a Ready True
    expect "b is ready" condition b Ready True
    expect "kubectl get shows them" grep -qE '^a +ready +false +470.82.01 +2 +2 +0 +0' <(kubectl get nvd)
    expect "the nodes say whose they are" owned 3 b
    expect "drover status shows both" grep -q '510.85.02' <("$drover" status --kubeconfig "$KUBECONFIG")

    expect "a default may select nothing" refused "leave nodeSelector out" patch a '{"spec":{"default":true}}'
    expect "the owner's label selects nothing" refused "select by another one" patch a '{"spec":{"nodeSelector":{"nvidia.com/gpu-operator.driver.owner":"b"}}}'
    expect "the type of a driver stays" refused "driverType cannot be changed" patch a '{"spec":{"driverType":"vgpu"}}'
    expect "precompiled or not stays" refused "usePrecompiled cannot be changed" patch a '{"spec":{"usePrecompiled":true}}'
    expect "a width that makes no sense is refused" refused "must be a number of nodes" patch a '{"spec":{"upgradePolicy":{"maxUnavailable":"5x"}}}'

    pods=$(driver_pods)
    expect "a second one for one node" driver c 'version: 525.60.13, nodeSelector: {kubernetes.io/hostname: nvidia-1}'
    expect "is disputed" condition c NodeSelectorConflict True
    expect "by both" condition a NodeSelectorConflict True
    expect "and nothing is touched" steadily 3 test "$pods" = "$(driver_pods)"
    manifest b 'version: 510.85.02, nodeSelector: {pool: b}' >"$stage/changed.yaml"
    expect "a plan says so too" foresees 0 '^  - dispute nvidia-1: NVIDIADriver a and NVIDIADriver c select it' '^nothing is to be done'
    expect "it goes" kubectl delete nvd c

    { manifest a 'version: 525.60.13, nodeSelector: {pool: a}'; manifest b 'version: 525.60.13, nodeSelector: {pool: b}'; } >"$stage/changed.yaml"
    expect "both would change under one limit" foresees 0 '^a +1 +nvidia-1 +470.82.01 → 525.60.13' '^a +2 +nvidia-2 ' '^b +1 +nvidia-3 +510.85.02 → 525.60.13' \
        '^limit over all policies: 1 of 3 nodes' '^it gets through: 3 of 3 nodes'
    manifest a 'version: 525.60.13, nodeSelector: {pool: a}' >"$stage/changed.yaml"
    expect "a alone takes its two nodes" foresees 0 '^a +2 +nvidia-2 ' '^it gets through: 2 of 3 nodes'
    expect "a plan changes nothing" test "$pods" = "$(driver_pods)"
    expect "a changes its version" patch a '{"spec":{"version":"525.60.13"}}'
    expect "and its nodes follow, b's does not" soon 120 runs 1 525.60.13 2 525.60.13 3 510.85.02
    expect "node 2 changes hands" kubectl label node nvidia-2 pool=b --overwrite
    expect "and gets b's driver" soon 90 runs 1 525.60.13 2 510.85.02 3 510.85.02
    expect "b is ready with both" soon 20 is 2 nvd/b '{.status.summary.done}'
    expect "nothing is left on any node" soon 10 nothing_is_left

    pods=$(driver_pods)
    expect "both go" kubectl delete nvd a b
    expect "and their labels with them" soon 20 owned 1 ""
    expect "but no driver" test "$pods" = "$(driver_pods)"
    stop_operator
}
on_both_servers they_share_the_nodes
exit $failed
