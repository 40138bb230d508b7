#!/bin/bash
# A real node, with a kernel of its own, on a real control plane: it becomes Ready, runs pods, and comes back from a reboot and from a power cut.
# The chart's operator runs on it. The agent, in a DaemonSet, with the rights that the chart gives it and no more, builds and
# loads a driver; after a reboot and after a power cut that driver is there again without being built.
set -uo pipefail
# shellcheck source=test/node/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/kernel/forge.sh
source test/kernel/forge.sh
open_cluster node
open_forge $gateway || { echo "FAIL the forge"; exit 1; }
namespace=gpu-operator

# ---- our image: the program, its libraries, and whom to trust, on top of what a builder needs

pack_image() { # FOLDER
  local has file
  has=$(tar -tf "$boots_from/root.tar")
  pack_drover "$stage/drover" "$stage/lib"
  mkdir -p "$1"/usr/{bin,lib/x86_64-linux-gnu} "$1/etc/ssl/certs"
  cp "$stage/drover" "$1/usr/bin/drover"
  cp "$forge_ca" "$1/etc/ssl/certs/ca-certificates.crt"
  for file in "$stage"/lib/*; do
    grep -q "/${file##*/}\$" <<<"$has" || cp "$file" "$1/usr/lib/x86_64-linux-gnu/"
  done
}
pack_image "$stage/layer"
make_node n1 1
node_image n1 drover.test/drover:1 "known:$boots_from/root.tar" "$stage/layer" -- /usr/bin/drover
expect "a machine joins the control plane as a node" boot_node n1
[ $failed = 0 ] || exit 1
expect "with a kernel of its own" is "$(cat "$boots_from/release")" node/n1 '{.status.nodeInfo.kernelVersion}'
expect "which knows the image that was brought" grep -q drover.test/drover:1 <(on n1 'ctr -n k8s.io images ls -q')

# ---- pods

kubectl run web --image=drover.test/busybox:1 --image-pull-policy=Never --restart=Never -- \
  sh -c 'mkdir -p /tmp/www; echo hello >/tmp/www/index.html; echo serving; exec httpd -f -p 8080 -h /tmp/www' >/dev/null
is_running() { is True "$1" '{.status.conditions[?(@.type=="Ready")].status}' "${@:2}"; }
expect "a pod runs" soon 300 is_running pod/web
greets() { curl -fsS --max-time 10 --noproxy '*' "http://$(kubectl get pod web -o 'jsonpath={.status.podIP}'):8080/" | grep -qx hello; }
expect "it can be reached" soon 300 greets
expect "its log can be read" grep -qx serving <(kubectl logs web)
expect "a command can be run in it" grep -qx hello <(kubectl exec web -- cat /tmp/www/index.html)
kubectl delete pod web --grace-period=1 --wait=false >/dev/null

# ---- the chart's operator

install() {
  helm install drover charts/drover -n $namespace --create-namespace --set operator.replicas=1 \
    --set image.repository=drover.test/drover,image.tag=1,image.pullPolicy=Never
}
expect "the chart installs" install
expect "its operator is ready on that node" soon 300 is 1 deployment/drover '{.status.readyReplicas}' -n $namespace

# ---- the agent

builder() { # VERSION
  local kbuild
  kbuild=$(on n1 'ls /usr/lib | grep ^linux-kbuild-')
  sed "s,@NAMESPACE@,$namespace,; s,@SOURCE@,$source_url,; s,@VERSION@,$1,; s,@KBUILD@,$kbuild," test/node/builder.yaml | kubectl apply -f - >/dev/null
}
builder_is_ready() { is 1 daemonset/ttdrv-test '{.status.numberReady}' -n $namespace; }
loaded() { on n1 'cat /sys/module/tenstorrent/version' | grep -qx "$1"; } # VERSION
on n1 'mkdir -p /usr/local/bin /var/cache'
builder 1.0.0
expect "the agent builds and loads its driver in a pod" soon 900 loaded 1.0.0
expect "its pod is ready" soon 300 builder_is_ready
expect "the Node says which driver it has" soon 300 is 1.0.0 node/n1 '{.metadata.labels.driver\.tenstorrent\.com/kmd-version}'
expect "the report says so too" grep -q '"loaded":"1.0.0"' <(kubectl get node n1 -o 'jsonpath={.metadata.annotations.drover\.dev/report}')
fetched_before=$(fetched)

# ---- it comes back

# The kubelet of the new boot has spoken.
has_rebooted() { [ "$(cat "$nodes/n1/share/booted")" != "$1" ] && is_ready n1; } # BOOT-ID
comes_back() { # HOW
  expect "the node comes back from $1" soon 600 has_rebooted "$boot"
  expect "its driver is loaded again after $1" soon 300 loaded 1.0.0
  expect "and its pod ready after $1" soon 300 builder_is_ready
  expect "nothing was built for it after $1" test "$(fetched)" = "$fetched_before"
}
boot=$(cat "$nodes/n1/share/booted")
on n1 'sync; (sleep 1; busybox reboot -f) >/dev/null 2>&1 &'
comes_back "a reboot"
boot=$(cat "$nodes/n1/share/booted")
cut_node n1
boot_node n1 >/dev/null
comes_back "a power cut"
exit $failed
