// What pods can mount. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kVolumes = R"(
scope core - v1 io.k8s.api.core.v1

type AWSElasticBlockStoreVolumeSource | a disk of AWS
  volumeID*  string  | the disk
  fsType     string  | file system type; default: ext4
  partition  int32   | the partition to mount; 0 or nothing for the whole device
  readOnly   bool    | mount it read-only

type AzureDiskVolumeSource | a disk of Azure
  diskName*    string                    | the disk's name
  diskURI*     string                    | where the disk is
  cachingMode  AzureDataDiskCachingMode  | None, ReadOnly or ReadWrite
  fsType       string                    | file system type; default: ext4
  readOnly     bool                      | mount it read-only
  kind         AzureDataDiskKind         | Shared, Dedicated or Managed

type AzureFileVolumeSource | a file share of Azure
  secretName*  string  | the Secret with account and key
  shareName*   string  | the share
  readOnly     bool    | mount it read-only

type CSIVolumeSource | storage that a CSI driver makes for one pod
  driver*               string                | the driver
  readOnly              bool                  | mount it read-only
  fsType                string                | file system type; default: ext4
  volumeAttributes      map[string]string     | parameters for the driver
  nodePublishSecretRef  LocalObjectReference  | credentials for the mount

type CephFSVolumeSource | a folder of CephFS
  monitors*   []string              atomic  | addresses of the monitors
  path        string                        | the folder
  user        string                        | the user name to log in with
  secretFile  string                        | the key's file on the node
  secretRef   LocalObjectReference          | the Secret with the credentials
  readOnly    bool                          | mount it read-only

type CinderVolumeSource | a disk of OpenStack
  volumeID*  string                | the disk
  fsType     string                | file system type; default: ext4
  readOnly   bool                  | mount it read-only
  secretRef  LocalObjectReference  | the Secret with the credentials

type ClusterTrustBundleProjection | certificates of a trust bundle as a file
  name           string         | one bundle by its name; not together with signerName
  signerName     string         | all bundles of this signer
  labelSelector  LabelSelector  | which of the signer's bundles
  optional       bool           | go on without it when it is missing
  path*          string         | the file below the mount

type ConfigMapProjection | entries of a ConfigMap as files
  + LocalObjectReference
  items     []KeyToPath  atomic  | which entries become which files; default: all under their keys
  optional  bool                 | go on without it when it is missing

type ConfigMapVolumeSource | a ConfigMap as a folder
  + LocalObjectReference
  items        []KeyToPath  atomic  | which entries become which files; default: all under their keys
  defaultMode  int32                | the files' permissions
  optional     bool                 | go on without it when it is missing

type DownwardAPIProjection | facts about the pod as files
  items  []DownwardAPIVolumeFile  atomic  | one file for each fact

type DownwardAPIVolumeFile | a fact about the pod as a file
  path*             string                 | the file
  fieldRef          ObjectFieldSelector    | a field of the pod
  resourceFieldRef  ResourceFieldSelector  | a limit or request of a container
  mode              int32                  | the file's permissions

type DownwardAPIVolumeSource | facts about the pod as a folder
  items        []DownwardAPIVolumeFile  atomic  | one file for each fact
  defaultMode  int32                            | the files' permissions

type EmptyDirVolumeSource | a directory that is deleted with the pod
  medium     StorageMedium  | Memory for a folder in memory
  sizeLimit  Quantity       | how much may be in it

type EphemeralVolumeSource | a claim that is made for the pod and goes with it
  volumeClaimTemplate  PersistentVolumeClaimTemplate  | how the claim is made

type FCVolumeSource | a Fibre Channel disk
  targetWWNs  []string  atomic  | names of the targets
  lun         int32             | the unit behind them
  fsType      string            | file system type; default: ext4
  readOnly    bool              | mount it read-only
  wwids       []string  atomic  | names of the disk; instead of targets and unit

type FlexVolumeSource | storage of a FlexVolume plugin
  driver*    string                | the plugin
  fsType     string                | file system type; default: ext4
  secretRef  LocalObjectReference  | the Secret with the credentials
  readOnly   bool                  | mount it read-only
  options    map[string]string     | parameters for the plugin

