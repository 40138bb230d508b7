// Storage that exists on its own, and the claims on it. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kPersistentVolumes = R"(
scope core - v1 io.k8s.api.core.v1

kind PersistentVolume | storage that exists on its own and can be claimed
  + TypeMeta
  metadata  ObjectMeta              | name, labels and the rest that every object has
  spec      PersistentVolumeSpec    | the location of the storage and the claims that may use it
  status    PersistentVolumeStatus  | whether it is free, bound or over

kind PersistentVolumeClaim | a request for storage
  + TypeMeta
  metadata  ObjectMeta                  | name, labels and the rest that every object has
  spec      PersistentVolumeClaimSpec   | how much, and of which kind
  status    PersistentVolumeClaimStatus  | what it got

type AzureFilePersistentVolumeSource | a file share of Azure
  secretName*      string  | the Secret with account and key
  shareName*       string  | the share
  readOnly         bool    | mount it read-only
  secretNamespace  string  | where the Secret is

type CSIPersistentVolumeSource | storage of a CSI driver
  driver*                     string             | the driver
  volumeHandle*               string             | the driver's name for the volume
  readOnly                    bool               | mount it read-only
  fsType                      string             | file system type; default: ext4
  volumeAttributes            map[string]string  | parameters for the driver
  controllerPublishSecretRef  SecretReference    | credentials for attaching
  nodeStageSecretRef          SecretReference    | credentials for the first mount on a node
  nodePublishSecretRef        SecretReference    | credentials for the mount of a pod
  controllerExpandSecretRef   SecretReference    | credentials for growing it
  nodeExpandSecretRef         SecretReference    | credentials for growing it on the node

type CephFSPersistentVolumeSource | a folder of CephFS
  monitors*   []string         atomic  | addresses of the monitors
  path        string                   | the folder
  user        string                   | the user name to log in with
  secretFile  string                   | the key's file on the node
  secretRef   SecretReference          | the Secret with the credentials
  readOnly    bool                     | mount it read-only

type CinderPersistentVolumeSource | a disk of OpenStack
  volumeID*  string           | the disk
  fsType     string           | file system type; default: ext4
  readOnly   bool             | mount it read-only
  secretRef  SecretReference  | the Secret with the credentials

type FlexPersistentVolumeSource | storage of a FlexVolume plugin
  driver*    string             | the plugin
  fsType     string             | file system type; default: ext4
  secretRef  SecretReference    | the Secret with the credentials
  readOnly   bool               | mount it read-only
  options    map[string]string  | parameters for the plugin

type GlusterfsPersistentVolumeSource | a volume of GlusterFS
  endpoints*          string  | the Endpoints that lead to it
  path*               string  | the volume
  readOnly            bool    | mount it read-only
  endpointsNamespace  string  | where the Endpoints are

type ISCSIPersistentVolumeSource | an iSCSI disk
  targetPortal*      string                   | address and port of the target
  iqn*               string                   | the target's name
  lun*               int32                    | the unit behind it
  iscsiInterface     string                   | the initiator's interface
  fsType             string                   | file system type; default: ext4
  readOnly           bool                     | mount it read-only
  portals            []string         atomic  | further addresses
  chapAuthDiscovery  bool                     | log in for discovery
  chapAuthSession    bool                     | log in for sessions
  secretRef          SecretReference          | the Secret with the credentials
  initiatorName      string                   | the initiator's name

type LocalVolumeSource | a disk or folder of one node
  path*   string  | where it is
  fsType  string  | file system type; default: ext4

type ModifyVolumeStatus | how far a change of attributes has come
  targetVolumeAttributesClassName  string                      | the class that is wanted
  status*                         PersistentVolumeClaimModifyVolumeStatus  | Pending, InProgress or Infeasible

type PersistentVolumeClaimCondition | one condition (True, False or Unknown) of a claim
  type*               PersistentVolumeClaimConditionType  | which aspect
  status*             ConditionStatus             | True, False or Unknown
  lastProbeTime       Time                        | when it was last looked at
  lastTransitionTime  Time                        | when the status last changed
  reason              string                      | the reason, one CamelCase word
  message             string                      | what is the matter, for people

type PersistentVolumeClaimSpec | how much storage, and of which kind
  accessModes                []PersistentVolumeAccessMode  atomic  | how many nodes or pods may mount it at a time
  selector                   LabelSelector                       | which volumes will do, by their labels
  resources                  VolumeResourceRequirements          | how much is needed
  volumeName                 string                              | the volume it is bound to
  storageClassName           string                              | the class to make a volume from
  volumeMode                 PersistentVolumeMode                | Filesystem or Block
  dataSource                 TypedLocalObjectReference           | what to fill it from, in the same namespace
  dataSourceRef              TypedObjectReference                | what to fill it from
  volumeAttributesClassName  string                              | the class of its attributes

type PersistentVolumeClaimStatus | what a claim got
  phase                           PersistentVolumeClaimPhase                       | Pending, Bound or Lost
  accessModes                     []PersistentVolumeAccessMode  atomic               | how many nodes or pods may mount it at a time
  capacity                        ResourceList                                     | how much it holds
  conditions                      []PersistentVolumeClaimCondition  map:type merge:type  | current conditions, one per type
  allocatedResources              ResourceList                                     | how much was set aside, more than capacity while it grows
  allocatedResourceStatuses       map[ResourceName]ClaimResourceStatus  granular             | how far growing has come, for each resource
  currentVolumeAttributesClassName  string                                           | the class its attributes are of now
  modifyVolumeStatus              ModifyVolumeStatus                               | how far a change of attributes has come

