#!/bin/bash
# What drover says and does when the cluster misbehaves, on a real control plane with simulated kubelets: an API server that is
# away, a leader whose clock is wrong, a pod that comes back past the scheduler, a driver that breaks after it was done, and a
# policy that is paused. The operator runs as its own ServiceAccount, with the chart's roles and a lease, and is started again
# when it ends, as its Deployment would. Exit 3 where no control plane can be built.
# shellcheck disable=SC2317,SC2016,SC2154  # functions are called through expect and trap; nothing is to expand; stage.sh sets them
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/nvidia_stage.sh
source "$(dirname "$0")/nvidia_stage.sh"
open_bed truth
export KUBECONFIG=$bed/kubeconfig

operator_arguments=(--lease gpu-operator/gpu-operator --lease-seconds 15 --vendor nvidia=gpu-operator)
run_operator() { # [ENVIRONMENT...]: again and again, as a Deployment does
    while :; do
        env "$@" "$drover" operator --kubeconfig "$stage/operator.kubeconfig" "${operator_arguments[@]}" >>"$stage/operator.log" 2>&1 &
        echo $! >"$stage/operator.pid"
        wait $!
        echo "operator ended: $?" >>"$stage/operator.log"
        sleep 1
    done
}
start_supervised() { # [ENVIRONMENT...]
    run_operator "$@" &
    operator=$!
}
stop_supervised() {
    stop "$operator" KILL
    stop_pid "$(cat "$stage/operator.pid")"
    operator=
}
stop_pid() { # PID: not a child of ours
    kill -TERM "$1" 2>/dev/null
    while kill -0 "$1" 2>/dev/null; do sleep 0.1; done
}
state_is() { is "$1" "node/$2" '{.metadata.labels.nvidia\.com/gpu-driver-upgrade-state}'; } # STATE NODE
condition_is() { is "$1" clusterpolicy/cluster-policy "{.status.conditions[?(@.type==\"$2\")].status}/{.status.conditions[?(@.type==\"$2\")].reason}"; } # STATUS/REASON TYPE
all_done() { # VERSION
    local node
    drivers_are_ready "$1" || return 1
    for node in nvidia-1 nvidia-2 nvidia-3; do state_is upgrade-done "$node" || return 1; done
}
images_on() { # NODE NODE VERSION
    local node
    for node in "$1" "$2"; do driver_images | grep -q "^$node .*/driver:$3-" || return 1; done
}
guarded_training() { # NODE: one pod with a GPU on it, which its budget protects
    kubectl apply -f - <<YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: train, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: train}}
  template:
    metadata: {labels: {app: train}}
    spec:
      terminationGracePeriodSeconds: 1
      nodeSelector: {kubernetes.io/hostname: $1}
      containers:
      - {name: cuda, image: "cuda:1", command: [sleep, infinity], resources: {limits: {nvidia.com/gpu: "1"}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: train, namespace: default}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: train}}
YAML
}
trains() { [ "$(kubectl get deployment train -o 'jsonpath={.status.readyReplicas}')" = 1 ]; }
pod_of_training() { kubectl get pods -l app=train -o 'jsonpath={.items[0].metadata.uid}'; }
same_pod() { [ "$(pod_of_training)" = "$1" ] || { echo "the protected pod is gone"; return 1; }; } # UID
another_pod() { [ -n "$(pod_of_training)" ] && [ "$(pod_of_training)" != "$1" ]; }
server_away() { # SECONDS
    "$bed_scripts/stop" "$bed" kube-apiserver --signal KILL && sleep "$1" && "$bed_scripts/start" "$bed" kube-apiserver
}
answers() { kubectl get --raw /readyz >/dev/null; }
forced_list_names() { kubectl get clusterpolicy cluster-policy -o 'jsonpath={.status.forcedDeletions[*].pod}' | grep -q "$1"; }
event_in_namespace() { kubectl get events -n default --field-selector involvedObject.kind=Pod | grep -q 'Deleted from node'; }
# What asks for the time of day is told another one; what measures is not.
an_hour_ahead() {
    cat >"$stage/ahead.c" <<'C'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec* at) {
  int failed = (int)syscall(SYS_clock_gettime, clock, at);
  if (clock == CLOCK_REALTIME) at->tv_sec += 3600;
  return failed;
}
C
    cc -shared -fPIC -o "$stage/ahead.so" "$stage/ahead.c"
}
never_ready() { ! kubectl wait clusterpolicy/cluster-policy --for=condition=Ready --timeout=5s; }

