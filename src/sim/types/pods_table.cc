// Pods and what is in them: containers, probes, where a pod may run. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kPods = R"(
scope core - v1 io.k8s.api.core.v1
AppArmorProfileType AzureDataDiskCachingMode AzureDataDiskKind Capability ClaimResourceStatus = string
ConditionStatus ContainerRestartPolicy ContainerRestartRuleAction = string
ContainerRestartRuleOnExitCodesOperator DNSPolicy FinalizerName HostPathType IPFamily IPFamilyPolicy = string
LimitType LoadBalancerIPMode MountPropagationMode NamespaceConditionType NamespacePhase = string
NodeAddressType NodeConditionType NodeInclusionPolicy NodePhase NodeSelectorOperator OSName = string
PersistentVolumeAccessMode PersistentVolumeClaimConditionType = string
PersistentVolumeClaimModifyVolumeStatus PersistentVolumeClaimPhase PersistentVolumeMode = string
PersistentVolumePhase PersistentVolumeReclaimPolicy PodConditionType PodFSGroupChangePolicy PodPhase = string
PodQOSClass PodResizeStatus PodSELinuxChangePolicy PreemptionPolicy ProcMountType Protocol = string
PullPolicy RecursiveReadOnlyMode ResourceHealthStatus ResourceID ResourceName ResourceQuotaScope = string
ResourceResizeRestartPolicy RestartPolicy ScopeSelectorOperator SeccompProfileType SecretType = string
ServiceAffinity ServiceExternalTrafficPolicy ServiceInternalTrafficPolicy ServiceType Signal = string
StorageMedium SupplementalGroupsPolicy TaintEffect TerminationMessagePolicy TolerationOperator = string
URIScheme UniqueVolumeName UnsatisfiableConstraintAction = string
ResourceList = map[ResourceName]Quantity

kind Pod | 
  + TypeMeta
  metadata  ObjectMeta  | name, labels and the rest that every object has
  spec      PodSpec     | what is wanted
  status    PodStatus   | how it is

type Affinity | 
  nodeAffinity     NodeAffinity     |
  podAffinity      PodAffinity      |
  podAntiAffinity  PodAntiAffinity  |

type AppArmorProfile | 
  type*             AppArmorProfileType  |
  localhostProfile  string               |

type Capabilities | 
  add   []Capability  atomic  |
  drop  []Capability  atomic  |

type ConfigMapEnvSource | 
  + LocalObjectReference
  optional  bool  |

type ConfigMapKeySelector atomic | 
  + LocalObjectReference
  key*      string  |
  optional  bool    |

type Container | 
  name*                     string                                                                    |
  image                     string                                                                    |
  command                   []string                  atomic                                          |
  args                      []string                  atomic                                          |
  workingDir                string                                                                    |
  ports                     []ContainerPort           map:containerPort,protocol merge:containerPort  |
  envFrom                   []EnvFromSource           atomic                                          |
  env                       []EnvVar                  map:name merge:name                             |
  resources                 ResourceRequirements                                                      |
  resizePolicy              []ContainerResizePolicy   atomic                                          |
  restartPolicy             ContainerRestartPolicy                                                    |
  restartPolicyRules        []ContainerRestartRule    atomic                                          |
  volumeMounts              []VolumeMount             map:mountPath merge:mountPath                   |
  volumeDevices             []VolumeDevice            map:devicePath merge:devicePath                 |
  livenessProbe             Probe                                                                     |
  readinessProbe            Probe                                                                     |
  startupProbe              Probe                                                                     |
  lifecycle                 Lifecycle                                                                 |
  terminationMessagePath    string                                                                    |
  terminationMessagePolicy  TerminationMessagePolicy                                                  |
  imagePullPolicy           PullPolicy                                                                |
  securityContext           SecurityContext                                                           |
  stdin                     bool                                                                      |
  stdinOnce                 bool                                                                      |
  tty                       bool                                                                      |

type ContainerExtendedResourceRequest | 
  containerName*  string  |
  resourceName*   string  |
  requestName*    string  |