type FlockerVolumeSource | a dataset of Flocker
  datasetName  string  | its name
  datasetUUID  string  | its id

type GCEPersistentDiskVolumeSource | a disk of Google's cloud
  pdName*    string  | the disk
  fsType     string  | file system type; default: ext4
  partition  int32   | the partition to mount; 0 or nothing for the whole device
  readOnly   bool    | mount it read-only

type GitRepoVolumeSource | a clone of a git repository; no longer served
  repository*  string  | what to clone
  revision     string  | the commit
  directory    string  | into which folder

type GlusterfsVolumeSource | a volume of GlusterFS
  endpoints*  string  | the Endpoints that lead to it
  path*       string  | the volume
  readOnly    bool    | mount it read-only

type HostPathVolumeSource | a path of the node itself
  path*  string        | the path
  type   HostPathType  | what must be there, or be made, before the mount

type ISCSIVolumeSource | an iSCSI disk
  targetPortal*      string                        | address and port of the target
  iqn*               string                        | the target's name
  lun*               int32                         | the unit behind it
  iscsiInterface     string                        | the initiator's interface
  fsType             string                        | file system type; default: ext4
  readOnly           bool                          | mount it read-only
  portals            []string              atomic  | further addresses
  chapAuthDiscovery  bool                          | log in for discovery
  chapAuthSession    bool                          | log in for sessions
  secretRef          LocalObjectReference          | the Secret with the credentials
  initiatorName      string                        | the initiator's name

type ImageVolumeSource | the files of an image
  reference   string      | the image
  pullPolicy  PullPolicy  | whether to pull an image that the node has

type KeyToPath | an entry and the file it becomes
  key*   string  | the entry
  path*  string  | the file
  mode   int32   | the file's permissions

type NFSVolumeSource | a folder of an NFS server
  server*   string  | the server
  path*     string  | what it exports
  readOnly  bool    | mount it read-only

type PhotonPersistentDiskVolumeSource | a disk of Photon
  pdID*   string  | the disk
  fsType  string  | file system type; default: ext4

type PodCertificateProjection | a key and a certificate for the pod, renewed in time
  signerName*           string             | the signer
  keyType*              string             | which kind of key
  maxExpirationSeconds  int32              | how long a certificate may be good at most
  credentialBundlePath  string             | one file with key and certificates
  keyPath               string             | a file with the key
  certificateChainPath  string             | a file with the certificates
  userAnnotations       map[string]string  | notes for the signer

type PortworxVolumeSource | a volume of Portworx
  volumeID*  string  | the volume
  fsType     string  | file system type; default: ext4
  readOnly   bool    | mount it read-only

type ProjectedVolumeSource | several sources in one folder
  sources      []VolumeProjection  atomic  | what goes into it
  defaultMode  int32                       | the files' permissions

type QuobyteVolumeSource | a volume of Quobyte
  registry*  string  | address of the registry
  volume*    string  | the volume
  readOnly   bool    | mount it read-only
  user       string  | the user to mount as
  group      string  | the group to mount as
  tenant     string  | the tenant that owns it

type RBDVolumeSource | an image of Ceph
  monitors*  []string              atomic  | addresses of the monitors
  image*     string                        | the image
  fsType     string                        | file system type; default: ext4
  pool       string                        | the pool it is in
  user       string                        | the user name to log in with
  keyring    string                        | the key's file on the node
  secretRef  LocalObjectReference          | the Secret with the credentials
  readOnly   bool                          | mount it read-only

type ScaleIOVolumeSource | a volume of ScaleIO
  gateway*          string                | address of the gateway
  system*           string                | the storage system
  secretRef*        LocalObjectReference  | the Secret with the credentials
  sslEnabled        bool                  | ask over TLS
  protectionDomain  string                | the protection domain
  storagePool       string                | the pool
  storageMode       string                | ThickProvisioned or ThinProvisioned
  volumeName        string                | the volume
  fsType            string                | file system type; default: ext4
  readOnly          bool                  | mount it read-only

