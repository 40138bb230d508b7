#!/bin/bash
# What `drover agent load` costs a node while it has nothing to do: the real program, as its pod starts it (its ServiceAccount's
# token, the chart's roles), watching its Node on a real control plane, on a machine whose driver is loaded. At most 4 MB of its
# own and 12 MB in all, no look more often than every ten seconds, no process. Exit 3 where that cannot be asked.
#
# The machine is this one, in a mount namespace of the agent's own in which /sys/module says that tt-kmd is loaded.
# shellcheck disable=SC2016,SC2086,SC2317  # functions are called through expect and trap; nothing is to expand; no words with spaces
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
ns=tt-k8s-driver-manager-system
most_own=4096 most_in_all=12288  # kB
listens=$((20000 + RANDOM % 10000))
command -v strace >/dev/null || { echo "skipped: strace is not there"; exit 3; }
unshare -m true 2>/dev/null || { echo "skipped: no mount namespace can be made here"; exit 3; }
# Nobody writes to the Node but the agent and this test.
open_bed agent_idle --arg 'kube-controller-manager=--controllers=*,-node-lifecycle-controller'
export KUBECONFIG=$bed/kubeconfig

# ---- the machine and the agent

install() {
    helm install tt-k8s-driver-manager charts/drover -n $ns --create-namespace \
        --set operator.replicas=0 --set vendors.nvidia.enabled=false --set vendors.tenstorrent.enabled=true &&
        kubectl apply -f - <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: idle-1, labels: {kubernetes.io/hostname: idle-1}}
YAML
}
# As the pod's volume has it.
mount_token() { # FOLDER
    mkdir -p "$1"
    kubectl create token drover-agent -n $ns --bound-object-kind Node --bound-object-name idle-1 >"$1/token" &&
        kubectl config view --raw --minify -o 'jsonpath={.clusters[0].cluster.certificate-authority-data}' | base64 -d >"$1/ca.crt" &&
        printf %s $ns >"$1/namespace"
}
start_agent() {
    local url
    url=$(kubectl config view --minify -o 'jsonpath={.clusters[0].cluster.server}')
    mount_token "$stage/secrets/kubernetes.io/serviceaccount" || return 1
    unshare -m --propagation private env -i PATH="$PATH" NODE_NAME=idle-1 POD_UID=pod-1 DRIVER_CONFIG_DIGEST=d TT_KMD_VERSION=2.8.0 \
        KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT="${url##*:}" \
        bash -c '
            set -e
            mount -t tmpfs none /sys/module
            mkdir /sys/module/tenstorrent
            echo live >/sys/module/tenstorrent/initstate; echo 2.8.0 >/sys/module/tenstorrent/version; echo 0 >/sys/module/tenstorrent/refcnt
            for folder in /lib/modules /usr/src /var/lib/dkms /var/cache/tt-kmd; do
                mkdir -p $folder
                mount -t tmpfs none $folder
            done
            mkdir -p /run/secrets
            mount --bind "$1" /run/secrets
            exec "$2" agent load --listen "127.0.0.1:$3"' - "$stage/secrets" "$(realpath "$drover")" "$listens" >"$stage/agent.log" 2>&1 &
    agent=$!
}
after_failure() { tail -n 3 "$stage/agent.log" | sed 's/^/     /'; }

# ---- what is looked at

status_of() { awk -v key="$1:" '$1 == key { print $2 }' "/proc/$agent/status"; } # KEY: kB
is_at_most() { [ -n "$1" ] && [ "$1" -le "$2" ]; }                               # NUMBER NUMBER
is_ready() { curl -fsS --noproxy '*' "http://127.0.0.1:$listens/readyz"; }
by_mapping() { # where its memory is, for whoever has to find out
    awk '/^[0-9a-f]+-/ { name = $6 } /^Rss:/ { all[name] += $2 } /^Anonymous:/ { own[name] += $2 }
        END { for (name in all) printf "     %6d kB, %5d its own  %s\n", all[name], own[name], name }' "/proc/$agent/smaps" | sort -rnk1 | head -n 12
}
reports() { kubectl get node idle-1 -o 'jsonpath={.metadata.annotations.drover\.dev/report}' | grep -q "$1"; } # TEXT
no_process() { ! grep -E '(execve|clone3?|v?fork)\(' "$stage/trace"; }
# Seconds between two looks at the machine; a second is the scheduler's.
shortest_gap() { awk '/sys\/module\/tenstorrent\/initstate/ { if (last && (!least || $2 - last < least)) least = $2 - last; last = $2 } END { print least }' "$stage/trace"; }
# How often it woke for anything at all: what lies less than half a second apart is one time.
times_awake() { awk '$2 - last > 0.5 { times++ } { last = $2 } END { print times + 0 }' "$stage/trace"; }

expect "the chart is installed" install
expect "the agent starts" start_agent
expect "it says what is loaded" soon 30 kubectl wait node/idle-1 --for='jsonpath={.metadata.labels.driver\.tenstorrent\.com/kmd-version}=2.8.0' --timeout=5s
expect "it is ready" soon 20 is_ready
sleep 25  # two looks and a probe or two

timeout 45 strace -f -ttt -p "$agent" -o "$stage/trace" 2>/dev/null
gap=$(shortest_gap) times=$(times_awake)
expect "it starts no process" no_process
expect "it looks every ten seconds, not more often (${gap:-never} s)" awk -v gap="$gap" 'BEGIN { exit !(gap >= 9 && gap <= 15) }'
expect "and wakes for little else ($times times in 45 s)" is_at_most "$times" 7

# An order is answered much sooner than the next look: the watch is open.
kubectl annotate node idle-1 drover.dev/order='{"v":1,"id":"","target":"d","mayLoad":false,"prepare":"2.9.0","message":""}' >/dev/null
expect "it hears of a change at once" soon 3 reports 'headers of kernel'
own=$(status_of RssAnon) all=$(status_of VmRSS)
expect "its own memory is $own kB, of $most_own" is_at_most "$own" $most_own
expect "in all it has $all kB, of $most_in_all" is_at_most "$all" $most_in_all
[ $failed = 0 ] || by_mapping
stop "$agent"
exit $failed
