// Nodes, namespaces, services, configuration and Events. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kCluster = R"(
scope core - v1 io.k8s.api.core.v1

kind Binding | 
  + TypeMeta
  metadata  ObjectMeta       | name, labels and the rest that every object has
  target*   ObjectReference  |

kind ConfigMap | 
  + TypeMeta
  metadata    ObjectMeta         | name, labels and the rest that every object has
  immutable   bool               |
  data        map[string]string  |
  binaryData  map[string]bytes   |

kind Endpoints | 
  + TypeMeta
  metadata  ObjectMeta                | name, labels and the rest that every object has
  subsets   []EndpointSubset  atomic  |

kind Event | 
  + TypeMeta
  metadata*           ObjectMeta       | name, labels and the rest that every object has
  involvedObject*     ObjectReference  |
  reason              string           |
  message             string           |
  source              EventSource      |
  firstTimestamp      Time             |
  lastTimestamp       Time             |
  count               int32            |
  type                string           |
  eventTime           MicroTime        |
  series              EventSeries      |
  action              string           |
  related             ObjectReference  |
  reportingComponent  string           |
  reportingInstance   string           |

kind LimitRange | 
  + TypeMeta
  metadata  ObjectMeta      | name, labels and the rest that every object has
  spec      LimitRangeSpec  | what is wanted

kind Namespace | 
  + TypeMeta
  metadata  ObjectMeta       | name, labels and the rest that every object has
  spec      NamespaceSpec    | what is wanted
  status    NamespaceStatus  | how it is

kind Node | 
  + TypeMeta
  metadata  ObjectMeta  | name, labels and the rest that every object has
  spec      NodeSpec    | what is wanted
  status    NodeStatus  | how it is

kind ResourceQuota | 
  + TypeMeta
  metadata  ObjectMeta           | name, labels and the rest that every object has
  spec      ResourceQuotaSpec    | what is wanted
  status    ResourceQuotaStatus  | how it is

kind Secret | 
  + TypeMeta
  metadata    ObjectMeta         | name, labels and the rest that every object has
  immutable   bool               |
  data        map[string]bytes   |
  stringData  map[string]string  |
  type        SecretType         |

kind Service | 
  + TypeMeta
  metadata  ObjectMeta     | name, labels and the rest that every object has
  spec      ServiceSpec    | what is wanted
  status    ServiceStatus  | how it is

kind ServiceAccount | 
  + TypeMeta
  metadata                      ObjectMeta                                   | name, labels and the rest that every object has
  secrets                       []ObjectReference       map:name merge:name  |
  imagePullSecrets              []LocalObjectReference  atomic               |
  automountServiceAccountToken  bool                                         |

type AttachedVolume | 
  name*        UniqueVolumeName  |
  devicePath*  string            |

type ClientIPConfig | 
  timeoutSeconds  int32  |

type ConfigMapNodeConfigSource | 
  namespace*         string  |
  name*              string  |
  uid                UID     |
  resourceVersion    string  |
  kubeletConfigKey*  string  |

type ContainerImage | 
  names      []string  atomic  |
  sizeBytes  int64             |

type DaemonEndpoint | 
  Port*  int32  |

type EndpointAddress atomic | 
  ip*        string           |
  hostname   string           |
  nodeName   string           |
  targetRef  ObjectReference  |

type EndpointPort atomic | 
  name         string    |
  port*        int32     |
  protocol     Protocol  |
  appProtocol  string    |

type EndpointSubset | 
  addresses          []EndpointAddress  atomic  |
  notReadyAddresses  []EndpointAddress  atomic  |
  ports              []EndpointPort     atomic  |

type EventSeries | 
  count             int32      |
  lastObservedTime  MicroTime  |

type EventSource | 
  component  string  |
  host       string  |

type LimitRangeItem | 
  type*                 LimitType     |
  max                   ResourceList  |
  min                   ResourceList  |
  default               ResourceList  |
  defaultRequest        ResourceList  |
  maxLimitRequestRatio  ResourceList  |

type LimitRangeSpec | 
  limits*  []LimitRangeItem  atomic  |

type LoadBalancerIngress | 
  ip        string                      |
  hostname  string                      |
  ipMode    LoadBalancerIPMode          |
  ports     []PortStatus        atomic  |

type LoadBalancerStatus | 
  ingress  []LoadBalancerIngress  atomic  |

type LocalObjectReference atomic | 
  name  string  |

type NamespaceCondition | 
  type*               NamespaceConditionType  |
  status*             ConditionStatus         | how it is
  lastTransitionTime  Time                    |
  reason              string                  |
  message             string                  |

type NamespaceSpec | 
  finalizers  []FinalizerName  atomic  |

type NamespaceStatus | 
  phase       NamespacePhase                             |
  conditions  []NamespaceCondition  map:type merge:type  |

type NodeAddress | 
  type*     NodeAddressType  |
  address*  string           |

