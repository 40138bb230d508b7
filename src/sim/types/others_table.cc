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
  holderIdentity        string                    | the holder
  leaseDurationSeconds  int32                     | how long it is valid after it was renewed
  acquireTime           MicroTime                 | since when it is held
  renewTime             MicroTime                 | when the lease was last renewed
  leaseTransitions      int32                     | how often it changed hands
  strategy              CoordinatedLeaseStrategy  | how the next holder is chosen
  preferredHolder       string                    | the preferred next holder

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
FSGroupPolicy VolumeLifecycleMode = string

kind CSIDriver | a storage driver, and what it wants
  + TypeMeta
  metadata  ObjectMeta     | name, labels and the rest that every object has
  spec*     CSIDriverSpec  | what the driver requires

kind CSINode | storage drivers of one node
  + TypeMeta
  metadata  ObjectMeta   | name, labels and the rest that every object has
  spec*     CSINodeSpec  | the drivers

kind StorageClass | a kind of storage that can be made
  + TypeMeta
  metadata              ObjectMeta                          | name, labels and the rest that every object has
  provisioner*          string                              | the provisioner that creates the volumes
  parameters            map[string]string                   | parameters for the provisioner
  reclaimPolicy         PersistentVolumeReclaimPolicy          | what becomes of a volume after its claim: Delete or Retain
  mountOptions          []string                    atomic  | options for the mount
  allowVolumeExpansion  bool                                | whether volumes may grow
  volumeBindingMode     VolumeBindingMode                   | Immediate, or WaitForFirstConsumer to wait for a pod
  allowedTopologies     []TopologySelectorTerm      atomic  | where volumes may be made

kind VolumeAttachment | a volume that is to be attached to a node
  + TypeMeta
  metadata  ObjectMeta              | name, labels and the rest that every object has
  spec*     VolumeAttachmentSpec    | which volume, which node
  status    VolumeAttachmentStatus  | whether it is

type CSIDriverSpec | what a storage driver requires
  attachRequired                  bool                           | volumes must be attached before they are mounted
  podInfoOnMount                  bool                           | tell it about the pod
  volumeLifecycleModes            []VolumeLifecycleMode  set     | Persistent, Ephemeral or both
  storageCapacity                 bool                           | it reports free capacity
  fsGroupPolicy                   FSGroupPolicy                  | whether it cares for the group of files
  tokenRequests                   []TokenRequest         atomic  | tokens of the pod's account that it needs
  requiresRepublish               bool                           | call it again and again
  seLinuxMount                    bool                           | it knows the context option of mounts
  nodeAllocatableUpdatePeriodSeconds  int64                          | ask so often how many volumes a node can take
  serviceAccountTokenInSecrets    bool                           | tokens come with the secrets
  preventPodSchedulingIfMissing   bool                           | keep pods off nodes without the driver

type CSINodeDriver | a storage driver on one node
  name*         string                       | the driver
  nodeID*       string                       | the driver's name for the node
  topologyKeys  []string             atomic  | labels that tell where the node is
  allocatable   VolumeNodeResources          | how much the node can take

type CSINodeSpec | storage drivers of one node
  drivers*  []CSINodeDriver  map:name merge:name  | the drivers

type TokenRequest | a token that a driver needs
  audience*          string  | the audience that the token is valid for
  expirationSeconds  int64   | how long it is valid

type VolumeAttachmentSource | which volume; one of these
  persistentVolumeName  string                | by its name
  inlineVolumeSpec      PersistentVolumeSpec  | written out

type VolumeAttachmentSpec | which volume, which node
  attacher*  string                  | the driver
  source*    VolumeAttachmentSource  | the volume
  nodeName*  string                  | the node

type VolumeAttachmentStatus | whether a volume is attached
  attached*           bool               | whether it is
  attachmentMetadata  map[string]string  | parameters for the driver, used when mounting
  attachError         VolumeError        | why it could not be attached
  detachError         VolumeError        | why it could not be detached

type VolumeError | something that went wrong
  time       Time    | when
  message    string  | what is the matter, for people
  errorCode  int32   | the driver's number for it

type VolumeNodeResources | how much a node can take
  count  int32  | so many volumes

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
PathType = string Exact ImplementationSpecific Prefix
PolicyType = string Egress Ingress

kind Ingress | ways for HTTP requests from outside to services
  + TypeMeta
  metadata  ObjectMeta     | name, labels and the rest that every object has
  spec      IngressSpec    | the ways
  status    IngressStatus  | the addresses

kind IngressClass | a controller that serves Ingresses
  + TypeMeta
  metadata  ObjectMeta        | name, labels and the rest that every object has
  spec      IngressClassSpec  | which controller

kind NetworkPolicy | the allowed ingress and egress traffic of some pods
  + TypeMeta
  metadata  ObjectMeta         | name, labels and the rest that every object has
  spec      NetworkPolicySpec  | the selected pods and their allowed traffic

type HTTPIngressPath | a path and where it leads
  path       string          | the path
  pathType*  PathType        | how paths are compared: Exact, Prefix or ImplementationSpecific
  backend*   IngressBackend  | where it leads

type HTTPIngressRuleValue | paths and where they lead
  paths*  []HTTPIngressPath  atomic  | the paths

type IPBlock | a range of addresses
  cidr*   string            | the range
  except  []string  atomic  | but not these

type IngressBackend | where requests go; one of these
  service   IngressServiceBackend      | to a service
  resource  TypedLocalObjectReference  | to another object