type ContainerPort | 
  name            string    |
  hostPort        int32     |
  containerPort*  int32     |
  protocol        Protocol  |
  hostIP          string    |

type ContainerResizePolicy | 
  resourceName*   ResourceName                 |
  restartPolicy*  ResourceResizeRestartPolicy  |

type ContainerRestartRule | 
  action*    ContainerRestartRuleAction       |
  exitCodes  ContainerRestartRuleOnExitCodes  |

type ContainerRestartRuleOnExitCodes | 
  operator*  ContainerRestartRuleOnExitCodesOperator       |
  values     []int32                                  set  |

type ContainerState | 
  waiting     ContainerStateWaiting     |
  running     ContainerStateRunning     |
  terminated  ContainerStateTerminated  |

type ContainerStateRunning | 
  startedAt  Time  |

type ContainerStateTerminated | 
  exitCode*    int32   |
  signal       int32   |
  reason       string  |
  message      string  |
  startedAt    Time    |
  finishedAt   Time    |
  containerID  string  |

type ContainerStateWaiting | 
  reason   string  |
  message  string  |

type ContainerStatus | 
  name*                     string                                               |
  state                     ContainerState                                       |
  lastState                 ContainerState                                       |
  ready*                    bool                                                 |
  restartCount*             int32                                                |
  image*                    string                                               |
  imageID*                  string                                               |
  containerID               string                                               |
  started                   bool                                                 |
  allocatedResources        ResourceList                                         |
  resources                 ResourceRequirements                                 |
  volumeMounts              []VolumeMountStatus   map:mountPath merge:mountPath  |
  user                      ContainerUser                                        |
  allocatedResourcesStatus  []ResourceStatus      map:name merge:name            |
  stopSignal                Signal                                               |

type ContainerUser | 
  linux  LinuxContainerUser  |

type EnvFromSource | 
  prefix        string              |
  configMapRef  ConfigMapEnvSource  |
  secretRef     SecretEnvSource     |

type EnvVar | 
  name*      string        |
  value      string        |
  valueFrom  EnvVarSource  |

type EnvVarSource | 
  fieldRef          ObjectFieldSelector    |
  resourceFieldRef  ResourceFieldSelector  |
  configMapKeyRef   ConfigMapKeySelector   |
  secretKeyRef      SecretKeySelector      |
  fileKeyRef        FileKeySelector        |

type EphemeralContainer | 
  + EphemeralContainerCommon
  targetContainerName  string  |

type EphemeralContainerCommon | 
  name*                     string                                                                    |
  image                     string                                                                    |
  command                   []string                  atomic                                          |
  args                      []string                  atomic                                          |
  workingDir                string                                                                    |
  ports                     []ContainerPort           map:containerPort,protocol merge:containerPort  |
  envFrom                   []EnvFromSource           atomic                                          |
  env                       []EnvVar                  map:name merge:name                             |
  resources                 ResourceRequirements                                                      |
  resizePolicy              []ContainerResizePolicy   atomic                                          |
  restartPolicy             ContainerRestartPolicy                                                    |
  restartPolicyRules        []ContainerRestartRule    atomic                                          |
  volumeMounts              []VolumeMount             map:mountPath merge:mountPath                   |
  volumeDevices             []VolumeDevice            map:devicePath merge:devicePath                 |
  livenessProbe             Probe                                                                     |
  readinessProbe            Probe                                                                     |
  startupProbe              Probe                                                                     |
  lifecycle                 Lifecycle                                                                 |
  terminationMessagePath    string                                                                    |
  terminationMessagePolicy  TerminationMessagePolicy                                                  |
  imagePullPolicy           PullPolicy                                                                |
  securityContext           SecurityContext                                                           |
  stdin                     bool                                                                      |
  stdinOnce                 bool                                                                      |
  tty                       bool                                                                      |

type ExecAction | 
  command  []string  atomic  |

type FileKeySelector atomic | 
  volumeName*  string  |
  path*        string  |
  key*         string  |
  optional     bool    |

type GRPCAction | 
  port*    int32   |
  service  string  |

