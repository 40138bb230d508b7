#!/bin/bash
# The chart, with real helm and kubectl, on a real control plane and on the embedded cluster: it renders, installs and goes;
# its definition takes the vendor's own manifest unchanged and refuses what makes no sense; its roles give what is needed
# and no more. Exit 3, with the reason, where helm and the control plane cannot be built.
# shellcheck disable=SC2317,SC2016  # functions are called through expect and trap; nothing is to expand
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
chart=charts/drover
sample=test/vendors/golden/cluster_policy.json
open_bed chart
command -v helm >/dev/null || { echo "skipped: helm is not there"; exit 3; }

# The command fails, and says this.
refused() { # TEXT COMMAND...
    local text=$1
    shift
    "$@" >"$stage/refusal" 2>&1 && { echo "it was accepted: $*"; return 1; }
    grep -qF -- "$text" "$stage/refusal" || { echo "no '$text' in: $(cat "$stage/refusal")"; return 1; }
}
# ---- without a server

expect "helm lint finds nothing" helm lint --strict "$chart"
expect "helm template renders" helm template gpu-operator "$chart" -n gpu-operator
render() { helm template gpu-operator "$chart" -n gpu-operator "$@"; }
no_webhook() { ! render --api-versions admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy | grep -i webhook; }
expect "there is no webhook" no_webhook
no_wide_rule() { ! render | grep -nE '"\*"|\[\*\]|secrets,|\[secrets|escalate|impersonate|bind\b|pods/exec|nodes/proxy'; }
expect "no rule has a star, Secrets or a way up" no_wide_rule
named_after_the_seed() { render | grep -A3 '^kind: Deployment' | grep -q 'name: gpu-operator$'; }
expect "a release named gpu-operator has the names of NVIDIA's documents" named_after_the_seed
nothing_of_nvidia() { ! render --set vendors.nvidia.enabled=false | grep -E 'clusterpolicies|--vendor='; }
expect "a vendor can be switched off" nothing_of_nvidia
no_namespace() { ! render | grep -q '^kind: Namespace'; }
expect "the namespace of the release is not made again" no_namespace

# ---- on a server: the definition

patch() { kubectl patch clusterpolicy cluster-policy --dry-run=server --type=merge -p "{\"spec\":$1}"; }
upgrade() { patch "{\"driver\":{\"upgradePolicy\":$1}}"; }
# What was written is what is stored: only defaults may have come.
kept() {
    kubectl get clusterpolicy cluster-policy -o json | python3 -c '
import json, sys
def missing(want, got, at):
    if isinstance(want, dict):
        return [m for k in want for m in (missing(want[k], got[k], at + "." + k) if k in got else [at + "." + k])]
    return [] if want == got else [at]
lost = missing(json.load(open(sys.argv[1]))["spec"], json.load(sys.stdin)["spec"], "spec")
sys.exit("lost or changed: " + ", ".join(lost) if lost else 0)' "$sample"
}
definition_holds() {
    expect "the vendor's own manifest applies" soon 10 kubectl apply -f "$sample"
    expect "and nothing of it is lost" kept
    expect "the columns are there" grep -qE '^NAME +STATUS +DRIVER +NODES +DONE +IN-FLIGHT +FAILED +AGE' <(kubectl get clusterpolicies)
    expect "the seed's patch of the version works" kubectl patch clusterpolicy/cluster-policy --type=json \
        -p='[{"op": "replace", "path": "/spec/driver/version", "value":"510.85.02"}]'
    expect "and is stored" is 510.85.02 clusterpolicy/cluster-policy '{.spec.driver.version}'

    expect "a whole number may be unavailable" upgrade '{"maxUnavailable":5}'
    expect "a share may be unavailable" upgrade '{"maxUnavailable":"100%"}'
    expect "both spellings may agree" upgrade '{"gpuPodDeletion":{"force":false}}'
    local bad
    for bad in '"5x"' '"5"' '-1' '"101%"' '"-5%"' '"%"'; do
        expect "maxUnavailable $bad is refused" refused "must be a number of nodes from 0 on (5) or a share" upgrade "{\"maxUnavailable\":$bad}"
    done
    expect "a failure budget that makes no sense is refused" refused "must be a number of nodes" upgrade '{"failureBudget":"some"}'
    expect "two spellings that differ are refused" refused "remove one of them" upgrade '{"gpuPodDeletion":{"force":true}}'
    expect "a negative width is refused" refused "greater than or equal to 0" upgrade '{"maxParallelUpgrades":-1}'
    expect "a negative timeout is refused" refused "greater than or equal to 0" upgrade '{"drain":{"timeoutSeconds":-1}}'
    expect "a switch that is not a boolean is refused" refused "boolean" upgrade '{"autoUpgrade":"yes"}'
    expect "an endless selector is refused" refused "4096" upgrade "{\"drain\":{\"podSelector\":\"$(printf 'a%.0s' {1..4097})\"}}"
    for bad in '550; rm -rf' '$(id)' '`id`' '../../etc' '-oProxyCommand=x' '550\n1' 'sha256:12'; do
        expect "version $bad is refused" refused "must be a version such as" patch "{\"driver\":{\"version\":\"$bad\"}}"
    done
    expect "an image with a space is refused" refused "should match" patch '{"driver":{"image":"a b"}}'
    expect "an unknown update strategy is refused" refused "updateStrategy" patch '{"daemonsets":{"updateStrategy":"Now"}}'

    local status='{"status":{"state":"notReady","observedGeneration":2,"rollout":{"target":"550","startedAt":"2026-11-15T20:00:00Z","startNodes":3},
        "summary":{"total":3,"done":1,"inFlight":1,"pending":1,"failed":0,"states":{"upgrade-done":1}},
        "nodes":[{"name":"gpu-1","state":"drain-required","since":"2026-11-15T20:00:00Z","reason":"draining"}],"nodesNotListed":0,
        "conditions":[{"type":"Ready","status":"False","reason":"Upgrading","message":"1 of 3","lastTransitionTime":"2026-11-15T20:00:00Z"}]}}'
    expect "a status is written" kubectl patch clusterpolicy cluster-policy --subresource=status --type=merge -p "$status"
    expect "and waited for" kubectl wait clusterpolicy/cluster-policy --for=condition=Ready=False --timeout=5s
    expect "an unknown state is refused" refused "Unsupported value" kubectl patch clusterpolicy cluster-policy \
        --subresource=status --type=merge -p '{"status":{"state":"maybe"}}'
}

