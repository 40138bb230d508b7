#!/bin/bash
# `drover-sim kubelet` on a real control plane, with real kubectl: what people and controllers do with nodes and pods must
# work as with real kubelets. Exit 3, with the reason, where no control plane can be built.
# shellcheck disable=SC2317  # functions are called through expect and trap
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
sim=
open_bed sim_kubelet
export KUBECONFIG=$bed/kubeconfig

stop_sim() { # [SIGNAL]
    stop "$sim" "${1:-TERM}"
    sim=
}
journal=$stage/journal

start_sim() { # FLAG...
    "$drover_sim" kubelet --kubeconfig "$KUBECONFIG" --nodes nvidia=18,tenstorrent=1,cpu=1 --journal "$journal" --pull 500ms \
        --start 200ms --driver 2s --stop 500ms --boot 5s --settle 2s --seed 7 "$@" >>"$stage/sim.log" 2>&1 &
    sim=$!
}
noted() { grep -q "\"event\":\"$1\".*$2" "$journal"; }
boot_of() { kubectl get node "$1" -o 'jsonpath={.status.nodeInfo.bootID}'; }
ready_of='{.status.conditions[?(@.type=="Ready")].status}'

# ---- nodes

start_sim
expect "twenty nodes become Ready" soon 30 kubectl wait --for=condition=Ready nodes --all --timeout=20s
expect "there are twenty of them" test "$(kubectl get nodes --no-headers | wc -l)" -eq 20
expect "a node has the vendor's devices" is 8 node/nvidia-3 '{.status.allocatable.nvidia\.com/gpu}'
expect "a node holds its lease" kubectl wait -n kube-node-lease lease/nvidia-3 --for='jsonpath={.spec.holderIdentity}=nvidia-3' --timeout=10s
expect "ping counts them" grep -q "answers: v1.*, 20 nodes" <("$drover" ping --kubeconfig "$KUBECONFIG")

# ---- workloads

kubectl apply -f - >/dev/null <<'YAML'
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-driver-daemonset}
spec:
  selector: {matchLabels: {app: driver}}
  updateStrategy: {type: OnDelete}
  template:
    metadata: {labels: {app: driver}}
    spec:
      nodeSelector: {feature.node.kubernetes.io/pci-10de.present: "true"}
      containers:
      - name: nvidia-driver-ctr
        image: nvcr.io/nvidia/driver:535.1-ubuntu22.04
        startupProbe: {exec: {command: ["true"]}, periodSeconds: 1, failureThreshold: 120}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 40
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "busybox:1", command: ["sh", "-c", "while true; do echo tick; sleep 1; done"]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: sum}
spec:
  completions: 3
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: work, image: "busybox:1", command: ["sh", "-c", "echo working; sleep 1; echo 42"]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: broken}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: work, image: "busybox:1", command: ["sh", "-c", "echo oh no; exit 3"]}
---
apiVersion: v1
kind: Pod
metadata: {name: lost, annotations: {sim.drover.dev/script: "missing"}}
spec: {nodeSelector: {kubernetes.io/hostname: cpu-1}, containers: [{name: main, image: "nowhere/at-all:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: crash, annotations: {sim.drover.dev/script: "say about to crash; exit 1"}}
spec: {nodeSelector: {kubernetes.io/hostname: cpu-1}, containers: [{name: main, image: "busybox:1"}]}
YAML
expect "a Deployment rolls out" kubectl rollout status deploy/web --timeout=60s
expect "a DaemonSet's pods become ready when their driver is loaded" soon 60 is 18 ds/nvidia-driver-daemonset '{.status.numberReady}'
expect "a Job completes" kubectl wait --for=condition=complete job/sum --timeout=60s
expect "a failing Job fails" kubectl wait --for=condition=failed job/broken --timeout=60s
expect "a missing image is waited for" soon 30 is ImagePullBackOff pod/lost '{.status.containerStatuses[0].state.waiting.reason}'
expect "a crashing container backs off" soon 30 is CrashLoopBackOff pod/crash '{.status.containerStatuses[0].state.waiting.reason}'
expect "the journal knows when a driver was loaded" noted module-loaded '"version":"535.1"'

# ---- logs

expect "logs are read" grep -q '^42$' <(kubectl logs job/sum)
expect "logs of the run before are read" grep -q 'about to crash' <(kubectl logs crash --previous)
expect "logs are followed" test "$(timeout 6 kubectl logs -f deploy/web --tail=1 2>/dev/null | grep -c tick)" -ge 3
expect "logs have times" grep -qE '^20..-..-..T.*Z tick$' <(kubectl logs deploy/web --tail=1 --timestamps 2>/dev/null)

# ---- the end of pods

expect "a node is drained while a budget allows one pod at a time" kubectl drain nvidia-1 --ignore-daemonsets --timeout=90s
expect "a drained node runs only its DaemonSet pod" test "$(kubectl get pods --field-selector spec.nodeName=nvidia-1 -l app=web --no-headers 2>/dev/null | wc -l)" -eq 0
expect "the journal saw the evictions" noted evicted '"node":"nvidia-1"'
kubectl uncordon nvidia-1 >/dev/null
driver=$(kubectl get pods -l app=driver --field-selector spec.nodeName=nvidia-2 -o name)
kubectl set image ds/nvidia-driver-daemonset nvidia-driver-ctr=nvcr.io/nvidia/driver:550.2-ubuntu22.04 >/dev/null
expect "a driver pod is deleted" kubectl delete "$driver" --timeout=30s
expect "its successor loads the new version" soon 30 noted module-loaded '"node":"nvidia-2".*"version":"550.2"'
expect "a pod is deleted by force" kubectl delete pod crash --grace-period=0 --force

# ---- reboots

before=$(boot_of nvidia-3)
kubectl annotate node nvidia-3 sim.drover.dev/order=reboot >/dev/null
rebooted() { [ "$(boot_of nvidia-3)" != "$before" ] && is True node/nvidia-3 "$ready_of"; }
expect "a node reboots to a new boot id and is Ready again" soon 40 rebooted
restarted() { kubectl get pods --field-selector spec.nodeName=nvidia-3 -l app=driver -o 'jsonpath={.items[0].status.containerStatuses[0].restartCount} {.items[0].status.containerStatuses[0].ready}' | grep -q '^1 true$'; }
expect "its pods were restarted" soon 40 restarted

# ---- the simulator dies and comes back

ready_before=$(kubectl get pods -l app=web --no-headers | grep -c '1/1')
stop_sim KILL
start_sim --remove-nodes-at-exit
expect "another simulator finds the nodes" soon 20 grep -q "0 nodes made, 20 found" "$stage/sim.log"
all_ready() { [ "$(kubectl get pods -l app=web --no-headers | grep -c '1/1  *Running  *[01] ')" -ge "$ready_before" ]; }
expect "and takes the pods over without restarting them" soon 20 all_ready
logs_go_on() { kubectl logs deploy/web --tail=1 2>/dev/null | grep -q tick; }
expect "logs go on" soon 20 logs_go_on
expect "an orphaned lease is renewed again" soon 20 is True node/nvidia-4 "$ready_of"
kill -TERM "$sim"
wait "$sim"
expect "it ends well" test $? -eq 0
sim=
no_nodes() { [ -z "$(kubectl get nodes -o name)" ]; }
expect "and takes its nodes with it" soon 20 no_nodes
expect "the journal is JSON, line by line" python3 -c 'import json,sys; [json.loads(line) for line in open(sys.argv[1])]' "$journal"

if [ $failed -ne 0 ]; then
    echo "-- the simulator said:"
    tail -n 30 "$stage/sim.log"
fi
exit $failed