type HTTPGetAction | 
  path         string                |
  port*        IntOrString           |
  host         string                |
  scheme       URIScheme             |
  httpHeaders  []HTTPHeader  atomic  |

type HTTPHeader | 
  name*   string  |
  value*  string  |

type HostAlias | 
  ip*        string            |
  hostnames  []string  atomic  |

type HostIP | 
  ip*  string  |

type ImageVolumeStatus | 
  imageRef*  string  |

type Lifecycle | 
  postStart   LifecycleHandler  |
  preStop     LifecycleHandler  |
  stopSignal  Signal            |

type LifecycleHandler | 
  exec       ExecAction       |
  httpGet    HTTPGetAction    |
  tcpSocket  TCPSocketAction  |
  sleep      SleepAction      |

type LinuxContainerUser | 
  uid*                int64            |
  gid*                int64            |
  supplementalGroups  []int64  atomic  |

type NodeAffinity | 
  requiredDuringSchedulingIgnoredDuringExecution   NodeSelector                       |
  preferredDuringSchedulingIgnoredDuringExecution  []PreferredSchedulingTerm  atomic  |

type NodeAllocatableResourceClaimStatus | 
  resourceClaimName*  string                          |
  containers          []string                   set  |
  resources*          map[ResourceName]Quantity       |

type NodeSelector atomic | 
  nodeSelectorTerms*  []NodeSelectorTerm  atomic  |

type NodeSelectorRequirement | 
  key*       string                        |
  operator*  NodeSelectorOperator          |
  values     []string              atomic  |

type NodeSelectorTerm atomic | 
  matchExpressions  []NodeSelectorRequirement  atomic  |
  matchFields       []NodeSelectorRequirement  atomic  |

type ObjectFieldSelector atomic | 
  apiVersion  string  |
  fieldPath*  string  |

type PodAffinity | 
  requiredDuringSchedulingIgnoredDuringExecution   []PodAffinityTerm          atomic  |
  preferredDuringSchedulingIgnoredDuringExecution  []WeightedPodAffinityTerm  atomic  |

type PodAffinityTerm | 
  labelSelector      LabelSelector          |
  namespaces         []string       atomic  |
  topologyKey*       string                 |
  namespaceSelector  LabelSelector          |
  matchLabelKeys     []string       atomic  |
  mismatchLabelKeys  []string       atomic  |

type PodAntiAffinity | 
  requiredDuringSchedulingIgnoredDuringExecution   []PodAffinityTerm          atomic  |
  preferredDuringSchedulingIgnoredDuringExecution  []WeightedPodAffinityTerm  atomic  |

type PodCondition | 
  type*               PodConditionType  |
  observedGeneration  int64             |
  status*             ConditionStatus   | how it is
  lastProbeTime       Time              |
  lastTransitionTime  Time              |
  reason              string            |
  message             string            |

type PodDNSConfig | 
  nameservers  []string              atomic  |
  searches     []string              atomic  |
  options      []PodDNSConfigOption  atomic  |

type PodDNSConfigOption | 
  name   string  |
  value  string  |

type PodExtendedResourceClaimStatus | 
  requestMappings*    []ContainerExtendedResourceRequest  atomic  |
  resourceClaimName*  string                                      |

type PodIP | 
  ip*  string  |

type PodOS | 
  name*  OSName  |

type PodReadinessGate | 
  conditionType*  PodConditionType  |

type PodResourceClaim | 
  name*                      string  |
  resourceClaimName          string  |
  resourceClaimTemplateName  string  |

type PodResourceClaimStatus | 
  name*              string  |
  resourceClaimName  string  |

type PodSchedulingGate | 
  name*  string  |

type PodSchedulingGroup | 
  podGroupName  string  |

type PodSecurityContext | 
  seLinuxOptions            SELinuxOptions                         |
  windowsOptions            WindowsSecurityContextOptions          |
  runAsUser                 int64                                  |
  runAsGroup                int64                                  |
  runAsNonRoot              bool                                   |
  supplementalGroups        []int64                        atomic  |
  supplementalGroupsPolicy  SupplementalGroupsPolicy               |
  fsGroup                   int64                                  |
  sysctls                   []Sysctl                       atomic  |
  fsGroupChangePolicy       PodFSGroupChangePolicy                 |
  seccompProfile            SeccompProfile                         |
  appArmorProfile           AppArmorProfile                        |
  seLinuxChangePolicy       PodSELinuxChangePolicy                 |