type PersistentVolumeClaimTemplate | how a claim is made for a pod
  metadata  ObjectMeta                 | labels and annotations for the claim
  spec*     PersistentVolumeClaimSpec  | what is claimed

type PersistentVolumeClaimVolumeSource | the storage of a claim
  claimName*  string  | the claim, in the pod's namespace
  readOnly    bool    | mount it read-only

type PersistentVolumeSource | where storage is; one of these
  gcePersistentDisk     GCEPersistentDiskVolumeSource  | a disk of Google's cloud
  awsElasticBlockStore  AWSElasticBlockStoreVolumeSource  | a disk of AWS
  hostPath              HostPathVolumeSource        | a path of the node itself; for tests on one node
  glusterfs             GlusterfsPersistentVolumeSource  | a volume of GlusterFS
  nfs                   NFSVolumeSource             | a folder of an NFS server
  rbd                   RBDPersistentVolumeSource   | an image of Ceph
  iscsi                 ISCSIPersistentVolumeSource  | an iSCSI disk
  cinder                CinderPersistentVolumeSource  | a disk of OpenStack
  cephfs                CephFSPersistentVolumeSource  | a folder of CephFS
  fc                    FCVolumeSource              | a Fibre Channel disk
  flocker               FlockerVolumeSource         | a dataset of Flocker
  flexVolume            FlexPersistentVolumeSource  | storage of a FlexVolume plugin
  azureFile             AzureFilePersistentVolumeSource  | a file share of Azure
  vsphereVolume         VsphereVirtualDiskVolumeSource  | a disk of vSphere
  quobyte               QuobyteVolumeSource         | a volume of Quobyte
  azureDisk             AzureDiskVolumeSource       | a disk of Azure
  photonPersistentDisk  PhotonPersistentDiskVolumeSource  | a disk of Photon
  portworxVolume        PortworxVolumeSource        | a volume of Portworx
  scaleIO               ScaleIOPersistentVolumeSource  | a volume of ScaleIO
  local                 LocalVolumeSource           | a disk or folder of one node
  storageos             StorageOSPersistentVolumeSource  | a volume of StorageOS
  csi                   CSIPersistentVolumeSource   | storage of a CSI driver

type PersistentVolumeSpec | the location of storage and the claims that may use it
  capacity                       ResourceList                          | how much it holds
  + PersistentVolumeSource
  accessModes                    []PersistentVolumeAccessMode  atomic    | how many nodes or pods may mount it at a time
  claimRef                       ObjectReference             granular  | the claim that has it
  persistentVolumeReclaimPolicy  PersistentVolumeReclaimPolicy            | what becomes of it after its claim: Retain, Delete or Recycle
  storageClassName               string                                | the class it comes from
  mountOptions                   []string                    atomic    | options for the mount
  volumeMode                     PersistentVolumeMode                  | Filesystem or Block
  nodeAffinity                   VolumeNodeAffinity                    | nodes that can reach it
  volumeAttributesClassName      string                                | the class of its attributes

type PersistentVolumeStatus | whether storage is free, bound or over
  phase                    PersistentVolumePhase  | Pending, Available, Bound, Released or Failed
  message                  string                 | what is the matter, for people
  reason                   string                 | the reason, one CamelCase word
  lastPhaseTransitionTime  Time                   | when the phase last changed

type RBDPersistentVolumeSource | an image of Ceph
  monitors*  []string         atomic  | addresses of the monitors
  image*     string                   | the image
  fsType     string                   | file system type; default: ext4
  pool       string                   | the pool it is in
  user       string                   | the user name to log in with
  keyring    string                   | the key's file on the node
  secretRef  SecretReference          | the Secret with the credentials
  readOnly   bool                     | mount it read-only

type ScaleIOPersistentVolumeSource | a volume of ScaleIO
  gateway*          string           | address of the gateway
  system*           string           | the storage system
  secretRef*        SecretReference  | the Secret with the credentials
  sslEnabled        bool             | ask over TLS
  protectionDomain  string           | the protection domain
  storagePool       string           | the pool
  storageMode       string           | ThickProvisioned or ThinProvisioned
  volumeName        string           | the volume
  fsType            string           | file system type; default: ext4
  readOnly          bool             | mount it read-only

type StorageOSPersistentVolumeSource | a volume of StorageOS
  volumeName       string           | the volume
  volumeNamespace  string           | its namespace there
  fsType           string           | file system type; default: ext4
  readOnly         bool             | mount it read-only
  secretRef        ObjectReference  | the Secret with the credentials

type TypedLocalObjectReference atomic | an object of any kind in the same namespace
  apiGroup  string  | its group
  kind*     string  | what kind of object it is
  name*     string  | its name

type TypedObjectReference | an object of any kind
  apiGroup   string  | its group
  kind*      string  | what kind of object it is
  name*      string  | its name
  namespace  string  | its namespace; default: the own one

type VolumeNodeAffinity | nodes that can reach a volume
  required  NodeSelector  | what such a node has

type VolumeResourceRequirements | how much storage
  limits    ResourceList  | at most this much
  requests  ResourceList  | at least this much
)";

}  // namespace drover::sim::types
