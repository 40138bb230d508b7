#!/bin/bash
# A real node, with a kernel of its own, on a real control plane: it becomes Ready, knows the images that were brought, runs pods that can be
# reached, read and entered, and comes back from a reboot that a pod asked for, as drivers that need one do.
set -uo pipefail
# shellcheck source=test/node/stage.sh
source "$(dirname "$0")/stage.sh"
open_cluster node
make_node n1 1
expect "a machine joins the control plane as a node" boot_node n1
[ $failed = 0 ] || exit 1
expect "with a kernel of its own" is "$(cat "$boots_from/release")" node/n1 '{.status.nodeInfo.kernelVersion}'

kubectl run web --image=drover.test/busybox:1 --image-pull-policy=Never --restart=Always -- \
  sh -c 'mkdir -p /tmp/www; echo hello >/tmp/www/index.html; echo serving; exec httpd -f -p 8080 -h /tmp/www' >/dev/null
expect "a pod runs" soon 300 pod_is Ready pod/web
greets() { curl -fsS --max-time 10 --noproxy '*' "http://$(kubectl get pod web -o 'jsonpath={.status.podIP}'):8080/" | grep -qx hello; }
expect "it can be reached" soon 300 greets
expect "its log can be read" grep -qx serving <(kubectl logs web)
expect "a command can be run in it" grep -qx hello <(kubectl exec web -- cat /tmp/www/index.html)

reboot_by_pod() {
  kubectl apply -f - <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: reboot}
spec:
  restartPolicy: Never
  hostPID: true
  containers:
  - name: reboot
    image: drover.test/busybox:1
    imagePullPolicy: Never
    command: [nsenter, -t, "1", -m, --, reboot, -f]
    securityContext: {privileged: true}
YAML
}
boot=$(cat "$nodes/n1/share/booted")
expect "a privileged pod may ask for a reboot" reboot_by_pod
expect "the node comes back, with another boot" comes_back n1 "$boot"
expect "and its pods with it" soon 300 greets
exit $failed
