#!/bin/bash
# Tenstorrent's "Migrating from DKMS" page: its kubectl commands as they are written there, and `kubectl drover migrate`, on a
# real control plane with simulated machines (whose builders run the real agent) and on the embedded cluster. What the page
# types on a node itself is played here and typed for real in test/kernel/vacate_test.sh. Exit 3 where no control plane can be built.
# shellcheck disable=SC2317,SC2016  # functions are called through expect and trap; nothing is to expand
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/nvidia_stage.sh
source "$(dirname "$0")/nvidia_stage.sh"
# shellcheck source=test/real/tenstorrent_stage.sh
source "$(dirname "$0")/tenstorrent_stage.sh"
open_bed migration
mkdir "$stage/plugins"
ln -s "$(realpath "$drover")" "$stage/plugins/kubectl-drover"
PATH=$stage/plugins:$PATH
NODE=node-1

# ---- the page's commands, as they are written there; -f and -w end with the timeout

a_minimal_policy() {
    kubectl apply -f - <<'YAML'
apiVersion: driver.tenstorrent.com/v1alpha1
kind: TenstorrentDriverPolicy
metadata:
  name: migration-test
spec:
  version: "2.8.0"     # whatever DKMS was pinning, or the version you want to land on
  nodeAffinity:
    matchLabels:
      kubernetes.io/hostname: node-1     # one node only for the first cut
  paused: true         # flip to false after the vacate
  upgradePolicy:
    drain:
      enable: true
YAML
}
cordon() {
    kubectl cordon "$NODE"
}
drain() {
    kubectl drain "$NODE" \
        --ignore-daemonsets \
        --delete-emptydir-data \
        --pod-selector='tenstorrent.com/uses-device=true' \
        --timeout=10m
}
uncordon() {
    kubectl uncordon "$NODE"
}
unpause() {
    kubectl patch ttdp migration-test --type merge -p '{"spec":{"paused":false}}'
}
stop_the_operator_from_reconciling() {
    kubectl patch ttdp migration-test --type merge -p '{"spec":{"paused":true}}'
}
take_out_entirely() {
    kubectl label node node-1 driver.tenstorrent.com/skip=true
}
install_modes() {
    kubectl get nodes -L driver.tenstorrent.com/install-mode
}
follow_the_builder() { # FILE
    timeout 15 kubectl -n tt-k8s-driver-manager-system logs \
        -l driver.tenstorrent.com/cr=migration-test \
        --tail=200 -f >"$1"
    [ $? = 124 ] || { echo "it did not follow: $(tail -n 2 "$1")"; return 1; }
}

# ---- the machine of node-1, and what is typed on it

join_node() {
    kubectl apply -f - <<'YAML'
apiVersion: v1
kind: Node
metadata:
  name: node-1
  labels: {kubernetes.io/hostname: node-1, drover.dev/simulated: "true", feature.node.kubernetes.io/pci-1e52.present: "true", feature.node.kubernetes.io/pci-1200_1e52.present: "true"}
YAML
}
dkms='write /var/lib/dkms/tenstorrent/2.7.0/source x; write /usr/src/tenstorrent-2.7.0/dkms.conf x'
installed=/lib/modules/6.8.0-90-generic/updates/dkms/tenstorrent.ko
install_dkms() { on_host node-1 admin "$dkms; write $installed x; load tenstorrent 2.7.0"; }
vacate_by_hand() {
    on_host node-1 admin "unload tenstorrent; remove /var/lib/dkms/tenstorrent/2.7.0/source; remove /usr/src/tenstorrent-2.7.0/dkms.conf; remove $installed"
}
mode() { [ "$(install_modes | awk '$1 == "node-1" { print $NF }')" = "$1" ] || { install_modes; return 1; }; } # MODE
is_cordoned() { is true node/node-1 '{.spec.unschedulable}'; }
is_open() { is "" node/node-1 '{.spec.unschedulable}' && nothing_is_left; }
version_is() { node_label node-1 driver.tenstorrent.com/kmd-version "$1"; } # VERSION
no_work_runs() { [ -z "$(kubectl get pods -l app=train --field-selector spec.nodeName=node-1 -o name)" ]; }
one_is_ready() { columns migration-test 1 1 1 0 0; }
none_is_ready() { columns migration-test 1 0 1 0 0; } # under DKMS it is as its owner wants it, and not ours
unmoved() { mode host && version_is 2.7.0 && is_open; }

