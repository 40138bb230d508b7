#!/bin/bash
# `drover-sim serve` over its own wire: it says when it is ready, lets in who has the token, and leaves when asked. curl
# is all it needs.
set -uo pipefail
drover=${DROVER:-build/drover}
drover_sim=${DROVER_SIM:-$drover-sim}
stage=$(mktemp -d)
# shellcheck source=test/cli/said.sh
source "$(dirname "$0")/said.sh"
server=
# shellcheck disable=SC2317 # called by the trap
end() {
    [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
    rm -rf "$stage"
}
trap end EXIT
if ! command -v curl >/dev/null; then
    echo "skipped: there is no curl here"
    exit 0
fi

"$drover_sim" serve --listen 127.0.0.1:0 --write-kubeconfig "$stage/config" --nodes nvidia=2,cpu=1 --pull 10ms --start 10ms \
    >"$stage/log" 2>&1 &
server=$!
for _ in $(seq 100); do
    grep -q '^ready: ' "$stage/log" && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
check "it says when it is ready, and where" '^ready: https://127\.0\.0\.1:[0-9]+, kubeconfig ' "$(cat "$stage/log")"
[ -s "$stage/config" ] || { echo "FAIL no kubeconfig was written: $(cat "$stage/log")"; exit 1; }
check "the kubeconfig is for its owner only" '^600$' "$(stat -c %a "$stage/config")"

url=$(sed -n 's/^ *server: //p' "$stage/config")
token=$(sed -n 's/^ *token: //p' "$stage/config")
sed -n 's/^ *certificate-authority-data: //p' "$stage/config" | base64 -d >"$stage/ca.pem"
printf 'header = "Authorization: Bearer %s"\n' "$token" >"$stage/curlrc"
ask() { curl -sS --max-time 10 --noproxy '*' --cacert "$stage/ca.pem" "$@"; }
admin() { ask -K "$stage/curlrc" "$@"; }

check "its certificate is trusted and it is well" '^ok$' "$(ask "$url/readyz" 2>&1)"
check "a stranger may not read nodes" '"code": 403' "$(ask "$url/api/v1/nodes" 2>&1)"
check "a wrong token is refused" '"code": 401' "$(ask -H 'Authorization: Bearer x' "$url/api/v1/nodes" 2>&1)"
check "the administrator sees the fleet" '"nvidia-2"' "$(admin "$url/api/v1/nodes" 2>&1)"
check "another name in the Host header is refused" '^(400|403|404|421)$' \
    "$(admin -o /dev/null -w '%{http_code}' -H 'Host: evil.example.com' "$url/api/v1/nodes" 2>&1)"
check "the token is not said on the screen" '^0$' "$(grep -c -- "$token" "$stage/log")"

made=$(admin -X POST -H 'Content-Type: application/json' "$url/apis/apps/v1/namespaces/default/deployments" -d '{"metadata":{"name":"web"},
  "spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"example/web"}]}}}}' 2>&1)
check "a Deployment is made" '"uid"' "$made"
for _ in $(seq 100); do
    state=$(admin "$url/apis/apps/v1/namespaces/default/deployments/web?pretty=false")
    grep -q '"readyReplicas":2' <<<"$state" && break
    sleep 0.1
done
check "its pods become ready in real time" '"readyReplicas":2' "$state"
check "a watch tells what is there and ends in time" '"type":"ADDED"' \
    "$(admin "$url/api/v1/namespaces/default/pods?watch=1&timeoutSeconds=1" 2>&1)"
check "garbage gets an answer" '^400$' "$(admin -o /dev/null -w '%{http_code}' -X POST -H 'Content-Type: application/json' \
    "$url/api/v1/namespaces" --data-binary $'{"a\xff' 2>&1)"

kill "$server"
wait "$server"
status=$?
server=
check "it leaves when asked, with 0" '^0 ended' "$status $(tail -n 1 "$stage/log")"

check "an address that is none is refused" 'write ADDRESS:PORT' "$("$drover_sim" serve --listen nowhere 2>&1)"
check "a fleet that is none is refused" 'ascend, nvidia, rebellions, tenstorrent, cpu' "$("$drover_sim" serve --nodes amd=3 2>&1)"
exit "$failed"