type SecretProjection | entries of a Secret as files
  + LocalObjectReference
  items     []KeyToPath  atomic  | which entries become which files; default: all under their keys
  optional  bool                 | go on without it when it is missing

type SecretVolumeSource | a Secret as a folder
  secretName   string               | the Secret
  items        []KeyToPath  atomic  | which entries become which files; default: all under their keys
  defaultMode  int32                | the files' permissions
  optional     bool                 | go on without it when it is missing

type ServiceAccountTokenProjection | a token of the pod's service account, renewed in time
  audience           string  | audiences that the token is valid for
  expirationSeconds  int64   | how long it is valid
  path*              string  | the file

type StorageOSVolumeSource | a volume of StorageOS
  volumeName       string                | the volume
  volumeNamespace  string                | its namespace there
  fsType           string                | file system type; default: ext4
  readOnly         bool                  | mount it read-only
  secretRef        LocalObjectReference  | the Secret with the credentials

type Volume | something that containers can mount
  name*  string  | what mounts call it
  + VolumeSource

type VolumeProjection | one source of a folder; one of these
  secret               SecretProjection            | entries of a Secret
  downwardAPI          DownwardAPIProjection       | facts about the pod
  configMap            ConfigMapProjection         | entries of a ConfigMap
  serviceAccountToken  ServiceAccountTokenProjection  | a token of the pod's service account
  clusterTrustBundle   ClusterTrustBundleProjection  | certificates to trust
  podCertificate       PodCertificateProjection    | a key and a certificate for the pod

type VolumeSource | what a volume is; one of these
  hostPath               HostPathVolumeSource        | a path of the node itself
  emptyDir               EmptyDirVolumeSource        | a directory that is deleted with the pod
  gcePersistentDisk      GCEPersistentDiskVolumeSource  | a disk of Google's cloud
  awsElasticBlockStore   AWSElasticBlockStoreVolumeSource  | a disk of AWS
  gitRepo                GitRepoVolumeSource         | a clone of a git repository; no longer served
  secret                 SecretVolumeSource          | a Secret as files
  nfs                    NFSVolumeSource             | a folder of an NFS server
  iscsi                  ISCSIVolumeSource           | an iSCSI disk
  glusterfs              GlusterfsVolumeSource       | a volume of GlusterFS
  persistentVolumeClaim  PersistentVolumeClaimVolumeSource  | the storage of a claim
  rbd                    RBDVolumeSource             | an image of Ceph
  flexVolume             FlexVolumeSource            | storage of a FlexVolume plugin
  cinder                 CinderVolumeSource          | a disk of OpenStack
  cephfs                 CephFSVolumeSource          | a folder of CephFS
  flocker                FlockerVolumeSource         | a dataset of Flocker
  downwardAPI            DownwardAPIVolumeSource     | facts about the pod as files
  fc                     FCVolumeSource              | a Fibre Channel disk
  azureFile              AzureFileVolumeSource       | a file share of Azure
  configMap              ConfigMapVolumeSource       | a ConfigMap as files
  vsphereVolume          VsphereVirtualDiskVolumeSource  | a disk of vSphere
  quobyte                QuobyteVolumeSource         | a volume of Quobyte
  azureDisk              AzureDiskVolumeSource       | a disk of Azure
  photonPersistentDisk   PhotonPersistentDiskVolumeSource  | a disk of Photon
  projected              ProjectedVolumeSource       | several sources in one folder
  portworxVolume         PortworxVolumeSource        | a volume of Portworx
  scaleIO                ScaleIOVolumeSource         | a volume of ScaleIO
  storageos              StorageOSVolumeSource       | a volume of StorageOS
  csi                    CSIVolumeSource             | storage that a CSI driver makes for this pod
  ephemeral              EphemeralVolumeSource       | a claim that is made for the pod and goes with it
  image                  ImageVolumeSource           | the files of an image

type VsphereVirtualDiskVolumeSource | a disk of vSphere
  volumePath*        string  | where the disk is
  fsType             string  | file system type; default: ext4
  storagePolicyName  string  | its storage policy
  storagePolicyID    string  | the policy's id
)";

}  // namespace drover::sim::types
