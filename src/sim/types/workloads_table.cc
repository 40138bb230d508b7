// The kinds that make pods, and budgets for taking them away. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kWorkloads = R"(
scope apps apps v1 io.k8s.api.apps.v1
DaemonSetUpdateStrategyType = string OnDelete RollingUpdate
DeploymentStrategyType = string Recreate RollingUpdate
PodManagementPolicyType = string OrderedReady Parallel
StatefulSetUpdateStrategyType = string OnDelete RollingUpdate
DaemonSetConditionType DeploymentConditionType PersistentVolumeClaimRetentionPolicyType = string
ReplicaSetConditionType StatefulSetConditionType = string

kind ControllerRevision | a template that a controller remembers
  + TypeMeta
  metadata   ObjectMeta    | name, labels and the rest that every object has
  data       RawExtension  | the template
  revision*  int64         | its number in the history

kind DaemonSet | a pod on every node that fits
  + TypeMeta
  metadata  ObjectMeta       | name, labels and the rest that every object has
  spec      DaemonSetSpec    | which nodes, and what runs there
  status    DaemonSetStatus  | on how many nodes it runs

kind Deployment | pods that are replaced step by step when their template changes
  + TypeMeta
  metadata  ObjectMeta        | name, labels and the rest that every object has
  spec      DeploymentSpec    | how many, of what, and how to replace them
  status    DeploymentStatus  | how far it is

kind ReplicaSet | a number of like pods
  + TypeMeta
  metadata  ObjectMeta        | name, labels and the rest that every object has
  spec      ReplicaSetSpec    | how many, of what
  status    ReplicaSetStatus  | how many there are

kind StatefulSet | pods with names and storage of their own
  + TypeMeta
  metadata  ObjectMeta         | name, labels and the rest that every object has
  spec      StatefulSetSpec    | how many, of what
  status    StatefulSetStatus  | how many there are

type DaemonSetCondition | one condition (True, False or Unknown) of a DaemonSet
  type*               DaemonSetConditionType  | which aspect
  status*             ConditionStatus         | True, False or Unknown
  lastTransitionTime  Time                    | when the status last changed
  reason              string                  | the reason, one CamelCase word
  message             string                  | what is the matter, for people

type DaemonSetSpec | which nodes, and what runs there
  selector*             LabelSelector            | which pods are its own
  template*             PodTemplateSpec          | how its pods are made
  updateStrategy        DaemonSetUpdateStrategy  | how pods are replaced when the template changes
  minReadySeconds       int32                    | how long a pod must be ready to count as available
  revisionHistoryLimit  int32                    | how many old templates to remember

type DaemonSetStatus | on how many nodes a DaemonSet runs
  currentNumberScheduled*  int32                                      | nodes that should run it and do
  numberMisscheduled*      int32                                      | nodes that run it and should not
  desiredNumberScheduled*  int32                                      | nodes that should run it
  numberReady*             int32                                      | nodes whose pod is ready
  observedGeneration       int64                                      | the generation that this status describes
  updatedNumberScheduled   int32                                      | nodes whose pod is of the newest template
  numberAvailable          int32                                      | nodes whose pod is available
  numberUnavailable        int32                                      | nodes that should run it and have no available pod
  collisionCount           int32                                      | how often a generated name was taken already
  conditions               []DaemonSetCondition  map:type merge:type  | current conditions, one per type

type DaemonSetUpdateStrategy | how pods are replaced
  type           DaemonSetUpdateStrategyType  | RollingUpdate, or OnDelete to leave it to others
  rollingUpdate  RollingUpdateDaemonSet      | how many at a time

type DeploymentCondition | one condition (True, False or Unknown) of a Deployment
  type*               DeploymentConditionType  | which aspect
  status*             ConditionStatus          | True, False or Unknown
  lastUpdateTime      Time                     | when anything of it last changed
  lastTransitionTime  Time                     | when the status last changed
  reason              string                   | the reason, one CamelCase word
  message             string                   | what is the matter, for people

