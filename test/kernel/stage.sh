# shellcheck shell=bash disable=SC2034,SC2317  # variables and functions belong to the script that sources this
# Sourced by the tests on a real kernel: a virtual machine with Debian's kernel, in which the real agent builds, loads and unloads a
# small module of ours that is called tenstorrent (module/). Around it, on loopback: a forge with its source, over https with an
# authority that only this test knows, and the API server of `drover-sim serve`, on which the test plays the operator.
#
#   source "$(dirname "$0")/stage.sh"
#   open_machine          image, servers, first boot; ends with 3, and the reason, where that cannot be done
#   agent POD VERSION     starts the agent for that version, as the pod of that name; its words are in $share/POD.log
#   order POD VERSION     the operator's permission for it
#   inside COMMAND        runs a shell command in the machine
# The root disk is fresh at every boot. /var/cache/tt-kmd is a disk of its own and stays, over power cuts too.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=test/vm/lib.sh
source test/vm/lib.sh
# The image first: what it is made of comes from outside, and that network is about to go.
[ -n "${DROVER_OWN_NETWORK:-}" ] || test/vm/image >/dev/null || exit $?
in_own_network "$@"
# shellcheck source=test/real/stage.sh
source test/real/stage.sh
machine=$stage/machine share=$stage/machine/share
# shellcheck source=test/kernel/forge.sh
source test/kernel/forge.sh
build_within=900  # a build takes 30 s on an idle machine

# ---- around the machine

# The machine calls this machine's loopback 10.0.2.2.
serve_api() {
  "$drover_sim" serve --listen 127.0.0.1:0 --name 10.0.2.2 --nodes cpu=0 --write-kubeconfig "$stage/kubeconfig" >"$stage/api.log" 2>&1 &
  soon 20 test -s "$stage/kubeconfig" || return 1
  api_url=$(sed -n 's/^ *server: //p' "$stage/kubeconfig")
  sed 's,//127.0.0.1:,//10.0.2.2:,' "$stage/kubeconfig" >"$share/kubeconfig"
  sed -n 's/^ *certificate-authority-data: //p' "$stage/kubeconfig" | base64 -d >"$stage/api-ca.pem"
  printf 'header = "Authorization: Bearer %s"\n' "$(sed -n 's/^ *token: //p' "$stage/kubeconfig")" >"$stage/curlrc"
  api -X POST -H 'Content-Type: application/json' "$api_url/api/v1/nodes" -d '{"metadata":{"name":"vm"}}' >/dev/null
}
api() { curl -fsS --max-time 10 --noproxy '*' --cacert "$stage/api-ca.pem" -K "$stage/curlrc" "$@"; }

# ---- the machine

# What it finds when it boots: the program under test with its libraries, and scripts.
furnish() {
  mkdir -p "$share/lib"
  pack_program "$drover" "$share/drover" "$share/lib"
  cp "$forge_ca" "$share/ca.crt"
  cp test/kernel/guest/{boot,agent} "$share/"
}

boot() {
  vm_up "$machine" "$image" -drive "file=$image/base.raw,format=raw,if=none,id=root,snapshot=on" \
    -drive "file=$stage/cache.raw,format=raw,if=none,id=cache,cache=writeback" -device virtio-blk-pci,drive=cache \
    -netdev user,id=net -device virtio-net-pci,netdev=net,romfile=
}

open_machine() {
  [ -x "$drover" ] || { echo "FAIL $drover is not built; run make first"; exit 1; }
  command -v qemu-system-x86_64 >/dev/null || cannot "missing qemu-system-x86_64; scripts/need vm installs it"
  image=$(test/vm/image) || exit $?
  release=$(cat "$image/release")
  mkdir -p "$share"
  truncate -s 512M "$stage/cache.raw"
  mke2fs -q -F -t ext4 "$stage/cache.raw"
  { open_forge 10.0.2.2 && serve_api && furnish; } || { echo "FAIL the surroundings of the machine"; exit 1; }
  expect "a machine boots Debian's kernel" boot
  [ $failed = 0 ] || exit 1
}

inside() { vm_run "$machine" "$1"; }

# ---- the agent and its operator

# TRACE holds words for strace, if it is to run under it.
agent() { # POD VERSION [VARIABLE=VALUE...]
  rm -f "$share/$1.log" "$share/$1.code"
  inside "TRACE='${TRACE:-}' /share/agent $1 $2 TT_KMD_SOURCE=$source_url ${*:3}"
}
said() { grep -E -- "$2" "$share/$1.log" >/dev/null 2>&1 || { tail -n 4 "$share/$1.log" 2>&1; return 1; }; } # POD WORDS
ended() { grep -qx "$2" "$share/$1.code" 2>/dev/null || { echo "$1 ended with: $(cat "$share/$1.code" 2>&1)"; return 1; }; } # POD CODE
agent_ends() { inside 'pkill -KILL -x drover; while pidof drover >/dev/null; do sleep 0.1; done'; }

annotate() { # TEXT
  python3 -c 'import json, sys; print(json.dumps({"metadata": {"annotations": {"drover.dev/order-tenstorrent-driver": sys.argv[1] or None}}}))' "$1" |
    api -X PATCH -H 'Content-Type: application/merge-patch+json' "$api_url/api/v1/nodes/vm" -d @- >/dev/null
}
order() { annotate "{\"v\":1,\"id\":\"$1\",\"target\":\"digest-$2\",\"mayLoad\":true,\"paused\":false}"; } # POD VERSION

# What the Node says: a word of the agent's report, or a label.
reports() { # WORD TEXT
  api "$api_url/api/v1/nodes/vm" | python3 -c '
import json, sys
note = json.load(sys.stdin)["metadata"].get("annotations", {}).get("drover.dev/report-tenstorrent-driver", "{}")
word = json.loads(note).get(sys.argv[1])
sys.exit(None if str(word) == sys.argv[2] else f"{sys.argv[1]} is {word!r}; the report is {note}")' "$1" "$2"
}
labelled() { # NAME VALUE
  api "$api_url/api/v1/nodes/vm" | python3 -c '
import json, sys
labels = json.load(sys.stdin)["metadata"].get("labels", {})
sys.exit(None if labels.get(sys.argv[1]) == sys.argv[2] else f"the labels are {labels}")' "driver.tenstorrent.com/$1" "$2"
}

loaded() { # VERSION
  local version
  version=$(inside 'cat /sys/module/tenstorrent/version 2>/dev/null || echo none')
  [ "$version" = "$1" ] || { echo "loaded: $version"; return 1; }
}
cached() { inside "test -s /var/cache/tt-kmd/$release/$1/tenstorrent.ko"; } # VERSION
