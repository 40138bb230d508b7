#!/bin/bash
# Tenstorrent's "Upgrades" page on a real node: kubelet, containerd and a kernel of its own; nothing is simulated but processors and chips
# (test/kernel/module stands in for tt-kmd). The chart brings the operator, the operator the builder's DaemonSet, the builder fetches,
# builds and loads the driver, with the rights that the chart gives and no more. Pods hold the device while its version is changed
# four times: undisturbed, through a reboot in the drain, through a power cut in the swap, and back from the cache. Node and
# operator go down together, and no user helps.
set -uo pipefail
# shellcheck source=test/node/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/kernel/forge.sh
source test/kernel/forge.sh
open_cluster tenstorrent
open_forge $gateway || { echo "FAIL the forge"; exit 1; }
ns=tt-k8s-driver-manager-system
gate=tenstorrent.com/deploy.tt-telemetry gate_key='tenstorrent\.com/deploy\.tt-telemetry'

# ---- what is done

install() {
  helm install tt-k8s-driver-manager charts/drover -n $ns --create-namespace --set operator.replicas=1 \
    --set image.repository=drover.test/drover,image.tag=1,image.pullPolicy=Never \
    --set vendors.nvidia.enabled=false,vendors.tenstorrent.enabled=true,vendors.tenstorrent.driverSource="$source_url"
}
policy() {
  kubectl apply -f - <<'YAML'
apiVersion: driver.tenstorrent.com/v1alpha1
kind: TenstorrentDriverPolicy
metadata: {name: default}
spec:
  version: "1.0.0"
  nodeAffinity: {}
YAML
}
# The page's command.
want() { kubectl patch ttdp default --type merge -p "{\"spec\":{\"version\":\"$1\"}}"; } # VERSION

# Opens the device, says which driver it finds, and keeps it open.
holder() { # INDENT
  sed "s/^/$1/" <<'YAML'
terminationGracePeriodSeconds: 1
containers:
- name: work
  image: drover.test/busybox:1
  imagePullPolicy: Never
  command: [sh, -c, "exec 3</dev/tenstorrent/0; cat <&3; exec sleep 1000000"]
  securityContext: {privileged: true}
  volumeMounts: [{name: device, mountPath: /dev/tenstorrent/0}]
volumes: [{name: device, hostPath: {path: /dev/tenstorrent/0, type: CharDevice}}]
YAML
}
# A workload, and a sibling that goes when its gate closes.
work() {
  kubectl apply -f - <<YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: train}
spec:
  selector: {matchLabels: {app: train}}
  template:
    metadata: {labels: {app: train}}
    spec:
$(holder '      ')
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: telemetry}
spec:
  selector: {matchLabels: {app: telemetry}}
  template:
    metadata: {labels: {app: telemetry}}
    spec:
      nodeSelector: {$gate: "true"}
$(holder '      ')
YAML
}
# Does not use the device, and takes its time to end.
slow() {
  kubectl apply -f - <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: slow}
spec:
  selector: {matchLabels: {app: slow}}
  template:
    metadata: {labels: {app: slow}}
    spec:
      terminationGracePeriodSeconds: 90
      containers: [{name: slow, image: "drover.test/busybox:1", imagePullPolicy: Never, command: [sleep, "1000000"]}]
YAML
}

# ---- what is looked at