expect "the chart is installed" helm install gpu-operator charts/drover -n gpu-operator --create-namespace --set operator.replicas=0
token=$(kubectl create token gpu-operator -n gpu-operator --duration=2h)
kubectl config view --raw --minify | sed -E '/client-(certificate|key)-data|^ +token:/d' >"$stage/operator.kubeconfig"
kubectl --kubeconfig "$stage/operator.kubeconfig" config set-credentials operator --token="$token" >/dev/null
kubectl --kubeconfig "$stage/operator.kubeconfig" config set-context --current --user=operator >/dev/null
"$drover_sim" kubelet --kubeconfig "$KUBECONFIG" --nodes nvidia=3 --pull 200ms --start 100ms --driver 1s --stop 200ms --task 500ms \
    >"$stage/sim.log" 2>&1 &
expect "three nodes are ready" soon 30 kubectl wait --for=condition=Ready nodes --all --timeout=20s
start_supervised
expect "a policy is made" soon 10 policy '{podDeletion: {timeoutSeconds: 100}}'
expect "the first driver comes to every node" soon 90 all_done 470.82.01
expect "kubectl wait finds it Ready" kubectl wait clusterpolicy/cluster-policy --for=condition=Ready --timeout=30s
expect "drover status says that an operator is at work" grep -qE '^operator .* is at work, lease gpu-operator/gpu-operator' <("$drover" status)

# Paused with another version wanted: nothing is Ready.
expect "upgrades are switched off" set_policy '{"spec":{"driver":{"upgradePolicy":{"autoUpgrade":false}}}}'
expect "updates are by hand" set_policy '{"spec":{"daemonsets":{"updateStrategy":"OnDelete"}}}'
expect "another version is set" set_version 510.85.02
expect "the policy is not Ready" soon 20 condition_is False/ManualUpgradePending Ready
expect "kubectl wait does not succeed" never_ready

# The API server is away for 80 s in a drain with a limit of 100 s.
expect "a budget protects the work on one node" guarded_training nvidia-1
expect "which runs" soon 30 trains
pod=$(pod_of_training)
expect "upgrades are switched on" set_policy '{"spec":{"driver":{"upgradePolicy":{"autoUpgrade":true,"maxParallelUpgrades":3,"maxUnavailable":"100%"}}}}'
expect "the node is being emptied" soon 60 state_is pod-deletion-required nvidia-1
expect "the API server is away for 80 s" server_away 80
expect "it is back" soon 30 answers
expect "the lease was lost meanwhile, and the operator began again" soon 30 grep -q 'operator ended' "$stage/operator.log"
expect "half a minute later the protected pod is still there" steadily 40 same_pod "$pod"
expect "what stands in the way is a condition" soon 60 condition_is True/PodDisruptionBudget Blocked
expect "the limit comes all the same" soon 120 another_pod "$pod"
expect "the policy's status lists the deletion" soon 20 forced_list_names default/train
expect "an Event about the pod is in its namespace" soon 10 event_in_namespace
expect "every node has the driver" soon 120 all_done 510.85.02

# A leader whose clock is an hour ahead.
pod=$(pod_of_training)
expect "a third version is set" set_version 535.129.03
expect "the node is being emptied again" soon 60 state_is pod-deletion-required nvidia-1
sleep 5
stop_supervised
expect "a clock can be put forward" an_hour_ahead
start_supervised "LD_PRELOAD=$stage/ahead.so"
expect "a leader an hour ahead spends no limit" steadily 40 same_pod "$pod"
expect "its clock is wrong indeed" grep -q "$(date -u -d '+1 hour' +%Y-%m-%dT%H)" <(kubectl get lease -n gpu-operator gpu-operator -o 'jsonpath={.spec.renewTime}')
expect "and the limit comes" soon 120 another_pod "$pod"
expect "every node has the third driver" soon 120 all_done 535.129.03
stop_supervised
start_supervised

# A driver that breaks after it was done.
breaks() {
    local pod
    pod=$(kubectl get pods -n gpu-operator -l app=nvidia-driver-daemonset --field-selector spec.nodeName=nvidia-2 -o name)
    kubectl create quota none -n gpu-operator --hard=pods=0 && sleep 1 && kubectl delete "$pod" -n gpu-operator --now
}
expect "a driver pod goes, and none may be made" breaks
expect "the policy says which node serves no more" soon 60 condition_is False/DriverNotReady Ready
expect "kubectl wait does not succeed then" never_ready
expect "the quota goes" kubectl delete quota none -n gpu-operator
expect "and it is Ready again" soon 120 condition_is True/AllServing Ready

# A pod that its owner puts on the node past the scheduler.
expect "the work is pinned to its node" kubectl patch deployment train --type=strategic -p '{"spec":{"template":{"spec":{"nodeName":"nvidia-1","nodeSelector":null}}}}'
expect "without a budget" kubectl delete pdb train
expect "it runs" soon 60 trains
expect "a fourth version is set" set_version 550.54.15
owner_is_named() { kubectl get clusterpolicy cluster-policy -o 'jsonpath={.status.nodes[?(@.state=="upgrade-failed")].reason}' | grep -q 'ReplicaSet default/train'; }
expect "the node fails, and its owner is named" soon 120 owner_is_named
expect "and it serves" is '' node/nvidia-1 '{.spec.unschedulable}'
expect "the work goes" kubectl delete deployment train
expect "every other node has the fourth driver" soon 120 images_on nvidia-2 nvidia-3 550.54.15
expect "the node is tried again" kubectl label node nvidia-1 nvidia.com/gpu-driver-upgrade-state=upgrade-required --overwrite
expect "every node has the fourth driver" soon 120 all_done 550.54.15