type NodeCondition | 
  type*               NodeConditionType  |
  status*             ConditionStatus    | how it is
  lastHeartbeatTime   Time               |
  lastTransitionTime  Time               |
  reason              string             |
  message             string             |

type NodeConfigSource | 
  configMap  ConfigMapNodeConfigSource  |

type NodeConfigStatus | 
  assigned       NodeConfigSource  |
  active         NodeConfigSource  |
  lastKnownGood  NodeConfigSource  |
  error          string            |

type NodeDaemonEndpoints | 
  kubeletEndpoint  DaemonEndpoint  |

type NodeFeatures | 
  supplementalGroupsPolicy  bool  |

type NodeRuntimeHandler | 
  name      string                      |
  features  NodeRuntimeHandlerFeatures  |

type NodeRuntimeHandlerFeatures | 
  recursiveReadOnlyMounts  bool  |
  userNamespaces           bool  |

type NodeSpec | 
  podCIDR        string                       |
  podCIDRs       []string          set merge  |
  providerID     string                       |
  unschedulable  bool                         |
  taints         []Taint           atomic     |
  configSource   NodeConfigSource             |
  externalID     string                       |

type NodeStatus | 
  capacity          ResourceList                               |
  allocatable       ResourceList                               |
  phase             NodePhase                                  |
  conditions        []NodeCondition       map:type merge:type  |
  addresses         []NodeAddress         map:type merge:type  |
  daemonEndpoints   NodeDaemonEndpoints                        |
  nodeInfo          NodeSystemInfo                             |
  images            []ContainerImage      atomic               |
  volumesInUse      []UniqueVolumeName    atomic               |
  volumesAttached   []AttachedVolume      atomic               |
  config            NodeConfigStatus                           |
  runtimeHandlers   []NodeRuntimeHandler  atomic               |
  features          NodeFeatures                               |
  declaredFeatures  []string              atomic               |

type NodeSwapStatus | 
  capacity  int64  |

type NodeSystemInfo | 
  machineID*                string          |
  systemUUID*               string          |
  bootID*                   string          |
  kernelVersion*            string          |
  osImage*                  string          |
  containerRuntimeVersion*  string          |
  kubeletVersion*           string          |
  kubeProxyVersion*         string          |
  operatingSystem*          string          |
  architecture*             string          |
  swap                      NodeSwapStatus  |

type ObjectReference atomic | 
  kind             string  |
  namespace        string  |
  name             string  |
  uid              UID     |
  apiVersion       string  |
  resourceVersion  string  |
  fieldPath        string  |

type PortStatus | 
  port*      int32     |
  protocol*  Protocol  |
  error      string    |

type ResourceQuotaSpec | 
  hard           ResourceList                  |
  scopes         []ResourceQuotaScope  atomic  |
  scopeSelector  ScopeSelector                 |

type ResourceQuotaStatus | 
  hard  ResourceList  |
  used  ResourceList  |

type ScopeSelector atomic | 
  matchExpressions  []ScopedResourceSelectorRequirement  atomic  |

type ScopedResourceSelectorRequirement | 
  scopeName*  ResourceQuotaScope             |
  operator*   ScopeSelectorOperator          |
  values      []string               atomic  |

type SecretReference atomic | 
  name       string  |
  namespace  string  |

type ServicePort | 
  name         string       |
  protocol     Protocol     |
  appProtocol  string       |
  port*        int32        |
  targetPort   IntOrString  |
  nodePort     int32        |

type ServiceSpec | 
  ports                          []ServicePort                 map:port,protocol merge:port  |
  selector                       map[string]string             atomic                        |
  clusterIP                      string                                                      |
  clusterIPs                     []string                      atomic                        |
  type                           ServiceType                                                 |
  externalIPs                    []string                      atomic                        |
  sessionAffinity                ServiceAffinity                                             |
  loadBalancerIP                 string                                                      |
  loadBalancerSourceRanges       []string                      atomic                        |
  externalName                   string                                                      |
  externalTrafficPolicy          ServiceExternalTrafficPolicy                                |
  healthCheckNodePort            int32                                                       |
  publishNotReadyAddresses       bool                                                        |
  sessionAffinityConfig          SessionAffinityConfig                                       |
  ipFamilies                     []IPFamily                    atomic                        |
  ipFamilyPolicy                 IPFamilyPolicy                                              |
  allocateLoadBalancerNodePorts  bool                                                        |
  loadBalancerClass              string                                                      |
  internalTrafficPolicy          ServiceInternalTrafficPolicy                                |
  trafficDistribution            string                                                      |

type ServiceStatus | 
  loadBalancer  LoadBalancerStatus                       |
  conditions    []Condition         map:type merge:type  |

type SessionAffinityConfig | 
  clientIP  ClientIPConfig  |

type Taint | 
  key*       string       |
  value      string       |
  effect*    TaintEffect  |
  timeAdded  Time         |
)";

}  // namespace drover::sim::types
