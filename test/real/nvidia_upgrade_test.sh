#!/bin/bash
# NVIDIA's "GPU Driver Upgrades" page, its part about the upgrade controller: every kubectl command as it is written there,
# on a real control plane with simulated kubelets and on the embedded cluster, must have the effect that the page states.
# The operator runs as its own ServiceAccount, with the chart's roles. Exit 3 where no control plane can be built.
# shellcheck disable=SC2317,SC2016  # functions are called through expect and trap; nothing is to expand
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/nvidia_stage.sh
source "$(dirname "$0")/nvidia_stage.sh"
open_bed nvidia

# ---- the page's commands, as they are written there (<node-name> is the argument)

upgrade_the_driver() {
    kubectl patch clusterpolicy/cluster-policy \
      --type='json' \
      -p='[{"op": "replace", "path": "/spec/driver/version", "value":"510.85.02"}]'
}
monitor() {
    kubectl get node -l nvidia.com/gpu.present \
      -ojsonpath='{range .items[*]}{.metadata.name}{"\t"}{.metadata.labels.nvidia\.com/gpu-driver-upgrade-state}{"\n"}{end}'
}
events() {
    kubectl get events --sort-by='.lastTimestamp' | grep GPUDriverUpgrade
}
retry() { # NODE
    kubectl label node "$1" nvidia.com/gpu-driver-upgrade-state=upgrade-required --overwrite
}

# ---- what is looked at

says() { # TEXT: what `monitor` must print
    local got
    got=$(monitor)
    [ "$got" = "$1" ] || { echo "it says $(tr '\t\n' ' ;' <<<"$got")"; return 1; }
}
all_say() { # STATE
    says "$(printf 'nvidia-%d\t%s\n' 1 "$1" 2 "$1" 3 "$1")"
}
state_is() { # NODE STATE
    monitor | grep -qx "$(printf '%s\t%s' "$1" "$2")" || { echo "$1 says $(monitor | grep "^$1")"; return 1; }
}
events_in_order() { # NODE: the page's eight states, in its order
    local got wanted
    got=$(events | grep "node/$1 " | sed 's/.*\[\(.*\)\].*/\1/' | tail -n 8 | tr '\n' ' ')
    wanted="upgrade-required cordon-required wait-for-jobs-required pod-deletion-required pod-restart-required validation-required uncordon-required upgrade-done "
    [ "$got" = "$wanted" ] || { echo "events of $1: $got"; return 1; }
}
worded_as_on_the_page() {
    events | grep -qE ' +Normal +GPUDriverUpgrade +node/nvidia-1 +Successfully updated node state label to \[upgrade-done\]$'
}
an_event_names_the_pod() { # Events come after what they speak of
    events | grep "Failed in pod-deletion-required: .*default/bare" >/dev/null
}
metric() { # NAME VALUE
    local got
    got=$(page "$stage/operator.log" /metrics | sed -n "s/^$1 //p")
    [ "$got" = "$2" ] || { echo "$1 is '$got', not $2"; return 1; }
}
nothing_moves() { # IMAGES
    all_say "" || return 1
    [ "$(driver_images)" = "$1" ] || { echo "drivers: $(driver_images)"; return 1; }
}

