// Pods, and where they may run. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kPods = R"(
scope core - v1 io.k8s.api.core.v1

kind Pod | containers that share a node, an address and volumes, and live and die together
  + TypeMeta
  metadata  ObjectMeta  | name, labels and the rest that every object has
  spec      PodSpec     | which containers to run, and how
  status    PodStatus   | states of the containers, as reported by the kubelet

kind PodTemplate | how pods are to be made, kept for others
  + TypeMeta
  metadata  ObjectMeta       | name, labels and the rest that every object has
  template  PodTemplateSpec  | how the pods are made

type Affinity | which nodes and neighbours a pod prefers or avoids
  nodeAffinity     NodeAffinity     | nodes to prefer or demand, by their labels
  podAffinity      PodAffinity      | pods to be near
  podAntiAffinity  PodAntiAffinity  | pods to keep away from

type HostAlias | a line of the pod's /etc/hosts
  ip*        string            | the address
  hostnames  []string  atomic  | names for it

type HostIP | an address of the node
  ip*  string  | the address

type NodeAffinity | nodes to prefer or demand
  requiredDuringSchedulingIgnoredDuringExecution  NodeSelector                       | what a node must have to get the pod
  preferredDuringSchedulingIgnoredDuringExecution  []PreferredSchedulingTerm  atomic  | what speaks for a node, by weight

type NodeAllocatableResourceClaimStatus | resources of the node that a claim takes
  resourceClaimName*  string                          | the claim
  containers          []string                   set  | its consumers
  resources*          map[ResourceName]Quantity       | how much it takes

type NodeSelector atomic | terms of which one must fit
  nodeSelectorTerms*  []NodeSelectorTerm  atomic  | the terms; one that fits is enough

type NodeSelectorRequirement | a demand on a label or field
  key*       string                        | the label's key
  operator*  NodeSelectorOperator          | In, NotIn, Exists, DoesNotExist, Gt or Lt
  values     []string              atomic  | what to compare with

type NodeSelectorTerm atomic | demands that must all be met
  matchExpressions  []NodeSelectorRequirement  atomic  | demands on labels
  matchFields       []NodeSelectorRequirement  atomic  | demands on fields

type PodAffinity | pods to be near
  requiredDuringSchedulingIgnoredDuringExecution  []PodAffinityTerm          atomic  | pods that must be near
  preferredDuringSchedulingIgnoredDuringExecution  []WeightedPodAffinityTerm  atomic  | pods that should be near, by weight

type PodAffinityTerm | which pods, and what near means
  labelSelector      LabelSelector          | which pods, by their labels
  namespaces         []string       atomic  | in these namespaces; default: the own one
  topologyKey*       string                 | the node label whose values are the topology domains
  namespaceSelector  LabelSelector          | which namespaces count, by their labels
  matchLabelKeys     []string       atomic  | labels whose values must be those of the pod itself
  mismatchLabelKeys  []string       atomic  | labels whose values must not be those of the pod itself

type PodAntiAffinity | pods to keep away from
  requiredDuringSchedulingIgnoredDuringExecution  []PodAffinityTerm          atomic  | pods that must not be near
  preferredDuringSchedulingIgnoredDuringExecution  []WeightedPodAffinityTerm  atomic  | pods that should not be near, by weight

type PodCondition | one condition (True, False or Unknown) of a pod
  type*               PodConditionType  | which aspect
  observedGeneration  int64             | the generation that this status describes
  status*             ConditionStatus   | True, False or Unknown
  lastProbeTime       Time              | when it was last looked at
  lastTransitionTime  Time              | when the status last changed
  reason              string            | the reason, one CamelCase word
  message             string            | what is the matter, for people

type PodDNSConfig | what goes into the pod's resolv.conf
  nameservers  []string              atomic  | servers to ask, besides those of the policy
  searches     []string              atomic  | domains to try
  options      []PodDNSConfigOption  atomic  | resolver options

type PodDNSConfigOption | a resolver option
  name   string  | its name
  value  string  | its value

type PodExtendedResourceClaimStatus | the claim made for extended resources
  requestMappings*    []ContainerExtendedResourceRequest  atomic  | which request belongs to which container
  resourceClaimName*  string                              | the claim

type PodIP | an address of the pod
  ip*  string  | the address

