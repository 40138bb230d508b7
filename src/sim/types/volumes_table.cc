// Volumes of every kind, and the claims on them. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kVolumes = R"(
scope core - v1 io.k8s.api.core.v1

kind PersistentVolume | 
  + TypeMeta
  metadata  ObjectMeta              | name, labels and the rest that every object has
  spec      PersistentVolumeSpec    | what is wanted
  status    PersistentVolumeStatus  | how it is

kind PersistentVolumeClaim | 
  + TypeMeta
  metadata  ObjectMeta                   | name, labels and the rest that every object has
  spec      PersistentVolumeClaimSpec    | what is wanted
  status    PersistentVolumeClaimStatus  | how it is

type AWSElasticBlockStoreVolumeSource | 
  volumeID*  string  |
  fsType     string  |
  partition  int32   |
  readOnly   bool    |

type AzureDiskVolumeSource | 
  diskName*    string                    |
  diskURI*     string                    |
  cachingMode  AzureDataDiskCachingMode  |
  fsType       string                    |
  readOnly     bool                      |
  kind         AzureDataDiskKind         |

type AzureFilePersistentVolumeSource | 
  secretName*      string  |
  shareName*       string  |
  readOnly         bool    |
  secretNamespace  string  |

type AzureFileVolumeSource | 
  secretName*  string  |
  shareName*   string  |
  readOnly     bool    |

type CSIPersistentVolumeSource | 
  driver*                     string             |
  volumeHandle*               string             |
  readOnly                    bool               |
  fsType                      string             |
  volumeAttributes            map[string]string  |
  controllerPublishSecretRef  SecretReference    |
  nodeStageSecretRef          SecretReference    |
  nodePublishSecretRef        SecretReference    |
  controllerExpandSecretRef   SecretReference    |
  nodeExpandSecretRef         SecretReference    |

type CSIVolumeSource | 
  driver*               string                |
  readOnly              bool                  |
  fsType                string                |
  volumeAttributes      map[string]string     |
  nodePublishSecretRef  LocalObjectReference  |

type CephFSPersistentVolumeSource | 
  monitors*   []string         atomic  |
  path        string                   |
  user        string                   |
  secretFile  string                   |
  secretRef   SecretReference          |
  readOnly    bool                     |

type CephFSVolumeSource | 
  monitors*   []string              atomic  |
  path        string                        |
  user        string                        |
  secretFile  string                        |
  secretRef   LocalObjectReference          |
  readOnly    bool                          |

type CinderPersistentVolumeSource | 
  volumeID*  string           |
  fsType     string           |
  readOnly   bool             |
  secretRef  SecretReference  |

type CinderVolumeSource | 
  volumeID*  string                |
  fsType     string                |
  readOnly   bool                  |
  secretRef  LocalObjectReference  |

type ClusterTrustBundleProjection | 
  name           string         |
  signerName     string         |
  labelSelector  LabelSelector  |
  optional       bool           |
  path*          string         |

type ConfigMapProjection | 
  + LocalObjectReference
  items     []KeyToPath  atomic  |
  optional  bool                 |

type ConfigMapVolumeSource | 
  + LocalObjectReference
  items        []KeyToPath  atomic  |
  defaultMode  int32                |
  optional     bool                 |

type DownwardAPIProjection | 
  items  []DownwardAPIVolumeFile  atomic  |

type DownwardAPIVolumeFile | 
  path*             string                 |
  fieldRef          ObjectFieldSelector    |
  resourceFieldRef  ResourceFieldSelector  |
  mode              int32                  |

type DownwardAPIVolumeSource | 
  items        []DownwardAPIVolumeFile  atomic  |
  defaultMode  int32                            |

type EmptyDirVolumeSource | 
  medium     StorageMedium  |
  sizeLimit  Quantity       |

type EphemeralVolumeSource | 
  volumeClaimTemplate  PersistentVolumeClaimTemplate  |