type DeploymentSpec | how many pods, of what, and how to replace them
  replicas                 int32                       | how many pods
  selector*                LabelSelector               | which pods are its own
  template*                PodTemplateSpec             | how its pods are made
  strategy                 DeploymentStrategy  retain  | how pods are replaced when the template changes
  minReadySeconds          int32                       | how long a pod must be ready to count as available
  revisionHistoryLimit     int32                       | how many old ReplicaSets to keep
  paused                   bool                        | change nothing for now
  progressDeadlineSeconds  int32                       | how long it may stand still before that is called a failure

type DeploymentStatus | how far a Deployment is
  observedGeneration   int64                                       | the generation that this status describes
  replicas             int32                                       | pods that there are
  updatedReplicas      int32                                       | pods of the newest template
  readyReplicas        int32                                       | pods that are ready
  availableReplicas    int32                                       | pods that are available
  unavailableReplicas  int32                                       | pods that are still missing
  terminatingReplicas  int32                                       | pods that are going
  conditions           []DeploymentCondition  map:type merge:type  | current conditions, one per type
  collisionCount       int32                                       | how often a generated name was taken already

type DeploymentStrategy | how pods are replaced
  type           DeploymentStrategyType   | RollingUpdate, or Recreate to end all before the new begin
  rollingUpdate  RollingUpdateDeployment  | how many at a time

type ReplicaSetCondition | one condition (True, False or Unknown) of a ReplicaSet
  type*               ReplicaSetConditionType  | which aspect
  status*             ConditionStatus          | True, False or Unknown
  lastTransitionTime  Time                     | when the status last changed
  reason              string                   | the reason, one CamelCase word
  message             string                   | what is the matter, for people

type ReplicaSetSpec | how many pods, of what
  replicas         int32            | how many pods
  minReadySeconds  int32            | how long a pod must be ready to count as available
  selector*        LabelSelector    | which pods are its own
  template         PodTemplateSpec  | how its pods are made

type ReplicaSetStatus | how many pods there are
  replicas*             int32                                       | pods that there are
  fullyLabeledReplicas  int32                                       | pods with all labels of the template
  readyReplicas         int32                                       | pods that are ready
  availableReplicas     int32                                       | pods that are available
  terminatingReplicas   int32                                       | pods that are going
  observedGeneration    int64                                       | the generation that this status describes
  conditions            []ReplicaSetCondition  map:type merge:type  | current conditions, one per type

type RollingUpdateDaemonSet | how many pods are replaced at a time
  maxUnavailable  IntOrString  | nodes that may be without, number or percentage
  maxSurge        IntOrString  | nodes that may have two, number or percentage

type RollingUpdateDeployment | how many pods are replaced at a time
  maxUnavailable  IntOrString  | pods that may be missing, number or percentage
  maxSurge        IntOrString  | pods that may be too many, number or percentage

type RollingUpdateStatefulSetStrategy | which pods are replaced
  partition       int32        | only those with this ordinal or a higher one
  maxUnavailable  IntOrString  | pods that may be missing, number or percentage

type StatefulSetCondition | one condition (True, False or Unknown) of a StatefulSet
  type*               StatefulSetConditionType  | which aspect
  status*             ConditionStatus           | True, False or Unknown
  lastTransitionTime  Time                      | when the status last changed
  reason              string                    | the reason, one CamelCase word
  message             string                    | what is the matter, for people

type StatefulSetOrdinals | how pods are numbered
  start  int32  | the first number

type StatefulSetPersistentVolumeClaimRetentionPolicy | what becomes of claims
  whenDeleted  PersistentVolumeClaimRetentionPolicyType  | when the set is deleted: Retain or Delete
  whenScaled   PersistentVolumeClaimRetentionPolicyType  | when there are to be fewer pods: Retain or Delete

