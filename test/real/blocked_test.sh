#!/bin/bash
# On a real control plane with simulated kubelets: a driver that breaks after it was done, a pod that comes back past the scheduler, a
# driver pod that has no place, a cordon that is refused, and a definition that is deleted in the middle of a rollout.
# Exit 3 where no control plane can be built.
# shellcheck disable=SC2317,SC2016,SC2154  # functions are called through expect and trap; nothing is to expand; the stages set them
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/nvidia_stage.sh
source "$(dirname "$0")/nvidia_stage.sh"
# shellcheck source=test/real/supervised_stage.sh
source "$(dirname "$0")/supervised_stage.sh"
open_supervised blocked

# A driver that breaks after it was done.
breaks() {
    local pod
    pod=$(kubectl get pods -n gpu-operator -l app=nvidia-driver-daemonset --field-selector spec.nodeName=nvidia-2 -o name)
    kubectl create quota none -n gpu-operator --hard=pods=0 && sleep 1 && kubectl delete "$pod" -n gpu-operator --now
}
expect "a driver pod goes, and none may be made" breaks
expect "the policy says which node serves no more" soon 60 condition_is False/DriverNotReady Ready
expect "kubectl wait does not succeed then" never_ready
expect "the quota goes" kubectl delete quota none -n gpu-operator
expect "and it is Ready again" soon 120 condition_is True/AllServing Ready

# A pod that its owner puts on the node past the scheduler.
expect "work begins on one node" guarded_training nvidia-1
expect "and runs" soon 60 trains
expect "it is pinned to that node" kubectl patch deployment train --type=strategic -p '{"spec":{"template":{"spec":{"nodeName":"nvidia-1","nodeSelector":null}}}}'
expect "without a budget" kubectl delete pdb train
expect "it runs again" soon 60 trains
expect "another version is set" set_version 550.54.15
owner_is_named() { kubectl get clusterpolicy cluster-policy -o 'jsonpath={.status.nodes[?(@.state=="upgrade-failed")].reason}' | grep -q 'ReplicaSet default/train'; }
expect "the node fails, and its owner is named" soon 120 owner_is_named
expect "and it serves" is '' node/nvidia-1 '{.spec.unschedulable}'
expect "the work goes" kubectl delete deployment train
expect "every other node has the new driver" soon 120 images_on nvidia-2 nvidia-3 550.54.15
expect "the node is tried again" kubectl label node nvidia-1 nvidia.com/gpu-driver-upgrade-state=upgrade-required --overwrite
expect "every node has the new driver" soon 120 all_done 550.54.15

# A driver pod that no node has room for: other pods take what it requests, which shows only after the cordon.
full() { # NODE: a pod without a device takes nearly all of its processors
    kubectl apply -f - <<YAML
apiVersion: v1
kind: Pod
metadata: {name: full, namespace: default}
spec:
  nodeSelector: {kubernetes.io/hostname: $1}
  priorityClassName: system-node-critical  # else the driver takes its place
  tolerations: [{operator: Exists}]
  containers:
  - {name: sleep, image: "sleep:1", command: [sleep, infinity], resources: {requests: {cpu: "62"}}}
YAML
}
says() { kubectl get clusterpolicy cluster-policy -o "jsonpath={.status.conditions[?(@.type==\"Blocked\")].message}" | grep -q "$1"; } # WORDS
request_of_driver() { set_policy "{\"spec\":{\"driver\":{\"resources\":$1}}}"; } # JSON
expect "a node is nearly full" full nvidia-1
expect "with a pod that runs" kubectl wait pod/full --for=condition=Ready --timeout=30s
expect "another version requests what is not free there" set_policy '{"spec":{"driver":{"version":"510.85.02","resources":{"requests":{"cpu":"8"}}}}}'
expect "the scheduler's words are the reason" soon 180 says 'Insufficient cpu'
expect "the condition has a code" condition_is True/Unschedulable Blocked
expect "the request is corrected" request_of_driver null
expect "and every node has the driver, although it is OnDelete" soon 180 all_done 510.85.02
expect "the request again, with another version" set_policy '{"spec":{"driver":{"version":"535.129.03","resources":{"requests":{"cpu":"8"}}}}}'
expect "the pod has no place again" soon 180 says 'Insufficient cpu'
expect "the old version is put back" set_policy '{"spec":{"driver":{"version":"510.85.02","resources":null}}}'
expect "every node has it again" soon 240 all_done 510.85.02
expect "nothing is left on any node" soon 30 nothing_is_left
expect "more than any node has" set_policy '{"spec":{"driver":{"version":"535.129.03","resources":{"requests":{"cpu":"1000"}}}}}'
expect "is told before any node is taken" soon 60 condition_is True/Misfit Blocked
expect "and none is" steadily 5 nothing_is_left
expect "the old version is put back once more" set_policy '{"spec":{"driver":{"version":"510.85.02","resources":null}}}'
expect "all is as it was" soon 60 condition_is True/AllServing Ready
kubectl delete pod full --now >/dev/null

# A cordon that an admission policy refuses.
refuse_cordon() { # NODE
    kubectl apply -f - <<YAML
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-cordon}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [nodes]}]}
  validations:
  - expression: 'object.metadata.name != "$1" || !has(object.spec.unschedulable) || !object.spec.unschedulable'
    message: this node is reserved
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-cordon}
spec: {policyName: no-cordon, validationActions: [Deny]}
YAML
}
is_refused() { ! kubectl patch node "$1" --dry-run=server -p '{"spec":{"unschedulable":true}}'; }
expect "an admission policy protects a node" refuse_cordon nvidia-1
expect "which is in force" soon 30 is_refused nvidia-1
expect "another version is wanted" set_version 550.54.15
expect "the refusal is the reason, in its words" soon 60 says 'this node is reserved'
expect "the condition says so" condition_is True/WriteRefused Blocked
expect "the others do not wait for it" soon 120 images_on nvidia-2 nvidia-3 550.54.15
expect "the admission policy goes" kubectl delete validatingadmissionpolicybinding no-cordon
expect "and the node follows" soon 120 all_done 550.54.15

# The definition is deleted in the middle of a rollout, and comes back.
some_swap() { kubectl get nodes -l nvidia.com/gpu-driver-upgrade-state=pod-restart-required -o name | grep -q .; }
expect "another version is wanted once more" set_version 535.129.03
expect "a node is past its swap" soon 60 some_swap
expect "the definition is deleted" kubectl delete crd clusterpolicies.nvidia.com --wait=false
expect "every node is finished and given back" soon 180 nothing_is_left
expect "the definition is there again" soon 30 kubectl apply -f charts/drover/crds/nvidia.com_clusterpolicies.yaml
expect "and the policy" soon 30 policy '{podDeletion: {timeoutSeconds: 100}}'
expect "the rollout goes on" soon 240 all_done 470.82.01
stop_supervised
exit $failed
