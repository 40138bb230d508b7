# shellcheck shell=bash disable=SC2016,SC2034,SC2154,SC2317  # variables and functions belong to the scripts that source this, and to stage.sh
# Sourced after stage.sh by the tests that look at `drover agent load` from outside: the real program, as its pod starts it (its
# ServiceAccount's token, the chart's roles), watching its Node on a real control plane.
#
#   open_agent_stage NAME             ends with 3, and the reason, where that cannot be done
#   start_agent [VARIABLE=VALUE...]   its pid is $agent, its words are in $stage/agent.log
# The machine is this one, in a mount namespace of the agent's own. Its folders are empty: whatever is in $stage/machine/FOLDER is
# there instead.
ns=tt-k8s-driver-manager-system
folders=(/sys/module /lib/modules /usr/src /var/lib/dkms /var/cache/tt-kmd /run/secrets /etc/ssl/certs)
agent=
made=()  # mount points that were missing
after_failure() { tail -n 3 "$stage/agent.log" 2>/dev/null | cut -c1-300 | sed 's/^/     /'; }

open_agent_stage() { # NAME
    command -v strace >/dev/null || { echo "skipped: strace is not there; scripts/need bed installs it"; exit 3; }
    unshare -m true 2>/dev/null || { echo "skipped: no mount namespace can be made here"; exit 3; }
    # Only the agent and the test write to the Node.
    open_bed "$1" --arg 'kube-controller-manager=--controllers=*,-node-lifecycle-controller'
    export KUBECONFIG=$bed/kubeconfig
    local folder
    for folder in "${folders[@]}"; do
        mkdir -p "$stage/machine$folder"
        [ -d "$folder" ] || { mkdir -p "$folder" && made+=("$folder"); }
    done
    trap 'leave; rmdir "${made[@]}" 2>/dev/null' EXIT
    expect "the chart is installed" install_for_agent
    expect "an agent has its token" mount_token "$stage/machine/run/secrets/kubernetes.io/serviceaccount"
}
install_for_agent() {
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

# What comes before the program's name is in $trace: strace and its words, or nothing.
start_agent() { # [VARIABLE=VALUE...]
    local url
    url=$(kubectl config view --minify -o 'jsonpath={.clusters[0].cluster.server}')
    unshare -m --propagation private env -i PATH="$PATH" NODE_NAME=idle-1 POD_UID=pod-1 DRIVER_CONFIG_DIGEST=d TT_KMD_VERSION=2.0.0 \
        KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT="${url##*:}" "$@" \
        bash -c '
            for folder in $1; do mount --bind "$0$folder" "$folder" || exit 1; done
            shift
            exec "$@"' "$stage/machine" "${folders[*]}" "${trace[@]}" "$(realpath "$drover")" agent load --listen 127.0.0.1:0 >"$stage/agent.log" 2>&1 &
    agent=$!
}
trace=()

reports() { # TEXT
    kubectl get node idle-1 -o 'jsonpath={.metadata.annotations.drover\.dev/report-tenstorrent-driver}' | grep -q -- "$1"
}