type StatefulSetSpec | how many pods, of what
  replicas                        int32                               | how many pods
  selector*                       LabelSelector                       | which pods are its own
  template*                       PodTemplateSpec                     | how its pods are made
  volumeClaimTemplates            []PersistentVolumeClaim     atomic  | claims that every pod gets
  serviceName                     string                              | the service that gives the pods their names
  podManagementPolicy             PodManagementPolicyType             | OrderedReady for one after the other, Parallel for all at once
  updateStrategy                  StatefulSetUpdateStrategy           | how pods are replaced when the template changes
  revisionHistoryLimit            int32                               | how many old templates to remember
  minReadySeconds                 int32                               | how long a pod must be ready to count as available
  persistentVolumeClaimRetentionPolicy  StatefulSetPersistentVolumeClaimRetentionPolicy          | what becomes of claims that are no longer needed
  ordinals                        StatefulSetOrdinals                 | how pods are numbered

type StatefulSetStatus | how many pods there are
  observedGeneration  int64                                        | the generation that this status describes
  replicas*           int32                                        | pods that there are
  readyReplicas       int32                                        | pods that are ready
  currentReplicas     int32                                        | pods of the template before
  updatedReplicas     int32                                        | pods of the newest template
  currentRevision     string                                       | the template before
  updateRevision      string                                       | the newest template
  collisionCount      int32                                        | how often a generated name was taken already
  conditions          []StatefulSetCondition  map:type merge:type  | current conditions, one per type
  availableReplicas   int32                                        | pods that are available

type StatefulSetUpdateStrategy | how pods are replaced
  type           StatefulSetUpdateStrategyType  | RollingUpdate, or OnDelete to leave it to others
  rollingUpdate  RollingUpdateStatefulSetStrategy  | which pods

scope batch batch v1 io.k8s.api.batch.v1
CompletionMode = string Indexed NonIndexed
ConcurrencyPolicy = string Allow Forbid Replace
PodFailurePolicyAction = string Count FailIndex FailJob Ignore
PodFailurePolicyOnExitCodesOperator = string In NotIn
PodReplacementPolicy = string Failed TerminatingOrFailed
JobConditionType = string

kind CronJob | Jobs at set times
  + TypeMeta
  metadata  ObjectMeta     | name, labels and the rest that every object has
  spec*     CronJobSpec    | when, and what
  status    CronJobStatus  | what runs, and when it last did

kind Job | pods that run to their end
  + TypeMeta
  metadata  ObjectMeta  | name, labels and the rest that every object has
  spec      JobSpec     | how many, of what, and when to give up
  status    JobStatus   | how many have ended, and how

type CronJobSpec | when to make which Jobs
  schedule*                   string             | when, as cron writes it
  timeZone                    string             | where the schedule's clock hangs
  startingDeadlineSeconds     int64              | how late a Job may still start
  concurrencyPolicy           ConcurrencyPolicy  | when the last one still runs: Allow, Forbid or Replace
  suspend                     bool               | make none for now
  jobTemplate*                JobTemplateSpec    | how the Jobs are made
  successfulJobsHistoryLimit  int32              | how many that went well to keep
  failedJobsHistoryLimit      int32              | how many that failed to keep

type CronJobStatus | what runs, and when it last did
  active              []ObjectReference  atomic  | Jobs that run now
  lastScheduleTime    Time                       | when the last one was due
  lastSuccessfulTime  Time                       | when the last one ended well

type JobCondition | one condition (True, False or Unknown) of a Job
  type*               JobConditionType  | which aspect, such as Complete or Failed
  status*             ConditionStatus   | True, False or Unknown
  lastProbeTime       Time              | when it was last looked at
  lastTransitionTime  Time              | when the status last changed
  reason              string            | the reason, one CamelCase word
  message             string            | what is the matter, for people

type JobSpec | how many pods, of what, and when to give up
  parallelism              int32                 | how many may run at once
  completions              int32                 | how many must succeed
  activeDeadlineSeconds    int64                 | how long it may take in all
  podFailurePolicy         PodFailurePolicy      | which failures count, and which end everything
  successPolicy            SuccessPolicy         | when it is enough
  backoffLimit             int32                 | how many failures until the Job fails
  backoffLimitPerIndex     int32                 | how many failures until an index fails
  maxFailedIndexes         int32                 | how many failed indexes until the Job fails
  selector                 LabelSelector         | which pods are its own; usually filled in
  manualSelector           bool                  | the selector is meant as written
  template*                PodTemplateSpec       | how its pods are made
  ttlSecondsAfterFinished  int32                 | delete the Job so long after its end
  completionMode           CompletionMode        | Indexed when each pod has a number of its own
  suspend                  bool                  | run none for now
  podReplacementPolicy     PodReplacementPolicy  | whether a new pod waits until the old one has gone
  managedBy                string                | the controller that manages the Job; default: the built-in one

