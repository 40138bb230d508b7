#!/bin/bash
# A kubeconfig that is missing, empty, garbled or points nowhere: one clear line, exit 1, little memory.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# shellcheck source=test/cli/one_line.sh
source "$(dirname "$0")/one_line.sh"

# Writes a kubeconfig whose cluster and user have these lines.
config() { # FILE CLUSTER-LINE USER-LINE
    cat >"$stage/$1" <<YAML
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {$2}}]
users: [{name: u, user: {$3}}]
YAML
}
ping() { # TITLE WORDS FILE [FLAG...]
    local title=$1 words=$2 file=$3
    shift 3
    refuses "$title" "$words" "$drover" ping --timeout 5s --kubeconfig "$stage/$file" "$@"
}

ping "a missing file is named" "none.yaml.*No such file" none.yaml

: >"$stage/empty"
ping "an empty file is called empty" "empty" empty

mkdir "$stage/folder"
ping "a folder is not a file" "folder" folder

head -c 65536 /dev/urandom >"$stage/noise"
ping "random bytes are not a kubeconfig" "noise" noise

printf 'apiVersion: v1\nclusters: [\n' >"$stage/cut"
ping "YAML that ends too soon is refused" "cut" cut

printf 'just a sentence\n' >"$stage/prose"
ping "prose is not a kubeconfig" "prose" prose

printf '[1, 2, 3]\n' >"$stage/list"
ping "a list is not a kubeconfig" "list" list

{ printf 'a0: &a0 [x,x,x,x,x,x,x,x,x]\n'; for i in $(seq 1 12); do
    printf 'a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n' "$i" "$i" $((i-1)) $((i-1)) $((i-1)) $((i-1)) $((i-1)) $((i-1)) $((i-1)) $((i-1)) $((i-1)); done; } >"$stage/laughs"
ping "aliases that multiply are not followed" "laughs" laughs

{ printf 'a: '; head -c 200000 /dev/zero | tr '\0' '['; } >"$stage/deep"
ping "endless nesting is refused" "deep" deep

head -c 33554432 /dev/zero | tr '\0' 'x' >"$stage/huge"
ping "a huge file is not read" "huge" huge

config plain 'server: "https://127.0.0.1:1"' 'token: t'
ping "a dead server is named, with what to do" "127.0.0.1:1.*refused" plain
ping "an unknown context is named" "elsewhere" plain --context elsewhere

config scheme 'server: "ftp://127.0.0.1:1"' 'token: t'
ping "an unknown scheme is named" "ftp" scheme

config noserver 'insecure-skip-tls-verify: true' 'token: t'
ping "a cluster without a server is refused" "server" noserver

config badport 'server: "https://127.0.0.1:99999"' 'token: t'
ping "a port that cannot be is refused" "port" badport

config badname 'server: "https://no-such-host.invalid:6443"' 'token: t'
ping "a name that does not resolve is named" "no-such-host.invalid" badname

config badca 'server: "https://127.0.0.1:1", certificate-authority-data: "bm90IGEgY2VydGlmaWNhdGU="' 'token: t'
ping "a CA that is not a certificate is refused" "certificate authority" badca

config badbase64 'server: "https://127.0.0.1:1", certificate-authority-data: "%%%"' 'token: t'
ping "a CA that is not base64 is refused" "certificate-authority-data" badbase64

config nocert 'server: "https://127.0.0.1:1"' 'client-certificate: none.crt, client-key: none.key'
ping "a client certificate that is missing is named" "none.crt" nocert

config badkey 'server: "https://127.0.0.1:1"' 'client-certificate-data: "bm90IGE=", client-key-data: "bm90IGE="'
ping "a client key that is not a key is refused" "client|key|certificate" badkey

config plugin 'server: "https://127.0.0.1:1"' 'exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin-anywhere, interactiveMode: Never, installHint: "get it from the shop"}'
ping "a credential plugin that is missing is named" "no-such-plugin-anywhere" plugin

config tokenfile 'server: "https://127.0.0.1:1"' 'tokenFile: /no/such/token'
ping "a token file that is missing is named" "/no/such/token|127.0.0.1:1" tokenfile

exit $failed