type FCVolumeSource | 
  targetWWNs  []string  atomic  |
  lun         int32             |
  fsType      string            |
  readOnly    bool              |
  wwids       []string  atomic  |

type FlexPersistentVolumeSource | 
  driver*    string             |
  fsType     string             |
  secretRef  SecretReference    |
  readOnly   bool               |
  options    map[string]string  |

type FlexVolumeSource | 
  driver*    string                |
  fsType     string                |
  secretRef  LocalObjectReference  |
  readOnly   bool                  |
  options    map[string]string     |

type FlockerVolumeSource | 
  datasetName  string  |
  datasetUUID  string  |

type GCEPersistentDiskVolumeSource | 
  pdName*    string  |
  fsType     string  |
  partition  int32   |
  readOnly   bool    |

type GitRepoVolumeSource | 
  repository*  string  |
  revision     string  |
  directory    string  |

type GlusterfsPersistentVolumeSource | 
  endpoints*          string  |
  path*               string  |
  readOnly            bool    |
  endpointsNamespace  string  |

type GlusterfsVolumeSource | 
  endpoints*  string  |
  path*       string  |
  readOnly    bool    |

type HostPathVolumeSource | 
  path*  string        |
  type   HostPathType  |

type ISCSIPersistentVolumeSource | 
  targetPortal*      string                   |
  iqn*               string                   |
  lun*               int32                    |
  iscsiInterface     string                   |
  fsType             string                   |
  readOnly           bool                     |
  portals            []string         atomic  |
  chapAuthDiscovery  bool                     |
  chapAuthSession    bool                     |
  secretRef          SecretReference          |
  initiatorName      string                   |

type ISCSIVolumeSource | 
  targetPortal*      string                        |
  iqn*               string                        |
  lun*               int32                         |
  iscsiInterface     string                        |
  fsType             string                        |
  readOnly           bool                          |
  portals            []string              atomic  |
  chapAuthDiscovery  bool                          |
  chapAuthSession    bool                          |
  secretRef          LocalObjectReference          |
  initiatorName      string                        |

type ImageVolumeSource | 
  reference   string      |
  pullPolicy  PullPolicy  |

type KeyToPath | 
  key*   string  |
  path*  string  |
  mode   int32   |

type LocalVolumeSource | 
  path*   string  |
  fsType  string  |

type ModifyVolumeStatus | 
  targetVolumeAttributesClassName  string                                   |
  status*                          PersistentVolumeClaimModifyVolumeStatus  | how it is

type NFSVolumeSource | 
  server*   string  |
  path*     string  |
  readOnly  bool    |

type PersistentVolumeClaimCondition | 
  type*               PersistentVolumeClaimConditionType  |
  status*             ConditionStatus                     | how it is
  lastProbeTime       Time                                |
  lastTransitionTime  Time                                |
  reason              string                              |
  message             string                              |

type PersistentVolumeClaimSpec | 
  accessModes                []PersistentVolumeAccessMode  atomic  |
  selector                   LabelSelector                         |
  resources                  VolumeResourceRequirements            |
  volumeName                 string                                |
  storageClassName           string                                |
  volumeMode                 PersistentVolumeMode                  |
  dataSource                 TypedLocalObjectReference             |
  dataSourceRef              TypedObjectReference                  |
  volumeAttributesClassName  string                                |

type PersistentVolumeClaimStatus | 
  phase                             PersistentVolumeClaimPhase                                 |
  accessModes                       []PersistentVolumeAccessMode          atomic               |
  capacity                          ResourceList                                               |
  conditions                        []PersistentVolumeClaimCondition      map:type merge:type  |
  allocatedResources                ResourceList                                               |
  allocatedResourceStatuses         map[ResourceName]ClaimResourceStatus  granular             |
  currentVolumeAttributesClassName  string                                                     |
  modifyVolumeStatus                ModifyVolumeStatus                                         |