type PodSpec | 
  volumes                        []Volume                    map:name merge:name retain                           |
  initContainers                 []Container                 map:name merge:name                                  |
  containers*                    []Container                 map:name merge:name                                  |
  ephemeralContainers            []EphemeralContainer        map:name merge:name                                  |
  restartPolicy                  RestartPolicy                                                                    |
  terminationGracePeriodSeconds  int64                                                                            |
  activeDeadlineSeconds          int64                                                                            |
  dnsPolicy                      DNSPolicy                                                                        |
  nodeSelector                   map[string]string           atomic                                               |
  serviceAccountName             string                                                                           |
  serviceAccount                 string                                                                           |
  automountServiceAccountToken   bool                                                                             |
  nodeName                       string                                                                           |
  hostNetwork                    bool                                                                             |
  hostPID                        bool                                                                             |
  hostIPC                        bool                                                                             |
  shareProcessNamespace          bool                                                                             |
  securityContext                PodSecurityContext                                                               |
  imagePullSecrets               []LocalObjectReference      map:name merge:name                                  |
  hostname                       string                                                                           |
  subdomain                      string                                                                           |
  affinity                       Affinity                                                                         |
  schedulerName                  string                                                                           |
  tolerations                    []Toleration                atomic                                               |
  hostAliases                    []HostAlias                 map:ip merge:ip                                      |
  priorityClassName              string                                                                           |
  priority                       int32                                                                            |
  dnsConfig                      PodDNSConfig                                                                     |
  readinessGates                 []PodReadinessGate          atomic                                               |
  runtimeClassName               string                                                                           |
  enableServiceLinks             bool                                                                             |
  preemptionPolicy               PreemptionPolicy                                                                 |
  overhead                       ResourceList                                                                     |
  topologySpreadConstraints      []TopologySpreadConstraint  map:topologyKey,whenUnsatisfiable merge:topologyKey  |
  setHostnameAsFQDN              bool                                                                             |
  os                             PodOS                                                                            |
  hostUsers                      bool                                                                             |
  schedulingGates                []PodSchedulingGate         map:name merge:name                                  |
  resourceClaims                 []PodResourceClaim          map:name merge:name retain                           |
  resources                      ResourceRequirements                                                             |
  hostnameOverride               string                                                                           |
  schedulingGroup                PodSchedulingGroup                                                               |

type PodStatus | 
  observedGeneration                    int64                                                             |
  phase                                 PodPhase                                                          |
  conditions                            []PodCondition                        map:type merge:type         |
  message                               string                                                            |
  reason                                string                                                            |
  nominatedNodeName                     string                                                            |
  hostIP                                string                                                            |
  hostIPs                               []HostIP                              atomic merge:ip             |
  podIP                                 string                                                            |
  podIPs                                []PodIP                               map:ip merge:ip             |
  startTime                             Time                                                              |
  initContainerStatuses                 []ContainerStatus                     atomic                      |
  containerStatuses                     []ContainerStatus                     atomic                      |
  qosClass                              PodQOSClass                                                       |
  ephemeralContainerStatuses            []ContainerStatus                     atomic                      |
  resize                                PodResizeStatus                                                   |
  resourceClaimStatuses                 []PodResourceClaimStatus              map:name merge:name retain  |
  extendedResourceClaimStatus           PodExtendedResourceClaimStatus                                    |
  allocatedResources                    ResourceList                                                      |
  resources                             ResourceRequirements                                              |
  nodeAllocatableResourceClaimStatuses  []NodeAllocatableResourceClaimStatus  atomic                      |

type PodTemplateSpec | 
  metadata  ObjectMeta  | name, labels and the rest that every object has
  spec      PodSpec     | what is wanted

