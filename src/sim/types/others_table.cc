// Leases, classes, policies and slices: groups with a kind or two each. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kOthers = R"(
scope coordination coordination.k8s.io v1 io.k8s.api.coordination.v1
CoordinatedLeaseStrategy = string

kind Lease | a promise to be alive for a while
  + TypeMeta
  metadata  ObjectMeta  | name, labels and the rest that every object has
  spec      LeaseSpec   | whose, and until when

type LeaseSpec | whose promise, and until when
  holderIdentity        string                    | who has it
  leaseDurationSeconds  int32                     | how long it is good after it was renewed
  acquireTime           MicroTime                 | since when they have it
  renewTime             MicroTime                 | when they last said so
  leaseTransitions      int32                     | how often it changed hands
  strategy              CoordinatedLeaseStrategy  | how the next holder is chosen
  preferredHolder       string                    | who should have it next

scope scheduling scheduling.k8s.io v1 io.k8s.api.scheduling.v1

kind PriorityClass | how important pods are
  + TypeMeta
  metadata          ObjectMeta        | name, labels and the rest that every object has
  value             int32             | the higher, the more important
  globalDefault     bool              | pods without a class get this one
  description       string            | when to use it
  preemptionPolicy  PreemptionPolicy  | whether lesser pods must make room: PreemptLowerPriority or Never

scope storage storage.k8s.io v1 io.k8s.api.storage.v1
VolumeBindingMode = string Immediate WaitForFirstConsumer

kind StorageClass | a kind of storage that can be made
  + TypeMeta
  metadata              ObjectMeta                          | name, labels and the rest that every object has
  provisioner*          string                              | who makes it
  parameters            map[string]string                   | what the provisioner wants to know
  reclaimPolicy         PersistentVolumeReclaimPolicy          | what becomes of a volume after its claim: Delete or Retain
  mountOptions          []string                    atomic  | options for the mount
  allowVolumeExpansion  bool                                | whether volumes may grow
  volumeBindingMode     VolumeBindingMode                   | Immediate, or WaitForFirstConsumer to wait for a pod
  allowedTopologies     []TopologySelectorTerm      atomic  | where volumes may be made

scope node node.k8s.io v1 io.k8s.api.node.v1

kind RuntimeClass | a runtime that pods can ask for
  + TypeMeta
  metadata    ObjectMeta  | name, labels and the rest that every object has
  handler*    string      | the node's name for it
  overhead    Overhead    | what it needs itself
  scheduling  Scheduling  | which nodes have it

type Overhead | what a runtime needs itself
  podFixed  ResourceList  | so much for every pod

type Scheduling | which nodes have a runtime
  nodeSelector  map[string]string  atomic  | labels of such nodes
  tolerations   []Toleration       atomic  | taints of such nodes

scope networking networking.k8s.io v1 io.k8s.api.networking.v1
PolicyType = string Egress Ingress

kind NetworkPolicy | who may talk to some pods, and to whom they may talk
  + TypeMeta
  metadata  ObjectMeta         | name, labels and the rest that every object has
  spec      NetworkPolicySpec  | which pods, and with whom

type IPBlock | a range of addresses
  cidr*   string            | the range
  except  []string  atomic  | but not these

type NetworkPolicyEgressRule | to whom pods may talk
  ports  []NetworkPolicyPort  atomic  | on these ports, all when not said
  to     []NetworkPolicyPeer  atomic  | to these, all when not said

type NetworkPolicyIngressRule | who may talk to pods
  ports  []NetworkPolicyPort  atomic  | on these ports, all when not said
  from   []NetworkPolicyPeer  atomic  | these, all when not said

type NetworkPolicyPeer | somebody to talk to
  podSelector        LabelSelector  | pods with such labels
  namespaceSelector  LabelSelector  | which namespaces count, by their labels
  ipBlock            IPBlock        | addresses

type NetworkPolicyPort | ports to talk through
  protocol  Protocol     | TCP, UDP or SCTP
  port      IntOrString  | number or name, all when not said
  endPort   int32        | up to this number

type NetworkPolicySpec | which pods, and with whom
  podSelector  LabelSelector                       | which pods it guards
  ingress      []NetworkPolicyIngressRule  atomic  | who may talk to them
  egress       []NetworkPolicyEgressRule   atomic  | to whom they may talk
  policyTypes  []PolicyType                atomic  | Ingress, Egress or both: what the policy is about

scope discovery discovery.k8s.io v1 io.k8s.api.discovery.v1
AddressType = string FQDN IPv4 IPv6

kind EndpointSlice | some of the places where a service leads
  + TypeMeta
  metadata      ObjectMeta              | name, labels and the rest that every object has
  addressType*  AddressType             | IPv4, IPv6 or FQDN
  endpoints     []Endpoint      atomic  | the places
  ports         []EndpointPort  atomic  | the ports they have in common

type Endpoint | one place where a service leads
  addresses*          []string            set  | its addresses
  conditions          EndpointConditions       | whether it is ready
  hostname            string                   | the host's name
  targetRef           ObjectReference          | the object behind it
  deprecatedTopology  map[string]string        | labels of its node, in the old way
  nodeName            string                   | the node it is on
  zone                string                   | the zone it is in
  hints               EndpointHints            | who should use it

type EndpointConditions | whether a place is ready
  ready        bool  | it can be used
  serving      bool  | it answers, even if it is going
  terminating  bool  | it is going

type EndpointHints | who should use a place
  forZones  []ForZone  atomic  | those in these zones
  forNodes  []ForNode  atomic  | those on these nodes

type EndpointPort atomic | one port
  name         string    | its name, as in the service
  protocol     Protocol  | TCP, UDP or SCTP
  port         int32     | its number
  appProtocol  string    | what is spoken over it

type ForNode | a node
  name*  string  | its name

type ForZone | a zone
  name*  string  | its name

scope events events.k8s.io v1 io.k8s.api.events.v1

kind Event | something that happened to an object
  + TypeMeta
  metadata                  ObjectMeta       | name, labels and the rest that every object has
  eventTime*                MicroTime        | when it happened
  series                    EventSeries      | how it went on, when it happens again and again
  reportingController       string           | who tells it
  reportingInstance         string           | which one of them
  action                    string           | what was done, or tried
  reason                    string           | what happened, in one word
  regarding                 ObjectReference  | to whom it happened
  related                   ObjectReference  | another object that had to do with it
  note                      string           | what happened, for people
  type                      string           | Normal or Warning
  deprecatedSource          EventSource      | who tells it, in the old way
  deprecatedFirstTimestamp  Time             | when it happened first, in the old way
  deprecatedLastTimestamp   Time             | when it happened last, in the old way
  deprecatedCount           int32            | how often it happened, in the old way

type EventSeries | an event that happens again and again
  count*             int32      | how often so far
  lastObservedTime*  MicroTime  | when it happened last
)";

}  // namespace drover::sim::types
