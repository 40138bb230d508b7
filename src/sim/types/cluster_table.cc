// Namespaces, services, configuration and Events. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kCluster = R"(
scope core - v1 io.k8s.api.core.v1
AppArmorProfileType = string Localhost RuntimeDefault Unconfined
AzureDataDiskCachingMode = string None ReadOnly ReadWrite
AzureDataDiskKind = string Dedicated Managed Shared
ClaimResourceStatus = string ControllerResizeInProgress ControllerResizeInfeasible NodeResizeInProgress
ClaimResourceStatus = string NodeResizeInfeasible NodeResizePending
DNSPolicy = string ClusterFirst ClusterFirstWithHostNet Default None
HostPathType = string "" BlockDevice CharDevice Directory DirectoryOrCreate File FileOrCreate Socket
IPFamily = string "" IPv4 IPv6
IPFamilyPolicy = string PreferDualStack RequireDualStack SingleStack
MountPropagationMode = string Bidirectional HostToContainer None
NamespacePhase = string Active Terminating
NodeInclusionPolicy = string Honor Ignore
NodePhase = string Pending Running Terminated
NodeSelectorOperator = string DoesNotExist Exists Gt In Lt NotIn
PersistentVolumeAccessMode = string ReadOnlyMany ReadWriteMany ReadWriteOnce ReadWriteOncePod
PersistentVolumeClaimModifyVolumeStatus = string InProgress Infeasible Pending
PersistentVolumeClaimPhase = string Bound Lost Pending
PersistentVolumeMode = string Block Filesystem
PersistentVolumePhase = string Available Bound Failed Pending Released
PersistentVolumeReclaimPolicy = string Delete Recycle Retain
PodFSGroupChangePolicy = string Always OnRootMismatch
PodPhase = string Failed Pending Running Succeeded Unknown
PodQOSClass = string BestEffort Burstable Guaranteed
PreemptionPolicy = string Never PreemptLowerPriority
ProcMountType = string Default Unmasked
Protocol = string SCTP TCP UDP
PullPolicy = string Always IfNotPresent Never
ResourceQuotaScope = string BestEffort CrossNamespacePodAffinity NotBestEffort NotTerminating PriorityClass
ResourceQuotaScope = string Terminating VolumeAttributesClass
RestartPolicy = string Always Never OnFailure
ScopeSelectorOperator = string DoesNotExist Exists In NotIn
SeccompProfileType = string Localhost RuntimeDefault Unconfined
ServiceAffinity = string ClientIP None
ServiceExternalTrafficPolicy = string Cluster Local
ServiceInternalTrafficPolicy = string Cluster Local
ServiceType = string ClusterIP ExternalName LoadBalancer NodePort
Signal = string SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL
Signal = string SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMAX-1 SIGRTMAX-10 SIGRTMAX-11 SIGRTMAX-12
Signal = string SIGRTMAX-13 SIGRTMAX-14 SIGRTMAX-2 SIGRTMAX-3 SIGRTMAX-4 SIGRTMAX-5 SIGRTMAX-6 SIGRTMAX-7 SIGRTMAX-8
Signal = string SIGRTMAX-9 SIGRTMIN SIGRTMIN+1 SIGRTMIN+10 SIGRTMIN+11 SIGRTMIN+12 SIGRTMIN+13 SIGRTMIN+14
Signal = string SIGRTMIN+15 SIGRTMIN+2 SIGRTMIN+3 SIGRTMIN+4 SIGRTMIN+5 SIGRTMIN+6 SIGRTMIN+7 SIGRTMIN+8 SIGRTMIN+9
Signal = string SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2
Signal = string SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ
SupplementalGroupsPolicy = string Merge Strict
TaintEffect = string NoExecute NoSchedule PreferNoSchedule
TerminationMessagePolicy = string FallbackToLogsOnError File
TolerationOperator = string Equal Exists Gt Lt
URIScheme = string HTTP HTTPS
UnsatisfiableConstraintAction = string DoNotSchedule ScheduleAnyway
Capability ConditionStatus ContainerRestartPolicy ContainerRestartRuleAction = string
ContainerRestartRuleOnExitCodesOperator FinalizerName LimitType LoadBalancerIPMode = string
NamespaceConditionType NodeAddressType NodeConditionType OSName PersistentVolumeClaimConditionType = string
PodConditionType PodResizeStatus PodSELinuxChangePolicy RecursiveReadOnlyMode = string
ReplicationControllerConditionType ResourceHealthStatus ResourceID ResourceName = string
ResourceResizeRestartPolicy SecretType StorageMedium UniqueVolumeName = string
ResourceList = map[ResourceName]Quantity

kind Binding | puts a pod on a node
  + TypeMeta
  metadata  ObjectMeta       | name, labels and the rest that every object has
  target*   ObjectReference  | the node

kind ConfigMap | plain configuration for pods
  + TypeMeta
  metadata    ObjectMeta         | name, labels and the rest that every object has
  immutable   bool               | if true, the data cannot be changed
  data        map[string]string  | entries that are text
  binaryData  map[string]bytes   | entries that are bytes

