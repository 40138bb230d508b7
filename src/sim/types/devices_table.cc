// Dynamic resource allocation: devices, claims on them, and the drivers that offer them. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kDevices = R"(
scope resource resource.k8s.io v1 io.k8s.api.resource.v1
AllocationConfigSource = string FromClaim FromClass
DeviceAllocationMode = string All ExactCount
DeviceTaintEffect = string NoExecute NoSchedule None
DeviceTolerationOperator = string Equal Exists
FullyQualifiedName QualifiedName = string

kind DeviceClass | a sort of devices that can be claimed
  + TypeMeta
  metadata  ObjectMeta       | name, labels and the rest that every object has
  spec*     DeviceClassSpec  | which devices

kind ResourceClaim | a request for devices
  + TypeMeta
  metadata  ObjectMeta           | name, labels and the rest that every object has
  spec*     ResourceClaimSpec    | which devices
  status    ResourceClaimStatus  | which it got

kind ResourceClaimTemplate | how claims are made for pods
  + TypeMeta
  metadata  ObjectMeta                 | name, labels and the rest that every object has
  spec*     ResourceClaimTemplateSpec  | what is claimed

kind ResourceSlice | devices that a driver offers
  + TypeMeta
  metadata  ObjectMeta         | name, labels and the rest that every object has
  spec*     ResourceSliceSpec  | the devices

type AllocatedDeviceStatus | what a driver reports about a device in use
  driver*      string                       | the driver
  pool*        string                       | the pool
  device*      string                       | the device
  shareID      string                       | which share of it
  conditions   []Condition        map:type  | current conditions, one per type
  data         RawExtension                 | more, as the driver likes
  networkData  NetworkDeviceData            | more, for network devices

type AllocationResult | what a claim got
  devices              DeviceAllocationResult  | the devices
  nodeSelector         NodeSelector            | nodes that can reach them
  allocationTimestamp  Time                    | since when

type CELDeviceSelector | devices that fulfil a condition
  expression*  string  | the condition, in CEL

type CapacityRequestPolicy | how much of a capacity can be asked for
  default      Quantity                            | the default
  validValues  []Quantity                  atomic  | one of these amounts
  validRange   CapacityRequestPolicyRange          | an amount in this range

type CapacityRequestPolicyRange | a range of amounts
  min*  Quantity  | at least
  max   Quantity  | at most
  step  Quantity  | in steps of

type CapacityRequirements | how much of a device is needed
  requests  map[QualifiedName]Quantity  | so much of each capacity

type Counter | an amount that devices share
  value*  Quantity  | how much

type CounterSet | amounts that devices share
  name*      string              | what devices call it
  counters*  map[string]Counter  | the amounts

type Device | one device
  name*                           string                              | what it is called in its pool
  attributes                      map[QualifiedName]DeviceAttribute          | what it is like
  capacity                        map[QualifiedName]DeviceCapacity          | how much it can
  consumesCounters                []DeviceCounterConsumption  atomic  | what it takes of shared amounts
  nodeName                        string                              | the node it is in
  nodeSelector                    NodeSelector                        | nodes that can reach it
  allNodes                        bool                                | every node can reach it
  taints                          []DeviceTaint               atomic  | what keeps claims away
  bindsToNode                     bool                                | a claim on it stays with the node
  bindingConditions               []string                    atomic  | what must be true before a pod may start with it
  bindingFailureConditions        []string                    atomic  | what ends the wait for that
  allowMultipleAllocations        bool                                | several claims may share it
  nodeAllocatableResourceMappings  map[ResourceName]NodeAllocatableResourceMapping          | what it takes of the node's own resources

type DeviceAllocationConfiguration | a setting for devices that were given
  source*   AllocationConfigSource          | FromClass or FromClaim
  requests  []string                atomic  | for which requests; default: all
  + DeviceConfiguration

type DeviceAllocationResult | devices that were given
  results  []DeviceRequestAllocationResult  atomic  | the devices
  config   []DeviceAllocationConfiguration  atomic  | their settings

type DeviceAttribute | one thing that a device is like; one of these
  int       int64             | a number
  bool      bool              | yes or no
  string    string            | a text
  version   string            | a version
  ints      []int64   atomic  | numbers
  bools     []bool    atomic  | yeses and noes
  strings   []string  atomic  | texts
  versions  []string  atomic  | versions

type DeviceCapacity | how much a device can
  value*         Quantity               | how much
  requestPolicy  CapacityRequestPolicy  | how much can be asked for

type DeviceClaim | devices that are wanted
  requests     []DeviceRequest             atomic  | what is wanted
  constraints  []DeviceConstraint          atomic  | what must be true of all together
  config       []DeviceClaimConfiguration  atomic  | settings for them

type DeviceClaimConfiguration | a setting for devices
  requests  []string  atomic  | for which requests; default: all
  + DeviceConfiguration

type DeviceClassConfiguration | a setting for devices of a class
  + DeviceConfiguration

