# shellcheck shell=bash disable=SC2034,SC2317,SC2154  # variables and functions belong to the script that sources this
# Sourced after stage.sh and nvidia_stage.sh by the tests of what drover says and does when the cluster misbehaves: three nodes
# with their first driver, and an operator as its own ServiceAccount, with the chart's roles and a lease, that is started again
# when it ends, as its Deployment would.
#
#   open_supervised NAME     a bed, the nodes, the operator, a policy that is Ready
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

open_supervised() { # NAME
    open_bed "$1"
    export KUBECONFIG=$bed/kubeconfig
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
}
