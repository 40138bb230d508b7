#!/bin/bash
# Tenstorrent's "Upgrades" page, its part about tt-kmd and tt-smi: its kubectl commands as they are written there, on a real
# control plane with simulated machines (whose builders run the real agent) and on the embedded cluster, must have the effect
# that the page states. The operator runs as its own ServiceAccount, with the chart's roles. Exit 3 where no control plane
# can be built.
# shellcheck disable=SC2317,SC2016  # functions are called through expect and trap; nothing is to expand
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/nvidia_stage.sh
source "$(dirname "$0")/nvidia_stage.sh"
open_bed tenstorrent
ns=tt-k8s-driver-manager-system
gate=tenstorrent.com/deploy.tt-telemetry

# ---- the pages' commands, as they are written there

upgrade_the_driver() {
    kubectl patch ttdp default --type merge -p '{"spec":{"version":"2.8.0"}}'
}
watch_the_takeover() {
    kubectl get nodes -L driver.tenstorrent.com/install-mode
}
builder_logs() {
    kubectl -n tt-k8s-driver-manager-system logs \
        -l driver.tenstorrent.com/cr=default \
        --tail=200
}

# ---- what is looked at

set_driver() { kubectl patch ttdp default --type merge -p "{\"spec\":{\"version\":\"$1\"}}"; }
versions() {
    kubectl get nodes -o 'jsonpath={range .items[*]}{.metadata.labels.driver\.tenstorrent\.com/kmd-version}{" "}{end}'
}
all_have() { # VERSION
    [ "$(versions)" = "$1 $1 $1 " ] || { echo "loaded: $(versions)"; return 1; }
}
all_done() { # VERSION: loaded everywhere, everybody back in service, and the policy says so
    all_have "$1" && nothing_is_left && is 3 ttdp/default '{.status.summary.upToDate}'
}
columns() { # MATCHED READY UPTODATE INPROGRESS FAILED
    local got
    got=$(kubectl get ttdp --no-headers | awk '{print $3, $4, $5, $6, $7}')
    [ "$got" = "$*" ] || { echo "kubectl get ttdp: $got"; return 1; }
}
says_of() { # NODE STATE/REASON
    is "$2" ttdp/default "{.status.nodes[?(@.name==\"$1\")].state}/{.status.nodes[?(@.name==\"$1\")].reason}"
}
one_is_away() { # a node is cordoned and its gate closed, in one and the same object; never two
    local got
    got=$(kubectl get nodes -o "jsonpath={range .items[?(@.spec.unschedulable)]}{.metadata.labels.${gate//./\\.}}{\"\\n\"}{end}")
    [ "$(wc -l <<<"$got")" = 1 ] && [ "$got" = false ] || { echo "away: '$got'"; return 1; }
}
no_gate_is_left() {
    local got
    got=$(kubectl get nodes -l "$gate" -o name)
    [ -z "$got" ] || { echo "gates: $got"; return 1; }
}
never_two_away() { # FILE: one line a look
    ! grep -v '^[01]$' "$1"
}
count_the_cordoned() { # FILE: until it is stopped
    while kubectl get nodes -o 'jsonpath={range .items[?(@.spec.unschedulable)]}x{end}' | wc -c; do sleep 0.3; done >"$1" 2>/dev/null
}
builders() { kubectl -n $ns get pods -l app.kubernetes.io/component=driver -o "jsonpath={range .items[*]}{.metadata.uid}{\"\n\"}{end}" | sort; }
builder_on() { kubectl -n $ns get pods -l driver.tenstorrent.com/cr=default --field-selector "spec.nodeName=$1" -o name; }
policy() {
    kubectl apply -f - <<'YAML'
apiVersion: driver.tenstorrent.com/v1alpha1
kind: TenstorrentDriverPolicy
metadata: {name: default}
spec:
  version: "2.7.0"
  nodeAffinity: {}
YAML
}
work() { # NAME NODE: a pod that has the device open, and that its Deployment makes again
    kubectl apply -f - <<YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: $1, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: $1}}
  template:
    metadata: {labels: {app: $1, tenstorrent.com/uses-device: "true"}}
    spec:
      nodeSelector: {kubernetes.io/hostname: $2}
      containers:
      - {name: work, image: "work:1", command: [sleep, infinity], volumeMounts: [{name: tt, mountPath: /dev/tenstorrent/0}]}
      volumes: [{name: tt, hostPath: {path: /dev/tenstorrent/0}}]
YAML
}

