// The numbers of the fields of the other API groups.
#include "sim/protobuf/messages.h"

namespace drover::sim::protobuf {

// clang-format off
const std::string_view kGroupMessages = R"(
apps.ControllerRevision: 1 metadata meta.ObjectMeta, 2 data R, 3 revision i;
apps.DaemonSet: 1 metadata meta.ObjectMeta, 2 spec DaemonSetSpec, 3 status DaemonSetStatus;
apps.DaemonSetCondition: 1 type s, 2 status s, 3 lastTransitionTime T, 4 reason s, 5 message s;
apps.DaemonSetSpec: 1 selector meta.LabelSelector?, 2 template core.PodTemplateSpec,
    3 updateStrategy DaemonSetUpdateStrategy, 4 minReadySeconds i, 6 revisionHistoryLimit i?;
apps.DaemonSetStatus: 1 currentNumberScheduled i, 2 numberMisscheduled i, 3 desiredNumberScheduled i, 4 numberReady i,
    5 observedGeneration i, 6 updatedNumberScheduled i, 7 numberAvailable i, 8 numberUnavailable i,
    9 collisionCount i?, 10 conditions DaemonSetCondition[];
apps.DaemonSetUpdateStrategy: 1 type s, 2 rollingUpdate RollingUpdateDaemonSet?;
apps.Deployment: 1 metadata meta.ObjectMeta, 2 spec DeploymentSpec, 3 status DeploymentStatus;
apps.DeploymentCondition: 1 type s, 2 status s, 4 reason s, 5 message s, 6 lastUpdateTime T,
    7 lastTransitionTime T;
apps.DeploymentSpec: 1 replicas i?, 2 selector meta.LabelSelector?, 3 template core.PodTemplateSpec,
    4 strategy DeploymentStrategy, 5 minReadySeconds i, 6 revisionHistoryLimit i?, 7 paused b,
    9 progressDeadlineSeconds i?;
apps.DeploymentStatus: 1 observedGeneration i, 2 replicas i, 3 updatedReplicas i, 4 availableReplicas i,
    5 unavailableReplicas i, 6 conditions DeploymentCondition[], 7 readyReplicas i, 8 collisionCount i?,
    9 terminatingReplicas i?;
apps.DeploymentStrategy: 1 type s, 2 rollingUpdate RollingUpdateDeployment?;
apps.ReplicaSet: 1 metadata meta.ObjectMeta, 2 spec ReplicaSetSpec, 3 status ReplicaSetStatus;
apps.ReplicaSetCondition: 1 type s, 2 status s, 3 lastTransitionTime T, 4 reason s, 5 message s;
apps.ReplicaSetSpec: 1 replicas i?, 2 selector meta.LabelSelector?, 3 template core.PodTemplateSpec,
    4 minReadySeconds i;
apps.ReplicaSetStatus: 1 replicas i, 2 fullyLabeledReplicas i, 3 observedGeneration i, 4 readyReplicas i,
    5 availableReplicas i, 6 conditions ReplicaSetCondition[], 7 terminatingReplicas i?;
apps.RollingUpdateDaemonSet: 1 maxUnavailable I?, 2 maxSurge I?;
apps.RollingUpdateDeployment: 1 maxUnavailable I?, 2 maxSurge I?;
apps.RollingUpdateStatefulSetStrategy: 1 partition i?, 2 maxUnavailable I?;
apps.StatefulSet: 1 metadata meta.ObjectMeta, 2 spec StatefulSetSpec, 3 status StatefulSetStatus;
apps.StatefulSetCondition: 1 type s, 2 status s, 3 lastTransitionTime T, 4 reason s, 5 message s;
apps.StatefulSetOrdinals: 1 start i;
apps.StatefulSetPersistentVolumeClaimRetentionPolicy: 1 whenDeleted s, 2 whenScaled s;
apps.StatefulSetSpec: 1 replicas i?, 2 selector meta.LabelSelector?, 3 template core.PodTemplateSpec,
    4 volumeClaimTemplates core.PersistentVolumeClaim[], 5 serviceName s, 6 podManagementPolicy s,
    7 updateStrategy StatefulSetUpdateStrategy, 8 revisionHistoryLimit i?, 9 minReadySeconds i,
    10 persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy?,
    11 ordinals StatefulSetOrdinals?;
apps.StatefulSetStatus: 1 observedGeneration i, 2 replicas i, 3 readyReplicas i, 4 currentReplicas i,
    5 updatedReplicas i, 6 currentRevision s, 7 updateRevision s, 9 collisionCount i?,
    10 conditions StatefulSetCondition[], 11 availableReplicas i;
apps.StatefulSetUpdateStrategy: 1 type s, 2 rollingUpdate RollingUpdateStatefulSetStrategy?;
authentication.BoundObjectReference: 1 kind s, 2 apiVersion s, 3 name s, 4 uid s;
authentication.SelfSubjectReview: 1 metadata meta.ObjectMeta, 2 status SelfSubjectReviewStatus;
authentication.SelfSubjectReviewStatus: 1 userInfo UserInfo;
authentication.TokenRequest: 1 metadata meta.ObjectMeta, 2 spec TokenRequestSpec, 3 status TokenRequestStatus;
authentication.TokenRequestSpec: 1 audiences s[], 3 boundObjectRef BoundObjectReference?, 4 expirationSeconds i?;
authentication.TokenRequestStatus: 1 token s, 2 expirationTimestamp T;
authentication.TokenReview: 1 metadata meta.ObjectMeta, 2 spec TokenReviewSpec, 3 status TokenReviewStatus;
authentication.TokenReviewSpec: 1 token s, 2 audiences s[];
authentication.TokenReviewStatus: 1 authenticated b, 2 user UserInfo, 3 error s, 4 audiences s[];
authentication.UserInfo: 1 username s, 2 uid s, 3 groups s[], 4 extra ExtraValue{};
authorization.FieldSelectorAttributes: 1 rawSelector s, 2 requirements meta.FieldSelectorRequirement[];
authorization.LabelSelectorAttributes: 1 rawSelector s, 2 requirements meta.LabelSelectorRequirement[];
authorization.LocalSubjectAccessReview: 1 metadata meta.ObjectMeta, 2 spec SubjectAccessReviewSpec,
    3 status SubjectAccessReviewStatus;
authorization.NonResourceAttributes: 1 path s, 2 verb s;
authorization.NonResourceRule: 1 verbs s[], 2 nonResourceURLs s[];
authorization.ResourceAttributes: 1 namespace s, 2 verb s, 3 group s, 4 version s, 5 resource s, 6 subresource s,
    7 name s, 8 fieldSelector FieldSelectorAttributes?, 9 labelSelector LabelSelectorAttributes?;
authorization.ResourceRule: 1 verbs s[], 2 apiGroups s[], 3 resources s[], 4 resourceNames s[];
authorization.SelfSubjectAccessReview: 1 metadata meta.ObjectMeta, 2 spec SelfSubjectAccessReviewSpec,
    3 status SubjectAccessReviewStatus;
authorization.SelfSubjectAccessReviewSpec: 1 resourceAttributes ResourceAttributes?,
    2 nonResourceAttributes NonResourceAttributes?;
authorization.SelfSubjectRulesReview: 1 metadata meta.ObjectMeta, 2 spec SelfSubjectRulesReviewSpec,
    3 status SubjectRulesReviewStatus;
authorization.SelfSubjectRulesReviewSpec: 1 namespace s;
authorization.SubjectAccessReview: 1 metadata meta.ObjectMeta, 2 spec SubjectAccessReviewSpec,
    3 status SubjectAccessReviewStatus;
authorization.SubjectAccessReviewSpec: 1 resourceAttributes ResourceAttributes?,
    2 nonResourceAttributes NonResourceAttributes?, 3 user s, 4 groups s[], 5 extra ExtraValue{}, 6 uid s;
authorization.SubjectAccessReviewStatus: 1 allowed b, 2 reason s, 3 evaluationError s, 4 denied b;
authorization.SubjectRulesReviewStatus: 1 resourceRules ResourceRule[], 2 nonResourceRules NonResourceRule[],
    3 incomplete b, 4 evaluationError s;
autoscaling.Scale: 1 metadata meta.ObjectMeta, 2 spec ScaleSpec, 3 status ScaleStatus;
autoscaling.ScaleSpec: 1 replicas i;
autoscaling.ScaleStatus: 1 replicas i, 2 selector s;
batch.CronJob: 1 metadata meta.ObjectMeta, 2 spec CronJobSpec, 3 status CronJobStatus;
batch.CronJobSpec: 1 schedule s, 2 startingDeadlineSeconds i?, 3 concurrencyPolicy s, 4 suspend b?,
    5 jobTemplate JobTemplateSpec, 6 successfulJobsHistoryLimit i?, 7 failedJobsHistoryLimit i?, 8 timeZone s?;
batch.CronJobStatus: 1 active core.ObjectReference[], 4 lastScheduleTime T?, 5 lastSuccessfulTime T?;
batch.Job: 1 metadata meta.ObjectMeta, 2 spec JobSpec, 3 status JobStatus;
batch.JobCondition: 1 type s, 2 status s, 3 lastProbeTime T, 4 lastTransitionTime T, 5 reason s, 6 message s;
batch.JobSpec: 1 parallelism i?, 2 completions i?, 3 activeDeadlineSeconds i?, 4 selector meta.LabelSelector?,
    5 manualSelector b?, 6 template core.PodTemplateSpec, 7 backoffLimit i?, 8 ttlSecondsAfterFinished i?,
    9 completionMode s?, 10 suspend b?, 11 podFailurePolicy PodFailurePolicy?, 12 backoffLimitPerIndex i?,
    13 maxFailedIndexes i?, 14 podReplacementPolicy s?, 15 managedBy s?, 16 successPolicy SuccessPolicy?;
batch.JobStatus: 1 conditions JobCondition[], 2 startTime T?, 3 completionTime T?, 4 active i, 5 succeeded i,
    6 failed i, 7 completedIndexes s, 8 uncountedTerminatedPods UncountedTerminatedPods?, 9 ready i?,
    10 failedIndexes s?, 11 terminating i?;
batch.JobTemplateSpec: 1 metadata meta.ObjectMeta, 2 spec JobSpec;
batch.PodFailurePolicy: 1 rules PodFailurePolicyRule[];
batch.PodFailurePolicyOnExitCodesRequirement: 1 containerName s?, 2 operator s, 3 values i[];
batch.PodFailurePolicyOnPodConditionsPattern: 1 type s, 2 status s;
batch.PodFailurePolicyRule: 1 action s, 2 onExitCodes PodFailurePolicyOnExitCodesRequirement?,
    3 onPodConditions PodFailurePolicyOnPodConditionsPattern[];
batch.SuccessPolicy: 1 rules SuccessPolicyRule[];
batch.SuccessPolicyRule: 1 succeededIndexes s?, 2 succeededCount i?;
batch.UncountedTerminatedPods: 1 succeeded s[], 2 failed s[];
coordination.Lease: 1 metadata meta.ObjectMeta, 2 spec LeaseSpec;
coordination.LeaseSpec: 1 holderIdentity s?, 2 leaseDurationSeconds i?, 3 acquireTime M?,
    4 renewTime M?, 5 leaseTransitions i?, 6 strategy s?, 7 preferredHolder s?;
discovery.Endpoint: 1 addresses s[], 2 conditions EndpointConditions, 3 hostname s?,
    4 targetRef core.ObjectReference?, 5 deprecatedTopology s{}, 6 nodeName s?, 7 zone s?, 8 hints EndpointHints?;
discovery.EndpointConditions: 1 ready b?, 2 serving b?, 3 terminating b?;
discovery.EndpointHints: 1 forZones ForZone[], 2 forNodes ForNode[];
discovery.EndpointPort: 1 name s?, 2 protocol s?, 3 port i?, 4 appProtocol s?;
discovery.EndpointSlice: 1 metadata meta.ObjectMeta, 2 endpoints Endpoint[], 3 ports EndpointPort[], 4 addressType s;
discovery.ForNode: 1 name s;
discovery.ForZone: 1 name s;
networking.HTTPIngressPath: 1 path s, 2 backend IngressBackend, 3 pathType s?;
networking.HTTPIngressRuleValue: 1 paths HTTPIngressPath[];
networking.IPBlock: 1 cidr s, 2 except s[];
networking.Ingress: 1 metadata meta.ObjectMeta, 2 spec IngressSpec, 3 status IngressStatus;
networking.IngressBackend: 3 resource core.TypedLocalObjectReference?, 4 service IngressServiceBackend?;
networking.IngressLoadBalancerIngress: 1 ip s, 2 hostname s, 4 ports IngressPortStatus[];
networking.IngressLoadBalancerStatus: 1 ingress IngressLoadBalancerIngress[];
networking.IngressPortStatus: 1 port i, 2 protocol s, 3 error s?;
networking.IngressRule: 1 host s, 2 ingressRuleValue IngressRuleValue^;
networking.IngressRuleValue: 1 http HTTPIngressRuleValue?;
networking.IngressServiceBackend: 1 name s, 2 port ServiceBackendPort;
networking.IngressSpec: 1 defaultBackend IngressBackend?, 2 tls IngressTLS[], 3 rules IngressRule[],
    4 ingressClassName s?;
networking.IngressStatus: 1 loadBalancer IngressLoadBalancerStatus;
networking.IngressTLS: 1 hosts s[], 2 secretName s;
networking.NetworkPolicy: 1 metadata meta.ObjectMeta, 2 spec NetworkPolicySpec;
networking.NetworkPolicyEgressRule: 1 ports NetworkPolicyPort[], 2 to NetworkPolicyPeer[];
networking.NetworkPolicyIngressRule: 1 ports NetworkPolicyPort[], 2 from NetworkPolicyPeer[];
networking.NetworkPolicyPeer: 1 podSelector meta.LabelSelector?, 2 namespaceSelector meta.LabelSelector?,
    3 ipBlock IPBlock?;
networking.NetworkPolicyPort: 1 protocol s?, 2 port I?, 3 endPort i?;
networking.NetworkPolicySpec: 1 podSelector meta.LabelSelector, 2 ingress NetworkPolicyIngressRule[],
    3 egress NetworkPolicyEgressRule[], 4 policyTypes s[];
networking.ServiceBackendPort: 1 name s, 2 number i;
node.Overhead: 1 podFixed Q{};
node.RuntimeClass: 1 metadata meta.ObjectMeta, 2 handler s, 3 overhead Overhead?, 4 scheduling Scheduling?;
node.Scheduling: 1 nodeSelector s{}, 2 tolerations core.Toleration[];
policy.Eviction: 1 metadata meta.ObjectMeta, 2 deleteOptions meta.DeleteOptions?;
policy.PodDisruptionBudget: 1 metadata meta.ObjectMeta, 2 spec PodDisruptionBudgetSpec,
    3 status PodDisruptionBudgetStatus;
policy.PodDisruptionBudgetSpec: 1 minAvailable I?, 2 selector meta.LabelSelector?,
    3 maxUnavailable I?, 4 unhealthyPodEvictionPolicy s?;
policy.PodDisruptionBudgetStatus: 1 observedGeneration i, 2 disruptedPods T{}, 3 disruptionsAllowed i,
    4 currentHealthy i, 5 desiredHealthy i, 6 expectedPods i, 7 conditions meta.Condition[];
rbac.AggregationRule: 1 clusterRoleSelectors meta.LabelSelector[];
rbac.ClusterRole: 1 metadata meta.ObjectMeta, 2 rules PolicyRule[], 3 aggregationRule AggregationRule?;
rbac.ClusterRoleBinding: 1 metadata meta.ObjectMeta, 2 subjects Subject[], 3 roleRef RoleRef;
rbac.PolicyRule: 1 verbs s[], 2 apiGroups s[], 3 resources s[], 4 resourceNames s[], 5 nonResourceURLs s[];
rbac.Role: 1 metadata meta.ObjectMeta, 2 rules PolicyRule[];
rbac.RoleBinding: 1 metadata meta.ObjectMeta, 2 subjects Subject[], 3 roleRef RoleRef;
rbac.RoleRef: 1 apiGroup s, 2 kind s, 3 name s;
rbac.Subject: 1 kind s, 2 apiGroup s, 3 name s, 4 namespace s;
scheduling.PriorityClass: 1 metadata meta.ObjectMeta, 2 value i, 3 globalDefault b, 4 description s,
    5 preemptionPolicy s?;
storage.StorageClass: 1 metadata meta.ObjectMeta, 2 provisioner s, 3 parameters s{}, 4 reclaimPolicy s?,
    5 mountOptions s[], 6 allowVolumeExpansion b?, 7 volumeBindingMode s?,
    8 allowedTopologies core.TopologySelectorTerm[];
)";
// clang-format on

}  // namespace drover::sim::protobuf