by_hand() {
    expect "node-1 has its driver from DKMS" install_dkms
    expect "the page's policy is taken" soon 10 a_minimal_policy
    expect "the builder stands down" soon 60 mode host
    expect "and says which driver the host has" soon 20 version_is 2.7.0
    expect "the policy says so too" soon 20 says_of migration-test node-1 HostManaged/HostManagedKMD
    expect "READY does not count it" soon 20 none_is_ready
    expect "a pod uses the device" work train node-1
    expect "cordon" cordon
    expect "drain" drain
    expect "the pod has left" soon 20 no_work_runs
    expect "a cordon that is not ours is not touched" steadily 5 is_cordoned
    expect "the host is vacated by hand" vacate_by_hand
    expect "the running builder notices by itself" soon 40 mode container
    expect "and loads nothing while the policy is paused" steadily 8 version_is ""
    expect "uncordon" uncordon
    expect "a pause is not over because of it" steadily 5 version_is ""
    expect "unpause" unpause
    follow_the_builder "$stage/followed" >"$stage/follower" & local follower=$!
    timeout 20 kubectl get nodes -L driver.tenstorrent.com/install-mode -w >"$stage/watched" 2>&1 & local watcher=$!
    expect "the operator's driver is loaded" soon 120 version_is 2.8.0
    expect "the node serves" soon 20 is_open
    expect "READY counts it" soon 20 one_is_ready
    expect "kubectl logs -f follows the builder" wait "$follower"
    wait "$watcher"
    expect "kubectl get nodes -w has seen it" grep -q '^node-1 .* container$' "$stage/watched"
    expect "the builder's log has the page's words: cloning, make modules, insmod" the_pages_words
    expect "the work comes back" soon 40 kubectl wait deployment/train --for=condition=Available --timeout=20s
}
the_pages_words() {
    local word log
    log=$(kubectl -n $ns logs -l driver.tenstorrent.com/cr=migration-test --tail=200)
    for word in 'cloning tt-kmd' 'running make modules' insmod; do grep -q "$word" <<<"$log" || { echo "no $word"; return 1; }; done
}

back_by_hand() {
    expect "the operator is stopped from reconciling" stop_the_operator_from_reconciling
    expect "the work is stopped" kubectl scale deployment train --replicas=0
    expect "its pod has left" soon 30 no_work_runs
    expect "the operator's driver is unloaded by hand" on_host node-1 admin "unload tenstorrent"
    expect "the node says so" soon 20 version_is ""
    expect "and it is not loaded again" steadily 12 version_is ""
    expect "DKMS installs its own" install_dkms
    expect "the label says host" soon 40 mode host
    expect "unpause with the host in host-managed state" unpause
    expect "it is not fought" steadily 12 unmoved
    expect "READY does not count it any more" soon 20 none_is_ready
    expect "the node is taken out entirely" take_out_entirely
    expect "its builder leaves" soon 40 no_builder
    expect "the label is taken off again" kubectl label node node-1 driver.tenstorrent.com/skip-
    expect "the builder is back" soon 40 some_builder
}
no_builder() { [ -z "$(builder_on migration-test node-1)" ]; }
some_builder() { ! no_builder; }

# ---- kubectl drover migrate

migrate() { kubectl drover migrate "$@" >"$stage/migrated" 2>&1 || { cat "$stage/migrated"; return 1; }; } # ARGUMENT...
said() { grep -qF -- "$1" "$stage/migrated" || { cat "$stage/migrated"; return 1; }; }                     # TEXT
refused() { ! migrate "${@:2}" >/dev/null && said "$1"; }                                                  # TEXT ARGUMENT...
by_command() {
    expect "the work is there again" kubectl scale deployment train --replicas=1
    expect "and has the device" soon 40 kubectl wait deployment/train --for=condition=Available --timeout=20s
    expect "a node that is not there is refused" refused "there is no such node" missing
    expect "migrate --dry-run" migrate node-1 --dry-run
    expect "it would cordon" said "node-1: would cordon it"
    expect "and evict" said "would evict default/train-"
    expect "and wait for the operator" said "would wait until the operator has loaded 2.8.0"
    expect "and has done nothing" unmoved
    expect "migrate" timeout 240 bash -c 'kubectl drover migrate node-1 >"$0" 2>&1' "$stage/migrated"
    expect "it said how it went" said "node-1: the operator's driver 2.8.0 is loaded"
    expect "the operator has the node" mode container
    expect "with its driver" version_is 2.8.0
    expect "the node serves as before" soon 20 is_open
    expect "no pod of it is left" no_helper
    expect "migrate again changes nothing" migrate node-1
    expect "and says so" said "the operator's driver 2.8.0 is loaded"
}
no_helper() { [ -z "$(kubectl -n $ns get pods -l app.kubernetes.io/name=drover-migrate -o name)" ]; }
helper_waits() { is Running "pod/$(kubectl -n $ns get pods -l app.kubernetes.io/name=drover-migrate -o 'jsonpath={.items[0].metadata.name}')" '{.status.phase}' -n $ns; }

back_by_command() {
    expect "migrate --rollback --dry-run" migrate node-1 --rollback --dry-run
    expect "it would set the skip label" said "would set driver.tenstorrent.com/skip=true"
    timeout 240 kubectl drover migrate node-1 --rollback >"$stage/migrated" 2>&1 & local rollback=$!
    expect "migrate --rollback takes the operator's driver off and waits" soon 90 helper_waits
    expect "it says what to type" soon 20 said "sudo apt install --reinstall tenstorrent-dkms"
    expect "DKMS installs its own again" install_dkms
    expect "then it ends well" wait "$rollback"
    expect "the node is the host's" mode host
    expect "no version is reported any more" version_is ""
    expect "it serves" is_open
    expect "and stays out of every policy" node_label node-1 driver.tenstorrent.com/skip true
    expect "no pod of it is left then either" no_helper
    expect "migrate refuses a node that is skipped" refused "kubectl label node node-1 driver.tenstorrent.com/skip-" node-1
}

the_page_holds() {
    rm -f "$stage/operator.log"
    expect "node-1 joins" join_node
    expect "and is ready" soon 30 kubectl wait --for=condition=Ready node/node-1 --timeout=20s
    expect "the chart is installed" install_chart
    start_tenstorrent --image drover:1
    by_hand
    back_by_hand
    by_command
    back_by_command
    stop_operator
}

on_both_servers the_page_holds --nodes tenstorrent=1
exit $failed
