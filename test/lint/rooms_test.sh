#!/bin/bash
# The rooms lint must go red for a forbidden include, also for one through another room's header, and stay green for a
# tidy tree.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
lint=$root/scripts/lint-rooms
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
    echo '#include "core/node.h"' | file src/protocol/record.h
    echo '#include "base/text.h"' | file src/protocol/order.h
    echo '#include "protocol/order.h"' | file src/agent/program.h
    echo '#include "agent/program.h"' | file src/sim/vendor.h
    echo '#include "core/node.h"' | file src/vendors/work_profile.h
    echo '#include "base/text.h"' | file src/vendors/shared/checks.h
    echo '#pragma once' | file src/vendors/acme/words.h
    printf '#include "%s"\n' vendors/work_profile.h vendors/shared/checks.h vendors/acme/words.h protocol/record.h core/node.h |
        file src/vendors/acme/module.cc
    printf '#include "%s"\n' agent/program.h protocol/order.h kube/api.h vendors/acme/words.h | file src/vendors/acme/agent/programs.h
    printf '#include "%s"\n' sim/vendor.h vendors/acme/agent/programs.h vendors/acme/words.h | file src/vendors/acme/sim/machine.cc
    printf '#include "%s"\n' vendors/acme/module.h core/node.h vendors/acme/agent/programs.h | file src/vendors/acme/cli/commands.cc
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

# Parts of a vendor's folder: what each may see.
part() { # TITLE FILE INCLUDED TEXT...
    fresh
    echo "#include \"$3\"" | file "$2"
    check "$1" "$2:1: $(dirname "${2#src/}") may not include $3: " "${@:4}"
}
part "a vendor may not include another" src/vendors/acme/driver.cc vendors/bolt/driver.h "no vendor knows another"
part "nor another's words" src/vendors/acme/agent/step.cc vendors/bolt/words.h "no vendor knows another"
part "nor another's commands" src/vendors/acme/cli/commands.cc vendors/bolt/cli/commands.h "no vendor knows another"
part "a vendor's words see base only" src/vendors/acme/words.cc vendors/shared/checks.h
part "a vendor decides nothing: it sees no client" src/vendors/acme/driver.cc kube/api.h
part "nor its own agents" src/vendors/acme/driver.cc vendors/acme/agent/programs.h
part "what vendors share names none" src/vendors/shared/pods.cc vendors/acme/driver.h
part "a vendor's agent may not see core" src/vendors/acme/agent/step.cc core/node.h
part "nor the record" src/vendors/acme/agent/step.cc protocol/record.h
part "nor its vendor's policies" src/vendors/acme/agent/step.cc vendors/acme/driver.h
part "nor what vendors share" src/vendors/acme/agent/step.cc vendors/shared/checks.h
part "a vendor's machines may not see its policies" src/vendors/acme/sim/machine.cc vendors/acme/driver.h
part "nor orders" src/vendors/acme/sim/machine.cc protocol/order.h
part "a vendor's commands may not include the simulator" src/vendors/acme/cli/commands.cc sim/vendor.h

fresh
echo '#include "vendors/acme/driver.h"' | file src/operator/pass.cc
check "the operator names no vendor" "src/operator/pass.cc:1: operator may not include vendors/acme/driver.h: "
fresh
echo '#include "vendors/acme/cli/commands.h"' | file src/cli/status.cc
check "drover's commands name no vendor" "src/cli/status.cc:1: cli may not include vendors/acme/cli/commands.h: "
fresh
echo '#include "protocol/record.h"' | file src/protocol/report.h
check "orders and reports may not see the record" "src/protocol/report.h:1: protocol may not include protocol/record.h: "
fresh
echo '#include "core/node.h"' | file src/agent/own_node.h
echo '#include "agent/own_node.h"' | file src/vendors/acme/agent/step.h
echo '#include "vendors/acme/agent/step.h"' | file src/vendors/acme/sim/machine.cc
check "a vendor's agent and machines may not see core through the agent's headers" \
    "src/vendors/acme/agent/step.h:1: a vendor's agent may not see core" "src/vendors/acme/sim/machine.cc:1: sim may not see core"
fresh
echo '#include "vendors/acme/sim/machine.h"' | file src/main.cc
check "drover's main may not include a vendor's machines" "src/main.cc:1: only drover-sim may include vendors/acme/sim/machine.h: "
fresh
echo '#include <string>' | file src/vendors/acme/web/page.cc
check "a folder that is not part of a vendor is red" "src/vendors/acme/web is not a room"

fresh
printf '// nothing here\n#include <string>\n' | file src/attic/box.cc
check "a folder that is not a room is red" "src/attic is not a room"

rm -rf "${tree:?}/src"
cp -r "$root/src" "$tree/src"
cp -r "$root/test/vendors/acme" "$tree/src/vendors/acme"
check "the made-up vendor keeps the rules of a vendor's folder" green

exit $failed
