#!/bin/bash
# Tenstorrent's "Upgrades" page, its parts about tt-kmd, tt-smi and the definitions: its kubectl commands as they are written
# there, on a real control plane with simulated machines (whose builders run the real agent) and on the embedded cluster, must
# have the effect that the page states. The operator runs as its own ServiceAccount, with the chart's roles. Exit 3 where no
# control plane can be built.
# shellcheck disable=SC2317,SC2016  # functions are called through expect and trap; nothing is to expand
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/nvidia_stage.sh
source "$(dirname "$0")/nvidia_stage.sh"
# shellcheck source=test/real/tenstorrent_stage.sh
source "$(dirname "$0")/tenstorrent_stage.sh"
open_bed tenstorrent

# ---- the page's commands, as they are written there

upgrade_the_driver() {
    kubectl patch ttdp default --type merge -p '{"spec":{"version":"2.8.0"}}'
}
# Where kubectl's namespace is the operator's, as the page takes for granted.
delete_the_crash_looping_pod() { # ttdrv-...
    kubectl delete pod "$1" --wait=false
}
pick_up_a_change_of_the_schema() {
    kubectl apply -f charts/tt-k8s-driver-manager/crds/
}

# ---- what is looked at

all_done() { # VERSION: loaded everywhere, every node back in service, and the policy says so
    versions_are "$1 $1 $1 " && nothing_is_left && is 3 ttdp/default '{.status.summary.upToDate}'
}
set_driver() { kubectl patch ttdp default --type merge -p "{\"spec\":{\"version\":\"$1\"}}"; }
set_upgrades() { kubectl patch ttdp default --type merge -p "{\"spec\":{\"upgradePolicy\":$1}}"; }
no_gate_is_left() {
    local got
    got=$(kubectl get nodes -l "$gate" -o name)
    [ -z "$got" ] || { echo "gates: $got"; return 1; }
}
# Every state that a node was in, as a watch tells it: its name, whether it is cordoned, its gate.
note_the_nodes() { # FILE: until it is stopped
    exec kubectl get nodes -w --no-headers -o "custom-columns=:.metadata.name,:.spec.unschedulable,:.metadata.labels.${gate//./\\.}" >"$1" 2>/dev/null
}
were_away() { # NUMBER FILE: never more at once, and the gate of each was closed with the cordon and open after it
    awk -v wanted="$1" '
        { away += ($2 == "true") - ($1 in was); if ($2 == "true") was[$1]; else delete was[$1] }
        ($2 == "true") != ($3 == "false") { print "gate and cordon differ: " $0; bad = 1 }
        away > most { most = away }
        END { if (most + 0 != wanted) { print most + 0 " were away at once"; bad = 1 } exit bad }' "$2"
}
builders() { kubectl -n $ns get pods -l app.kubernetes.io/component=driver -o "jsonpath={range .items[*]}{.metadata.uid}{\"\n\"}{end}" | sort; }
none_is_of() { # UIDS: three builders, none of them one of these
    local now
    now=$(builders)
    [ "$(wc -l <<<"$now")" = 3 ] && [ -z "$(comm -12 <(echo "$1") <(echo "$now"))" ]
}
pod_of() { kubectl get pods -l "app=$1" -o 'jsonpath={.items[*].metadata.uid}'; } # APP
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
budget() { # a pod of this work may never leave
    kubectl create poddisruptionbudget "$1" --selector="app=$1" --min-available=1
}

# ---- the page, part by part

tt_kmd() {
    work train tenstorrent-1 >/dev/null
    note_the_nodes "$stage/away" & local noting=$!
    expect "the page's patch is accepted" upgrade_the_driver
    expect "all have it in the end" soon 180 all_done 2.8.0
    stop "$noting"
    expect "one at a time was cordoned, its gate closed in one move" were_away 1 "$stage/away"
    expect "no gate is left" no_gate_is_left
    expect "the work is there again" soon 30 kubectl wait deployment/train --for=condition=Available --timeout=20s
    expect "a lower version is wanted" set_driver 2.7.0
    expect "it is in the cache of every node" soon 60 all_done 2.7.0
}

pauses() { # soft and hard
    expect "the policy is paused" kubectl patch ttdp default --type merge -p '{"spec":{"paused":true}}'
    expect "another version is wanted meanwhile" set_driver 2.8.0
    expect "and nothing moves" steadily 8 versions_are "2.7.0 2.7.0 2.7.0 "
    expect "a node is left out" kubectl label node tenstorrent-3 driver.tenstorrent.com/skip=true
    expect "the policy goes on" kubectl patch ttdp default --type merge -p '{"spec":{"paused":false}}'
    expect "the others have it" soon 120 versions_are "2.8.0 2.8.0 2.7.0 "
    expect "the label is taken off" kubectl label node tenstorrent-3 driver.tenstorrent.com/skip-
    expect "and so has the last one" soon 120 all_done 2.8.0
}