type JobStatus | how many pods have ended, and how
  conditions               []JobCondition           atomic merge:type  | current conditions, one per type
  startTime                Time                                        | when the controller took it on
  completionTime           Time                                        | when it ended well
  active                   int32                                       | pods that run or wait
  succeeded                int32                                       | pods that ended well
  failed                   int32                                       | pods that failed
  terminating              int32                                       | pods that are going
  completedIndexes         string                                      | indexes that succeeded, as in 1,3-5
  failedIndexes            string                                      | indexes that failed, as in 1,3-5
  uncountedTerminatedPods  UncountedTerminatedPods                     | pods that have ended and are not counted yet
  ready                    int32                                       | pods that are ready

type JobTemplateSpec | how Jobs are made
  metadata  ObjectMeta  | labels and annotations for the Jobs
  spec      JobSpec     | what the Jobs do

type PodFailurePolicy | what failures mean
  rules*  []PodFailurePolicyRule  atomic  | the first that fits counts

type PodFailurePolicyOnExitCodesRequirement | exit codes, or all but these
  containerName  string                           | of which container; default: any
  operator*      PodFailurePolicyOnExitCodesOperator       | In or NotIn
  values*        []int32                     set  | the exit codes

type PodFailurePolicyOnPodConditionsPattern | a condition of the failed pod
  type*   PodConditionType  | which aspect
  status  ConditionStatus   | True, False or Unknown

type PodFailurePolicyRule | what some failures mean
  action*          PodFailurePolicyAction              | FailJob, FailIndex, Ignore or Count
  onExitCodes      PodFailurePolicyOnExitCodesRequirement          | those with such exit codes
  onPodConditions  []PodFailurePolicyOnPodConditionsPattern  atomic  | those of pods with such conditions

type SuccessPolicy | when it is enough
  rules*  []SuccessPolicyRule  atomic  | one that is met is enough

type SuccessPolicyRule | which successes are enough
  succeededIndexes  string  | these, as in 1,3-5
  succeededCount    int32   | so many

type UncountedTerminatedPods | pods that have ended and are not counted yet
  succeeded  []UID  set  | those that ended well
  failed     []UID  set  | those that failed

scope policy policy v1 io.k8s.api.policy.v1
UnhealthyPodEvictionPolicyType = string AlwaysAllow IfHealthyBudget

kind Eviction | asks a pod to go, if its budgets allow
  + TypeMeta
  metadata       ObjectMeta     | name, labels and the rest that every object has
  deleteOptions  DeleteOptions  | how to delete it

kind PodDisruptionBudget | how many pods may be missing at a time
  + TypeMeta
  metadata  ObjectMeta                 | name, labels and the rest that every object has
  spec      PodDisruptionBudgetSpec    | which pods, and how many
  status    PodDisruptionBudgetStatus  | how many may go now

type PodDisruptionBudgetSpec | which pods, and how many of them must stay
  minAvailable                IntOrString                          | so many must stay, number or percentage
  selector                    LabelSelector               replace  | which pods
  maxUnavailable              IntOrString                          | so many may be missing, number or percentage
  unhealthyPodEvictionPolicy  UnhealthyPodEvictionPolicyType           | whether pods that are not ready may always go

type PodDisruptionBudgetStatus | how many pods may go now
  observedGeneration  int64                                 | the generation that this status describes
  disruptedPods       map[string]Time                       | pods that were allowed to go and have not gone yet
  disruptionsAllowed  int32                                 | so many may go now
  currentHealthy      int32                                 | so many are well
  desiredHealthy      int32                                 | so many must be
  expectedPods        int32                                 | so many are counted
  conditions          []Condition      map:type merge:type  | current conditions, one per type
)";

}  // namespace drover::sim::types