loaded() { # VERSION
  local version
  version=$(on n1 'cat /sys/module/tenstorrent/version 2>/dev/null || echo none')
  [ "$version" = "$1" ] || { echo "loaded: $version"; return 1; }
}
says() { is "$1" ttdp/default '{.status.nodes[0].state} {.status.nodes[0].currentVersion}'; } # STATE VERSION, in one word
columns() { # MATCHED READY UPTODATE INPROGRESS FAILED
  local got
  got=$(kubectl get ttdp default --no-headers | awk '{print $3, $4, $5, $6, $7}')
  [ "$got" = "$*" ] || { echo "kubectl get ttdp: $got"; return 1; }
}
# In service or not, its gate, who has it cordoned, and our taint.
service() {
  local what="{.spec.unschedulable}/{.metadata.labels.$gate_key}/{.metadata.annotations.driver\\.tenstorrent\\.com/cordoned-by}"
  kubectl get node n1 -o "jsonpath=$what/{.spec.taints[?(@.key==\"drover.dev/driver-swap\")].effect}"
}
serves() { # in service, as if nothing had ever been
  local got
  got=$(service)
  [ "$got" = /true// ] || { echo "unschedulable/gate/cordoned-by/taint: $got"; return 1; }
}
is_away() {
  local got
  got=$(service)
  [ "$got" = true/false/default/NoSchedule ] || { echo "unschedulable/gate/cordoned-by/taint: $got"; return 1; }
}
is_done() { says "Done $1" && serves && loaded "$1" && columns 1 1 1 0 0; } # VERSION
works_on() { # VERSION: workload and sibling have the device of that driver open
  local app got
  for app in deployment/train daemonset/telemetry; do
    got=$(kubectl logs "$app" 2>/dev/null)
    [ "$got" = "$1" ] || { echo "$app found: $got"; return 1; }
  done
  [ "$(on n1 'cat /sys/module/tenstorrent/refcnt')" = 2 ] || { echo "the device is not held twice"; return 1; }
}
pods() { kubectl get pods -A -l "$1" -o 'jsonpath={range .items[*]}{.metadata.uid} {end}'; } # SELECTOR
is_another() { # SELECTOR UID: one pod, and not that one
  local now
  now=$(pods "$1")
  [ "$(wc -w <<<"$now")" = 1 ] && [ "$now" != "$2" ] || { echo "pods of $1: $now"; return 1; }
}
drains_slowly() {
  local got
  got=$(kubectl get ttdp default -o 'jsonpath={.status.nodes[0].state}: {.status.nodes[0].message}')
  [[ $got == Draining:*slow-* ]] && [ -z "$(kubectl get pods -l app=train -o 'jsonpath={.items[?(@.spec.nodeName)].metadata.name}')" ] ||
    { echo "$got"; return 1; }
}
tell_more() {
  echo "-- policy, node, operator, builder"
  kubectl get ttdp default -o 'jsonpath={.status.nodes}{"\n"}' 2>&1 | cut -c1-1000
  kubectl get node n1 -o json | grep -E '"(drover.dev|driver.tenstorrent.com)/' | cut -c1-1000
  kubectl -n $ns logs deployment/tt-k8s-driver-manager --tail=6 2>&1 | cut -c1-400
  kubectl -n $ns logs -l driver.tenstorrent.com/cr=default --tail=6 --prefix 2>&1 | cut -c1-400
  kubectl get events -A --field-selector type=Warning 2>&1 | tail -n 5 | cut -c1-300
}

# ---- what was seen: a line for every change of the Node, "seconds unschedulable/gate/version/report"

watch_node() { # FILE; stop $watching ends it
  local what="{.spec.unschedulable}/{.metadata.labels.$gate_key}/{.metadata.labels.driver\\.tenstorrent\\.com/kmd-version}"
  kubectl get node n1 --watch -o "jsonpath=$what/{.metadata.annotations.drover\\.dev/report-tenstorrent-driver}{\"\\n\"}" \
    > >(while read -r line; do echo "$EPOCHREALTIME $line"; done >"$1") 2>/dev/null &
  watching=$!
}
cordon_and_gate_are_one() { ! grep -E '^[0-9.]+ (true/true|/false)/' "$1" && grep -qE '^[0-9.]+ true/false/' "$1"; } # FILE
was_prepared_first() { grep -m1 -E '^[0-9.]+ true/' "$1" | tee /dev/stderr | grep -q "\"prepared\":\"$2\""; } # FILE VERSION
away_for() { awk '/^[0-9.]+ true\// && !from { from = $1 } from && /^[0-9.]+ \// { printf "%.0f", $1 - from; exit }' "$1"; } # FILE

# ---- a node, the chart, a policy: the first driver

make_node n1 1
drover_image n1 "$forge_ca" || { echo "FAIL drover's image"; exit 1; }
expect "a machine joins the control plane as a node" boot_node n1
kubectl label node n1 feature.node.kubernetes.io/pci-1200_1e52.present=true $gate=true >/dev/null
expect "the chart installs" install
expect "its operator is ready on that node" soon 300 is 1 deployment/tt-k8s-driver-manager '{.status.readyReplicas}' -n $ns
expect "a policy is applied" policy
expect "the operator brings the builder" soon 120 is 1 daemonset/ttdrv-default '{.status.currentNumberScheduled}' -n $ns
expect "which fetches, builds and loads the first driver" soon 600 loaded 1.0.0
expect "the node is done, and was never taken away" soon 120 is_done 1.0.0
expect "the Node says whose driver it has" is container node/n1 '{.metadata.labels.driver\.tenstorrent\.com/install-mode}'
[ $failed = 0 ] || exit 1
work >/dev/null
expect "pods hold its device" soon 300 works_on 1.0.0
operator=$(pods app.kubernetes.io/name=drover)

# ---- an upgrade

worker=$(pods app=train) builder=$(pods driver.tenstorrent.com/cr=default)
watch_node "$stage/seen"
expect "another version is wanted" want 2.0.0
expect "it is built, its holders are evicted, it is loaded, and the node is back" soon 600 is_done 2.0.0
stop $watching
expect "it was built before the node was taken away" was_prepared_first "$stage/seen" 2.0.0
expect "cordon and gate were one move each way" cordon_and_gate_are_one "$stage/seen"
echo "   the node was away for $(away_for "$stage/seen") s"
expect "the workload is another pod by now" is_another app=train "$worker"
expect "so is the builder" is_another driver.tenstorrent.com/cr=default "$builder"
expect "the operator is the same" test "$(pods app.kubernetes.io/name=drover)" = "$operator"
expect "workload and sibling hold the device of the new driver" soon 300 works_on 2.0.0
built=$(fetched)
expect "each version was fetched once ($built)" test "$built" = 2
[ $failed = 0 ] || exit 1

# ---- a reboot in the middle: pass 1 of the drain is over, pass 2 waits for a pod that takes its time

slow >/dev/null
expect "a pod runs that takes its time" soon 300 is 1 deployment/slow '{.status.readyReplicas}'
expect "a lower version is wanted" want 1.0.0
expect "the holders have left, and the drain waits for that pod" soon 300 drains_slowly
expect "the node is away" is_away
expect "it is rebooted and comes back" reboot_node n1
expect "the upgrade ends without help" soon 600 is_done 1.0.0
kubectl delete deployment slow >/dev/null
kubectl delete pods -l app=slow --grace-period=1 --wait=false >/dev/null
expect "pods hold the device after the reboot" soon 300 works_on 1.0.0

# ---- a power cut in the middle: the order to swap is given, the old builder goes

# Watched on the Node: the status of the policy may be later than the swap.
swap_begins() {
  grep -q -m1 '"mayLoad":true' < <(timeout 300 kubectl get node n1 --watch -o 'jsonpath={.metadata.annotations.drover\.dev/order-tenstorrent-driver}{"\n"}')
}
expect "a higher version is wanted again" want 2.0.0
expect "the swap begins" swap_begins
cut_node n1
expect "the node comes back from a power cut" boot_node n1
expect "the upgrade that was cut off ends without help" soon 600 is_done 2.0.0
expect "pods hold the device after the power cut" soon 300 works_on 2.0.0

# ---- the way back

watch_node "$stage/seen"
expect "the lower version is wanted once more" want 1.0.0
expect "the node has it" soon 300 is_done 1.0.0
stop $watching
echo "   the node was away for $(away_for "$stage/seen") s"
expect "pods hold the device of the lower version" soon 300 works_on 1.0.0
expect "nothing was built since the first upgrade" test "$(fetched)" = "$built"
exit $failed
