# shellcheck shell=bash
# The two servers that are compared: a real control plane with simulated kubelets, and the embedded cluster with the same
# nodes. Sourced by the scripts of test/conformance, test/kubectl and test/helm; everything that is started is stopped
# when the script ends.
#
#   DROVER_SIM    the simulator (default: drover-sim beside $DROVER, or build/drover-sim)
#   DROVER_BED    the folder with the control plane's scripts (default: test/bed)
#
# After start_real and start_embedded, $stage/real and $stage/embedded hold kubeconfigs and $PATH has kubectl and helm.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
drover_sim=$(realpath "${DROVER_SIM:-${DROVER:-$root/build/drover}-sim}")
bed_scripts=${DROVER_BED:-$root/test/bed}
fleet=nvidia=2,tenstorrent=1,cpu=2
# Quick kubelets without chance: what takes time is the same on both sides.
tempo=(--pull 50ms --start 50ms --stop 100ms --task 100ms --driver 200ms --jitter 0 --seed 7)
stage=$(mktemp -d)
started=()

stop_all() {
  local pid
  for pid in "${started[@]}"; do
    kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
  done
  started=()
  [[ ! -e $stage/bed/bed ]] || "$bed_scripts/down" "$stage/bed" >/dev/null 2>&1
}
clear_up() {
  stop_all
  rm -rf "$stage"
}
trap clear_up EXIT
trap 'exit 130' INT TERM

[[ -x $drover_sim ]] || { echo "FAIL $drover_sim is not built; run: scripts/build build drover-sim"; exit 1; }

# Nodes that all areas wait for.
await_nodes() { # KUBECONFIG
  kubectl --kubeconfig "$1" wait --for=condition=Ready nodes --all --timeout=60s >/dev/null
}

# Ends the script with 3 where no control plane can be built.
start_real() {
  local status=0
  "$bed_scripts/up" --dir "$stage/bed" >/dev/null || status=$?
  case $status in
    0) ;;
    3) echo "skipped: no control plane can be built here (see above)"; exit 3 ;;
    *) echo "FAIL the control plane did not start"; exit 1 ;;
  esac
  # A server that has just been started again knows nothing of versions long gone.
  "$bed_scripts/restart" "$stage/bed" kube-apiserver >/dev/null 2>&1 || { echo "FAIL the API server did not start again"; exit 1; }
  cp "$stage/bed/kubeconfig" "$stage/real"
  PATH=$(realpath "$stage/bed/bin"):$PATH
  "$drover_sim" kubelet --kubeconfig "$stage/real" --nodes "$fleet" "${tempo[@]}" >"$stage/kubelet.log" 2>&1 &
  started+=($!)
  local tries=0
  until [[ $(kubectl --kubeconfig "$stage/real" get nodes --no-headers 2>/dev/null | wc -l) = 5 ]]; do
    ((tries++ < 100)) || { echo "FAIL the simulated kubelets made no nodes: $(tail -n 1 "$stage/kubelet.log")"; exit 1; }
    sleep 0.1
  done
  await_nodes "$stage/real" || { echo "FAIL the nodes of the real control plane are not ready"; exit 1; }
}

# The pid is in $embedded; more flags may be given.
start_embedded() {
  rm -f "$stage/embedded"
  "$drover_sim" serve --listen 127.0.0.1:0 --write-kubeconfig "$stage/embedded" --nodes "$fleet" "${tempo[@]}" "$@" \
    >"$stage/embedded.log" 2>&1 &
  embedded=$!
  started+=("$embedded")
  local tries=0
  until [[ -s $stage/embedded ]]; do
    kill -0 "$embedded" 2>/dev/null && ((tries++ < 100)) ||
      { echo "FAIL drover-sim serve did not start: $(tail -n 1 "$stage/embedded.log")"; exit 1; }
    sleep 0.1
  done
  await_nodes "$stage/embedded" || { echo "FAIL the nodes of the embedded cluster are not ready"; exit 1; }
}

stop_embedded() {
  kill "$embedded" 2>/dev/null
  wait "$embedded" 2>/dev/null || true
}