type IngressClassParametersReference | an object with a controller's parameters
  apiGroup   string  | its group
  kind*      string  | what kind of object it is
  name*      string  | its name
  scope      string  | Cluster or Namespace
  namespace  string  | its namespace

type IngressClassSpec | which controller
  controller  string                      | its name, like a domain and a path
  parameters  IngressClassParametersReference  | where its parameters are

type IngressLoadBalancerIngress | an address of a load balancer
  ip        string                       | the address
  hostname  string                       | the name, if it has no IP address
  ports     []IngressPortStatus  atomic  | how its ports are

type IngressLoadBalancerStatus | what a load balancer got
  ingress  []IngressLoadBalancerIngress  atomic  | its addresses

type IngressPortStatus | how a port of a load balancer is
  port*      int32     | the port
  protocol*  Protocol  | TCP, UDP or SCTP
  error      string    | why it does not work

type IngressRule | requests for one host
  host  string  | the host; default: all
  + IngressRuleValue

type IngressRuleValue | what becomes of requests
  http  HTTPIngressRuleValue  | paths and where they lead

type IngressServiceBackend | a service and its port
  name*  string              | the service
  port   ServiceBackendPort  | the port

type IngressSpec | ways for requests
  ingressClassName  string                  | the IngressClass that serves it
  defaultBackend    IngressBackend          | where requests go that fit no rule
  tls               []IngressTLS    atomic  | certificates
  rules             []IngressRule   atomic  | hosts and paths

type IngressStatus | where an Ingress can be reached
  loadBalancer  IngressLoadBalancerStatus  | the load balancer's addresses

type IngressTLS | a certificate for some hosts
  hosts       []string  atomic  | the hosts
  secretName  string            | the Secret with the certificate

type NetworkPolicyEgressRule | allowed egress traffic
  ports  []NetworkPolicyPort  atomic  | on these ports; default: all
  to     []NetworkPolicyPeer  atomic  | to these; default: all

type NetworkPolicyIngressRule | allowed ingress traffic
  ports  []NetworkPolicyPort  atomic  | on these ports; default: all
  from   []NetworkPolicyPeer  atomic  | these; default: all

type NetworkPolicyPeer | allowed peers of a connection
  podSelector        LabelSelector  | pods with such labels
  namespaceSelector  LabelSelector  | which namespaces count, by their labels
  ipBlock            IPBlock        | addresses

type NetworkPolicyPort | ports to talk through
  protocol  Protocol     | TCP, UDP or SCTP
  port      IntOrString  | number or name; default: all
  endPort   int32        | up to this number

type NetworkPolicySpec | the selected pods and their allowed traffic
  podSelector  LabelSelector                       | which pods it guards
  ingress      []NetworkPolicyIngressRule  atomic  | allowed ingress traffic
  egress       []NetworkPolicyEgressRule   atomic  | allowed egress traffic
  policyTypes  []PolicyType                atomic  | Ingress, Egress or both: what the policy is about

type ServiceBackendPort atomic | a port of a service; one of these
  name    string  | by name
  number  int32   | by number

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
  hints               EndpointHints            | which consumers should use it

type EndpointConditions | whether a place is ready
  ready        bool  | it can be used
  serving      bool  | it answers, even if it is going
  terminating  bool  | it is going

type EndpointHints | which consumers should use an endpoint
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
  reportingController       string           | the reporting component
  reportingInstance         string           | which one of them
  action                    string           | what was done, or tried
  reason                    string           | what happened, one CamelCase word
  regarding                 ObjectReference  | the object concerned
  related                   ObjectReference  | another object that had to do with it
  note                      string           | what happened, for people
  type                      string           | Normal or Warning
  deprecatedSource          EventSource      | the reporting component, deprecated form
  deprecatedFirstTimestamp  Time             | when it happened first, in the old way
  deprecatedLastTimestamp   Time             | when it happened last, in the old way
  deprecatedCount           int32            | how often it happened, in the old way

type EventSeries | an event that happens again and again
  count*             int32      | how often so far
  lastObservedTime*  MicroTime  | when it happened last

scope apiregistration apiregistration.k8s.io v1 io.k8s.kube-aggregator.pkg.apis.apiregistration.v1
APIServiceConditionType ConditionStatus = string

kind APIService | a group and version that another server serves
  + TypeMeta
  metadata  ObjectMeta        | name, labels and the rest that every object has
  spec      APIServiceSpec    | which server
  status    APIServiceStatus  | whether it answers

type APIServiceCondition | one condition (True, False or Unknown) of it
  type*               APIServiceConditionType  | which aspect
  status*             ConditionStatus          | True, False or Unknown
  lastTransitionTime  Time                     | when the status last changed
  reason              string                   | the reason, one CamelCase word
  message             string                   | what is the matter, for people

type APIServiceSpec | which server serves a group and version
  service                ServiceReference          | the service in front of it; none for this server
  group                  string                    | the group
  version                string                    | the version
  insecureSkipTLSVerify  bool                      | trust any certificate
  caBundle               bytes             atomic  | certificates to trust
  groupPriorityMinimum*  int32                     | how early the group comes in lists
  versionPriority*       int32                     | how early the version comes in lists

type APIServiceStatus | whether the server answers
  conditions  []APIServiceCondition  map:type merge:type  | current conditions, one per type

type ServiceReference | a service to call
  namespace  string  | where it is
  name       string  | its name
  port       int32   | its port
)";

}  // namespace drover::sim::types
