# shellcheck shell=bash disable=SC2034,SC2317  # variables and functions belong to the script that sources this
# Sourced by the tests on real nodes: virtual machines with a kernel, a kubelet and containerd of their own, joined to the control plane
# of test/bed. Nothing is simulated but the processors and what is plugged into the machine. Knows no vendor.
#
#   source "$(dirname "$0")/stage.sh"
#   open_cluster NAME        a control plane in a network of its own; ends with 3, and the reason, where that cannot be done
#   make_node NODE NUMBER    a machine, switched off; NUMBER, from 1, gives it its addresses
#   node_image NODE NAME LAYER...   an image that it will have (see oci.py); before it boots for the first time
#   drover_image NODE [FILE] the same, drover.test/drover:1: the program under test with git, make and gcc; it trusts the authority in FILE
#   boot_node NODE           switches it on and waits until it is Ready in this boot
#   reboot_node NODE         reboots it, and waits likewise
#   comes_back NODE BOOT-ID  waits until it is Ready in another boot than that
#   cut_node NODE            the power goes; boot_node brings it back
#   on NODE COMMAND          runs a shell command as root in the machine
# The whole runs in one network namespace: nodes are 10.98.0.10 + NUMBER, their pods 10.87.NUMBER.0/24, the API server 10.96.0.1.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=test/vm/lib.sh
source test/vm/lib.sh
# The image first: what it is made of comes from outside, and that network is about to go.
[ -n "${DROVER_OWN_NETWORK:-}" ] || test/node/image >/dev/null || exit $?
in_own_network "$@"
# shellcheck source=test/real/stage.sh
source test/real/stage.sh
nodes=$stage/nodes gateway=10.98.0.1

open_cluster() { # NAME [FLAG...]: flags for test/bed/up
  command -v qemu-system-x86_64 >/dev/null || cannot "missing qemu-system-x86_64; scripts/need vm installs it"
  node_disk=$(test/node/image) || exit $?
  boots_from=$(cat "$node_disk/base")
  # The API server has the address that pods know, and port 443: no address translation is needed.
  ip link add nodes type bridge && ip addr add $gateway/24 dev nodes && ip addr add 10.96.0.1/32 dev nodes && ip link set nodes up ||
    cannot "no bridge can be made in a network namespace here"
  open_bed "$1" --port 443 --arg kube-apiserver=--bind-address=0.0.0.0 "${@:2}"
  export KUBECONFIG=$bed/kubeconfig
}

# The node's own certificate, so that the Node authorizer and NodeRestriction hold for it.
node_identity() { # NODE FOLDER
  (
    source test/bed/pki.sh
    cp "$bed"/pki/ca.{crt,key} "$2/"
    client "$2" node ca "/O=system:nodes/CN=system:node:$1"
    rm "$2/ca.key"
  )
  cat >"$2/kubeconfig" <<END
apiVersion: v1
kind: Config
current-context: node
clusters: [{name: bed, cluster: {server: "https://10.96.0.1:443", certificate-authority: /share/ca.crt}}]
users: [{name: node, user: {client-certificate: /share/node.crt, client-key: /share/node.key}}]
contexts: [{name: node, context: {cluster: bed, user: node}}]
END
}

