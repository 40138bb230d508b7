#!/bin/bash
# `drover operator` as a process: its pages, how it ends when asked, and how when its lease is lost; then `drover status`
# and `drover explain` beside it. The cluster is `drover-sim serve`; curl is all it needs.
set -uo pipefail
drover=${DROVER:-build/drover}
drover_sim=${DROVER_SIM:-$drover-sim}
stage=$(mktemp -d)
# shellcheck source=test/cli/said.sh
source "$(dirname "$0")/said.sh"
server=
operator=
# shellcheck disable=SC2317 # called by the trap
end() {
    [ -z "$operator" ] || { kill "$operator" && wait "$operator"; } 2>/dev/null
    [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
    rm -rf "$stage"
}
trap end EXIT
within() { # TENTHS COMMAND...
    local left=$1
    shift
    until "$@"; do
        [ "$left" -gt 0 ] || return 1
        left=$((left - 1))
        sleep 0.1
    done
}
if ! command -v curl >/dev/null; then
    echo "skipped: there is no curl here"
    exit 0
fi

"$drover_sim" serve --listen 127.0.0.1:0 --write-kubeconfig "$stage/config" --nodes nvidia=2 --pull 10ms --start 10ms \
    --driver 100ms --no-events >"$stage/server.log" 2>&1 &
server=$!
within 100 test -s "$stage/config" || { echo "FAIL no cluster: $(cat "$stage/server.log")"; exit 1; }
url=$(sed -n 's/^ *server: //p' "$stage/config")
token=$(sed -n 's/^ *token: //p' "$stage/config")
sed -n 's/^ *certificate-authority-data: //p' "$stage/config" | base64 -d >"$stage/ca.pem"
send() { # METHOD PATH TYPE FILE
    curl -sS --cacert "$stage/ca.pem" -H "Authorization: Bearer $token" -X "$1" -H "Content-Type: $3" --data-binary "@$4" \
        "$url$2" >"$stage/answer" || return 1
    ! grep -q '"status": *"Failure"' "$stage/answer"
}
make() { # PATH JSON
    echo "$2" >"$stage/body"
    send POST "$1" application/json "$stage/body" || report "create $1" no "$(cat "$stage/answer")"
}

check "no policy kind is one line and exit 1" '^drover: .*there is no policy \(clusterpolicies\.nvidia\.com, tenstorrent[^)]*\).* 1$' \
    "$("$drover" status --kubeconfig "$stage/config" 2>&1) $?"

"$drover" operator --kubeconfig "$stage/config" --lease default/drover --listen 127.0.0.1:0 >"$stage/log" 2>&1 &
operator=$!
within 50 grep -q ' listening ' "$stage/log" || { echo "FAIL it does not listen: $(cat "$stage/log")"; exit 1; }
pages=$(sed -n 's/.*url=\(http:[^ ]*\).*/\1/p' "$stage/log")
page() { curl -sS -o "$stage/page" -w '%{http_code}' "$pages$1"; }
check "it is alive before it is ready" '^200$' "$(page /healthz)"
check "it is not ready before the policy's kind is known" '^503$' "$(page /readyz)"
# shellcheck disable=SC2317 # called by within
says_what_to_do() { page /readyz >/dev/null && grep -q 'kubectl apply -f charts/drover/crds' "$stage/page"; }
if within 50 says_what_to_do; then report "and says what to do" yes; else report "and says what to do" no "$(cat "$stage/page")"; fi

send POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions application/yaml \
    charts/drover/crds/nvidia.com_clusterpolicies.yaml || report "the CRD is taken" no "$(cat "$stage/answer")"
# shellcheck disable=SC2317 # called by within
is_ready() { [ "$(page /readyz)" = 200 ]; }
if within 350 is_ready; then report "it is ready when the kind is there" yes; else report "it is ready when the kind is there" no "$(cat "$stage/log")"; fi
check "a policy that is not there is one line and exit 1" '^drover: .*there is no policy.* 1$' \
    "$("$drover" status --kubeconfig "$stage/config" 2>&1) $?"

make /api/v1/namespaces '{"metadata": {"name": "gpu-operator"}}'
make /api/v1/namespaces/gpu-operator/serviceaccounts '{"metadata": {"name": "drover-agent"}}'
make /apis/nvidia.com/v1/clusterpolicies '{"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata":
    {"name": "cluster-policy"}, "spec": {"driver": {"version": "535.129.03",
    "startupProbe": {"initialDelaySeconds": 0, "periodSeconds": 1}}}}'
# shellcheck disable=SC2317 # called by within
is_done() { page /metrics >/dev/null && grep -q '^gpu_operator_nodes_upgrades_done 2$' "$stage/page"; }
if within 300 is_done; then report "metrics say when the nodes are done" yes; else report "metrics say when the nodes are done" no "$(cat "$stage/page")"; fi
check "metrics say that it leads" '^drover_leader 1$' "$(cat "$stage/page")"
check "another page is not there" '^404$' "$(page /)"

check "status shows the nodes and ends with 0" 'nvidia-2  535\.129\.03  upgrade-done' "$("$drover" status --kubeconfig "$stage/config" && echo 0)"
check "status says first who is at work" '^operator .* is at work, lease default/drover' "$("$drover" status --kubeconfig "$stage/config" | head -n 1)"
check "status speaks JSON" '"policy":"cluster-policy"' "$("$drover" status -o json --kubeconfig "$stage/config")"
ln -s "$(realpath "$drover")" "$stage/kubectl-drover"
check "explain works as kubectl's plugin" 'nvidia-1 is upgrade-done' "$("$stage/kubectl-drover" explain nvidia-1 --kubeconfig "$stage/config")"
check "explain of nothing is one line and exit 1" '^drover: there is no node gpu-9; .* 1$' \
    "$("$drover" explain gpu-9 --kubeconfig "$stage/config" 2>&1) $?"
check "explain needs a node" 'NODE is required' "$("$drover" explain 2>&1)"

check "a port that is taken is refused at once" '^drover: cannot listen on .* 1$' \
    "$("$drover" operator --kubeconfig "$stage/config" --log-level error --listen "${pages#http://}" 2>&1) $?"
began=$(date +%s%N)
kill -TERM "$operator"
wait "$operator"
check "SIGTERM ends it with 0" '^0$' "$?"
took=$((($(date +%s%N) - began) / 1000000))
if [ $took -lt 3000 ]; then report "it ends soon" yes; else report "it ends soon" no "$took ms"; fi
operator=
lease() { curl -sS --cacert "$stage/ca.pem" -H "Authorization: Bearer $token" "$url/apis/coordination.k8s.io/v1/namespaces/default/leases/drover"; }
check "it has given its lease back" '"holderIdentity": ?""' "$(lease)"
check "status says that no operator is at work" '^! no operator is at work: lease default/drover was given back' "$("$drover" status --kubeconfig "$stage/config")"

"$drover" operator --kubeconfig "$stage/config" --lease default/drover --log-format json >"$stage/log" 2>&1 &
operator=$!
within 100 grep -q '"leader"' "$stage/log" || report "a second one takes over at once" no "$(cat "$stage/log")"
echo '{"spec": {"holderIdentity": "another"}}' >"$stage/body"
send PATCH /apis/coordination.k8s.io/v1/namespaces/default/leases/drover application/merge-patch+json "$stage/body"
wait "$operator"
check "a lost lease ends it with 1" '^1$' "$?"
operator=
check "and it says so" 'the lease is lost' "$(cat "$stage/log")"

exit $failed