start_tenstorrent() { # [FLAG...]
    local token
    token=$(kubectl create token tt-k8s-driver-manager -n $ns)
    kubectl config view --raw --minify | sed -E '/client-(certificate|key)-data|^ +token:/d' >"$stage/operator.kubeconfig"
    kubectl --kubeconfig "$stage/operator.kubeconfig" config set-credentials operator --token="$token" >/dev/null
    kubectl --kubeconfig "$stage/operator.kubeconfig" config set-context --current --user=operator >/dev/null
    "$drover" operator --kubeconfig "$stage/operator.kubeconfig" --lease $ns/tt-k8s-driver-manager --vendor tenstorrent=$ns \
        "$@" >"$stage/operator.log" 2>&1 &
    operator=$!
}

the_page_holds() {
    expect "the chart is installed" helm install tt-k8s-driver-manager charts/drover -n $ns --create-namespace \
        --set operator.replicas=0 --set vendors.nvidia.enabled=false --set vendors.tenstorrent.enabled=true
    start_tenstorrent --image drover:1
    expect "a policy can be made" soon 10 policy
    expect "the first driver comes to every node" soon 120 all_done 2.7.0
    expect "kubectl get ttdp counts them" soon 20 columns 3 3 3 0 0
    expect "the nodes say how the driver came" test "$(watch_the_takeover | grep -c ' container$')" = 3
    expect "the builders say what they did" grep -q insmod <(builder_logs)

    # tt-kmd
    work train tenstorrent-1 >/dev/null
    count_the_cordoned "$stage/away" & local counting=$!
    expect "the page's patch is accepted" upgrade_the_driver
    expect "a node is cordoned, with its gate closed" soon 120 one_is_away
    expect "and all have it in the end" soon 180 all_done 2.8.0
    stop "$counting"
    expect "never were two away" never_two_away "$stage/away"
    expect "no gate is left" no_gate_is_left
    expect "a lower version is wanted" set_driver 2.7.0
    expect "it is in the cache of every node" soon 60 all_done 2.7.0

    # Soft pause, hard pause
    expect "the policy is paused" kubectl patch ttdp default --type merge -p '{"spec":{"paused":true}}'
    expect "another version is wanted meanwhile" set_driver 2.8.0
    expect "and nothing moves" steadily 8 all_have 2.7.0
    expect "a node is left out" kubectl label node tenstorrent-3 driver.tenstorrent.com/skip=true
    expect "the policy goes on" kubectl patch ttdp default --type merge -p '{"spec":{"paused":false}}'
    expect "the others have it" soon 120 test_versions "2.8.0 2.8.0 2.7.0 "
    expect "the label is taken off" kubectl label node tenstorrent-3 driver.tenstorrent.com/skip-
    expect "and so has the last one" soon 120 all_done 2.8.0

    # Blocked by workload
    expect "the drain is switched off" kubectl patch ttdp default --type merge -p '{"spec":{"upgradePolicy":{"drain":{"enable":false}}}}'
    expect "a version is wanted while a pod has the device open" set_driver 2.7.0
    expect "its node counts as failed" soon 120 is 1 ttdp/default '{.status.summary.failed}'
    expect "and says why" soon 20 says_of tenstorrent-1 Failed/BuilderCrashLoop
    expect "with the holder's pid and name" grep -qE 'held by .*work' <(kubectl get ttdp default -o jsonpath='{.status.nodes}')
    expect "the holders are drained by hand" kubectl delete deployment train --wait
    local pod
    pod=$(builder_on tenstorrent-1)
    expect "the crash-looping pod is deleted" kubectl -n $ns delete "$pod" --wait=false
    expect "and the rollout goes on to its end" soon 180 all_done 2.7.0
    work train tenstorrent-2 >/dev/null
    expect "the device is held on another node" soon 30 kubectl wait deployment/train --for=condition=Available --timeout=20s
    expect "another version is wanted again" set_driver 2.8.0
    expect "and is blocked there" soon 120 says_of tenstorrent-2 Failed/BuilderCrashLoop
    expect "forceUnload is set" kubectl patch ttdp default --type merge -p '{"spec":{"upgradePolicy":{"forceUnload":true}}}'
    expect "and the holders are killed" soon 180 all_done 2.8.0

    # tt-smi: another image of the builder
    local before
    before=$(builders)
    stop "$operator"
    start_tenstorrent --image drover:1 --builder-image drover:sha-newer
    expect "every builder is replaced" soon 180 none_is_of "$before"
    expect "and no node was taken away for it" all_done 2.8.0

    expect "the policy is deleted" kubectl delete ttdp default
    expect "the drivers stay" steadily 5 all_have 2.8.0
    expect "and nothing is left on any node" nothing_is_left
    stop_operator
}
test_versions() { [ "$(versions)" = "$1" ] || { echo "loaded: $(versions)"; return 1; }; }
none_is_of() { # UIDS: three builders that are ready, none of them one of these
    local now
    now=$(builders)
    [ "$(wc -l <<<"$now")" = 3 ] && [ -z "$(comm -12 <(echo "$1") <(echo "$now"))" ]
}

on_both_servers the_page_holds --nodes tenstorrent=3
exit $failed