# ---- on a server: the release and its rights

can() { # WHO VERB RESOURCE [FLAG...]
    local who=$1
    shift
    kubectl auth can-i "$@" --as="system:serviceaccount:$who" | grep -q '^yes'
}
cannot() { ! can "$@"; }
release_holds() {
    expect "a dry run is accepted" helm install drover "$chart" -n drover-system --create-namespace --dry-run=server
    expect "it is installed" helm install drover "$chart" -n drover-system --create-namespace
    expect "two operators are wanted" is 2 deployment/drover '{.spec.replicas}' -n drover-system
    expect "the drivers' namespace lets privileged pods in" is privileged namespace/gpu-operator '{.metadata.labels.pod-security\.kubernetes\.io/enforce}'
    local operator=drover-system:drover agent=gpu-operator:drover-agent
    expect "the operator may patch nodes" can "$operator" patch nodes
    expect "the operator may evict everywhere" can "$operator" create pods --subresource=eviction -n ml
    expect "the operator may make pods where drivers are" can "$operator" create pods -n gpu-operator
    expect "the operator may apply DaemonSets where drivers are" can "$operator" patch daemonsets.apps -n gpu-operator
    expect "the operator may write the status of policies" can "$operator" patch clusterpolicies.nvidia.com --subresource=status
    expect "the operator may write Events about nodes" can "$operator" create events -n default
    expect "the operator may write Events about pods in the way" can "$operator" create events -n ml
    expect "the operator may write a condition of a node" can "$operator" patch nodes --subresource=status
    expect "the operator may renew its lease" can "$operator" update leases.coordination.k8s.io/drover -n drover-system
    expect "the operator may watch its definitions" can "$operator" watch customresourcedefinitions.apiextensions.k8s.io/clusterpolicies.nvidia.com
    expect "the operator may not see others" cannot "$operator" list customresourcedefinitions.apiextensions.k8s.io
    expect "the operator may not make pods elsewhere" cannot "$operator" create pods -n ml
    expect "the operator may not touch DaemonSets elsewhere" cannot "$operator" patch daemonsets.apps -n ml
    expect "the operator may not read Secrets" cannot "$operator" get secrets -n gpu-operator
    expect "the operator may not change policies" cannot "$operator" patch clusterpolicies.nvidia.com
    expect "the operator may not delete nodes" cannot "$operator" delete nodes
    expect "the agent may patch a node" can "$agent" patch nodes
    expect "the agent may not evict" cannot "$agent" create pods --subresource=eviction -n ml
    expect "the agent may not see pods" cannot "$agent" list pods -n gpu-operator
    expect "the agent may not read Secrets" cannot "$agent" get secrets -n gpu-operator
    expect "the agent may not write Events" cannot "$agent" create events -n default
}