type PodOS | the operating system that a pod is for
  name*  OSName  | linux or windows

type PodReadinessGate | a condition that another component sets before the pod counts as ready
  conditionType*  PodConditionType  | which condition of the pod

type PodResourceClaim | a claim on devices that containers can use
  name*                      string  | what containers call it
  resourceClaimName          string  | a claim that exists
  resourceClaimTemplateName  string  | a template from which a claim is made for this pod

type PodResourceClaimStatus | the claim made from a template
  name*              string  | what the pod calls it
  resourceClaimName  string  | the claim

type PodSchedulingGate | a reason not to schedule the pod yet
  name*  string  | what blocks it

type PodSchedulingGroup | pods to be scheduled together
  podGroupName  string  | the group

type PodSecurityContext | rights and confinement of all containers of a pod
  seLinuxOptions            SELinuxOptions                      | the SELinux context
  windowsOptions            WindowsSecurityContextOptions          | the same for Windows
  runAsUser                 int64                               | the user to run as
  runAsGroup                int64                               | the first group to run with
  runAsNonRoot              bool                                | refuse to start as root
  supplementalGroups        []int64                     atomic  | further groups
  supplementalGroupsPolicy  SupplementalGroupsPolicy            | whether groups of the image count too: Merge or Strict
  fsGroup                   int64                               | the group that owns the volumes
  sysctls                   []Sysctl                    atomic  | kernel parameters of the pod
  fsGroupChangePolicy       PodFSGroupChangePolicy              | whether volumes that look right already are left alone
  seccompProfile            SeccompProfile                      | the filter for system calls
  appArmorProfile           AppArmorProfile                     | the AppArmor profile
  seLinuxChangePolicy       PodSELinuxChangePolicy              | how volumes get their SELinux label: MountOption or Recursive

type PodSpec | what a pod consists of and where it may run
  volumes                        []Volume                    map:name merge:name retain  | volumes that containers can mount
  initContainers                 []Container                 map:name merge:name   | containers that run one after the other before the rest
  containers*                    []Container                 map:name merge:name   | the containers; at least one
  ephemeralContainers            []EphemeralContainer        map:name merge:name   | containers put in later, to look around
  restartPolicy                  RestartPolicy                                     | whether ended containers are started again: Always, OnFailure or Never
  terminationGracePeriodSeconds  int64                                             | how long containers may take to end
  activeDeadlineSeconds          int64                                             | how long the pod may run before it fails
  dnsPolicy                      DNSPolicy                                         | where names are looked up
  nodeSelector                   map[string]string           atomic                | labels that the node must have
  serviceAccountName             string                                            | the identity towards the API
  serviceAccount                 string                                            | an old name of serviceAccountName
  automountServiceAccountToken   bool                                              | whether containers find a token for the API
  nodeName                       string                                            | the node; set by the scheduler
  hostNetwork                    bool                                              | use the node's network
  hostPID                        bool                                              | see the node's processes
  hostIPC                        bool                                              | share the node's IPC
  shareProcessNamespace          bool                                              | containers see each other's processes
  securityContext                PodSecurityContext                                | rights and confinement of all containers
  imagePullSecrets               []LocalObjectReference      map:name merge:name   | Secrets with logins for registries
  hostname                       string                                            | the host's name inside; default: the pod's own
  subdomain                      string                                            | the service that gives the host a domain
  affinity                       Affinity                                          | which nodes and neighbours it prefers or avoids
  schedulerName                  string                                            | which scheduler finds the node
  tolerations                    []Toleration                atomic                | taints of nodes that do not keep it away
  hostAliases                    []HostAlias                 map:ip merge:ip       | lines for /etc/hosts
  priorityClassName              string                                            | how important it is, by the name of a class
  priority                       int32                                             | the same as a number; filled in from the class
  dnsConfig                      PodDNSConfig                                      | more for resolv.conf
  readinessGates                 []PodReadinessGate          atomic                | conditions besides its own that make it ready
  runtimeClassName               string                                            | which runtime runs it
  enableServiceLinks             bool                                              | describe services by environment variables
  preemptionPolicy               PreemptionPolicy                                  | whether lesser pods must make room for it
  overhead                       ResourceList                                      | what the runtime itself needs
  topologySpreadConstraints      []TopologySpreadConstraint  map:topologyKey,whenUnsatisfiable merge:topologyKey  | how evenly pods like this are spread
  setHostnameAsFQDN              bool                                              | the host's name includes the domain
  os                             PodOS                                             | the operating system it is for
  hostUsers                      bool                                              | false gives it users of its own
  schedulingGates                []PodSchedulingGate         map:name merge:name   | reasons not to schedule it yet
  resourceClaims                 []PodResourceClaim          map:name merge:name retain  | claims on devices
  resources                      ResourceRequirements                              | what all containers together need and may use
  hostnameOverride               string                                            | the host's name inside, overrides everything else
  schedulingGroup                PodSchedulingGroup                                | pods to be scheduled together with it

