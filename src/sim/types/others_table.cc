// Leases, classes, policies and slices: groups with a kind or two each. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kOthers = R"(
scope coordination coordination.k8s.io v1 io.k8s.api.coordination.v1
CoordinatedLeaseStrategy = string

kind Lease | 
  + TypeMeta
  metadata  ObjectMeta  | name, labels and the rest that every object has
  spec      LeaseSpec   | what is wanted

type LeaseSpec | 
  holderIdentity        string                    |
  leaseDurationSeconds  int32                     |
  acquireTime           MicroTime                 |
  renewTime             MicroTime                 |
  leaseTransitions      int32                     |
  strategy              CoordinatedLeaseStrategy  |
  preferredHolder       string                    |

scope scheduling scheduling.k8s.io v1 io.k8s.api.scheduling.v1

kind PriorityClass | 
  + TypeMeta
  metadata          ObjectMeta        | name, labels and the rest that every object has
  value             int32             |
  globalDefault     bool              |
  description       string            |
  preemptionPolicy  PreemptionPolicy  |

scope storage storage.k8s.io v1 io.k8s.api.storage.v1
VolumeBindingMode = string

kind StorageClass | 
  + TypeMeta
  metadata              ObjectMeta                             | name, labels and the rest that every object has
  provisioner*          string                                 |
  parameters            map[string]string                      |
  reclaimPolicy         PersistentVolumeReclaimPolicy          |
  mountOptions          []string                       atomic  |
  allowVolumeExpansion  bool                                   |
  volumeBindingMode     VolumeBindingMode                      |
  allowedTopologies     []TopologySelectorTerm         atomic  |

scope node node.k8s.io v1 io.k8s.api.node.v1

kind RuntimeClass | 
  + TypeMeta
  metadata    ObjectMeta  | name, labels and the rest that every object has
  handler*    string      |
  overhead    Overhead    |
  scheduling  Scheduling  |

type Overhead | 
  podFixed  ResourceList  |

type Scheduling | 
  nodeSelector  map[string]string  atomic  |
  tolerations   []Toleration       atomic  |

scope networking networking.k8s.io v1 io.k8s.api.networking.v1
PolicyType = string

kind NetworkPolicy | 
  + TypeMeta
  metadata  ObjectMeta         | name, labels and the rest that every object has
  spec      NetworkPolicySpec  | what is wanted

type IPBlock | 
  cidr*   string            |
  except  []string  atomic  |

type NetworkPolicyEgressRule | 
  ports  []NetworkPolicyPort  atomic  |
  to     []NetworkPolicyPeer  atomic  |

type NetworkPolicyIngressRule | 
  ports  []NetworkPolicyPort  atomic  |
  from   []NetworkPolicyPeer  atomic  |

type NetworkPolicyPeer | 
  podSelector        LabelSelector  |
  namespaceSelector  LabelSelector  |
  ipBlock            IPBlock        |

type NetworkPolicyPort | 
  protocol  Protocol     |
  port      IntOrString  |
  endPort   int32        |

type NetworkPolicySpec | 
  podSelector  LabelSelector                       |
  ingress      []NetworkPolicyIngressRule  atomic  |
  egress       []NetworkPolicyEgressRule   atomic  |
  policyTypes  []PolicyType                atomic  |

scope discovery discovery.k8s.io v1 io.k8s.api.discovery.v1
AddressType = string

kind EndpointSlice | 
  + TypeMeta
  metadata      ObjectMeta              | name, labels and the rest that every object has
  addressType*  AddressType             |
  endpoints     []Endpoint      atomic  |
  ports         []EndpointPort  atomic  |

type Endpoint | 
  addresses*          []string            set  |
  conditions          EndpointConditions       |
  hostname            string                   |
  targetRef           ObjectReference          |
  deprecatedTopology  map[string]string        |
  nodeName            string                   |
  zone                string                   |
  hints               EndpointHints            |

type EndpointConditions | 
  ready        bool  |
  serving      bool  |
  terminating  bool  |

type EndpointHints | 
  forZones  []ForZone  atomic  |
  forNodes  []ForNode  atomic  |

type EndpointPort atomic | 
  name         string    |
  protocol     Protocol  |
  port         int32     |
  appProtocol  string    |

type ForNode | 
  name*  string  |

type ForZone | 
  name*  string  |

scope events events.k8s.io v1 io.k8s.api.events.v1

kind Event | 
  + TypeMeta
  metadata                  ObjectMeta       | name, labels and the rest that every object has
  eventTime*                MicroTime        |
  series                    EventSeries      |
  reportingController       string           |
  reportingInstance         string           |
  action                    string           |
  reason                    string           |
  regarding                 ObjectReference  |
  related                   ObjectReference  |
  note                      string           |
  type                      string           |
  deprecatedSource          EventSource      |
  deprecatedFirstTimestamp  Time             |
  deprecatedLastTimestamp   Time             |
  deprecatedCount           int32            |

type EventSeries | 
  count*             int32      |
  lastObservedTime*  MicroTime  |
)";

}  // namespace drover::sim::types
