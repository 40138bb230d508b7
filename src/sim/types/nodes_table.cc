// Machines that run pods. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kNodes = R"(
scope core - v1 io.k8s.api.core.v1

kind Node | a machine that runs pods
  + TypeMeta
  metadata  ObjectMeta  | name, labels and the rest that every object has
  spec      NodeSpec    | what is wanted of it
  status    NodeStatus  | its state, as reported by the kubelet

type AttachedVolume | a volume that is attached to a node
  name*        UniqueVolumeName  | the volume
  devicePath*  string            | the device it became

type ConfigMapNodeConfigSource | a kubelet's configuration in a ConfigMap; no longer used
  namespace*         string  | where the ConfigMap is
  name*              string  | the ConfigMap
  uid                UID     | the ConfigMap's own uid
  resourceVersion    string  | the ConfigMap's version
  kubeletConfigKey*  string  | which entry

type ContainerImage | an image that a node has
  names      []string  atomic  | names by which it is known
  sizeBytes  int64             | how large it is

type DaemonEndpoint | a port of a daemon
  Port*  int32  | the port

type NodeAddress | an address of a node
  type*     NodeAddressType  | Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS
  address*  string           | the address

type NodeCondition | one condition (True, False or Unknown) of a node
  type*               NodeConditionType  | which aspect, such as Ready
  status*             ConditionStatus    | True, False or Unknown
  lastHeartbeatTime   Time               | when the kubelet last reported it
  lastTransitionTime  Time               | when the status last changed
  reason              string             | the reason, one CamelCase word
  message             string             | what is the matter, for people

type NodeConfigSource | where a kubelet's configuration is; no longer used
  configMap  ConfigMapNodeConfigSource  | a ConfigMap

type NodeConfigStatus | which configuration a kubelet has; no longer used
  assigned       NodeConfigSource  | the one that it should use
  active         NodeConfigSource  | the one that it uses
  lastKnownGood  NodeConfigSource  | the one that it goes back to
  error          string            | why it does not use the assigned one

type NodeDaemonEndpoints | ports of a node's daemons
  kubeletEndpoint  DaemonEndpoint  | the kubelet's port

type NodeFeatures | what a node's runtime can do
  supplementalGroupsPolicy  bool  | it knows policies for further groups

type NodeRuntimeHandler | one of a node's runtimes
  name      string                      | its name; none for the usual one
  features  NodeRuntimeHandlerFeatures  | what it can do

type NodeRuntimeHandlerFeatures | what a runtime can do
  recursiveReadOnlyMounts  bool  | it can make mounts read-only with all below
  userNamespaces           bool  | it can give pods users of their own

type NodeSpec | what is wanted of a node
  podCIDR        string                       | addresses for its pods
  podCIDRs       []string          set merge  | the same for both families of addresses
  providerID     string                       | the cloud's name for the machine
  unschedulable  bool                         | no new pods may come
  taints         []Taint           atomic     | what keeps pods away
  configSource   NodeConfigSource             | no longer used
  externalID     string                       | no longer used

type NodeStatus | how a node is
  capacity          ResourceList                               | what it has
  allocatable       ResourceList                               | what is there for pods
  phase             NodePhase                                  | no longer used
  conditions        []NodeCondition       map:type merge:type  | current conditions, one per type
  addresses         []NodeAddress         map:type merge:type  | its addresses
  daemonEndpoints   NodeDaemonEndpoints                        | ports of its daemons
  nodeInfo          NodeSystemInfo                             | what is installed on it
  images            []ContainerImage      atomic               | images that it has
  volumesInUse      []UniqueVolumeName    atomic               | volumes that it has mounted
  volumesAttached   []AttachedVolume      atomic               | volumes that are attached to it
  config            NodeConfigStatus                           | no longer used
  runtimeHandlers   []NodeRuntimeHandler  atomic               | its runtimes
  features          NodeFeatures                               | what its runtime can do
  declaredFeatures  []string              atomic               | features that the kubelet reports

type NodeSwapStatus | a node's swap space
  capacity  int64  | how much there is

type NodeSystemInfo | what is installed on a node
  machineID*                string          | what the system calls the machine
  systemUUID*               string          | what the firmware calls the machine
  bootID*                   string          | another after each boot
  kernelVersion*            string          | what uname calls the kernel
  osImage*                  string          | what os-release calls the system
  containerRuntimeVersion*  string          | the runtime and its version
  kubeletVersion*           string          | the kubelet's version
  kubeProxyVersion*         string          | no longer reported
  operatingSystem*          string          | linux or windows
  architecture*             string          | amd64, arm64 and so on
  swap                      NodeSwapStatus  | its swap space

type Taint | what keeps pods away from a node
  key*       string       | its name
  value      string       | more about it
  effect*    TaintEffect  | NoSchedule, PreferNoSchedule or NoExecute
  timeAdded  Time         | since when
)";

}  // namespace drover::sim::types