# A driver pod that no node has room for: other pods take what it requests, which shows only after the cordon.
full() { # NODE: a pod without a device takes nearly all of its processors
    kubectl apply -f - <<YAML
apiVersion: v1
kind: Pod
metadata: {name: full, namespace: default}
spec:
  nodeSelector: {kubernetes.io/hostname: $1}
  priorityClassName: system-node-critical  # else the driver takes its place
  tolerations: [{operator: Exists}]
  containers:
  - {name: sleep, image: "sleep:1", command: [sleep, infinity], resources: {requests: {cpu: "62"}}}
YAML
}
says() { kubectl get clusterpolicy cluster-policy -o "jsonpath={.status.conditions[?(@.type==\"Blocked\")].message}" | grep -q "$1"; } # WORDS
request_of_driver() { set_policy "{\"spec\":{\"driver\":{\"resources\":$1}}}"; } # JSON
expect "a node is nearly full" full nvidia-1
expect "with a pod that runs" kubectl wait pod/full --for=condition=Ready --timeout=30s
expect "another version requests what is not free there" set_policy '{"spec":{"driver":{"version":"510.85.02","resources":{"requests":{"cpu":"8"}}}}}'
expect "the scheduler's words are the reason" soon 180 says 'Insufficient cpu'
expect "the condition has a code" condition_is True/Unschedulable Blocked
expect "the request is corrected" request_of_driver null
expect "and every node has the driver, although it is OnDelete" soon 180 all_done 510.85.02
expect "the request again, with another version" set_policy '{"spec":{"driver":{"version":"535.129.03","resources":{"requests":{"cpu":"8"}}}}}'
expect "the pod has no place again" soon 180 says 'Insufficient cpu'
expect "the old version is put back" set_policy '{"spec":{"driver":{"version":"510.85.02","resources":null}}}'
expect "every node has it again" soon 240 all_done 510.85.02
expect "nothing is left on any node" soon 30 nothing_is_left
expect "more than any node has" set_policy '{"spec":{"driver":{"version":"535.129.03","resources":{"requests":{"cpu":"1000"}}}}}'
expect "is told before any node is taken" soon 60 condition_is True/Misfit Blocked
expect "and none is" steadily 5 nothing_is_left
expect "the old version is put back once more" set_policy '{"spec":{"driver":{"version":"510.85.02","resources":null}}}'
expect "all is as it was" soon 60 condition_is True/AllServing Ready
kubectl delete pod full --now >/dev/null

# A cordon that an admission policy refuses.
refuse_cordon() { # NODE
    kubectl apply -f - <<YAML
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-cordon}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [nodes]}]}
  validations:
  - expression: 'object.metadata.name != "$1" || !has(object.spec.unschedulable) || !object.spec.unschedulable'
    message: this node is reserved
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-cordon}
spec: {policyName: no-cordon, validationActions: [Deny]}
YAML
}
is_refused() { ! kubectl patch node "$1" --dry-run=server -p '{"spec":{"unschedulable":true}}'; }
expect "an admission policy protects a node" refuse_cordon nvidia-1
expect "which is in force" soon 30 is_refused nvidia-1
expect "another version is wanted" set_version 550.54.15
expect "the refusal is the reason, in its words" soon 60 says 'this node is reserved'
expect "the condition says so" condition_is True/WriteRefused Blocked
expect "the others do not wait for it" soon 120 images_on nvidia-2 nvidia-3 550.54.15
expect "the admission policy goes" kubectl delete validatingadmissionpolicybinding no-cordon
expect "and the node follows" soon 120 all_done 550.54.15

# The definition is deleted in the middle of a rollout, and comes back.
some_swap() { kubectl get nodes -l nvidia.com/gpu-driver-upgrade-state=pod-restart-required -o name | grep -q .; }
expect "another version is wanted once more" set_version 535.129.03
expect "a node is past its swap" soon 60 some_swap
expect "the definition is deleted" kubectl delete crd clusterpolicies.nvidia.com --wait=false
expect "every node is finished and given back" soon 180 nothing_is_left
expect "the definition is there again" soon 30 kubectl apply -f charts/drover/crds/nvidia.com_clusterpolicies.yaml
expect "and the policy" soon 30 policy '{podDeletion: {timeoutSeconds: 100}}'
expect "the rollout goes on" soon 240 all_done 470.82.01
stop_supervised
exit $failed