type PersistentVolumeClaimTemplate | 
  metadata  ObjectMeta                 | name, labels and the rest that every object has
  spec*     PersistentVolumeClaimSpec  | what is wanted

type PersistentVolumeClaimVolumeSource | 
  claimName*  string  |
  readOnly    bool    |

type PersistentVolumeSource | 
  gcePersistentDisk     GCEPersistentDiskVolumeSource     |
  awsElasticBlockStore  AWSElasticBlockStoreVolumeSource  |
  hostPath              HostPathVolumeSource              |
  glusterfs             GlusterfsPersistentVolumeSource   |
  nfs                   NFSVolumeSource                   |
  rbd                   RBDPersistentVolumeSource         |
  iscsi                 ISCSIPersistentVolumeSource       |
  cinder                CinderPersistentVolumeSource      |
  cephfs                CephFSPersistentVolumeSource      |
  fc                    FCVolumeSource                    |
  flocker               FlockerVolumeSource               |
  flexVolume            FlexPersistentVolumeSource        |
  azureFile             AzureFilePersistentVolumeSource   |
  vsphereVolume         VsphereVirtualDiskVolumeSource    |
  quobyte               QuobyteVolumeSource               |
  azureDisk             AzureDiskVolumeSource             |
  photonPersistentDisk  PhotonPersistentDiskVolumeSource  |
  portworxVolume        PortworxVolumeSource              |
  scaleIO               ScaleIOPersistentVolumeSource     |
  local                 LocalVolumeSource                 |
  storageos             StorageOSPersistentVolumeSource   |
  csi                   CSIPersistentVolumeSource         |

type PersistentVolumeSpec | 
  capacity                       ResourceList                             |
  + PersistentVolumeSource
  accessModes                    []PersistentVolumeAccessMode   atomic    |
  claimRef                       ObjectReference                granular  |
  persistentVolumeReclaimPolicy  PersistentVolumeReclaimPolicy            |
  storageClassName               string                                   |
  mountOptions                   []string                       atomic    |
  volumeMode                     PersistentVolumeMode                     |
  nodeAffinity                   VolumeNodeAffinity                       |
  volumeAttributesClassName      string                                   |

type PersistentVolumeStatus | 
  phase                    PersistentVolumePhase  |
  message                  string                 |
  reason                   string                 |
  lastPhaseTransitionTime  Time                   |

type PhotonPersistentDiskVolumeSource | 
  pdID*   string  |
  fsType  string  |

type PodCertificateProjection | 
  signerName*           string             |
  keyType*              string             |
  maxExpirationSeconds  int32              |
  credentialBundlePath  string             |
  keyPath               string             |
  certificateChainPath  string             |
  userAnnotations       map[string]string  |

type PortworxVolumeSource | 
  volumeID*  string  |
  fsType     string  |
  readOnly   bool    |

type ProjectedVolumeSource | 
  sources      []VolumeProjection  atomic  |
  defaultMode  int32                       |

type QuobyteVolumeSource | 
  registry*  string  |
  volume*    string  |
  readOnly   bool    |
  user       string  |
  group      string  |
  tenant     string  |

type RBDPersistentVolumeSource | 
  monitors*  []string         atomic  |
  image*     string                   |
  fsType     string                   |
  pool       string                   |
  user       string                   |
  keyring    string                   |
  secretRef  SecretReference          |
  readOnly   bool                     |

type RBDVolumeSource | 
  monitors*  []string              atomic  |
  image*     string                        |
  fsType     string                        |
  pool       string                        |
  user       string                        |
  keyring    string                        |
  secretRef  LocalObjectReference          |
  readOnly   bool                          |

type ScaleIOPersistentVolumeSource | 
  gateway*          string           |
  system*           string           |
  secretRef*        SecretReference  |
  sslEnabled        bool             |
  protectionDomain  string           |
  storagePool       string           |
  storageMode       string           |
  volumeName        string           |
  fsType            string           |
  readOnly          bool             |

