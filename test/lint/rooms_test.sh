#!/bin/bash
# The rooms lint must go red for a forbidden include, also for one through another room's header, and stay green for a
# tidy tree.
set -uo pipefail
lint=$(cd "$(dirname "$0")/../.." && pwd)/scripts/lint-rooms
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

file() { # PATH, contents on standard input
    mkdir -p "$tree/$(dirname "$1")"
    cat >"$tree/$1"
}
fresh() {
    rm -rf "${tree:?}/src"
    echo '#pragma once' | file src/base/text.h
    echo '#include "base/text.h"' | file src/core/node.h
    echo '#include <vector>' | file src/kube/api.h
    echo '#include "kube/api.h"' | file src/sim/store.cc
    echo '#include "kube/api.h"' | file src/main.cc
    echo '#include "sim/store.h"' | file src/sim_cli/serve.cc
    echo '#include "sim_cli/serve.h"' | file src/sim_main.cc
}
check() { # TITLE, then either "green" or the texts that must be printed
    local title=$1 output text
    shift
    output=$("$lint" "$tree") && status=green || status=red
    if [ "$1" = green ]; then
        [ "$status" = green ] && echo "ok $title" && return
    elif [ "$status" = red ]; then
        for text in "$@"; do
            grep -qF -- "$text" <<<"$output" || status="red, but without '$text'"
        done
        [ "$status" = red ] && echo "ok $title" && return
    fi
    echo "FAIL $title: it was $status: $output"
    failed=1
}

fresh
check "a tidy tree is green" green

fresh
printf '\n#include "core/node.h"\n' | file src/kube/watch.cc
check "a forbidden include is red, with file, line and reason" "src/kube/watch.cc:2: kube may not include core/node.h: "

fresh
echo '#include "core/node.h"' | file src/agent/step.h
check "the agent may include core" green
echo '#include "agent/step.h"' | file src/sim/kubelets.h
check "sim may not see core through the agent's headers" \
    "src/sim/kubelets.h:1: sim may not see core" "src/agent/step.h -> src/core/node.h"

fresh
echo '#include "sim/store.h"' | file src/cli/plan.cc
check "drover's commands may not include the simulator" "src/cli/plan.cc:1: cli may not include sim/store.h: "

fresh
echo '#include "sim_cli/serve.h"' | file src/main.cc
check "drover's main may not include the simulator" "src/main.cc:1: only drover-sim may include sim_cli/serve.h: "

fresh
echo '#include <core/node.h>' | file src/host/module.cc
check "angle brackets do not hide a room" "src/host/module.cc:1: host may not include core/node.h"

fresh
echo '#include "../core/node.h"' | file src/base/near.cc
check "a relative path does not hide a room" 'src/base/near.cc:1: "../core/node.h" is not written from src/'

fresh
printf '// nothing here\n#include <string>\n' | file src/attic/box.cc
check "a folder that is no room is red" "src/attic is not a room"

exit $failed
