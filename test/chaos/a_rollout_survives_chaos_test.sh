#!/bin/bash
# Fifty nodes on a real control plane get a new driver in bad weather: the operator is killed twenty times, mostly while it leads, its leader
# stopped for longer than its lease, the API server restarted, etcd paused, connections cut. In the end every node is done and nothing is left
# on any; and the audit log says that no promise was broken on the way. CHAOS_SEED repeats a run's misfortunes (not their effects: time is real).
# CHAOS_KEEP=FOLDER keeps the logs there. Exit 3 where no control plane can be built.
# shellcheck disable=SC2317  # functions are called through expect and trap
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/../real/stage.sh"
chaos=test/chaos
seed=${CHAOS_SEED:-$((RANDOM * 32768 + RANDOM))}
nodes=50 parallel=9 unavailable=8
lease=5 # seconds: after each death of a leader no replica works for so long

expect "the checker of audit logs notices what is planted" python3 $chaos/audit.py selftest
open_bed chaos --audit "$stage/audit.log"
export KUBECONFIG=$bed/kubeconfig
after_failure() { tail -qn 2 "$stage"/operator-*.log 2>/dev/null | sed 's/^/     /'; }
keep() {
    [ -z "${CHAOS_KEEP:-}" ] && return
    mkdir -p "$CHAOS_KEEP" && cp "$stage"/{audit.log,journal,rollouts,operator-*.log} "$CHAOS_KEEP"
}
trap 'keep; leave' EXIT

# ---- what is looked at

all_done() {
    local got
    got=$(kubectl get nodes -L nvidia.com/gpu-driver-upgrade-state --no-headers | awk '{ print $NF }' | sort | uniq -c)
    [ "$(xargs <<<"$got")" = "$nodes upgrade-done" ] || { echo "the nodes are: $got"; return 1; }
}
nothing_is_left() {
    kubectl get nodes -o json | python3 -c '
import json, sys
left = []
for node in json.load(sys.stdin)["items"]:
    spec, meta = node["spec"], node["metadata"]
    notes = meta.get("annotations", {})
    if spec.get("unschedulable"): left.append(meta["name"] + " is cordoned")
    left += [meta["name"] + " has taint " + taint["key"] for taint in spec.get("taints", [])]
    left += [meta["name"] + " has gate " + key for key, value in meta["labels"].items() if "paused" in value]
    if "claim" in json.loads(notes.get("drover.dev/record", "{}")): left.append(meta["name"] + " has a claim")
    if "cluster-autoscaler.kubernetes.io/scale-down-disabled" in notes: left.append(meta["name"] + " may not be scaled down")
print("; ".join(left))
sys.exit(bool(left))'
}
runs_the_last_version() {
    local wanted got
    wanted=$(tail -n 1 "$stage/rollouts" | sed 's/.*"version": "\([^"]*\)".*/\1/')
    got=$(kubectl get pods -n gpu-operator -l app=nvidia-driver-daemonset -o 'jsonpath={range .items[*]}{.spec.containers[0].image}{"\n"}{end}' |
        sed 's/.*:\([^-]*\)-.*/\1/' | sort | uniq -c | xargs)
    [ "$got" = "$nodes $wanted" ] || { echo "driver images: $got, not $nodes $wanted"; return 1; }
}

# ---- the fleet, with pods that use GPUs under a budget

operator_config() {
    local token
    token=$(kubectl create token gpu-operator -n gpu-operator --duration=1h) || return 1
    # The administrator's certificate would win over a token.
    kubectl config view --raw --minify | sed -E '/client-(certificate|key)-data|^ +token:/d' >"$stage/operator.kubeconfig"
    kubectl --kubeconfig "$stage/operator.kubeconfig" config set-credentials operator --token="$token" >/dev/null
    kubectl --kubeconfig "$stage/operator.kubeconfig" config set-context --current --user=operator >/dev/null
}
first_driver() {
    "$drover" operator --kubeconfig "$stage/operator.kubeconfig" --lease gpu-operator/gpu-operator --vendor nvidia=gpu-operator >"$stage/operator-0.log" 2>&1 &
    local operator=$! status
    soon 30 kubectl apply -f - <<YAML
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec:
  driver:
    version: 470.82.01
    startupProbe: {initialDelaySeconds: 0, periodSeconds: 1}
    upgradePolicy: {autoUpgrade: true, maxParallelUpgrades: $parallel, maxUnavailable: $unavailable}
YAML
    soon 60 all_done
    status=$?
    stop "$operator"
    return $status
}
workload() {
    kubectl apply -f - <<'YAML' || return 1
apiVersion: apps/v1
kind: Deployment
metadata: {name: train, namespace: default}
spec:
  replicas: 40
  selector: {matchLabels: {app: train}}
  template:
    metadata: {labels: {app: train}}
    spec:
      containers:
      - {name: cuda, image: "example/train:1", command: [sleep, infinity], resources: {limits: {nvidia.com/gpu: "1"}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: train, namespace: default}
spec: {maxUnavailable: 2, selector: {matchLabels: {app: train}}}
YAML
    kubectl rollout status deploy/train --timeout=60s
}

"$drover_sim" kubelet --kubeconfig "$KUBECONFIG" --nodes nvidia=$nodes --journal "$stage/journal" --pull 200ms --start 100ms --driver 1s \
    --stop 200ms --task 300ms >"$stage/sim.log" 2>&1 &
expect "fifty nodes are ready" soon 30 kubectl wait --for=condition=Ready nodes --all --timeout=20s
expect "the chart is installed" helm install gpu-operator charts/drover -n gpu-operator --create-namespace --set operator.replicas=0
expect "the operator has its own account" operator_config
expect "every node has its first driver" first_driver
expect "pods use GPUs, under a budget" workload

# ---- the weather

echo "   seed $seed: CHAOS_SEED=$seed repeats it"
python3 $chaos/weather.py --seed "$seed" --bed "$bed" --restart "$bed_scripts/restart" --operator-config "$stage/operator.kubeconfig" \
    --rollouts "$stage/rollouts" --logs "$stage" --lease-seconds $lease -- \
    "$drover" operator --lease gpu-operator/gpu-operator --lease-seconds $lease --vendor nvidia=gpu-operator
expect "the rollout got through" test $? -eq 0
expect "every node is done" all_done
expect "with the version that was asked for last" runs_the_last_version
expect "no cordon, taint, gate or claim is left" soon 10 nothing_is_left
expect "no promise was broken on the way" python3 $chaos/audit.py check --audit "$stage/audit.log" --journal "$stage/journal" \
    --rollouts "$stage/rollouts" --parallel $parallel --unavailable $unavailable --agent drover/
sed 's/^/   /' "$stage/said"
exit $failed