kind Endpoints | where a service leads, as one list; EndpointSlices have replaced it
  + TypeMeta
  metadata  ObjectMeta                | name, labels and the rest that every object has
  subsets   []EndpointSubset  atomic  | addresses and the ports they have in common

kind Event | something that happened to an object
  + TypeMeta
  metadata*           ObjectMeta       | name, labels and the rest that every object has
  involvedObject*     ObjectReference  | the object concerned
  reason              string           | what happened, one CamelCase word
  message             string           | what happened, for people
  source              EventSource      | the reporting component, deprecated form
  firstTimestamp      Time             | when it happened first
  lastTimestamp       Time             | when it happened last
  count               int32            | how often it happened
  type                string           | Normal or Warning
  eventTime           MicroTime        | when it happened
  series              EventSeries      | how it went on, when it happens again and again
  action              string           | what was done, or tried
  related             ObjectReference  | another object that had to do with it
  reportingComponent  string           | the reporting component
  reportingInstance   string           | which one of them

kind LimitRange | bounds and defaults for the resources of one namespace
  + TypeMeta
  metadata  ObjectMeta      | name, labels and the rest that every object has
  spec      LimitRangeSpec  | the bounds

kind Namespace | a room for names
  + TypeMeta
  metadata  ObjectMeta       | name, labels and the rest that every object has
  spec      NamespaceSpec    | what must happen before it can go
  status    NamespaceStatus  | whether it is in use or going

kind ReplicationController | a number of like pods; ReplicaSets have replaced it
  + TypeMeta
  metadata  ObjectMeta                  | name, labels and the rest that every object has
  spec      ReplicationControllerSpec   | how many, of what
  status    ReplicationControllerStatus  | how many there are

kind ResourceQuota | how much a namespace may use
  + TypeMeta
  metadata  ObjectMeta           | name, labels and the rest that every object has
  spec      ResourceQuotaSpec    | what is allowed
  status    ResourceQuotaStatus  | what is used

kind Secret | configuration for few eyes
  + TypeMeta
  metadata    ObjectMeta         | name, labels and the rest that every object has
  immutable   bool               | if true, the data cannot be changed
  data        map[string]bytes   | the entries
  stringData  map[string]string  | entries as plain text; only for writing
  type        SecretType         | what the entries mean

kind Service | an address that leads to pods
  + TypeMeta
  metadata  ObjectMeta     | name, labels and the rest that every object has
  spec      ServiceSpec    | which pods, by which ports
  status    ServiceStatus  | what a load balancer got

kind ServiceAccount | an identity for programs
  + TypeMeta
  metadata                      ObjectMeta                                   | name, labels and the rest that every object has
  secrets                       []ObjectReference       map:name merge:name  | Secrets that its pods may use, in the old way
  imagePullSecrets              []LocalObjectReference  atomic               | Secrets with logins for registries, for its pods
  automountServiceAccountToken  bool                                         | whether its pods find a token for the API

type ClientIPConfig | how long a client stays with a pod
  timeoutSeconds  int32  | after so long without a connection it may get another

type EndpointAddress atomic | one address
  ip*        string           | the address
  hostname   string           | the host's name
  nodeName   string           | the node it is on
  targetRef  ObjectReference  | the object behind it

type EndpointPort atomic | one port
  name         string    | its name, as in the service
  port*        int32     | its number
  protocol     Protocol  | TCP, UDP or SCTP
  appProtocol  string    | what is spoken over it

type EndpointSubset | addresses and the ports they have in common
  addresses          []EndpointAddress  atomic  | those that are ready
  notReadyAddresses  []EndpointAddress  atomic  | those that are not
  ports              []EndpointPort     atomic  | the ports

type EventSeries | an event that happens again and again
  count             int32      | how often so far
  lastObservedTime  MicroTime  | when it happened last

type EventSource | the reporting component
  component  string  | the program
  host       string  | the node it runs on

type LimitRangeItem | bounds for one sort of thing
  type*                 LimitType     | Pod, Container or PersistentVolumeClaim
  max                   ResourceList  | at most this much
  min                   ResourceList  | at least this much
  default               ResourceList  | the default limit
  defaultRequest        ResourceList  | the default request
  maxLimitRequestRatio  ResourceList  | how many times the request a limit may be

type LimitRangeSpec | bounds
  limits*  []LimitRangeItem  atomic  | one entry for each sort of thing

type LoadBalancerIngress | an address of a load balancer
  ip        string                      | the address
  hostname  string                      | the name, if it has no IP address
  ipMode    LoadBalancerIPMode          | VIP when packets arrive with this address, Proxy when not
  ports     []PortStatus        atomic  | how its ports are

type LoadBalancerStatus | what a load balancer got
  ingress  []LoadBalancerIngress  atomic  | its addresses

type LocalObjectReference atomic | an object in the same namespace
  name  string  | its name

type NamespaceCondition | one condition (True, False or Unknown) of a namespace
  type*               NamespaceConditionType  | which aspect
  status*             ConditionStatus         | True, False or Unknown
  lastTransitionTime  Time                    | when the status last changed
  reason              string                  | the reason, one CamelCase word
  message             string                  | what is the matter, for people

