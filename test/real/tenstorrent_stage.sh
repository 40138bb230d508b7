# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # variables and functions belong to the scripts that source this, and to stage.sh
# Sourced after nvidia_stage.sh by the tests that hold Tenstorrent's pages to their word: an operator with the chart's rights,
# simulated machines whose builders run the real agent, and what is looked at.
ns=tt-k8s-driver-manager-system
gate=tenstorrent.com/deploy.tt-telemetry

# ---- the operator

install_chart() {
    helm install tt-k8s-driver-manager charts/drover -n $ns --create-namespace \
        --set operator.replicas=0 --set vendors.nvidia.enabled=false --set vendors.tenstorrent.enabled=true
}
start_tenstorrent() { # [FLAG...]
    local token
    token=$(kubectl create token tt-k8s-driver-manager -n $ns)
    # The administrator's certificate would win over a token.
    kubectl config view --raw --minify | sed -E '/client-(certificate|key)-data|^ +token:/d' >"$stage/operator.kubeconfig"
    kubectl --kubeconfig "$stage/operator.kubeconfig" config set-credentials operator --token="$token" >/dev/null
    kubectl --kubeconfig "$stage/operator.kubeconfig" config set-context --current --user=operator >/dev/null
    "$drover" operator --kubeconfig "$stage/operator.kubeconfig" --lease $ns/tt-k8s-driver-manager --vendor tenstorrent=$ns \
        "$@" >>"$stage/operator.log" 2>&1 &
    operator=$!
}

# ---- what is looked at

versions() { # of all nodes, as they say themselves
    kubectl get nodes -o 'jsonpath={range .items[*]}{.metadata.labels.driver\.tenstorrent\.com/kmd-version}{" "}{end}'
}
versions_are() { [ "$(versions)" = "$1" ] || { echo "loaded: $(versions)"; return 1; }; } # TEXT
columns() { # POLICY MATCHED READY UPTODATE INPROGRESS FAILED
    local got
    got=$(kubectl get ttdp --no-headers "$1" | awk '{print $3, $4, $5, $6, $7}')
    shift
    [ "$got" = "$*" ] || { echo "kubectl get ttdp: $got"; return 1; }
}
says_of() { # POLICY NODE STATE/REASON
    is "$3" "ttdp/$1" "{.status.nodes[?(@.name==\"$2\")].state}/{.status.nodes[?(@.name==\"$2\")].reason}"
}
node_label() { # NODE KEY VALUE
    is "$3" "node/$1" "{.metadata.labels.${2//./\\.}}"
}
builder_on() { kubectl -n $ns get pods -l "driver.tenstorrent.com/cr=$1" --field-selector "spec.nodeName=$2" -o name; } # POLICY NODE

# ---- what people do

# A user at work on a machine: the words of the script are what is typed.
on_host() { # NODE NAME SCRIPT
    kubectl delete pod "$2" --ignore-not-found --now >/dev/null 2>&1
    kubectl apply -f - <<YAML
apiVersion: v1
kind: Pod
metadata: {name: $2, namespace: default, annotations: {sim.drover.dev/script: "$3"}}
spec:
  nodeName: $1
  restartPolicy: Never
  tolerations: [{operator: Exists}]
  containers: [{name: person, image: "person:1"}]
YAML
    kubectl wait "pod/$2" --for=jsonpath='{.status.phase}'=Succeeded --timeout=30s
}
# A pod that has the device open, and that its Deployment makes again.
work() { # NAME NODE
    kubectl apply -f - <<YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: $1, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: $1}}
  template:
    metadata: {labels: {app: $1, tenstorrent.com/uses-device: "true"}}
    spec:
      nodeSelector: {kubernetes.io/hostname: $2}
      containers:
      - {name: work, image: "work:1", command: [sleep, infinity], volumeMounts: [{name: tt, mountPath: /dev/tenstorrent/0}]}
      volumes: [{name: tt, hostPath: {path: /dev/tenstorrent/0}}]
YAML
    kubectl wait "deployment/$1" --for=condition=Available --timeout=30s
}