type PreferredSchedulingTerm | 
  weight*      int32             |
  preference*  NodeSelectorTerm  |

type Probe | 
  + ProbeHandler
  initialDelaySeconds            int32  |
  timeoutSeconds                 int32  |
  periodSeconds                  int32  |
  successThreshold               int32  |
  failureThreshold               int32  |
  terminationGracePeriodSeconds  int64  |

type ProbeHandler | 
  exec       ExecAction       |
  httpGet    HTTPGetAction    |
  tcpSocket  TCPSocketAction  |
  grpc       GRPCAction       |

type ResourceClaim | 
  name*    string  |
  request  string  |

type ResourceFieldSelector atomic | 
  containerName  string    |
  resource*      string    |
  divisor        Quantity  |

type ResourceHealth | 
  resourceID*  ResourceID            |
  health       ResourceHealthStatus  |
  message      string                |

type ResourceRequirements | 
  limits    ResourceList               |
  requests  ResourceList               |
  claims    []ResourceClaim  map:name  |

type ResourceStatus | 
  name*      ResourceName                      |
  resources  []ResourceHealth  map:resourceID  |

type SELinuxOptions | 
  user   string  |
  role   string  |
  type   string  |
  level  string  |

type SeccompProfile | 
  type*             SeccompProfileType  |
  localhostProfile  string              |

type SecretEnvSource | 
  + LocalObjectReference
  optional  bool  |

type SecretKeySelector atomic | 
  + LocalObjectReference
  key*      string  |
  optional  bool    |

type SecurityContext | 
  capabilities              Capabilities                   |
  privileged                bool                           |
  seLinuxOptions            SELinuxOptions                 |
  windowsOptions            WindowsSecurityContextOptions  |
  runAsUser                 int64                          |
  runAsGroup                int64                          |
  runAsNonRoot              bool                           |
  readOnlyRootFilesystem    bool                           |
  allowPrivilegeEscalation  bool                           |
  procMount                 ProcMountType                  |
  seccompProfile            SeccompProfile                 |
  appArmorProfile           AppArmorProfile                |

type SleepAction | 
  seconds*  int64  |

type Sysctl | 
  name*   string  |
  value*  string  |

type TCPSocketAction | 
  port*  IntOrString  |
  host   string       |

type Toleration | 
  key                string              |
  operator           TolerationOperator  |
  value              string              |
  effect             TaintEffect         |
  tolerationSeconds  int64               |

type TopologySelectorLabelRequirement | 
  key*     string            |
  values*  []string  atomic  |

type TopologySelectorTerm atomic | 
  matchLabelExpressions  []TopologySelectorLabelRequirement  atomic  |

type TopologySpreadConstraint | 
  maxSkew*            int32                                  |
  topologyKey*        string                                 |
  whenUnsatisfiable*  UnsatisfiableConstraintAction          |
  labelSelector       LabelSelector                          |
  minDomains          int32                                  |
  nodeAffinityPolicy  NodeInclusionPolicy                    |
  nodeTaintsPolicy    NodeInclusionPolicy                    |
  matchLabelKeys      []string                       atomic  |

type VolumeDevice | 
  name*        string  |
  devicePath*  string  |

type VolumeMount | 
  name*              string                 |
  readOnly           bool                   |
  recursiveReadOnly  RecursiveReadOnlyMode  |
  mountPath*         string                 |
  subPath            string                 |
  mountPropagation   MountPropagationMode   |
  subPathExpr        string                 |

type VolumeMountStatus | 
  name*              string                 |
  mountPath*         string                 |
  readOnly           bool                   |
  recursiveReadOnly  RecursiveReadOnlyMode  |
  volumeStatus       VolumeStatus           |

type VolumeStatus | 
  image  ImageVolumeStatus  |

type WeightedPodAffinityTerm | 
  weight*           int32            |
  podAffinityTerm*  PodAffinityTerm  |

type WindowsSecurityContextOptions | 
  gmsaCredentialSpecName  string  |
  gmsaCredentialSpec      string  |
  runAsUserName           string  |
  hostProcess             bool    |
)";

}  // namespace drover::sim::types