# Tenstorrent is switched on in the release that is there.
tenstorrent_is_served() {
    local ns=tt-k8s-driver-manager-system args
    local operator=drover-system:drover agent=$ns:drover-agent
    expect "Tenstorrent can be switched on" helm upgrade drover "$chart" -n drover-system --reuse-values --set vendors.tenstorrent.enabled=true \
        --set vendors.tenstorrent.driverSource=https://mirror.example/tt-kmd.git \
        --set 'operator.extraEnv[0].name=HTTPS_PROXY' --set 'operator.extraEnv[0].value=http://proxy.example:3128'
    expect "its namespace lets privileged pods in" is privileged namespace/$ns '{.metadata.labels.pod-security\.kubernetes\.io/enforce}'
    args=$(kubectl get deployment drover -n drover-system -o 'jsonpath={.spec.template.spec.containers[0].args}')
    local word
    for word in --vendor=nvidia=gpu-operator --vendor=tenstorrent=$ns --driver-source=https://mirror.example/tt-kmd.git \
        --deploy-gates=tenstorrent.com/deploy.tt-telemetry; do
        expect "the operator is told $word" grep -qF -- "\"$word\"" <<<"$args"
    done
    expect "and the proxy" is http://proxy.example:3128 deployment/drover '{.spec.template.spec.containers[0].env[?(@.name=="HTTPS_PROXY")].value}' -n drover-system
    expect "the operator may write the status of a ttdp" can "$operator" patch tenstorrentdriverpolicies.driver.tenstorrent.com --subresource=status
    expect "and not the ttdp" cannot "$operator" patch tenstorrentdriverpolicies.driver.tenstorrent.com
    expect "the operator may ask for the definition" can "$operator" get customresourcedefinitions.apiextensions.k8s.io/tenstorrentdriverpolicies.driver.tenstorrent.com
    expect "the operator may apply DaemonSets where builders are" can "$operator" patch daemonsets.apps -n $ns
    expect "the operator may delete a builder" can "$operator" delete pods -n $ns
    expect "the operator may see claims of devices" can "$operator" list resourceclaims.resource.k8s.io -n ml
    expect "the operator may not read Secrets there" cannot "$operator" get secrets -n $ns
    expect "a builder's agent may patch a node" can "$agent" patch nodes
    expect "it may not evict" cannot "$agent" create pods --subresource=eviction -n ml
    expect "it may not see pods" cannot "$agent" list pods -n $ns
    expect "it may not read Secrets" cannot "$agent" get secrets -n $ns
    expect "it may not see policies" cannot "$agent" get tenstorrentdriverpolicies.driver.tenstorrent.com
    for word in 'ext::sh -c id' http://a/b file:///etc --upload-pack=id git@a:b 'https://a/b?c=d'; do
        expect "the operator takes no source $word" refused "is not https://HOST/PATH" "$drover" operator --lease a/b --driver-source="$word"
    done
    expect "and shows no password" refused "(not shown)" "$drover" operator --lease a/b --driver-source=https://user:pass@a/b
}

# The admission policy, with an agent's token that is bound to one node.
agents_stay_at_home() {
    local token
    kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: gpu-1}
