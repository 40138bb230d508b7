# shellcheck shell=bash disable=SC2034,SC2317  # variables and functions belong to the script that sources this, and to traps
# Sourced by the tests on a real control plane: a folder, a bed that goes with the script, and the words in which they claim.
#
#   source "$(dirname "$0")/stage.sh"
#   open_bed chart            ends with 3, and the reason, where no control plane can be built
#   expect TITLE COMMAND...   prints "ok" or "FAIL" with what the command said, and whatever `after_failure` adds
# At the end what the script started in the background is stopped, then the bed goes.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
drover=${DROVER:-build/drover}
drover_sim=${DROVER_SIM:-$drover-sim}
bed_scripts=${DROVER_BED:-test/bed}
failed=0
stage=$(mktemp -d)
bed=$stage/bed
server=  # before every title: which server is claimed about

stop() { # PID [SIGNAL]
    [ -z "$1" ] || { kill "-${2:-TERM}" "$1" && wait "$1"; } 2>/dev/null
}
leave() {
    local pid
    for pid in $(jobs -pr); do stop "$pid" KILL; done
    [ -d "$bed" ] && "$bed_scripts/down" "$bed" >/dev/null 2>&1
    rm -rf "$stage"
}
trap leave EXIT

open_bed() { # NAME [FLAG...]: flags for test/bed/up
    local program
    for program in "$drover" "$drover_sim"; do
        [ -x "$program" ] || { echo "FAIL $1: $program is not built; run: scripts/build build ${program##*/}"; exit 1; }
    done
    "$bed_scripts/up" --dir "$bed" "${@:2}" >/dev/null
    case $? in
    0) ;;
    3) echo "skipped: no control plane can be built here (see above)"; exit 3 ;;
    *) echo "FAIL $1: the control plane did not start"; exit 1 ;;
    esac
    PATH=$(realpath "$bed/bin"):$PATH
    export HELM_CACHE_HOME=$stage/helm HELM_CONFIG_HOME=$stage/helm HELM_DATA_HOME=$stage/helm
}

after_failure() { :; }
expect() { # TITLE COMMAND...
    local title=$1 status=0
    shift
    "$@" >"$stage/said" 2>&1 || status=$?
    grep '^-- ' "$stage/said"  # what a run has to say, however it ends
    if [ $status = 0 ]; then
        echo "ok $server$title"
    else
        echo "FAIL $server$title: $(tail -n 5 "$stage/said" | tr '\n' ' ')"
        after_failure
        failed=1
    fi
}
# Asks a program for one of its pages, where its log says that it listens: with port 0, since a port that we made up may be taken.
page() { # LOG PATH
    local url
    url=$(sed -n 's/.* listening .*url=\(http:[^ ]*\).*/\1/p' "$1" | tail -n 1)
    [ -n "$url" ] || { echo "$1 does not say yet where its program listens"; return 1; }
    curl -fsS --noproxy '*' "$url$2"
}
# Holds soon (a command or a function, not its result): tried twice a second for SECONDS.
soon() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || { echo "not within the time: $*"; return 1; }
        sleep 0.5
    done
}
# The JSONPath of an object equals this text.
is() { # TEXT OBJECT JSONPATH [FLAG...]
    local got
    got=$(kubectl get "$2" -o "jsonpath=$3" "${@:4}") || return 1
    [ "$got" = "$1" ] || { echo "$2 $3 is '$got', not '$1'"; return 1; }
}