type ScaleIOVolumeSource | 
  gateway*          string                |
  system*           string                |
  secretRef*        LocalObjectReference  |
  sslEnabled        bool                  |
  protectionDomain  string                |
  storagePool       string                |
  storageMode       string                |
  volumeName        string                |
  fsType            string                |
  readOnly          bool                  |

type SecretProjection | 
  + LocalObjectReference
  items     []KeyToPath  atomic  |
  optional  bool                 |

type SecretVolumeSource | 
  secretName   string               |
  items        []KeyToPath  atomic  |
  defaultMode  int32                |
  optional     bool                 |

type ServiceAccountTokenProjection | 
  audience           string  |
  expirationSeconds  int64   |
  path*              string  |

type StorageOSPersistentVolumeSource | 
  volumeName       string           |
  volumeNamespace  string           |
  fsType           string           |
  readOnly         bool             |
  secretRef        ObjectReference  |

type StorageOSVolumeSource | 
  volumeName       string                |
  volumeNamespace  string                |
  fsType           string                |
  readOnly         bool                  |
  secretRef        LocalObjectReference  |

type TypedLocalObjectReference atomic | 
  apiGroup  string  |
  kind*     string  |
  name*     string  |

type TypedObjectReference | 
  apiGroup   string  |
  kind*      string  |
  name*      string  |
  namespace  string  |

type Volume | 
  name*  string  |
  + VolumeSource

type VolumeNodeAffinity | 
  required  NodeSelector  |

type VolumeProjection | 
  secret               SecretProjection               |
  downwardAPI          DownwardAPIProjection          |
  configMap            ConfigMapProjection            |
  serviceAccountToken  ServiceAccountTokenProjection  |
  clusterTrustBundle   ClusterTrustBundleProjection   |
  podCertificate       PodCertificateProjection       |

type VolumeResourceRequirements | 
  limits    ResourceList  |
  requests  ResourceList  |

type VolumeSource | 
  hostPath               HostPathVolumeSource               |
  emptyDir               EmptyDirVolumeSource               |
  gcePersistentDisk      GCEPersistentDiskVolumeSource      |
  awsElasticBlockStore   AWSElasticBlockStoreVolumeSource   |
  gitRepo                GitRepoVolumeSource                |
  secret                 SecretVolumeSource                 |
  nfs                    NFSVolumeSource                    |
  iscsi                  ISCSIVolumeSource                  |
  glusterfs              GlusterfsVolumeSource              |
  persistentVolumeClaim  PersistentVolumeClaimVolumeSource  |
  rbd                    RBDVolumeSource                    |
  flexVolume             FlexVolumeSource                   |
  cinder                 CinderVolumeSource                 |
  cephfs                 CephFSVolumeSource                 |
  flocker                FlockerVolumeSource                |
  downwardAPI            DownwardAPIVolumeSource            |
  fc                     FCVolumeSource                     |
  azureFile              AzureFileVolumeSource              |
  configMap              ConfigMapVolumeSource              |
  vsphereVolume          VsphereVirtualDiskVolumeSource     |
  quobyte                QuobyteVolumeSource                |
  azureDisk              AzureDiskVolumeSource              |
  photonPersistentDisk   PhotonPersistentDiskVolumeSource   |
  projected              ProjectedVolumeSource              |
  portworxVolume         PortworxVolumeSource               |
  scaleIO                ScaleIOVolumeSource                |
  storageos              StorageOSVolumeSource              |
  csi                    CSIVolumeSource                    |
  ephemeral              EphemeralVolumeSource              |
  image                  ImageVolumeSource                  |

type VsphereVirtualDiskVolumeSource | 
  volumePath*        string  |
  fsType             string  |
  storagePolicyName  string  |
  storagePolicyID    string  |
)";

}  // namespace drover::sim::types