type DeviceClassSpec | which devices a class has
  selectors             []DeviceSelector            atomic  | conditions that they fulfil
  config                []DeviceClassConfiguration  atomic  | settings for them
  extendedResourceName  string                              | the extended resource that stands for the class

type DeviceConfiguration | a setting
  opaque  OpaqueDeviceConfiguration  | in the driver's own words

type DeviceConstraint | what must be true of several devices together
  requests           []string            atomic  | for which requests; default: all
  matchAttribute     FullyQualifiedName          | they have this attribute in common
  distinctAttribute  FullyQualifiedName          | each has another value of this attribute

type DeviceCounterConsumption | what a device takes of shared amounts
  counterSet*  string              | of which set
  counters*    map[string]Counter  | how much of each

type DeviceRequest | one request; one of these
  name*           string                      | what others call it
  exactly         ExactDeviceRequest          | exactly this
  firstAvailable  []DeviceSubRequest  atomic  | the first of these that can be had

type DeviceRequestAllocationResult | a device that was given
  request*                  string                              | for which request
  driver*                   string                              | the driver
  pool*                     string                              | the pool
  device*                   string                              | the device
  adminAccess               bool                                | only to look after it
  tolerations               []DeviceToleration          atomic  | taints that did not keep the claim away
  bindingConditions         []string                    atomic  | what must be true before a pod may start with it
  bindingFailureConditions  []string                    atomic  | what ends the wait for that
  shareID                   UID                                 | which share of it
  consumedCapacity          map[QualifiedName]Quantity          | how much of it

type DeviceSelector | which devices
  cel  CELDeviceSelector  | those that fulfil a condition

type DeviceSubRequest | one of several wishes that will do
  name*             string                        | what others call it
  deviceClassName*  string                        | the sort of devices
  selectors         []DeviceSelector      atomic  | further conditions
  allocationMode    DeviceAllocationMode          | ExactCount or All
  count             int64                         | how many
  tolerations       []DeviceToleration    atomic  | taints that do not keep it away
  capacity          CapacityRequirements          | how much of a device

type DeviceTaint | what keeps claims away from a device
  key*       string             | its name
  value      string             | more about it
  effect*    DeviceTaintEffect  | None, NoSchedule or NoExecute
  timeAdded  Time               | since when

type DeviceToleration | a taint that does not keep a claim away
  key                string                    | which taints; default: all
  operator           DeviceTolerationOperator  | how the value is compared: Equal or Exists
  value              string                    | the taint's value
  effect             DeviceTaintEffect         | which effect; default: all
  tolerationSeconds  int64                     | how long pods stay when such a taint appears

type ExactDeviceRequest | devices of one sort
  deviceClassName*  string                        | the sort of devices
  selectors         []DeviceSelector      atomic  | further conditions
  allocationMode    DeviceAllocationMode          | ExactCount or All
  count             int64                         | how many
  adminAccess       bool                          | for administration only
  tolerations       []DeviceToleration    atomic  | taints that do not keep it away
  capacity          CapacityRequirements          | how much of a device

type NetworkDeviceData | more about a network device
  interfaceName    string            | its name in the pod
  ips              []string  atomic  | its addresses
  hardwareAddress  string            | its hardware address

type NodeAllocatableResourceMapping | what a device takes of a node's resource
  capacityKey           QualifiedName  | as much as this capacity of the device
  allocationMultiplier  Quantity       | so many times that

type OpaqueDeviceConfiguration | a setting in a driver's own words
  driver*      string        | the driver
  parameters*  RawExtension  | the words

type ResourceClaimConsumerReference | a consumer of a claim, usually a pod
  apiGroup   string  | its group
  resource*  string  | what kind of thing it is
  name*      string  | its name
  uid*       UID     | its uid

type ResourceClaimSpec | which devices are wanted
  devices  DeviceClaim  | the devices

type ResourceClaimStatus | which devices were given
  allocation   AllocationResult                                  | the devices
  reservedFor  []ResourceClaimConsumerReference  map:uid merge:uid     | the consumers that may use it
  devices      []AllocatedDeviceStatus     map:driver,device,pool,shareID  | what drivers report about them

type ResourceClaimTemplateSpec | how claims are made
  metadata  ObjectMeta         | labels and annotations for the claims
  spec*     ResourceClaimSpec  | what is claimed

type ResourcePool | devices that belong together
  name*                string  | the pool
  generation*          int64   | the newest counts
  resourceSliceCount*  int64   | in how many slices it is

type ResourceSliceSpec | devices that a driver offers
  driver*                 string                | the driver
  pool*                   ResourcePool          | the pool they belong to
  nodeName                string                | the node they are in
  nodeSelector            NodeSelector          | nodes that can reach them
  allNodes                bool                  | every node can reach them
  devices                 []Device      atomic  | the devices
  perDeviceNodeSelection  bool                  | each device names its own nodes
  sharedCounters          []CounterSet  atomic  | amounts that the devices share
)";

}  // namespace drover::sim::types