knobs() { # the drain's
    expect "a pod's budget lets it never go" budget train
    expect "a drain may take five seconds" set_upgrades '{"drain":{"enable":true,"timeoutSeconds":5}}'
    expect "a version is wanted" set_driver 2.7.0
    expect "the drain runs out of time" soon 120 says_of default tenstorrent-1 Failed/DrainTimeout
    expect "that node serves, with the driver that it had" soon 20 node_serves tenstorrent-1 2.8.0
    expect "the others have the new one" soon 120 versions_are "2.8.0 2.7.0 2.7.0 "
    expect "the budget goes" kubectl delete poddisruptionbudget train
    expect "there is time again, and only the device's pods leave" set_upgrades '{"drain":{"timeoutSeconds":600,"fullNode":false}}'
    expect "a pod that needs no device is on another node" bystander tenstorrent-2
    local before
    before=$(pod_of web)
    expect "the next version comes to all" set_driver 2.8.0
    expect "the one that failed, too" soon 180 all_done 2.8.0
    expect "a pod that needs no device has stayed" test "$(pod_of web)" = "$before"
    expect "both passes are on again" set_upgrades '{"drain":{"fullNode":true}}'
}
node_serves() { node_label "$1" driver.tenstorrent.com/kmd-version "$2" && nothing_is_left && no_gate_is_left; } # NODE VERSION
bystander() { # NODE
    kubectl create deployment web --image=web:1 --dry-run=client -o yaml |
        kubectl patch --local -f - -p "{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{\"kubernetes.io/hostname\":\"$1\"}}}}}" -o yaml |
        kubectl apply -f - && kubectl wait deployment/web --for=condition=Available --timeout=30s
}

blocked_by_workload() {
    expect "the drain is switched off" set_upgrades '{"drain":{"enable":false}}'
    expect "a version is wanted while a pod has the device open" set_driver 2.7.0
    expect "its node counts as failed" soon 120 is 1 ttdp/default '{.status.summary.failed}'
    expect "and says why" soon 20 says_of default tenstorrent-1 Failed/BuilderCrashLoop
    expect "with the holder's pid and name" grep -qE 'held by .*work' <(kubectl get ttdp default -o jsonpath='{.status.nodes}')
    expect "the holders are drained by hand" kubectl delete deployment train --wait
    local pod
    pod=$(builder_on default tenstorrent-1)
    kubectl config set-context --current --namespace=$ns >/dev/null
    expect "the crash-looping pod is deleted" delete_the_crash_looping_pod "${pod#pod/}"
    kubectl config set-context --current --namespace=default >/dev/null
    expect "and the rollout goes on to its end" soon 180 all_done 2.7.0
    expect "the device is held on another node" work train tenstorrent-2
    expect "another version is wanted again" set_driver 2.8.0
    expect "and is blocked there" soon 120 says_of default tenstorrent-2 Failed/BuilderCrashLoop
    expect "forceUnload is set" set_upgrades '{"forceUnload":true}'
    expect "and the holders are killed" soon 180 all_done 2.8.0
}

tt_smi() { # another image of the builder
    local before
    before=$(builders)
    note_the_nodes "$stage/away" & local noting=$!
    stop "$operator"
    start_tenstorrent --image drover:1 --builder-image drover:sha-newer
    expect "every builder is replaced" soon 180 none_is_of "$before"
    expect "and serves" soon 30 all_done 2.8.0
    stop "$noting"
    expect "no node was taken away for it" were_away 0 "$stage/away"
}

definitions() {
    mkdir -p "$stage/vendor/charts"
    ln -sfn "$PWD/charts/drover" "$stage/vendor/charts/tt-k8s-driver-manager"
    expect "the definitions are applied by hand" in_folder "$stage/vendor" pick_up_a_change_of_the_schema
    expect "and the policy is as it was" all_done 2.8.0
}
in_folder() (cd "$1" && "${@:2}") # FOLDER COMMAND...

the_page_holds() {
    rm -f "$stage/operator.log"
    expect "the chart is installed" install_chart
    start_tenstorrent --image drover:1
    expect "a policy can be made" soon 10 policy
    expect "the first driver comes to every node" soon 120 all_done 2.7.0
    expect "kubectl get ttdp counts them" soon 20 columns default 3 3 3 0 0
    tt_kmd
    pauses
    knobs
    blocked_by_workload
    tt_smi
    definitions
    expect "the policy is deleted" kubectl delete ttdp default
    expect "the drivers stay" steadily 5 versions_are "2.8.0 2.8.0 2.8.0 "
    expect "and nothing is left on any node" nothing_is_left
    stop_operator
}

on_both_servers the_page_holds --nodes tenstorrent=3
exit $failed
