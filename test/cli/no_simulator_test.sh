#!/bin/bash
# What runs on clusters contains nothing of the simulator.
set -uo pipefail
drover=${DROVER:-build/drover}
drover_sim=${DROVER_SIM:-$drover-sim}
# shellcheck source=test/cli/said.sh
source "$(dirname "$0")/said.sh"

simulated() { nm -C "$1" | grep -c 'drover::sim'; }
check "drover contains nothing of the simulator" '^0$' "$(simulated "$drover")"
check "drover-sim contains it" '^[1-9]' "$(simulated "$drover_sim")"

exit $failed
