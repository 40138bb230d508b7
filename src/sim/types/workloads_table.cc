// The kinds that make pods, and budgets for taking them away. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kWorkloads = R"(
scope apps apps v1 io.k8s.api.apps.v1
DaemonSetConditionType DaemonSetUpdateStrategyType DeploymentConditionType DeploymentStrategyType = string
PersistentVolumeClaimRetentionPolicyType PodManagementPolicyType ReplicaSetConditionType = string
StatefulSetConditionType StatefulSetUpdateStrategyType = string

kind ControllerRevision | 
  + TypeMeta
  metadata   ObjectMeta    | name, labels and the rest that every object has
  data       RawExtension  |
  revision*  int64         |

kind DaemonSet | 
  + TypeMeta
  metadata  ObjectMeta       | name, labels and the rest that every object has
  spec      DaemonSetSpec    | what is wanted
  status    DaemonSetStatus  | how it is

kind Deployment | 
  + TypeMeta
  metadata  ObjectMeta        | name, labels and the rest that every object has
  spec      DeploymentSpec    | what is wanted
  status    DeploymentStatus  | how it is

kind ReplicaSet | 
  + TypeMeta
  metadata  ObjectMeta        | name, labels and the rest that every object has
  spec      ReplicaSetSpec    | what is wanted
  status    ReplicaSetStatus  | how it is

kind StatefulSet | 
  + TypeMeta
  metadata  ObjectMeta         | name, labels and the rest that every object has
  spec      StatefulSetSpec    | what is wanted
  status    StatefulSetStatus  | how it is

type DaemonSetCondition | 
  type*               DaemonSetConditionType  |
  status*             ConditionStatus         | how it is
  lastTransitionTime  Time                    |
  reason              string                  |
  message             string                  |

type DaemonSetSpec | 
  selector*             LabelSelector            |
  template*             PodTemplateSpec          |
  updateStrategy        DaemonSetUpdateStrategy  |
  minReadySeconds       int32                    |
  revisionHistoryLimit  int32                    |

type DaemonSetStatus | 
  currentNumberScheduled*  int32                                      |
  numberMisscheduled*      int32                                      |
  desiredNumberScheduled*  int32                                      |
  numberReady*             int32                                      |
  observedGeneration       int64                                      |
  updatedNumberScheduled   int32                                      |
  numberAvailable          int32                                      |
  numberUnavailable        int32                                      |
  collisionCount           int32                                      |
  conditions               []DaemonSetCondition  map:type merge:type  |

type DaemonSetUpdateStrategy | 
  type           DaemonSetUpdateStrategyType  |
  rollingUpdate  RollingUpdateDaemonSet       |

type DeploymentCondition | 
  type*               DeploymentConditionType  |
  status*             ConditionStatus          | how it is
  lastUpdateTime      Time                     |
  lastTransitionTime  Time                     |
  reason              string                   |
  message             string                   |

type DeploymentSpec | 
  replicas                 int32                       |
  selector*                LabelSelector               |
  template*                PodTemplateSpec             |
  strategy                 DeploymentStrategy  retain  |
  minReadySeconds          int32                       |
  revisionHistoryLimit     int32                       |
  paused                   bool                        |
  progressDeadlineSeconds  int32                       |

type DeploymentStatus | 
  observedGeneration   int64                                       |
  replicas             int32                                       |
  updatedReplicas      int32                                       |
  readyReplicas        int32                                       |
  availableReplicas    int32                                       |
  unavailableReplicas  int32                                       |
  terminatingReplicas  int32                                       |
  conditions           []DeploymentCondition  map:type merge:type  |
  collisionCount       int32                                       |

type DeploymentStrategy | 
  type           DeploymentStrategyType   |
  rollingUpdate  RollingUpdateDeployment  |

type ReplicaSetCondition | 
  type*               ReplicaSetConditionType  |
  status*             ConditionStatus          | how it is
  lastTransitionTime  Time                     |
  reason              string                   |
  message             string                   |