make_node() { # NODE NUMBER
  local share=$nodes/$1/share address=10.98.0.$((10 + $2))
  mkdir -p "$share/images"
  node_identity "$1" "$share" || return 1
  qemu-img create -q -f qcow2 -b "$node_disk/node.raw" -F raw "$nodes/$1/root.qcow2" || return 1
  printf 'name=%s\naddress=%s\ngateway=%s\n' "$1" "$address" $gateway >"$share/node.env"
  cp test/node/guest/boot "$share/boot"
  cat >"$share/cni.conflist" <<END
{"cniVersion": "1.0.0", "name": "test", "plugins": [{"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
 "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.87.$2.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
END
  cat >"$share/kubelet.yaml" <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failSwapOn: false
cgroupDriver: cgroupfs
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
address: $address
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: /share/ca.crt}}
authorization: {mode: Webhook}
resolvConf: /etc/resolv.conf
staticPodPath: /etc/kubernetes/manifests
runtimeRequestTimeout: 5m
imageGCHighThresholdPercent: 100
makeIPTablesUtilChains: false  # nothing here needs them, and an emulated processor spends 4 s on them
evictionHard: {memory.available: 50Mi, nodefs.available: "1%", imagefs.available: "1%"}
END
  ip tuntap add dev "node$2" mode tap && ip link set "node$2" master nodes up && ip route add "10.87.$2.0/24" via "$address"
  echo "$2" >"$nodes/$1/number"
}

node_image() { # NODE NAME LAYER... [-- WORD...]
  local file=${2##*/}
  python3 test/node/oci.py "$nodes/$1/share/images/${file//:/-}.tar" "${@:2}"
}

drover_image() { # NODE [FILE]
  local layer=$stage/layer has file
  has=$(tar -tf "$boots_from/root.tar") || return 1
  mkdir -p "$layer"/usr/{bin,lib/x86_64-linux-gnu} "$layer/etc/ssl/certs"
  pack_program "$drover" "$layer/usr/bin/drover" "$stage/lib" || return 1
  [ -z "${2:-}" ] || cp "$2" "$layer/etc/ssl/certs/ca-certificates.crt"
  for file in "$stage"/lib/*; do
    grep -q "/${file##*/}\$" <<<"$has" || cp "$file" "$layer/usr/lib/x86_64-linux-gnu/"
  done
  node_image "$1" drover.test/drover:1 "known:$boots_from/root.tar" "$layer" -- /usr/bin/drover
}

boot_node() { # NODE
  local number vm_until=(is_ready "$1")
  number=$(cat "$nodes/$1/number")
  vm_up "$nodes/$1" "$boots_from" -drive "file=$nodes/$1/root.qcow2,format=qcow2,if=none,id=root,cache=writeback" \
    -netdev "tap,id=net,ifname=node$number,script=no,downscript=no" \
    -device "virtio-net-pci,netdev=net,romfile=,mac=52:54:00:98:00:$(printf %02x $((10 + number)))"
}

# Ready, and said so by the kubelet of this very boot: for a while after a reboot the API still has the word of the one before.
is_ready() { # NODE
  is "$(cat "$nodes/$1/share/booted") True" "node/$1" '{.status.nodeInfo.bootID} {.status.conditions[?(@.type=="Ready")].status}'
}

# In another boot than BOOT-ID, and Ready.
is_back() { # NODE BOOT-ID
  [ "$(cat "$nodes/$1/share/booted")" != "$2" ] && is_ready "$1"
}

# Waits for that. A machine that hangs in its reboot is started once more, as one is that hangs in its first boot.
comes_back() { # NODE BOOT-ID
  local machine=$nodes/$1 status=0
  vm_forget_console "$machine"
  vm_await "$machine" 600 is_back "$1" "$2" || status=$?
  [ $status = 2 ] || return $status
  say "-- machine $1: after its reboot its console shows a lockup; started once more: $(vm_lockup "$machine")"
  vm_cut "$machine"
  boot_node "$1"
}

reboot_node() { # NODE
  local boot
  boot=$(cat "$nodes/$1/share/booted")
  on "$1" 'sync; (sleep 0.5; reboot -f) >/dev/null 2>&1 &'
  comes_back "$1" "$boot"
}

cut_node() { vm_cut "$nodes/$1"; } # NODE
on() { vm_run "$nodes/$1" "$2"; } # NODE COMMAND

# Any condition that a pod has as True.
pod_is() { is True "$2" "{.status.conditions[?(@.type==\"$1\")].status}" "${@:3}"; } # CONDITION POD [FLAG...]

# What is known of nodes and pods when something failed; `tell_more` is the test's own.
tell_more() { :; }
after_failure() {
  local node
  kubectl get nodes,pods -A -o wide 2>&1 | cut -c1-160 | head -24
  for node in "$nodes"/*/; do
    echo "-- ${node%/}: console and kubelet"
    tail -n 3 "$node/console" 2>/dev/null
    grep -E '^E' "$node/share/kubelet.log" 2>/dev/null | tail -n 4 | cut -c1-300
  done
  tell_more
}
