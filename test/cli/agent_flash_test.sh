#!/bin/bash
# The tasks of a node's firmware on the command line: they are told by their environment, refuse what makes no sense in
# one line, and ask no API server, which a kubeconfig that leads nowhere shows.
set -uo pipefail
drover=${DROVER:-build/drover}
failed=0
check() { # TITLE STATUS WORDS VARIABLE=VALUE... -- ARGUMENT...
    local title=$1 status=$2 words=$3 said got
    shift 3
    local told=()
    while [ "$1" != -- ]; do
        told+=("$1")
        shift
    done
    shift
    said=$(env -i KUBECONFIG=/no/such/config "${told[@]}" "$drover" agent "$@" 2>&1 </dev/null)
    got=$?
    if [ $got -eq "$status" ] && grep -qE -- "$words" <<<"$said" && ! grep -q hunter2 <<<"$said"; then
        echo "ok $title"
    else
        echo "FAIL $title: it ended with $got and said: $said"
        failed=1
    fi
}
claim=(DROVER_CLAIM=claim-1 DROVER_BOOT_ID=boot-1 DROVER_TARGET=19.9.0.0#7)

check "the flash has help" 0 "DROVER_CLAIM" -- flash --help
check "a flash without a claim is refused" 1 "^drover: DROVER_CLAIM is not set" -- flash
check "a claim that is none is refused" 1 "DROVER_CLAIM is \"../x\"" DROVER_CLAIM=../x -- flash
check "a flash without a bundle is refused" 1 "TT_FW_BUNDLE_URL" "${claim[@]}" -- flash
check "a bundle by http is refused" 1 "https://" "${claim[@]}" TT_FW_BUNDLE_URL=http://example.com/x -- flash
check "a password in the address is not shown" 1 "names a user" "${claim[@]}" TT_FW_BUNDLE_URL=https://me:hunter2@example.com/x -- flash
check "a target that is none is refused" 1 'DROVER_TARGET is "19.9"' "${claim[@]}" DROVER_TARGET=19.9 \
    TT_FW_BUNDLE_URL=https://example.com/x -- flash
check "a checksum that is none is refused" 1 "sha256" "${claim[@]}" "TT_FW_BUNDLE_URL=https://example.com/x#sha256=1" -- flash
check "a flag that is none is refused" 1 "TT_FORCE_WRITE" "${claim[@]}" TT_FW_BUNDLE_URL=https://example.com/x TT_FORCE_WRITE=yes -- flash
check "a probe without a bundle only reads, and ends with a verdict" 0 "verdict: ready: read only" -- firmware-probe
exit $failed