---
apiVersion: v1
kind: Node
metadata: {name: gpu-2}
YAML
    token=$(kubectl create token drover-agent -n gpu-operator --bound-object-kind Node --bound-object-name gpu-1)
    # The administrator's certificate would win over a token.
    kubectl config view --raw --minify | sed -E '/client-(certificate|key)-data|^ +token:/d' >"$stage/agent"
    as_agent() { KUBECONFIG=$stage/agent kubectl --token="$token" "$@"; }
    expect "an agent reads its Node" as_agent get node gpu-1
    # The policy is not in force at once.
    expect "an agent may not write to another's Node" soon 30 refused "its own Node only" as_agent annotate --overwrite node gpu-2 drover.dev/report-nvidia-driver=x
    expect "an agent reports on its own Node" as_agent annotate node gpu-1 drover.dev/report-nvidia-driver='{"v":1}'
    expect "an agent may not cordon" refused "may not cordon" as_agent patch node gpu-1 -p '{"spec":{"unschedulable":true}}'
    expect "an agent may not taint" refused "may not cordon or taint" as_agent taint node gpu-1 a=b:NoSchedule
    expect "an agent may not add a label" refused "neither add nor remove" as_agent label node gpu-1 a=b
    local plugin=nvidia.com/gpu.deploy.device-plugin dcgm=nvidia.com/gpu.deploy.dcgm nvsm=nvidia.com/gpu.deploy.nvsm
    local driver=nvidia.com/gpu.deploy.driver paused=paused-for-driver-upgrade
    kubectl label node gpu-1 $plugin=true $dcgm=custom $nvsm=false $driver=true pool=a >/dev/null
    expect "an agent pauses a gate" as_agent label --overwrite node gpu-1 $plugin=$paused
    expect "and one that says something else" as_agent label --overwrite node gpu-1 $dcgm=custom_$paused
    expect "it may not say anything else there" refused "no other label may it change" as_agent label --overwrite node gpu-1 $dcgm=true
    expect "it puts both back" as_agent label --overwrite node gpu-1 $plugin=true $dcgm=custom
    expect "it may not switch one off" refused "no other label may it change" as_agent label --overwrite node gpu-1 $plugin=false
    expect "it may not pause one that is off" refused "no other label may it change" as_agent label --overwrite node gpu-1 $nvsm=false_$paused
    expect "it may not take one away" refused "neither add nor remove" as_agent label node gpu-1 $plugin-
    expect "it may not change another label" refused "no other label may it change" as_agent label --overwrite node gpu-1 pool=$paused
    expect "it may not send the driver away" refused "no other label may it change" as_agent label --overwrite node gpu-1 $driver=false
    expect "it marks a driver of the machine's own" as_agent label --overwrite node gpu-1 $driver=pre-installed
    expect "and may not undo that" refused "no other label may it change" as_agent label --overwrite node gpu-1 $driver=true
    expect "an agent may not change the status" refused "nodes/status" as_agent patch node gpu-1 --subresource=status -p '{"status":{"phase":"x"}}'
    expect "an agent says which driver it has loaded" as_agent label node gpu-1 driver.tenstorrent.com/kmd-version=2.8.0 driver.tenstorrent.com/install-mode=container
    expect "an agent takes that back" as_agent label node gpu-1 driver.tenstorrent.com/kmd-version-
    expect "an agent may not skip its own node" refused "neither add nor remove" as_agent label node gpu-1 driver.tenstorrent.com/skip=true
    expect "an agent may not give itself orders" refused "no annotation but" as_agent annotate node gpu-1 drover.dev/order-nvidia-driver=x
    expect "an agent's report can be taken back" as_agent annotate node gpu-1 drover.dev/report-nvidia-driver-
    token=$(kubectl create token drover-agent -n gpu-operator)
    expect "a token that names no node may write nothing" refused "its own Node only" as_agent annotate node gpu-1 drover.dev/report-nvidia-driver=x
}

# The same policy holds for the builders' agents.
builders_stay_at_home() {
    local token version=driver.tenstorrent.com/kmd-version
    token=$(kubectl create token drover-agent -n tt-k8s-driver-manager-system --bound-object-kind Node --bound-object-name gpu-1)
    as_builder() { KUBECONFIG=$stage/agent kubectl --token="$token" "$@"; }
    expect "a builder's agent says what it has loaded" soon 30 as_builder label --overwrite node gpu-1 $version=2.7.0
    expect "a builder's agent may not write to another's Node" refused "its own Node only" as_builder label node gpu-2 $version=2.7.0
    expect "a builder's agent may not cordon" refused "may not cordon" as_builder patch node gpu-1 -p '{"spec":{"unschedulable":true}}'
    expect "a builder's agent may not give itself orders" refused "no annotation but" as_builder annotate node gpu-1 drover.dev/order-tenstorrent-driver=x
}

