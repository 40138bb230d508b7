// What pods can mount. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kVolumes = R"(
scope core - v1 io.k8s.api.core.v1

type AWSElasticBlockStoreVolumeSource | a disk of AWS
  volumeID*  string  | the disk
  fsType     string  | the file system on it, ext4 when not said
  partition  int32   | the partition to mount; 0 or nothing for the whole device
  readOnly   bool    | mount it so that nobody can write

type AzureDiskVolumeSource | a disk of Azure
  diskName*    string                    | the disk's name
  diskURI*     string                    | where the disk is
  cachingMode  AzureDataDiskCachingMode  | None, ReadOnly or ReadWrite
  fsType       string                    | the file system on it, ext4 when not said
  readOnly     bool                      | mount it so that nobody can write
  kind         AzureDataDiskKind         | Shared, Dedicated or Managed

type AzureFileVolumeSource | a file share of Azure
  secretName*  string  | the Secret with account and key
  shareName*   string  | the share
  readOnly     bool    | mount it so that nobody can write

type CSIVolumeSource | storage that a CSI driver makes for one pod
  driver*               string                | the driver
  readOnly              bool                  | mount it so that nobody can write
  fsType                string                | the file system on it, ext4 when not said
  volumeAttributes      map[string]string     | what the driver wants to know
  nodePublishSecretRef  LocalObjectReference  | credentials for the mount

type CephFSVolumeSource | a folder of CephFS
  monitors*   []string              atomic  | whom to ask
  path        string                        | the folder
  user        string                        | whom to log in as
  secretFile  string                        | the key's file on the node
  secretRef   LocalObjectReference          | the Secret with the credentials
  readOnly    bool                          | mount it so that nobody can write

type CinderVolumeSource | a disk of OpenStack
  volumeID*  string                | the disk
  fsType     string                | the file system on it, ext4 when not said
  readOnly   bool                  | mount it so that nobody can write
  secretRef  LocalObjectReference  | the Secret with the credentials

type ClusterTrustBundleProjection | certificates of a trust bundle as a file
  name           string         | one bundle by its name; not together with signerName
  signerName     string         | all bundles of this signer
  labelSelector  LabelSelector  | which of the signer's bundles
  optional       bool           | go on without it when it is missing
  path*          string         | the file below the mount

type ConfigMapProjection | entries of a ConfigMap as files
  + LocalObjectReference
  items     []KeyToPath  atomic  | which entries become which files, all under their keys when not said
  optional  bool                 | go on without it when it is missing

type ConfigMapVolumeSource | a ConfigMap as a folder
  + LocalObjectReference
  items        []KeyToPath  atomic  | which entries become which files, all under their keys when not said
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

type EmptyDirVolumeSource | a folder that lives as long as the pod
  medium     StorageMedium  | Memory for a folder in memory
  sizeLimit  Quantity       | how much may be in it

type EphemeralVolumeSource | a claim that is made for the pod and goes with it
  volumeClaimTemplate  PersistentVolumeClaimTemplate  | how the claim is made

type FCVolumeSource | a Fibre Channel disk
  targetWWNs  []string  atomic  | names of the targets
  lun         int32             | the unit behind them
  fsType      string            | the file system on it, ext4 when not said
  readOnly    bool              | mount it so that nobody can write
  wwids       []string  atomic  | names of the disk; instead of targets and unit

type FlexVolumeSource | storage of a FlexVolume plugin
  driver*    string                | the plugin
  fsType     string                | the file system on it, ext4 when not said
  secretRef  LocalObjectReference  | the Secret with the credentials
  readOnly   bool                  | mount it so that nobody can write
  options    map[string]string     | what the plugin wants to know

type FlockerVolumeSource | a dataset of Flocker
  datasetName  string  | its name
  datasetUUID  string  | its id

type GCEPersistentDiskVolumeSource | a disk of Google's cloud
  pdName*    string  | the disk
  fsType     string  | the file system on it, ext4 when not said
  partition  int32   | the partition to mount; 0 or nothing for the whole device
  readOnly   bool    | mount it so that nobody can write

type GitRepoVolumeSource | a clone of a git repository; no longer served
  repository*  string  | what to clone
  revision     string  | the commit
  directory    string  | into which folder

