// The numbers of the fields of core/v1 and of what all objects have.
#include "sim/protobuf/messages.h"

namespace drover::sim::protobuf {

// clang-format off
const std::string_view kCoreMessages = R"(
core.AWSElasticBlockStoreVolumeSource: 1 volumeID s, 2 fsType s, 3 partition i, 4 readOnly b;
core.Affinity: 1 nodeAffinity NodeAffinity?, 2 podAffinity PodAffinity?, 3 podAntiAffinity PodAntiAffinity?;
core.AppArmorProfile: 1 type s, 2 localhostProfile s?;
core.AttachedVolume: 1 name s, 2 devicePath s;
core.AzureDiskVolumeSource: 1 diskName s, 2 diskURI s, 3 cachingMode s?, 4 fsType s?, 5 readOnly b?, 6 kind s?;
core.AzureFileVolumeSource: 1 secretName s, 2 shareName s, 3 readOnly b;
core.Binding: 1 metadata meta.ObjectMeta, 2 target ObjectReference;
core.CSIVolumeSource: 1 driver s, 2 readOnly b?, 3 fsType s?, 4 volumeAttributes s{},
    5 nodePublishSecretRef LocalObjectReference?;
core.Capabilities: 1 add s[], 2 drop s[];
core.CephFSVolumeSource: 1 monitors s[], 2 path s, 3 user s, 4 secretFile s, 5 secretRef LocalObjectReference?,
    6 readOnly b;
core.CinderVolumeSource: 1 volumeID s, 2 fsType s, 3 readOnly b, 4 secretRef LocalObjectReference?;
core.ClientIPConfig: 1 timeoutSeconds i?;
core.ClusterTrustBundleProjection: 1 name s?, 2 signerName s?, 3 labelSelector meta.LabelSelector?, 4 path s,
    5 optional b?;
core.ConfigMap: 1 metadata meta.ObjectMeta, 2 data s{}, 3 binaryData y{}, 4 immutable b?;
core.ConfigMapEnvSource: 1 localObjectReference LocalObjectReference^, 2 optional b?;
core.ConfigMapKeySelector: 1 localObjectReference LocalObjectReference^, 2 key s, 3 optional b?;
core.ConfigMapNodeConfigSource: 1 namespace s, 2 name s, 3 uid s, 4 resourceVersion s, 5 kubeletConfigKey s;
core.ConfigMapProjection: 1 localObjectReference LocalObjectReference^, 2 items KeyToPath[], 4 optional b?;
core.ConfigMapVolumeSource: 1 localObjectReference LocalObjectReference^, 2 items KeyToPath[], 3 defaultMode i?,
    4 optional b?;
core.Container: 1 name s, 2 image s, 3 command s[], 4 args s[], 5 workingDir s, 6 ports ContainerPort[],
    7 env EnvVar[], 8 resources ResourceRequirements, 9 volumeMounts VolumeMount[], 10 livenessProbe Probe?,
    11 readinessProbe Probe?, 12 lifecycle Lifecycle?, 13 terminationMessagePath s, 14 imagePullPolicy s,
    15 securityContext SecurityContext?, 16 stdin b, 17 stdinOnce b, 18 tty b, 19 envFrom EnvFromSource[],
    20 terminationMessagePolicy s, 21 volumeDevices VolumeDevice[], 22 startupProbe Probe?,
    23 resizePolicy ContainerResizePolicy[], 24 restartPolicy s?, 25 restartPolicyRules ContainerRestartRule[];
core.ContainerExtendedResourceRequest: 1 containerName s, 2 resourceName s, 3 requestName s;
core.ContainerImage: 1 names s[], 2 sizeBytes i;
core.ContainerPort: 1 name s, 2 hostPort i, 3 containerPort i, 4 protocol s, 5 hostIP s;
core.ContainerResizePolicy: 1 resourceName s, 2 restartPolicy s;
core.ContainerRestartRule: 1 action s, 2 exitCodes ContainerRestartRuleOnExitCodes?;
core.ContainerRestartRuleOnExitCodes: 1 operator s, 2 values i[];
core.ContainerState: 1 waiting ContainerStateWaiting?, 2 running ContainerStateRunning?,
    3 terminated ContainerStateTerminated?;
core.ContainerStateRunning: 1 startedAt T;
core.ContainerStateTerminated: 1 exitCode i, 2 signal i, 3 reason s, 4 message s, 5 startedAt T, 6 finishedAt T,
    7 containerID s;
core.ContainerStateWaiting: 1 reason s, 2 message s;
core.ContainerStatus: 1 name s, 2 state ContainerState, 3 lastState ContainerState, 4 ready b, 5 restartCount i,
    6 image s, 7 imageID s, 8 containerID s, 9 started b?, 10 allocatedResources Q{},
    11 resources ResourceRequirements?, 12 volumeMounts VolumeMountStatus[], 13 user ContainerUser?,
    14 allocatedResourcesStatus ResourceStatus[], 15 stopSignal s?;
core.ContainerUser: 1 linux LinuxContainerUser?;
core.DaemonEndpoint: 1 Port i;
core.DownwardAPIProjection: 1 items DownwardAPIVolumeFile[];
core.DownwardAPIVolumeFile: 1 path s, 2 fieldRef ObjectFieldSelector?, 3 resourceFieldRef ResourceFieldSelector?,
    4 mode i?;
core.DownwardAPIVolumeSource: 1 items DownwardAPIVolumeFile[], 2 defaultMode i?;
core.EmptyDirVolumeSource: 1 medium s, 2 sizeLimit Q?;
core.EndpointAddress: 1 ip s, 2 targetRef ObjectReference?, 3 hostname s, 4 nodeName s?;
core.EndpointPort: 1 name s, 2 port i, 3 protocol s, 4 appProtocol s?;
core.EndpointSubset: 1 addresses EndpointAddress[], 2 notReadyAddresses EndpointAddress[], 3 ports EndpointPort[];
core.Endpoints: 1 metadata meta.ObjectMeta, 2 subsets EndpointSubset[];
core.EnvFromSource: 1 prefix s, 2 configMapRef ConfigMapEnvSource?, 3 secretRef SecretEnvSource?;
core.EnvVar: 1 name s, 2 value s, 3 valueFrom EnvVarSource?;
core.EnvVarSource: 1 fieldRef ObjectFieldSelector?, 2 resourceFieldRef ResourceFieldSelector?,
    3 configMapKeyRef ConfigMapKeySelector?, 4 secretKeyRef SecretKeySelector?, 5 fileKeyRef FileKeySelector?;
core.EphemeralContainer: 1 ephemeralContainerCommon EphemeralContainerCommon^, 2 targetContainerName s;
core.EphemeralContainerCommon: 1 name s, 2 image s, 3 command s[], 4 args s[], 5 workingDir s,
    6 ports ContainerPort[], 7 env EnvVar[], 8 resources ResourceRequirements, 9 volumeMounts VolumeMount[],
    10 livenessProbe Probe?, 11 readinessProbe Probe?, 12 lifecycle Lifecycle?, 13 terminationMessagePath s,
    14 imagePullPolicy s, 15 securityContext SecurityContext?, 16 stdin b, 17 stdinOnce b, 18 tty b,
    19 envFrom EnvFromSource[], 20 terminationMessagePolicy s, 21 volumeDevices VolumeDevice[],
    22 startupProbe Probe?, 23 resizePolicy ContainerResizePolicy[], 24 restartPolicy s?,
    25 restartPolicyRules ContainerRestartRule[];
core.EphemeralVolumeSource: 1 volumeClaimTemplate PersistentVolumeClaimTemplate?;
core.Event: 1 metadata meta.ObjectMeta, 2 involvedObject ObjectReference, 3 reason s, 4 message s,
    5 source EventSource, 6 firstTimestamp T, 7 lastTimestamp T, 8 count i, 9 type s, 10 eventTime M,
    11 series EventSeries?, 12 action s, 13 related ObjectReference?, 14 reportingComponent s, 15 reportingInstance s;
core.EventSeries: 1 count i, 2 lastObservedTime M;
core.EventSource: 1 component s, 2 host s;
core.ExecAction: 1 command s[];
core.FCVolumeSource: 1 targetWWNs s[], 2 lun i?, 3 fsType s, 4 readOnly b, 5 wwids s[];
core.FileKeySelector: 1 volumeName s, 2 path s, 3 key s, 4 optional b?;
core.FlexVolumeSource: 1 driver s, 2 fsType s, 3 secretRef LocalObjectReference?, 4 readOnly b, 5 options s{};
core.FlockerVolumeSource: 1 datasetName s, 2 datasetUUID s;
core.GCEPersistentDiskVolumeSource: 1 pdName s, 2 fsType s, 3 partition i, 4 readOnly b;
core.GRPCAction: 1 port i, 2 service s?;
core.GitRepoVolumeSource: 1 repository s, 2 revision s, 3 directory s;
core.GlusterfsVolumeSource: 1 endpoints s, 2 path s, 3 readOnly b;
core.HTTPGetAction: 1 path s, 2 port I, 3 host s, 4 scheme s, 5 httpHeaders HTTPHeader[];
core.HTTPHeader: 1 name s, 2 value s;
core.HostAlias: 1 ip s, 2 hostnames s[];
core.HostIP: 1 ip s;
core.HostPathVolumeSource: 1 path s, 2 type s?;
core.ISCSIVolumeSource: 1 targetPortal s, 2 iqn s, 3 lun i, 4 iscsiInterface s, 5 fsType s, 6 readOnly b,
    7 portals s[], 8 chapAuthDiscovery b, 10 secretRef LocalObjectReference?, 11 chapAuthSession b,
    12 initiatorName s?;
core.ImageVolumeSource: 1 reference s, 2 pullPolicy s;
core.ImageVolumeStatus: 1 imageRef s;
core.KeyToPath: 1 key s, 2 path s, 3 mode i?;
core.Lifecycle: 1 postStart LifecycleHandler?, 2 preStop LifecycleHandler?, 3 stopSignal s?;
core.LifecycleHandler: 1 exec ExecAction?, 2 httpGet HTTPGetAction?, 3 tcpSocket TCPSocketAction?,
    4 sleep SleepAction?;
core.LimitRange: 1 metadata meta.ObjectMeta, 2 spec LimitRangeSpec;
core.LimitRangeItem: 1 type s, 2 max Q{}, 3 min Q{}, 4 default Q{}, 5 defaultRequest Q{},
    6 maxLimitRequestRatio Q{};
core.LimitRangeSpec: 1 limits LimitRangeItem[];
core.LinuxContainerUser: 1 uid i, 2 gid i, 3 supplementalGroups i[];
core.LoadBalancerIngress: 1 ip s, 2 hostname s, 3 ipMode s?, 4 ports PortStatus[];
core.LoadBalancerStatus: 1 ingress LoadBalancerIngress[];
core.LocalObjectReference: 1 name s;
core.ModifyVolumeStatus: 1 targetVolumeAttributesClassName s, 2 status s;
core.NFSVolumeSource: 1 server s, 2 path s, 3 readOnly b;
core.Namespace: 1 metadata meta.ObjectMeta, 2 spec NamespaceSpec, 3 status NamespaceStatus;
core.NamespaceCondition: 1 type s, 2 status s, 4 lastTransitionTime T, 5 reason s, 6 message s;
core.NamespaceSpec: 1 finalizers s[];
core.NamespaceStatus: 1 phase s, 2 conditions NamespaceCondition[];
core.Node: 1 metadata meta.ObjectMeta, 2 spec NodeSpec, 3 status NodeStatus;
core.NodeAddress: 1 type s, 2 address s;
core.NodeAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution NodeSelector?,
    2 preferredDuringSchedulingIgnoredDuringExecution PreferredSchedulingTerm[];
core.NodeAllocatableResourceClaimStatus: 1 resourceClaimName s, 2 containers s[], 3 resources Q{};
core.NodeCondition: 1 type s, 2 status s, 3 lastHeartbeatTime T, 4 lastTransitionTime T, 5 reason s,
    6 message s;
core.NodeConfigSource: 2 configMap ConfigMapNodeConfigSource?;
core.NodeConfigStatus: 1 assigned NodeConfigSource?, 2 active NodeConfigSource?, 3 lastKnownGood NodeConfigSource?,
    4 error s;
core.NodeDaemonEndpoints: 1 kubeletEndpoint DaemonEndpoint;
core.NodeFeatures: 1 supplementalGroupsPolicy b?;
core.NodeRuntimeHandler: 1 name s, 2 features NodeRuntimeHandlerFeatures?;
core.NodeRuntimeHandlerFeatures: 1 recursiveReadOnlyMounts b?, 2 userNamespaces b?;
core.NodeSelector: 1 nodeSelectorTerms NodeSelectorTerm[];
core.NodeSelectorRequirement: 1 key s, 2 operator s, 3 values s[];
core.NodeSelectorTerm: 1 matchExpressions NodeSelectorRequirement[], 2 matchFields NodeSelectorRequirement[];
core.NodeSpec: 1 podCIDR s, 2 externalID s, 3 providerID s, 4 unschedulable b, 5 taints Taint[],
    6 configSource NodeConfigSource?, 7 podCIDRs s[];
core.NodeStatus: 1 capacity Q{}, 2 allocatable Q{}, 3 phase s, 4 conditions NodeCondition[],
    5 addresses NodeAddress[], 6 daemonEndpoints NodeDaemonEndpoints, 7 nodeInfo NodeSystemInfo,
    8 images ContainerImage[], 9 volumesInUse s[], 10 volumesAttached AttachedVolume[], 11 config NodeConfigStatus?,
    12 runtimeHandlers NodeRuntimeHandler[], 13 features NodeFeatures?, 14 declaredFeatures s[];
core.NodeSwapStatus: 1 capacity i?;
core.NodeSystemInfo: 1 machineID s, 2 systemUUID s, 3 bootID s, 4 kernelVersion s, 5 osImage s,
    6 containerRuntimeVersion s, 7 kubeletVersion s, 8 kubeProxyVersion s, 9 operatingSystem s, 10 architecture s,
    11 swap NodeSwapStatus?;
core.ObjectFieldSelector: 1 apiVersion s, 2 fieldPath s;
core.ObjectReference: 1 kind s, 2 namespace s, 3 name s, 4 uid s, 5 apiVersion s, 6 resourceVersion s, 7 fieldPath s;
core.PersistentVolumeClaim: 1 metadata meta.ObjectMeta, 2 spec PersistentVolumeClaimSpec,
    3 status PersistentVolumeClaimStatus;
core.PersistentVolumeClaimCondition: 1 type s, 2 status s, 3 lastProbeTime T, 4 lastTransitionTime T,
    5 reason s, 6 message s;
core.PersistentVolumeClaimSpec: 1 accessModes s[], 2 resources VolumeResourceRequirements, 3 volumeName s,
    4 selector meta.LabelSelector?, 5 storageClassName s?, 6 volumeMode s?, 7 dataSource TypedLocalObjectReference?,
    8 dataSourceRef TypedObjectReference?, 9 volumeAttributesClassName s?;
core.PersistentVolumeClaimStatus: 1 phase s, 2 accessModes s[], 3 capacity Q{},
    4 conditions PersistentVolumeClaimCondition[], 5 allocatedResources Q{}, 7 allocatedResourceStatuses s{},
    8 currentVolumeAttributesClassName s?, 9 modifyVolumeStatus ModifyVolumeStatus?;
core.PersistentVolumeClaimTemplate: 1 metadata meta.ObjectMeta, 2 spec PersistentVolumeClaimSpec;
core.PersistentVolumeClaimVolumeSource: 1 claimName s, 2 readOnly b;
core.PhotonPersistentDiskVolumeSource: 1 pdID s, 2 fsType s;
core.Pod: 1 metadata meta.ObjectMeta, 2 spec PodSpec, 3 status PodStatus;
core.PodAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution PodAffinityTerm[],
    2 preferredDuringSchedulingIgnoredDuringExecution WeightedPodAffinityTerm[];
core.PodAffinityTerm: 1 labelSelector meta.LabelSelector?, 2 namespaces s[], 3 topologyKey s,
    4 namespaceSelector meta.LabelSelector?, 5 matchLabelKeys s[], 6 mismatchLabelKeys s[];
core.PodAntiAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution PodAffinityTerm[],
    2 preferredDuringSchedulingIgnoredDuringExecution WeightedPodAffinityTerm[];
core.PodCertificateProjection: 1 signerName s, 2 keyType s, 3 maxExpirationSeconds i?, 4 credentialBundlePath s,
    5 keyPath s, 6 certificateChainPath s, 7 userAnnotations s{};
core.PodCondition: 1 type s, 2 status s, 3 lastProbeTime T, 4 lastTransitionTime T, 5 reason s, 6 message s,
    7 observedGeneration i;
core.PodDNSConfig: 1 nameservers s[], 2 searches s[], 3 options PodDNSConfigOption[];
core.PodDNSConfigOption: 1 name s, 2 value s?;
core.PodExtendedResourceClaimStatus: 1 requestMappings ContainerExtendedResourceRequest[], 2 resourceClaimName s;
core.PodIP: 1 ip s;
core.PodOS: 1 name s;
core.PodReadinessGate: 1 conditionType s;
core.PodResourceClaim: 1 name s, 3 resourceClaimName s?, 4 resourceClaimTemplateName s?;
core.PodResourceClaimStatus: 1 name s, 2 resourceClaimName s?;
core.PodSchedulingGate: 1 name s;
core.PodSchedulingGroup: 1 podGroupName s?;
core.PodSecurityContext: 1 seLinuxOptions SELinuxOptions?, 2 runAsUser i?, 3 runAsNonRoot b?,
    4 supplementalGroups i[], 5 fsGroup i?, 6 runAsGroup i?, 7 sysctls Sysctl[],
    8 windowsOptions WindowsSecurityContextOptions?, 9 fsGroupChangePolicy s?, 10 seccompProfile SeccompProfile?,
    11 appArmorProfile AppArmorProfile?, 12 supplementalGroupsPolicy s?, 13 seLinuxChangePolicy s?;
core.PodSpec: 1 volumes Volume[], 2 containers Container[], 3 restartPolicy s, 4 terminationGracePeriodSeconds i?,
    5 activeDeadlineSeconds i?, 6 dnsPolicy s, 7 nodeSelector s{}, 8 serviceAccountName s, 9 serviceAccount s,
    10 nodeName s, 11 hostNetwork b, 12 hostPID b, 13 hostIPC b, 14 securityContext PodSecurityContext?,
    15 imagePullSecrets LocalObjectReference[], 16 hostname s, 17 subdomain s, 18 affinity Affinity?,
    19 schedulerName s, 20 initContainers Container[], 21 automountServiceAccountToken b?,
    22 tolerations Toleration[], 23 hostAliases HostAlias[], 24 priorityClassName s, 25 priority i?,
    26 dnsConfig PodDNSConfig?, 27 shareProcessNamespace b?, 28 readinessGates PodReadinessGate[],
    29 runtimeClassName s?, 30 enableServiceLinks b?, 31 preemptionPolicy s?, 32 overhead Q{},
    33 topologySpreadConstraints TopologySpreadConstraint[], 34 ephemeralContainers EphemeralContainer[],
    35 setHostnameAsFQDN b?, 36 os PodOS?, 37 hostUsers b?, 38 schedulingGates PodSchedulingGate[],
    39 resourceClaims PodResourceClaim[], 40 resources ResourceRequirements?, 41 hostnameOverride s?,
    43 schedulingGroup PodSchedulingGroup?;
core.PodStatus: 1 phase s, 2 conditions PodCondition[], 3 message s, 4 reason s, 5 hostIP s, 6 podIP s,
    7 startTime T?, 8 containerStatuses ContainerStatus[], 9 qosClass s,
    10 initContainerStatuses ContainerStatus[], 11 nominatedNodeName s, 12 podIPs PodIP[],
    13 ephemeralContainerStatuses ContainerStatus[], 14 resize s, 15 resourceClaimStatuses PodResourceClaimStatus[],
    16 hostIPs HostIP[], 17 observedGeneration i, 18 extendedResourceClaimStatus PodExtendedResourceClaimStatus?,
    19 allocatedResources Q{}, 20 resources ResourceRequirements?,
    21 nodeAllocatableResourceClaimStatuses NodeAllocatableResourceClaimStatus[];
core.PodTemplateSpec: 1 metadata meta.ObjectMeta, 2 spec PodSpec;
core.PortStatus: 1 port i, 2 protocol s, 3 error s?;
core.PortworxVolumeSource: 1 volumeID s, 2 fsType s, 3 readOnly b;
core.PreferredSchedulingTerm: 1 weight i, 2 preference NodeSelectorTerm;
core.Probe: 1 handler ProbeHandler^, 2 initialDelaySeconds i, 3 timeoutSeconds i, 4 periodSeconds i,
    5 successThreshold i, 6 failureThreshold i, 7 terminationGracePeriodSeconds i?;
core.ProbeHandler: 1 exec ExecAction?, 2 httpGet HTTPGetAction?, 3 tcpSocket TCPSocketAction?, 4 grpc GRPCAction?;
core.ProjectedVolumeSource: 1 sources VolumeProjection[], 2 defaultMode i?;
core.QuobyteVolumeSource: 1 registry s, 2 volume s, 3 readOnly b, 4 user s, 5 group s, 6 tenant s;
core.RBDVolumeSource: 1 monitors s[], 2 image s, 3 fsType s, 4 pool s, 5 user s, 6 keyring s,
    7 secretRef LocalObjectReference?, 8 readOnly b;
core.ResourceClaim: 1 name s, 2 request s;
core.ResourceFieldSelector: 1 containerName s, 2 resource s, 3 divisor Q;
core.ResourceHealth: 1 resourceID s, 2 health s, 6 message s?;
core.ResourceQuota: 1 metadata meta.ObjectMeta, 2 spec ResourceQuotaSpec, 3 status ResourceQuotaStatus;
core.ResourceQuotaSpec: 1 hard Q{}, 2 scopes s[], 3 scopeSelector ScopeSelector?;
core.ResourceQuotaStatus: 1 hard Q{}, 2 used Q{};
core.ResourceRequirements: 1 limits Q{}, 2 requests Q{}, 3 claims ResourceClaim[];
core.ResourceStatus: 1 name s, 2 resources ResourceHealth[];
core.SELinuxOptions: 1 user s, 2 role s, 3 type s, 4 level s;
core.ScaleIOVolumeSource: 1 gateway s, 2 system s, 3 secretRef LocalObjectReference?, 4 sslEnabled b,
    5 protectionDomain s, 6 storagePool s, 7 storageMode s, 8 volumeName s, 9 fsType s, 10 readOnly b;
core.ScopeSelector: 1 matchExpressions ScopedResourceSelectorRequirement[];
core.ScopedResourceSelectorRequirement: 1 scopeName s, 2 operator s, 3 values s[];
core.SeccompProfile: 1 type s, 2 localhostProfile s?;
core.Secret: 1 metadata meta.ObjectMeta, 2 data y{}, 3 type s, 4 stringData s{}, 5 immutable b?;
core.SecretEnvSource: 1 localObjectReference LocalObjectReference^, 2 optional b?;
core.SecretKeySelector: 1 localObjectReference LocalObjectReference^, 2 key s, 3 optional b?;
core.SecretProjection: 1 localObjectReference LocalObjectReference^, 2 items KeyToPath[], 4 optional b?;
core.SecretVolumeSource: 1 secretName s, 2 items KeyToPath[], 3 defaultMode i?, 4 optional b?;
core.SecurityContext: 1 capabilities Capabilities?, 2 privileged b?, 3 seLinuxOptions SELinuxOptions?, 4 runAsUser i?,
    5 runAsNonRoot b?, 6 readOnlyRootFilesystem b?, 7 allowPrivilegeEscalation b?, 8 runAsGroup i?, 9 procMount s?,
    10 windowsOptions WindowsSecurityContextOptions?, 11 seccompProfile SeccompProfile?,
    12 appArmorProfile AppArmorProfile?;
core.Service: 1 metadata meta.ObjectMeta, 2 spec ServiceSpec, 3 status ServiceStatus;
core.ServiceAccount: 1 metadata meta.ObjectMeta, 2 secrets ObjectReference[],
    3 imagePullSecrets LocalObjectReference[], 4 automountServiceAccountToken b?;
core.ServiceAccountTokenProjection: 1 audience s, 2 expirationSeconds i?, 3 path s;
core.ServicePort: 1 name s, 2 protocol s, 3 port i, 4 targetPort I, 5 nodePort i, 6 appProtocol s?;
core.ServiceSpec: 1 ports ServicePort[], 2 selector s{}, 3 clusterIP s, 4 type s, 5 externalIPs s[],
    7 sessionAffinity s, 8 loadBalancerIP s, 9 loadBalancerSourceRanges s[], 10 externalName s,
    11 externalTrafficPolicy s, 12 healthCheckNodePort i, 13 publishNotReadyAddresses b,
    14 sessionAffinityConfig SessionAffinityConfig?, 17 ipFamilyPolicy s?, 18 clusterIPs s[], 19 ipFamilies s[],
    20 allocateLoadBalancerNodePorts b?, 21 loadBalancerClass s?, 22 internalTrafficPolicy s?,
    23 trafficDistribution s?;
core.ServiceStatus: 1 loadBalancer LoadBalancerStatus, 2 conditions meta.Condition[];
core.SessionAffinityConfig: 1 clientIP ClientIPConfig?;
core.SleepAction: 1 seconds i;
core.StorageOSVolumeSource: 1 volumeName s, 2 volumeNamespace s, 3 fsType s, 4 readOnly b,
    5 secretRef LocalObjectReference?;
core.Sysctl: 1 name s, 2 value s;
core.TCPSocketAction: 1 port I, 2 host s;
core.Taint: 1 key s, 2 value s, 3 effect s, 4 timeAdded T?;
core.Toleration: 1 key s, 2 operator s, 3 value s, 4 effect s, 5 tolerationSeconds i?;
core.TopologySelectorLabelRequirement: 1 key s, 2 values s[];
core.TopologySelectorTerm: 1 matchLabelExpressions TopologySelectorLabelRequirement[];
core.TopologySpreadConstraint: 1 maxSkew i, 2 topologyKey s, 3 whenUnsatisfiable s,
    4 labelSelector meta.LabelSelector?, 5 minDomains i?, 6 nodeAffinityPolicy s?, 7 nodeTaintsPolicy s?,
    8 matchLabelKeys s[];
core.TypedLocalObjectReference: 1 apiGroup s?, 2 kind s, 3 name s;
core.TypedObjectReference: 1 apiGroup s?, 2 kind s, 3 name s, 4 namespace s?;
core.Volume: 1 name s, 2 volumeSource VolumeSource^;
core.VolumeDevice: 1 name s, 2 devicePath s;
core.VolumeMount: 1 name s, 2 readOnly b, 3 mountPath s, 4 subPath s, 5 mountPropagation s?, 6 subPathExpr s,
    7 recursiveReadOnly s?;
core.VolumeMountStatus: 1 name s, 2 mountPath s, 3 readOnly b, 4 recursiveReadOnly s?, 5 volumeStatus VolumeStatus?;
core.VolumeProjection: 1 secret SecretProjection?, 2 downwardAPI DownwardAPIProjection?,
    3 configMap ConfigMapProjection?, 4 serviceAccountToken ServiceAccountTokenProjection?,
    5 clusterTrustBundle ClusterTrustBundleProjection?, 6 podCertificate PodCertificateProjection?;
core.VolumeResourceRequirements: 1 limits Q{}, 2 requests Q{};
core.VolumeSource: 1 hostPath HostPathVolumeSource?, 2 emptyDir EmptyDirVolumeSource?,
    3 gcePersistentDisk GCEPersistentDiskVolumeSource?, 4 awsElasticBlockStore AWSElasticBlockStoreVolumeSource?,
    5 gitRepo GitRepoVolumeSource?, 6 secret SecretVolumeSource?, 7 nfs NFSVolumeSource?, 8 iscsi ISCSIVolumeSource?,
    9 glusterfs GlusterfsVolumeSource?, 10 persistentVolumeClaim PersistentVolumeClaimVolumeSource?,
    11 rbd RBDVolumeSource?, 12 flexVolume FlexVolumeSource?, 13 cinder CinderVolumeSource?,
    14 cephfs CephFSVolumeSource?, 15 flocker FlockerVolumeSource?, 16 downwardAPI DownwardAPIVolumeSource?,
    17 fc FCVolumeSource?, 18 azureFile AzureFileVolumeSource?, 19 configMap ConfigMapVolumeSource?,
    20 vsphereVolume VsphereVirtualDiskVolumeSource?, 21 quobyte QuobyteVolumeSource?,
    22 azureDisk AzureDiskVolumeSource?, 23 photonPersistentDisk PhotonPersistentDiskVolumeSource?,
    24 portworxVolume PortworxVolumeSource?, 25 scaleIO ScaleIOVolumeSource?, 26 projected ProjectedVolumeSource?,
    27 storageos StorageOSVolumeSource?, 28 csi CSIVolumeSource?, 29 ephemeral EphemeralVolumeSource?,
    30 image ImageVolumeSource?;
core.VolumeStatus: 1 image ImageVolumeStatus?;
core.VsphereVirtualDiskVolumeSource: 1 volumePath s, 2 fsType s, 3 storagePolicyName s, 4 storagePolicyID s;
core.WeightedPodAffinityTerm: 1 weight i, 2 podAffinityTerm PodAffinityTerm;
core.WindowsSecurityContextOptions: 1 gmsaCredentialSpecName s?, 2 gmsaCredentialSpec s?, 3 runAsUserName s?,
    4 hostProcess b?;
meta.Condition: 1 type s, 2 status s, 3 observedGeneration i, 4 lastTransitionTime T, 5 reason s, 6 message s;
meta.DeleteOptions: 1 gracePeriodSeconds i?, 2 preconditions Preconditions?, 3 orphanDependents b?,
    4 propagationPolicy s?, 5 dryRun s[], 6 ignoreStoreReadErrorWithClusterBreakingPotential b?;
meta.FieldSelectorRequirement: 1 key s, 2 operator s, 3 values s[];
meta.LabelSelector: 1 matchLabels s{}, 2 matchExpressions LabelSelectorRequirement[];
meta.LabelSelectorRequirement: 1 key s, 2 operator s, 3 values s[];
meta.ManagedFieldsEntry: 1 manager s, 2 operation s, 3 apiVersion s, 4 time T?, 6 fieldsType s, 7 fieldsV1 R?,
    8 subresource s;
meta.ObjectMeta: 1 name s, 2 generateName s, 3 namespace s, 4 selfLink s, 5 uid s, 6 resourceVersion s,
    7 generation i, 8 creationTimestamp T, 9 deletionTimestamp T?, 10 deletionGracePeriodSeconds i?,
    11 labels s{}, 12 annotations s{}, 13 ownerReferences OwnerReference[], 14 finalizers s[],
    17 managedFields ManagedFieldsEntry[];
meta.OwnerReference: 1 kind s, 3 name s, 4 uid s, 5 apiVersion s, 6 controller b?, 7 blockOwnerDeletion b?;
meta.PartialObjectMetadata: 1 metadata ObjectMeta;
meta.Preconditions: 1 uid s?, 2 resourceVersion s?;
)";
// clang-format on

}  // namespace drover::sim::protobuf
