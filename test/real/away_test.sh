#!/bin/bash
# On a real control plane with simulated kubelets: a policy that is paused is not Ready; an API server that is away for 80 s, and a
# leader whose clock is an hour ahead, spend nothing of a limit of 100 s, and the limit comes all the same.
# Exit 3 where no control plane can be built.
# shellcheck disable=SC2317,SC2016,SC2154  # functions are called through expect and trap; nothing is to expand; the stages set them
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/nvidia_stage.sh
source "$(dirname "$0")/nvidia_stage.sh"
# shellcheck source=test/real/supervised_stage.sh
source "$(dirname "$0")/supervised_stage.sh"
open_supervised away

# Paused with another version wanted: nothing is Ready.
expect "upgrades are switched off" set_policy '{"spec":{"driver":{"upgradePolicy":{"autoUpgrade":false}}}}'
expect "updates are by hand" set_policy '{"spec":{"daemonsets":{"updateStrategy":"OnDelete"}}}'
expect "another version is set" set_version 510.85.02
expect "the policy is not Ready" soon 20 condition_is False/ManualUpgradePending Ready
expect "kubectl wait does not succeed" never_ready

# The API server is away for 80 s in a drain with a limit of 100 s.
expect "a budget protects the work on one node" guarded_training nvidia-1
expect "which runs" soon 30 trains
pod=$(pod_of_training)
expect "upgrades are switched on" set_policy '{"spec":{"driver":{"upgradePolicy":{"autoUpgrade":true,"maxParallelUpgrades":3,"maxUnavailable":"100%"}}}}'
expect "the node is being emptied" soon 60 state_is pod-deletion-required nvidia-1
expect "the API server is away for 80 s" server_away 80
expect "it is back" soon 30 answers
expect "the lease was lost meanwhile, and the operator began again" soon 30 grep -q 'operator ended' "$stage/operator.log"
expect "half a minute later the protected pod is still there" steadily 40 same_pod "$pod"
expect "what stands in the way is a condition" soon 60 condition_is True/PodDisruptionBudget Blocked
expect "the limit comes all the same" soon 120 another_pod "$pod"
expect "the policy's status lists the deletion" soon 20 forced_list_names default/train
expect "an Event about the pod is in its namespace" soon 10 event_in_namespace
expect "every node has the driver" soon 120 all_done 510.85.02

# A leader whose clock is an hour ahead.
pod=$(pod_of_training)
expect "a third version is set" set_version 535.129.03
expect "the node is being emptied again" soon 60 state_is pod-deletion-required nvidia-1
sleep 5
stop_supervised
expect "a clock can be put forward" an_hour_ahead
start_supervised "LD_PRELOAD=$stage/ahead.so"
expect "a leader an hour ahead spends no limit" steadily 40 same_pod "$pod"
expect "its clock is wrong indeed" grep -q "$(date -u -d '+1 hour' +%Y-%m-%dT%H)" <(kubectl get lease -n gpu-operator gpu-operator -o 'jsonpath={.spec.renewTime}')
expect "and the limit comes" soon 120 another_pod "$pod"
expect "every node has the third driver" soon 120 all_done 535.129.03
stop_supervised
exit $failed