type GlusterfsVolumeSource | a volume of GlusterFS
  endpoints*  string  | the Endpoints that lead to it
  path*       string  | the volume
  readOnly    bool    | mount it so that nobody can write

type HostPathVolumeSource | a path of the node itself
  path*  string        | the path
  type   HostPathType  | what must be there, or be made, before the mount

type ISCSIVolumeSource | an iSCSI disk
  targetPortal*      string                        | address and port of the target
  iqn*               string                        | the target's name
  lun*               int32                         | the unit behind it
  iscsiInterface     string                        | the initiator's interface
  fsType             string                        | the file system on it, ext4 when not said
  readOnly           bool                          | mount it so that nobody can write
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
  readOnly  bool    | mount it so that nobody can write

type PhotonPersistentDiskVolumeSource | a disk of Photon
  pdID*   string  | the disk
  fsType  string  | the file system on it, ext4 when not said

type PodCertificateProjection | a key and a certificate for the pod, renewed in time
  signerName*           string             | who signs
  keyType*              string             | which kind of key
  maxExpirationSeconds  int32              | how long a certificate may be good at most
  credentialBundlePath  string             | one file with key and certificates
  keyPath               string             | a file with the key
  certificateChainPath  string             | a file with the certificates
  userAnnotations       map[string]string  | notes for the signer

type PortworxVolumeSource | a volume of Portworx
  volumeID*  string  | the volume
  fsType     string  | the file system on it, ext4 when not said
  readOnly   bool    | mount it so that nobody can write

type ProjectedVolumeSource | several sources in one folder
  sources      []VolumeProjection  atomic  | what goes into it
  defaultMode  int32                       | the files' permissions

type QuobyteVolumeSource | a volume of Quobyte
  registry*  string  | whom to ask
  volume*    string  | the volume
  readOnly   bool    | mount it so that nobody can write
  user       string  | the user to mount as
  group      string  | the group to mount as
  tenant     string  | who owns it

type RBDVolumeSource | an image of Ceph
  monitors*  []string              atomic  | whom to ask
  image*     string                        | the image
  fsType     string                        | the file system on it, ext4 when not said
  pool       string                        | the pool it is in
  user       string                        | whom to log in as
  keyring    string                        | the key's file on the node
  secretRef  LocalObjectReference          | the Secret with the credentials
  readOnly   bool                          | mount it so that nobody can write

type ScaleIOVolumeSource | a volume of ScaleIO
  gateway*          string                | whom to ask
  system*           string                | the storage system
  secretRef*        LocalObjectReference  | the Secret with the credentials
  sslEnabled        bool                  | ask over TLS
  protectionDomain  string                | the protection domain
  storagePool       string                | the pool
  storageMode       string                | ThickProvisioned or ThinProvisioned
  volumeName        string                | the volume
  fsType            string                | the file system on it, ext4 when not said
  readOnly          bool                  | mount it so that nobody can write

type SecretProjection | entries of a Secret as files
  + LocalObjectReference
  items     []KeyToPath  atomic  | which entries become which files, all under their keys when not said
  optional  bool                 | go on without it when it is missing

type SecretVolumeSource | a Secret as a folder
  secretName   string               | the Secret
  items        []KeyToPath  atomic  | which entries become which files, all under their keys when not said
  defaultMode  int32                | the files' permissions
  optional     bool                 | go on without it when it is missing

type ServiceAccountTokenProjection | a token of the pod's service account, renewed in time
  audience           string  | for whom the token is good
  expirationSeconds  int64   | how long it is good
  path*              string  | the file

type StorageOSVolumeSource | a volume of StorageOS
  volumeName       string                | the volume
  volumeNamespace  string                | its namespace there
  fsType           string                | the file system on it, ext4 when not said
  readOnly         bool                  | mount it so that nobody can write
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
  emptyDir               EmptyDirVolumeSource        | a folder that lives as long as the pod
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
  fsType             string  | the file system on it, ext4 when not said
  storagePolicyName  string  | its storage policy
  storagePolicyID    string  | the policy's id
)";

}  // namespace drover::sim::types