type NamespaceSpec | what must happen before a namespace can go
  finalizers  []FinalizerName  atomic  | finalizers not yet removed

type NamespaceStatus | whether a namespace is in use or going
  phase       NamespacePhase                             | Active or Terminating
  conditions  []NamespaceCondition  map:type merge:type  | current conditions, one per type

type ObjectReference atomic | an object, or a part of one
  kind             string  | what kind of object it is
  namespace        string  | its namespace
  name             string  | its name
  uid              UID     | its uid
  apiVersion       string  | group and version of the object
  resourceVersion  string  | which version of it
  fieldPath        string  | which part of it

type PortStatus | how a port of a load balancer is
  port*      int32     | the port
  protocol*  Protocol  | TCP, UDP or SCTP
  error      string    | why it does not work

type ReplicationControllerCondition | one condition (True, False or Unknown) of a ReplicationController
  type*               ReplicationControllerConditionType  | which aspect
  status*             ConditionStatus             | True, False or Unknown
  lastTransitionTime  Time                        | when the status last changed
  reason              string                      | the reason, one CamelCase word
  message             string                      | what is the matter, for people

type ReplicationControllerSpec | how many pods, of what
  replicas         int32                      | how many pods
  minReadySeconds  int32                      | how long a pod must be ready to count as available
  selector         map[string]string  atomic  | labels of its own pods
  template         PodTemplateSpec            | how its pods are made

type ReplicationControllerStatus | how many pods there are
  replicas*             int32                                            | pods that there are
  fullyLabeledReplicas  int32                                            | pods with all labels of the template
  readyReplicas         int32                                            | pods that are ready
  availableReplicas     int32                                            | pods that are available
  observedGeneration    int64                                            | the generation that this status describes
  conditions            []ReplicationControllerCondition  map:type merge:type  | current conditions, one per type

type ResourceQuotaSpec | how much a namespace may use
  hard           ResourceList                  | at most this much of each
  scopes         []ResourceQuotaScope  atomic  | what is counted; all of these must fit
  scopeSelector  ScopeSelector                 | what is counted, by more than names

type ResourceQuotaStatus | how much a namespace uses
  hard  ResourceList  | at most this much of each
  used  ResourceList  | so much is used

type ScopeSelector atomic | what a quota counts
  matchExpressions  []ScopedResourceSelectorRequirement  atomic  | all of these must fit

type ScopedResourceSelectorRequirement | a demand on what is counted
  scopeName*  ResourceQuotaScope             | what is looked at
  operator*   ScopeSelectorOperator          | In, NotIn, Exists or DoesNotExist
  values      []string               atomic  | what to compare with

type SecretReference atomic | a Secret in some namespace
  name       string  | its name
  namespace  string  | its namespace

type ServicePort | a port of a service
  name         string       | its name; needed when there are several
  protocol     Protocol     | TCP, UDP or SCTP
  appProtocol  string       | what is spoken over it
  port*        int32        | the port at the service's address
  targetPort   IntOrString  | number or name of the port at the pods
  nodePort     int32        | the port at every node

type ServiceSpec | which pods a service leads to, and how it is reached
  ports                          []ServicePort               map:port,protocol merge:port  | its ports
  selector                       map[string]string           atomic                | labels of the pods it leads to
  clusterIP                      string                                            | its address inside the cluster; None for none
  clusterIPs                     []string                    atomic                | the same for both families of addresses
  type                           ServiceType                                       | ClusterIP, NodePort, LoadBalancer or ExternalName
  externalIPs                    []string                    atomic                | further addresses at which nodes accept it
  sessionAffinity                ServiceAffinity                                   | ClientIP when a client shall stay with its pod
  loadBalancerIP                 string                                            | the address wanted from the cloud; no longer recommended
  loadBalancerSourceRanges       []string                    atomic                | clients that may come through the load balancer
  externalName                   string                                            | the name that it stands for; for ExternalName
  externalTrafficPolicy          ServiceExternalTrafficPolicy                        | Local when traffic from outside stays on its node
  healthCheckNodePort            int32                                             | the health check port: nodes report whether they have pods of it
  publishNotReadyAddresses       bool                                              | lead also to pods that are not ready
  sessionAffinityConfig          SessionAffinityConfig                             | how long a client stays
  ipFamilies                     []IPFamily                  atomic                | IPv4, IPv6 or both
  ipFamilyPolicy                 IPFamilyPolicy                                    | whether both families are wanted or needed
  allocateLoadBalancerNodePorts  bool                                              | whether a load balancer needs ports at the nodes
  loadBalancerClass              string                                            | the load balancer implementation
  internalTrafficPolicy          ServiceInternalTrafficPolicy                        | Local when traffic from inside stays on its node
  trafficDistribution            string                                            | which pods are preferred, such as those in the same zone

type ServiceStatus | what a service got
  loadBalancer  LoadBalancerStatus                       | the load balancer's addresses
  conditions    []Condition         map:type merge:type  | current conditions, one per type

type SessionAffinityConfig | how clients stay with a pod
  clientIP  ClientIPConfig  | by their address
)";

}  // namespace drover::sim::types