# Tenstorrent's policy: the commands of its pages that need no operator, its columns, and what it refuses.
driver_policies_hold() {
    policy() { # SPEC
        printf '{"apiVersion":"driver.tenstorrent.com/v1alpha1","kind":"TenstorrentDriverPolicy","metadata":{"name":"default"},"spec":%s}' "$1" |
            kubectl apply "${@:2}" -f -
    }
    long_name() {
        printf '{"apiVersion":"driver.tenstorrent.com/v1alpha1","kind":"TenstorrentDriverPolicy","metadata":{"name":"%s"},"spec":{"version":"2.8.0","nodeAffinity":{}}}' \
            "$(printf 'a%.0s' {1..64})" | kubectl apply --dry-run=server -f -
    }
    expect "a ttdp is taken" policy '{"version":"2.7.0","nodeAffinity":{},"paused":true,"upgradePolicy":{"drain":{"enable":true}}}'
    expect "its defaults are the page's" is 'true true 600 1 ' ttdp/default '{.spec.upgradePolicy.drain.fullNode} {.spec.upgradePolicy.drain.deleteEmptyDir} {.spec.upgradePolicy.drain.timeoutSeconds} {.spec.upgradePolicy.maxParallel} '
    expect "the page's patch is taken" kubectl patch ttdp default --type merge -p '{"spec":{"version":"2.8.0"}}'
    expect "the guide's patch is taken" kubectl patch ttdp default --type merge -p '{"spec":{"paused":false}}'
    columns() { [[ $(kubectl get ttdp) == NAME*VERSION*MATCHED*READY*UPTODATE*INPROGRESS*FAILED*AGE*default*2.8.0* ]]; }
    expect "kubectl get ttdp has its columns" columns
    expect "two selectors are refused" refused "exactly one of spec.nodeAffinity or spec.nodeSelector must be set" \
        policy '{"version":"2.8.0","nodeAffinity":{},"nodeSelector":{}}' --dry-run=server
    expect "no selector is refused" refused "exactly one of" policy '{"version":"2.8.0","nodeAffinity":null}' --dry-run=server
    local version
    for version in '1.2;rm -rf /' '$(id)' '`id`' ../../etc -oProxyCommand=x -2.8.0 2.8 2.8.0-rc1 '2.8.0 --upload-pack=id' '2.8.0\n' '2.8.0\u0000' '2\u20248\u20240' "$(printf '1%.0s' {1..300}).0.0"; do
        expect "version ${version:0:20} is refused" refused "spec.version: " policy "{\"version\":\"$version\",\"nodeAffinity\":{}}" --dry-run=server
    done
    local word
    for word in 'a b' '$(id)' '`id`' 'a;id' -x '../a' 'a\n' "$(printf 'a%.0s' {1..513})"; do
        expect "image ${word:0:20} is refused" refused "spec.installer.image" policy "{\"version\":\"2.8.0\",\"nodeAffinity\":{},\"installer\":{\"image\":\"$word\"}}" --dry-run=server
    done
    for word in '$(id)' '`id`' 'a;id' 'a=b\n' "$(printf 'a%.0s' {1..4097})"; do
        expect "podSelectorLabel ${word:0:20} is refused" refused "podSelectorLabel" policy "{\"version\":\"2.8.0\",\"nodeAffinity\":{},\"upgradePolicy\":{\"drain\":{\"podSelectorLabel\":\"$word\"}}}" --dry-run=server
    done
    # Where the source comes from and what is in the builder's environment is for the chart alone to say.
    for word in source repository env extraEnv; do
        expect "there is no spec.$word" refused "unknown field \"spec.$word\"" policy "{\"version\":\"2.8.0\",\"nodeAffinity\":{},\"$word\":\"ext::sh -c id\"}" --dry-run=server
    done
    expect "a name that is not a label value is refused" refused "must not be longer than 63 bytes" long_name
    expect "no node at once is refused" refused "maxParallel" policy '{"version":"2.8.0","nodeAffinity":{},"upgradePolicy":{"maxParallel":0}}' --dry-run=server
    expect "a ttdp goes" kubectl delete ttdp default
}

release_goes() {
    expect "it is uninstalled" helm uninstall drover -n drover-system
    expect "the drivers' namespace stays" kubectl get namespace gpu-operator
    expect "it comes back beside a namespace that is there" helm install drover "$chart" -n drover-system --create-namespace
    expect "policies have stayed" kubectl get clusterpolicy cluster-policy
}

# ---- both servers

export KUBECONFIG=$bed/kubeconfig
server="real: "
release_holds
tenstorrent_is_served
definition_holds
driver_policies_hold
agents_stay_at_home
builders_stay_at_home
release_goes

if "$drover_sim" serve --help >/dev/null 2>&1; then
    export KUBECONFIG=$stage/embedded
    "$drover_sim" serve --write-kubeconfig "$KUBECONFIG" --nodes nvidia=1 >"$stage/sim.log" 2>&1 &
    server="embedded: "
    expect "the embedded cluster answers" soon 20 kubectl get nodes
    release_holds
    tenstorrent_is_served
    definition_holds
    driver_policies_hold
    release_goes
else
    echo "FAIL chart: $drover_sim does not run; run: scripts/build build drover-sim"
    failed=1
fi
exit $failed
