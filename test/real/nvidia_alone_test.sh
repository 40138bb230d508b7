#!/bin/bash
# NVIDIA's "GPU Driver Upgrades" page, its part about upgrades without the upgrade controller: the kubectl commands as they are
# written there, on a real control plane with simulated kubelets and on the embedded cluster, must have the effect that the page
# states. The drivers' init containers run drover's own agent; the operator runs as its own ServiceAccount, with the chart's
# roles. Exit 3 where no control plane can be built.
# shellcheck disable=SC2317,SC2016  # functions are called through expect and trap; nothing is to expand
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/nvidia_stage.sh
source "$(dirname "$0")/nvidia_stage.sh"
open_bed nvidia-alone

# ---- the page's commands, as they are written there

upgrade_the_driver() {
    kubectl patch clusterpolicy/cluster-policy --type='json' -p='[{"op": "replace", "path": "/spec/driver/version", "value":"510.85.02"}]'
}
monitor() {
    kubectl get pods -n gpu-operator -lapp=nvidia-driver-daemonset -w
}
# Its configuration options, with the values that it lists.
options() {
    kubectl patch clusterpolicy cluster-policy --type=merge --patch-file <(cat <<'YAML'
spec:
  driver:
    manager:
      env:
      - name: ENABLE_GPU_POD_EVICTION
        value: "true"
      - name: ENABLE_AUTO_DRAIN
        value: "true"
      - name: DRAIN_USE_FORCE
        value: "false"
      - name: DRAIN_POD_SELECTOR_LABEL
        value: ""
      - name: DRAIN_TIMEOUT_SECONDS
        value: "0s"
      - name: DRAIN_DELETE_EMPTYDIR_DATA
        value: "false"
YAML
)
}

training() {
    kubectl apply -f - <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: train, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: train}}
  template:
    metadata: {labels: {app: train}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - {name: cuda, image: "cuda:1", command: [sleep, infinity], resources: {limits: {nvidia.com/gpu: "8"}}}
YAML
}
trains() { [ "$(kubectl get deployment train -o 'jsonpath={.status.readyReplicas}')" = 3 ] || { kubectl get pods -o wide; return 1; }; }
no_state() {
    ! kubectl get nodes -o 'jsonpath={range .items[*]}{.metadata.labels.nvidia\.com/gpu-driver-upgrade-state}{"\n"}{end}' | grep .
}
# What the page's watch has shown: three drivers go, three come, and never is more than one of them away.
one_by_one() { # FILE
    python3 - "$1" <<'PY'
import sys
ready, least, began = {}, 3, False
for line in open(sys.argv[1]):
    name, up, state = (line.split() + ["", "", ""])[:3]
    if name == "NAME": continue
    ready[name] = up == "1/1" and state == "Running"
    began = began or sum(ready.values()) == 3
    if began: least = min(least, sum(ready.values()))
print(len(ready), "pods were shown, and at least", least, "were ready")
sys.exit(0 if len(ready) >= 6 and least >= 2 else 1)
PY
}
event_names_the_pod() { kubectl get events | grep -q "Failed in pod-deletion-required: .*default/bare"; }
on_nodes() { # VERSION NODE...: these nodes, and no other, have it
    local got
    got=$(driver_images | grep "/driver:$1-" | cut -d' ' -f1 | tr '\n' ' ')
    [ "$got" = "${*:2} " ] || { echo "on $got"; return 1; }
}
is_cordoned() { [ "$(kubectl get node "$1" -o 'jsonpath={.spec.unschedulable}')" = true ]; }
is_open() { ! is_cordoned "$1"; }

the_page_holds() {
    start_operator
    expect "a policy without the controller can be made" soon 10 policy "{autoUpgrade: false}"
    expect "the first driver comes to every node" soon 60 drivers_are_ready 470.82.01
    expect "work begins on every GPU" training
    expect "and runs" soon 30 trains

    monitor >"$stage/watched" 2>/dev/null &
    local watching=$!
    expect "the page's patch is accepted" upgrade_the_driver
    expect "every driver is replaced" soon 180 drivers_are_ready 510.85.02
    stop "$watching"
    expect "one by one, as the page's watch shows" one_by_one "$stage/watched"
    expect "nothing is left on any node" soon 20 nothing_is_left
    expect "no node ever had a state" no_state
    expect "the work runs again" soon 60 trains
    expect "the log names every node that was cleared" test "$(grep -c 'no pod uses the device' "$stage/operator.log")" -ge 3

    # The options, and a pod that they do not let go
    expect "the page's options are accepted" options
    expect "the work is taken away" kubectl delete deployment train
    expect "drain is switched off" set_policy '{"spec":{"driver":{"manager":{"env":[{"name":"ENABLE_AUTO_DRAIN","value":"false"}]}}}}'
    expect "a pod without a controller uses a GPU" bare_gpu_pod nvidia-1
    expect "and runs there" kubectl wait pod/bare --for=condition=Ready --timeout=20s
    expect "another version is set" set_version 535.129.03
    expect "an Event names the pod" soon 60 event_names_the_pod
    expect "the node serves" soon 20 is_open nvidia-1
    expect "and the pod runs on" kubectl wait pod/bare --for=condition=Ready --timeout=1s
    expect "the others wait for it" on_nodes 510.85.02 nvidia-2 nvidia-3
    expect "the pod is removed" kubectl delete pod bare --now
    expect "and every driver is replaced" soon 180 drivers_are_ready 535.129.03
    expect "nothing is left on any node then" soon 20 nothing_is_left

    # OnDelete
    expect "the page's update strategy is set" set_policy '{"spec":{"daemonsets":{"updateStrategy":"OnDelete"}}}'
    expect "a node is cordoned by a person" kubectl cordon nvidia-2
    expect "another version is set again" set_version 550.54.15
    expect "and no pod is replaced" steadily 5 images 535.129.03
    expect "the old driver pod is manually deleted" kubectl delete pod -n gpu-operator -l app=nvidia-driver-daemonset --field-selector spec.nodeName=nvidia-2 --wait=false
    expect "that node gets the new driver" soon 60 on_nodes 550.54.15 nvidia-2
    expect "and stays cordoned" is_cordoned nvidia-2
    expect "the others are left alone" steadily 3 on_nodes 550.54.15 nvidia-2
    expect "explain says why" grep -q "updateStrategy is OnDelete" <("$drover" explain nvidia-1)
    expect "the person uncordons" kubectl uncordon nvidia-2
    expect "nothing is left on any node in the end" soon 20 nothing_is_left
    stop_operator
}

on_both_servers the_page_holds --agents
exit $failed