type PodStatus | how a pod is
  observedGeneration              int64                                             | the generation that this status describes
  phase                           PodPhase                                          | Pending, Running, Succeeded, Failed or Unknown
  conditions                      []PodCondition              map:type merge:type   | current conditions, one per type
  message                         string                                            | what is the matter, for people
  reason                          string                                            | the reason, one CamelCase word
  nominatedNodeName               string                                            | the node where room is being made for it
  hostIP                          string                                            | the node's first address
  hostIPs                         []HostIP                    atomic merge:ip       | all addresses of the node
  podIP                           string                                            | the pod's first address
  podIPs                          []PodIP                     map:ip merge:ip       | all addresses of the pod
  startTime                       Time                                              | when the kubelet took it on
  initContainerStatuses           []ContainerStatus           atomic                | how the init containers are
  containerStatuses               []ContainerStatus           atomic                | how the containers are
  qosClass                        PodQOSClass                                       | Guaranteed, Burstable or BestEffort
  ephemeralContainerStatuses      []ContainerStatus           atomic                | how the ephemeral containers are
  resize                          PodResizeStatus                                   | how far a change of resources has come
  resourceClaimStatuses           []PodResourceClaimStatus    map:name merge:name retain  | claims made from templates
  extendedResourceClaimStatus     PodExtendedResourceClaimStatus                        | the claim made for extended resources
  allocatedResources              ResourceList                                      | what the node has set aside for it
  resources                       ResourceRequirements                              | what the runtime has granted it
  nodeAllocatableResourceClaimStatuses  []NodeAllocatableResourceClaimStatus  atomic                | resources of the node that its claims take

type PodTemplateSpec | how pods are to be made
  metadata  ObjectMeta  | labels and annotations for the pods
  spec      PodSpec     | what the pods consist of

type PreferredSchedulingTerm | what speaks for a node
  weight*      int32             | how much, from 1 to 100
  preference*  NodeSelectorTerm  | what the node must have

type Sysctl | a kernel parameter
  name*   string  | which
  value*  string  | its value

type Toleration | a taint that does not keep the pod away
  key                string              | which taints; default: all
  operator           TolerationOperator  | how the value is compared: Equal, Exists, Gt or Lt
  value              string              | the taint's value
  effect             TaintEffect         | which effect of the taint; default: all
  tolerationSeconds  int64               | how long the pod stays when such a taint appears; for NoExecute

type TopologySelectorLabelRequirement | a label and the values it may have
  key*     string            | the label's key
  values*  []string  atomic  | one of these

type TopologySelectorTerm atomic | labels that a place must have
  matchLabelExpressions  []TopologySelectorLabelRequirement  atomic  | the demands, all of which must be met

type TopologySpreadConstraint | how evenly pods are spread
  maxSkew*            int32                               | how many pods one place may have more than another
  topologyKey*        string                              | the node label whose values are the topology domains
  whenUnsatisfiable*  UnsatisfiableConstraintAction          | what to do when it cannot be: DoNotSchedule or ScheduleAnyway
  labelSelector       LabelSelector                       | which pods are counted
  minDomains          int32                               | count at least so many places
  nodeAffinityPolicy  NodeInclusionPolicy                 | whether nodes that the pod cannot use count
  nodeTaintsPolicy    NodeInclusionPolicy                 | whether nodes whose taints keep it away count
  matchLabelKeys      []string                    atomic  | labels whose values must be those of the pod itself

type WeightedPodAffinityTerm | pods that should be near or far
  weight*           int32            | how much it counts, from 1 to 100
  podAffinityTerm*  PodAffinityTerm  | which pods, and what near means
)";

}  // namespace drover::sim::types