type ReplicaSetSpec | 
  replicas         int32            |
  minReadySeconds  int32            |
  selector*        LabelSelector    |
  template         PodTemplateSpec  |

type ReplicaSetStatus | 
  replicas*             int32                                       |
  fullyLabeledReplicas  int32                                       |
  readyReplicas         int32                                       |
  availableReplicas     int32                                       |
  terminatingReplicas   int32                                       |
  observedGeneration    int64                                       |
  conditions            []ReplicaSetCondition  map:type merge:type  |

type RollingUpdateDaemonSet | 
  maxUnavailable  IntOrString  |
  maxSurge        IntOrString  |

type RollingUpdateDeployment | 
  maxUnavailable  IntOrString  |
  maxSurge        IntOrString  |

type RollingUpdateStatefulSetStrategy | 
  partition       int32        |
  maxUnavailable  IntOrString  |

type StatefulSetCondition | 
  type*               StatefulSetConditionType  |
  status*             ConditionStatus           | how it is
  lastTransitionTime  Time                      |
  reason              string                    |
  message             string                    |

type StatefulSetOrdinals | 
  start  int32  |

type StatefulSetPersistentVolumeClaimRetentionPolicy | 
  whenDeleted  PersistentVolumeClaimRetentionPolicyType  |
  whenScaled   PersistentVolumeClaimRetentionPolicyType  |

type StatefulSetSpec | 
  replicas                              int32                                                    |
  selector*                             LabelSelector                                            |
  template*                             PodTemplateSpec                                          |
  volumeClaimTemplates                  []PersistentVolumeClaim                          atomic  |
  serviceName                           string                                                   |
  podManagementPolicy                   PodManagementPolicyType                                  |
  updateStrategy                        StatefulSetUpdateStrategy                                |
  revisionHistoryLimit                  int32                                                    |
  minReadySeconds                       int32                                                    |
  persistentVolumeClaimRetentionPolicy  StatefulSetPersistentVolumeClaimRetentionPolicy          |
  ordinals                              StatefulSetOrdinals                                      |

type StatefulSetStatus | 
  observedGeneration  int64                                        |
  replicas*           int32                                        |
  readyReplicas       int32                                        |
  currentReplicas     int32                                        |
  updatedReplicas     int32                                        |
  currentRevision     string                                       |
  updateRevision      string                                       |
  collisionCount      int32                                        |
  conditions          []StatefulSetCondition  map:type merge:type  |
  availableReplicas   int32                                        |

type StatefulSetUpdateStrategy | 
  type           StatefulSetUpdateStrategyType     |
  rollingUpdate  RollingUpdateStatefulSetStrategy  |

scope batch batch v1 io.k8s.api.batch.v1
CompletionMode ConcurrencyPolicy JobConditionType PodFailurePolicyAction = string
PodFailurePolicyOnExitCodesOperator PodReplacementPolicy = string

kind CronJob | 
  + TypeMeta
  metadata  ObjectMeta     | name, labels and the rest that every object has
  spec*     CronJobSpec    | what is wanted
  status    CronJobStatus  | how it is

kind Job | 
  + TypeMeta
  metadata  ObjectMeta  | name, labels and the rest that every object has
  spec      JobSpec     | what is wanted
  status    JobStatus   | how it is

type CronJobSpec | 
  schedule*                   string             |
  timeZone                    string             |
  startingDeadlineSeconds     int64              |
  concurrencyPolicy           ConcurrencyPolicy  |
  suspend                     bool               |
  jobTemplate*                JobTemplateSpec    |
  successfulJobsHistoryLimit  int32              |
  failedJobsHistoryLimit      int32              |

type CronJobStatus | 
  active              []ObjectReference  atomic  |
  lastScheduleTime    Time                       |
  lastSuccessfulTime  Time                       |

