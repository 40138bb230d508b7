# shellcheck shell=bash disable=SC2034,SC2317  # variables and functions belong to the script that sources this
# Sourced after stage.sh by the tests that hold NVIDIA's page to its word: an operator with the chart's rights, three simulated
# nodes, and what is looked at.
sim=
operator=
port=
after_failure() { tail -n 3 "$stage/operator.log" 2>/dev/null | sed 's/^/     /'; }

policy() { # UPGRADE-POLICY, as YAML in one line
    kubectl apply -f - <<YAML
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec:
  driver:
    version: 470.82.01
    startupProbe: {initialDelaySeconds: 0, periodSeconds: 1}
    upgradePolicy: $1
YAML
}
set_policy() { kubectl patch clusterpolicy cluster-policy --type=merge -p "$1"; }
set_version() { set_policy "{\"spec\":{\"driver\":{\"version\":\"$1\"}}}"; }
driver_images() {
    kubectl get pods -n gpu-operator -l app=nvidia-driver-daemonset -o 'jsonpath={range .items[*]}{.spec.nodeName}{" "}{.spec.containers[0].image}{"\n"}{end}' | sort
}
images() { # VERSION: every driver pod runs it
    local got
    got=$(driver_images | sed 's/.* //' | uniq -c)
    grep -qE "^ *3 .*/driver:$1-ubuntu22\.04$" <<<"$got" || { echo "images: $got"; return 1; }
}
drivers_are_ready() { # VERSION: everywhere, and nothing else runs
    local ready
    images "$1" || return 1
    ready=$(kubectl get pods -n gpu-operator -l app=nvidia-driver-daemonset -o 'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' | grep -c True)
    [ "$ready" = 3 ] || { echo "$ready of 3 driver pods are ready"; return 1; }
}
nothing_is_left() {
    local left
    left=$(kubectl get nodes -o json | python3 -c '
import json, sys
for node in json.load(sys.stdin)["items"]:
    spec, meta = node["spec"], node["metadata"]
    record = json.loads(meta.get("annotations", {}).get("drover.dev/record", "{}"))
    paused = [k for k, v in meta["labels"].items() if "paused" in v]
    if spec.get("unschedulable") or any(t["key"].startswith("drover.dev/") for t in spec.get("taints", [])) or "claim" in record or paused:
        print(meta["name"], spec, record, paused)')
    [ -z "$left" ] || { echo "left: $left"; return 1; }
}
steadily() { # SECONDS COMMAND...: holds all the time
    local end=$((SECONDS + $1))
    shift
    while [ "$SECONDS" -lt "$end" ]; do
        "$@" || return 1
        sleep 0.5
    done
}
# A pod without a controller, on one node.
bare_gpu_pod() { # NODE
    kubectl apply -f - <<YAML
apiVersion: v1
kind: Pod
metadata: {name: bare, namespace: default}
spec:
  nodeName: $1
  containers:
  - {name: cuda, image: "cuda:1", command: [sleep, infinity], resources: {limits: {nvidia.com/gpu: "1"}}}
YAML
}

start_operator() {
    local token
    expect "the chart is installed" helm install gpu-operator charts/drover -n gpu-operator --create-namespace --set operator.replicas=0
    token=$(kubectl create token gpu-operator -n gpu-operator)
    # The administrator's certificate would win over a token.
    kubectl config view --raw --minify | sed -E '/client-(certificate|key)-data|^ +token:/d' >"$stage/operator.kubeconfig"
    kubectl --kubeconfig "$stage/operator.kubeconfig" config set-credentials operator --token="$token" >/dev/null
    kubectl --kubeconfig "$stage/operator.kubeconfig" config set-context --current --user=operator >/dev/null
    "$drover" operator --kubeconfig "$stage/operator.kubeconfig" --lease gpu-operator/gpu-operator --listen 127.0.0.1:0 \
        --vendor nvidia=gpu-operator >"$stage/operator.log" 2>&1 &
    operator=$!
}
stop_operator() {
    stop "$operator"
    operator=
}

# The claims, once on each server. FLAG...: for the simulated kubelets.
on_both_servers() { # CLAIMS [FLAG...]
    local claims=$1
    shift
    [[ " $* " == *" --nodes "* ]] || set -- --nodes nvidia=3 "$@"
    set -- --pull 200ms --start 100ms --driver 1s --stop 200ms --task 500ms "$@"
    export KUBECONFIG=$bed/kubeconfig
    server="real: "
    "$drover_sim" kubelet --kubeconfig "$KUBECONFIG" "$@" >"$stage/sim.log" 2>&1 &
    sim=$!
    expect "three nodes are ready" soon 30 kubectl wait --for=condition=Ready nodes --all --timeout=20s
    "$claims"
    stop "$sim"

    export KUBECONFIG=$stage/embedded
    server="embedded: "
    "$drover_sim" serve --write-kubeconfig "$KUBECONFIG" "$@" >"$stage/sim.log" 2>&1 &
    sim=$!
    expect "three nodes are ready" soon 30 kubectl wait --for=condition=Ready nodes --all --timeout=20s
    "$claims"
    stop "$sim"
}
