#!/bin/bash
# A server that is none, or has gone mad: one clear line, exit 1, no crash, little memory whatever it sends.
stage=$(mktemp -d)
server=
stop_server() { [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null; server=; }
trap 'stop_server; rm -rf "$stage"' EXIT
# shellcheck source=test/cli/one_line.sh
source "$(dirname "$0")/one_line.sh"

# Starts the server in a mode and writes a kubeconfig for it.
start_server() { # MODE SCHEME [CERTIFICATE KEY]
    local mode=$1 scheme=$2
    shift 2
    stop_server
    : >"$stage/port"
    python3 "$here/bad_server.py" "$mode" "$@" >"$stage/port" 2>"$stage/server.err" &
    server=$!
    for _ in $(seq 100); do
        [ -s "$stage/port" ] && break
        sleep 0.05
    done
    cat >"$stage/kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: bad
contexts: [{name: bad, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "$scheme://127.0.0.1:$(cat "$stage/port")"}}]
users: [{name: u, user: {token: hunter2}}]
YAML
}
against() { # MODE TITLE WORDS
    start_server "$1" http
    refuses "$2" "$3" "$drover" ping --timeout 3s --kubeconfig "$stage/kubeconfig"
}

against closes-at-once "a server that closes at once" "127.0.0.1:.*(closed|end|answer)"
against random-bytes "a server that sends random bytes" "127.0.0.1"
against endless-headers "a server whose headers never end" "header"
against endless-status-line "a server whose first line never ends" "127.0.0.1"
against silent "a server that never answers" "3s|silent|no answer|within"
against html "a login page instead of an API" "JSON|no Kubernetes|html"
against html-503 "a proxy's error page" "503"
against redirect "a redirect" "302"
against unauthorized "a server that does not know us" "Unauthorized|401"
against not-kubernetes "JSON that is not Kubernetes'" "not a Kubernetes API server"
against truncated-json "a list that ends in the middle" "list nodes"
against truncated-body "an answer cut off by the network" "list nodes"
against wrong-kind "another kind than was asked for" "Deployment"
against list-html "HTML where a list should be" "list nodes"
against big-object "an object of 10 MB" "large|limit|bytes|MB"
against deep-json "JSON nested a million deep" "list nodes"
against endless-list "a list that never ends" "list nodes"
against bad-chunks "chunks that are not chunks" "list nodes"
against negative-length "a length below zero" "list nodes"

if command -v openssl >/dev/null; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1 \
        -addext subjectAltName=IP:127.0.0.1 -keyout "$stage/key" -out "$stage/certificate" 2>/dev/null
    start_server good https "$stage/certificate" "$stage/key"
    refuses "a server whose CA is unknown" "certificate|trust" "$drover" ping --timeout 3s --kubeconfig "$stage/kubeconfig"
else
    echo "FAIL a server whose CA is unknown: openssl is needed to make a certificate"
    failed=1
fi

start_server good https "$stage/certificate" "$stage/key"
sed -i 's|"https://|"http://|' "$stage/kubeconfig"
refuses "plain HTTP to a TLS port" "127.0.0.1" "$drover" ping --timeout 3s --kubeconfig "$stage/kubeconfig"

start_server good http
sed -i 's|"http://|"https://|' "$stage/kubeconfig"
refuses "TLS to a plain port" "127.0.0.1" "$drover" ping --timeout 3s --kubeconfig "$stage/kubeconfig"

# And the other way round: what is right is not refused, and a secret is never said.
start_server good http
if said=$("$drover" ping --kubeconfig "$stage/kubeconfig" 2>&1) && [[ $said == *"answers: v1.36.3, 1 node in "* ]]; then
    echo "ok a good server is told in one line"
else
    echo "FAIL a good server is told in one line: it said: $said"
    failed=1
fi
if grep -q hunter2 <<<"$said$(cat "$stage/ran")"; then
    echo "FAIL the token is never said"
    failed=1
else
    echo "ok the token is never said"
fi

exit $failed