the_page_holds() {
    start_operator
    expect "a policy can be made" soon 10 policy "{autoUpgrade: true, maxParallelUpgrades: 1, maxUnavailable: 1}"
    expect "the first driver comes to every node" soon 60 all_say upgrade-done
    expect "and no node was taken away for it" nothing_is_left
    expect "the operator is ready" soon 10 page "$stage/operator.log" /readyz

    expect "the page's patch is accepted" upgrade_the_driver
    expect "the nodes are to be upgraded" soon 10 grep -q upgrade-required <(monitor)
    expect "and all are done in the end" soon 120 all_say upgrade-done
    expect "with the page's driver" images 510.85.02
    expect "nothing is left on any node" nothing_is_left
    local node
    for node in nvidia-1 nvidia-2 nvidia-3; do
        expect "the Events of $node are the page's, in its order" soon 20 events_in_order $node
    done
    expect "and in its words" worded_as_on_the_page
    expect "the policy says that it is ready" kubectl wait clusterpolicy/cluster-policy --for=condition=Ready --timeout=10s
    expect "and kubectl get shows it" grep -qE '^cluster-policy +ready +510.85.02 +3 +3 +0 +0' <(kubectl get clusterpolicies)

    expect "metric: upgrades are on" metric gpu_operator_auto_upgrade_enabled 1
    expect "metric: in NVIDIA's own spelling" metric gpu_operator_driver_auto_upgrade_enabled 1
    expect "metric: three are done" metric gpu_operator_nodes_upgrades_done 3
    expect "metric: none is in progress" metric gpu_operator_nodes_upgrades_in_progress 0
    expect "metric: none failed" metric gpu_operator_nodes_upgrades_failed 0
    expect "metric: none is available" metric gpu_operator_nodes_upgrades_available 0
    expect "metric: none is pending" metric gpu_operator_nodes_upgrades_pending 0

    # Skipping Driver Upgrades
    expect "a node is labelled to be skipped" kubectl label node nvidia-3 nvidia.com/gpu-driver-upgrade.skip=true
    # Pausing Driver Upgrades, with that node still pending
    expect "another version is set" set_version 535.129.03
    expect "the nodes are to be upgraded to it" soon 10 state_is nvidia-3 upgrade-required
    expect "upgrades are paused" set_policy '{"spec":{"driver":{"upgradePolicy":{"autoUpgrade":false}}}}'
    expect "then no node has a state" soon 60 all_say ""
    expect "and nothing moves" steadily 5 nothing_moves "$(driver_images)"
    expect "metric: upgrades are off" metric gpu_operator_auto_upgrade_enabled 0
    expect "upgrades are on again" set_policy '{"spec":{"driver":{"upgradePolicy":{"autoUpgrade":true}}}}'
    expect "the others are upgraded" soon 90 says "$(printf 'nvidia-1\tupgrade-done\nnvidia-2\tupgrade-done\nnvidia-3\tupgrade-required\n')"
    expect "the skipped one is left alone" steadily 3 state_is nvidia-3 upgrade-required
    expect "its label is taken off" kubectl label node nvidia-3 nvidia.com/gpu-driver-upgrade.skip-
    expect "and it is upgraded too" soon 60 all_say upgrade-done
    expect "with that driver" images 535.129.03

    # maxUnavailable met by a cordoned node
    expect "a person cordons a node" kubectl cordon nvidia-1
    expect "another version is set again" set_version 550.54.15
    expect "all wait" soon 10 all_say upgrade-required
    expect "and nothing moves while a cordoned node uses the limit up" steadily 5 all_say upgrade-required
    expect "status names the cordoned node" soon 10 grep -q "cordoned by others: nvidia-1" <("$drover" status)
    expect "explain says so too" grep -q "cordoned by others: nvidia-1" <("$drover" explain nvidia-2)
    # Troubleshooting
    expect "a pod without a controller uses a GPU" bare_gpu_pod nvidia-2
    expect "the person uncordons" kubectl uncordon nvidia-1
    expect "the node with that pod fails, the others are done" soon 120 says "$(printf 'nvidia-1\tupgrade-done\nnvidia-2\tupgrade-failed\nnvidia-3\tupgrade-done\n')"
    expect "an Event names the state and the pod" soon 20 an_event_names_the_pod
    expect "the node serves" nothing_is_left
    expect "metric: one failed" metric gpu_operator_nodes_upgrades_failed 1
    expect "the pod is removed" kubectl delete pod bare --now
    expect "the page's label asks for another try" retry nvidia-2
    expect "and the node is done" soon 60 all_say upgrade-done
    expect "every driver is the last one" images 550.54.15
    expect "nothing is left on any node in the end" nothing_is_left
    expect "the log speaks of controllers.Upgrade" grep -q controllers.Upgrade "$stage/operator.log"

    stop_operator
}

on_both_servers the_page_holds
exit $failed