type JobCondition | 
  type*               JobConditionType  |
  status*             ConditionStatus   | how it is
  lastProbeTime       Time              |
  lastTransitionTime  Time              |
  reason              string            |
  message             string            |

type JobSpec | 
  parallelism              int32                 |
  completions              int32                 |
  activeDeadlineSeconds    int64                 |
  podFailurePolicy         PodFailurePolicy      |
  successPolicy            SuccessPolicy         |
  backoffLimit             int32                 |
  backoffLimitPerIndex     int32                 |
  maxFailedIndexes         int32                 |
  selector                 LabelSelector         |
  manualSelector           bool                  |
  template*                PodTemplateSpec       |
  ttlSecondsAfterFinished  int32                 |
  completionMode           CompletionMode        |
  suspend                  bool                  |
  podReplacementPolicy     PodReplacementPolicy  |
  managedBy                string                |

type JobStatus | 
  conditions               []JobCondition           atomic merge:type  |
  startTime                Time                                        |
  completionTime           Time                                        |
  active                   int32                                       |
  succeeded                int32                                       |
  failed                   int32                                       |
  terminating              int32                                       |
  completedIndexes         string                                      |
  failedIndexes            string                                      |
  uncountedTerminatedPods  UncountedTerminatedPods                     |
  ready                    int32                                       |

type JobTemplateSpec | 
  metadata  ObjectMeta  | name, labels and the rest that every object has
  spec      JobSpec     | what is wanted

type PodFailurePolicy | 
  rules*  []PodFailurePolicyRule  atomic  |

type PodFailurePolicyOnExitCodesRequirement | 
  containerName  string                                    |
  operator*      PodFailurePolicyOnExitCodesOperator       |
  values*        []int32                              set  |

type PodFailurePolicyOnPodConditionsPattern | 
  type*   PodConditionType  |
  status  ConditionStatus   | how it is

type PodFailurePolicyRule | 
  action*          PodFailurePolicyAction                            |
  onExitCodes      PodFailurePolicyOnExitCodesRequirement            |
  onPodConditions  []PodFailurePolicyOnPodConditionsPattern  atomic  |

type SuccessPolicy | 
  rules*  []SuccessPolicyRule  atomic  |

type SuccessPolicyRule | 
  succeededIndexes  string  |
  succeededCount    int32   |

type UncountedTerminatedPods | 
  succeeded  []UID  set  |
  failed     []UID  set  |

scope policy policy v1 io.k8s.api.policy.v1
UnhealthyPodEvictionPolicyType = string

kind Eviction | 
  + TypeMeta
  metadata       ObjectMeta     | name, labels and the rest that every object has
  deleteOptions  DeleteOptions  |

kind PodDisruptionBudget | 
  + TypeMeta
  metadata  ObjectMeta                 | name, labels and the rest that every object has
  spec      PodDisruptionBudgetSpec    | what is wanted
  status    PodDisruptionBudgetStatus  | how it is

type PodDisruptionBudgetSpec | 
  minAvailable                IntOrString                              |
  selector                    LabelSelector                   replace  |
  maxUnavailable              IntOrString                              |
  unhealthyPodEvictionPolicy  UnhealthyPodEvictionPolicyType           |

type PodDisruptionBudgetStatus | 
  observedGeneration  int64                                 |
  disruptedPods       map[string]Time                       |
  disruptionsAllowed  int32                                 |
  currentHealthy      int32                                 |
  desiredHealthy      int32                                 |
  expectedPods        int32                                 |
  conditions          []Condition      map:type merge:type  |

scope autoscaling autoscaling v1 io.k8s.api.autoscaling.v1

kind Scale | 
  + TypeMeta
  metadata  ObjectMeta   | name, labels and the rest that every object has
  spec      ScaleSpec    | what is wanted
  status    ScaleStatus  | how it is

type ScaleSpec | 
  replicas  int32  |

type ScaleStatus | 
  replicas*  int32   |
  selector   string  |
)";

}  // namespace drover::sim::types
