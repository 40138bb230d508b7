// Containers: what they run, what they need and what they may do. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kContainers = R"(
scope core - v1 io.k8s.api.core.v1

type AppArmorProfile | the AppArmor profile that confines a container
  type*             AppArmorProfileType  | where the profile comes from: RuntimeDefault, Localhost or Unconfined
  localhostProfile  string               | a profile loaded on the node; for Localhost only

type Capabilities | Linux capabilities to give or take
  add   []Capability  atomic  | capabilities beyond the runtime's usual ones
  drop  []Capability  atomic  | capabilities that the container must not have; ALL for none at all

type ConfigMapEnvSource | all entries of a ConfigMap as environment variables
  + LocalObjectReference
  optional  bool  | go on without it when it is missing

type ConfigMapKeySelector atomic | one entry of a ConfigMap
  + LocalObjectReference
  key*      string  | which entry
  optional  bool    | go on without it when it is missing

type Container | one program of a pod
  name*                     string                                          | what it is called, unique in the pod
  image                     string                                          | the image to run
  command                   []string                  atomic                | the program to run instead of the image's entrypoint; no shell is involved
  args                      []string                  atomic                | arguments instead of the image's own
  workingDir                string                                          | where the program starts; default: the image's own choice
  ports                     []ContainerPort           map:containerPort,protocol merge:containerPort  | ports that it listens on; a note for people and services, nothing is opened or closed by it
  envFrom                   []EnvFromSource           atomic                | whole ConfigMaps and Secrets as environment variables
  env                       []EnvVar                  map:name merge:name   | environment variables, one by one
  resources                 ResourceRequirements                            | what it needs and what it may use at most
  resizePolicy              []ContainerResizePolicy   atomic                | whether it must restart when its resources change
  restartPolicy             ContainerRestartPolicy                          | on an init container, Always makes it run beside the others
  restartPolicyRules        []ContainerRestartRule    atomic                | when to restart in spite of, or against, the policy
  volumeMounts              []VolumeMount             map:mountPath merge:mountPath  | volumes that it sees as folders
  volumeDevices             []VolumeDevice            map:devicePath merge:devicePath  | volumes that it sees as block devices
  livenessProbe             Probe                                           | when this fails too often, the container is started again
  readinessProbe            Probe                                           | while this fails, services send nothing here
  startupProbe              Probe                                           | the other probes wait until this has succeeded once
  lifecycle                 Lifecycle                                       | what to do right after the start and right before the end
  terminationMessagePath    string                                          | the file whose text becomes the message of its end
  terminationMessagePolicy  TerminationMessagePolicy                        | only that file, or the end of the log when it is empty and the container failed
  imagePullPolicy           PullPolicy                                      | whether to pull an image that the node has: Always, IfNotPresent or Never
  securityContext           SecurityContext                                 | rights and confinement of this container
  stdin                     bool                                            | keep standard input open
  stdinOnce                 bool                                            | close standard input when the first client goes
  tty                       bool                                            | give it a terminal; stdin must be open

type ContainerExtendedResourceRequest | which request of a claim stands for a container's extended resource
  containerName*  string  | the container
  resourceName*   string  | the extended resource that it asks for
  requestName*    string  | the request in the claim

type ContainerPort | a port on which a container listens
  name            string    | a name that services can use
  hostPort        int32     | the node's port that leads here
  containerPort*  int32     | the port inside the pod
  protocol        Protocol  | TCP, UDP or SCTP
  hostIP          string    | the node's address to bind the port on

type ContainerResizePolicy | what a change of one resource costs
  resourceName*   ResourceName                | cpu or memory
  restartPolicy*  ResourceResizeRestartPolicy  | whether the container restarts for it

type ContainerRestartRule | an exception to the restart policy
  action*    ContainerRestartRuleAction  | what to do when the rule fits
  exitCodes  ContainerRestartRuleOnExitCodes  | which exit codes it is for

type ContainerRestartRuleOnExitCodes | exit codes, or all but these
  operator*  ContainerRestartRuleOnExitCodesOperator       | In or NotIn
  values     []int32                     set  | the exit codes

type ContainerState | the state of a container; one of the three
  waiting     ContainerStateWaiting     | it has not started, or waits to start again
  running     ContainerStateRunning     | it runs
  terminated  ContainerStateTerminated  | it has ended

type ContainerStateRunning | a container that runs
  startedAt  Time  | since when

type ContainerStateTerminated | a container that has ended
  exitCode*    int32   | what the program returned
  signal       int32   | the signal that ended it
  reason       string  | why it ended, one CamelCase word
  message      string  | what is the matter, for people
  startedAt    Time    | when this run began
  finishedAt   Time    | when it ended
  containerID  string  | the runtime's name for it

type ContainerStateWaiting | a container that does not run yet
  reason   string  | what it waits for, one CamelCase word
  message  string  | what is the matter, for people

type ContainerStatus | how one container is
  name*                     string                                      | which container
  state                     ContainerState                              | where it is in its life
  lastState                 ContainerState                              | how the run before this one ended
  ready*                    bool                                        | whether it passes its readiness probe
  restartCount*             int32                                       | how often it was started again
  image*                    string                                      | the image that runs
  imageID*                  string                                      | the image, by its digest
  containerID               string                                      | the runtime's name for it
  started                   bool                                        | whether it has passed its startup probe and postStart hook
  allocatedResources        ResourceList                                | what the node has set aside for it
  resources                 ResourceRequirements                        | what the runtime has granted it
  volumeMounts              []VolumeMountStatus   map:mountPath merge:mountPath  | how its volumes were mounted
  user                      ContainerUser                               | the identity it started with
  allocatedResourcesStatus  []ResourceStatus      map:name merge:name   | how the devices given to it are
  stopSignal                Signal                                      | the signal that asks it to end

type ContainerUser | the identity of a container's first process
  linux  LinuxContainerUser  | the same on Linux

type EnvFromSource | where a set of environment variables comes from
  prefix        string              | put in front of every name
  configMapRef  ConfigMapEnvSource  | all entries of this ConfigMap
  secretRef     SecretEnvSource     | all entries of this Secret

type EnvVar | one environment variable
  name*      string        | what it is called
  value      string        | its text; $(NAME) stands for a variable defined before
  valueFrom  EnvVarSource  | where to take the text from instead

type EnvVarSource | where the text of a variable comes from
  fieldRef          ObjectFieldSelector    | a field of the pod
  resourceFieldRef  ResourceFieldSelector  | a limit or request of a container
  configMapKeyRef   ConfigMapKeySelector   | an entry of a ConfigMap
  secretKeyRef      SecretKeySelector      | an entry of a Secret
  fileKeyRef        FileKeySelector        | a line of a file that an init container has written

type EphemeralContainer | a container put into a running pod to look around; it is never restarted
  + EphemeralContainerCommon
  targetContainerName  string  | the container whose processes it can see

type EphemeralContainerCommon | what an ephemeral container has in common with others
  name*                     string                                          | what it is called, unique among all containers of the pod
  image                     string                                          | the image to run
  command                   []string                  atomic                | the program to run instead of the image's entrypoint
  args                      []string                  atomic                | arguments instead of the image's own
  workingDir                string                                          | where the program starts
  ports                     []ContainerPort           map:containerPort,protocol merge:containerPort  | not allowed here
  envFrom                   []EnvFromSource           atomic                | whole ConfigMaps and Secrets as environment variables
  env                       []EnvVar                  map:name merge:name   | environment variables, one by one
  resources                 ResourceRequirements                            | not allowed here: it uses what the pod has to spare
  resizePolicy              []ContainerResizePolicy   atomic                | not allowed here
  restartPolicy             ContainerRestartPolicy                          | not allowed here
  restartPolicyRules        []ContainerRestartRule    atomic                | not allowed here
  volumeMounts              []VolumeMount             map:mountPath merge:mountPath  | volumes of the pod that it sees as folders
  volumeDevices             []VolumeDevice            map:devicePath merge:devicePath  | volumes of the pod that it sees as block devices
  livenessProbe             Probe                                           | not allowed here
  readinessProbe            Probe                                           | not allowed here
  startupProbe              Probe                                           | not allowed here
  lifecycle                 Lifecycle                                       | not allowed here
  terminationMessagePath    string                                          | the file whose text becomes the message of its end
  terminationMessagePolicy  TerminationMessagePolicy                        | only that file, or the end of the log when it is empty and the container failed
  imagePullPolicy           PullPolicy                                      | whether to pull an image that the node has
  securityContext           SecurityContext                                 | rights and confinement of this container
  stdin                     bool                                            | keep standard input open
  stdinOnce                 bool                                            | close standard input when the first client goes
  tty                       bool                                            | give it a terminal; stdin must be open

type ExecAction | a command inside the container
  command  []string  atomic  | the program and its arguments; no shell is involved

type FileKeySelector atomic | one variable of a file in env format
  volumeName*  string  | the volume with the file
  path*        string  | the file, below the volume's root
  key*         string  | which variable of the file
  optional     bool    | go on without it when it is missing

type GRPCAction | a call of the gRPC health service
  port*    int32   | the port to call
  service  string  | the name to ask for

type HTTPGetAction | an HTTP request; 200 to 399 is a yes
  path         string                | what to ask for
  port*        IntOrString           | number or name of the port
  host         string                | the host to ask; default: the pod IP
  scheme       URIScheme             | HTTP or HTTPS
  httpHeaders  []HTTPHeader  atomic  | headers to send along

type HTTPHeader | a header of a request
  name*   string  | its name
  value*  string  | its value

type ImageVolumeStatus | what became of a volume made of an image
  imageRef*  string  | the image, by its digest

type Lifecycle | hooks of a container
  postStart   LifecycleHandler  | called right after the start
  preStop     LifecycleHandler  | called before the container is asked to end, within the grace period
  stopSignal  Signal            | the signal that asks it to end; default: the image's own

type LifecycleHandler | what a hook does; one of these
  exec       ExecAction       | run a command in the container
  httpGet    HTTPGetAction    | make an HTTP request
  tcpSocket  TCPSocketAction  | no longer does anything
  sleep      SleepAction      | wait

type LinuxContainerUser | user and groups of a process
  uid*                int64            | the user
  gid*                int64            | the first group
  supplementalGroups  []int64  atomic  | all other groups

type ObjectFieldSelector atomic | a field of the pod
  apiVersion  string  | the version in which the path is written
  fieldPath*  string  | the path, such as metadata.name

type Probe | a check that the kubelet makes again and again
  + ProbeHandler
  initialDelaySeconds            int32  | wait this long after the start
  timeoutSeconds                 int32  | how long one check may take
  periodSeconds                  int32  | how often to check
  successThreshold               int32  | so many yeses in a row count as a yes
  failureThreshold               int32  | so many noes in a row count as a no
  terminationGracePeriodSeconds  int64  | how long the container may take to end when this probe failed

type ProbeHandler | how to check; one of these
  exec       ExecAction       | a command that must succeed
  httpGet    HTTPGetAction    | an HTTP request that must be answered well
  tcpSocket  TCPSocketAction  | a port that must accept connections
  grpc       GRPCAction       | a gRPC health check that must succeed

type ResourceClaim | one of the pod's claims, used by a container
  name*    string  | the claim, as the pod calls it
  request  string  | one request of the claim; default: all

type ResourceFieldSelector atomic | a limit or request of a container
  containerName  string    | which container
  resource*      string    | such as limits.cpu
  divisor        Quantity  | the unit to count in

type ResourceHealth | how one device is
  resourceID*  ResourceID            | which device
  health       ResourceHealthStatus  | Healthy, Unhealthy or Unknown
  message      string                | what is the matter, for people

type ResourceRequirements | how much is needed, and how much is allowed
  limits    ResourceList               | at most this much
  requests  ResourceList               | at least this much
  claims    []ResourceClaim  map:name  | claims on devices that are used

type ResourceStatus | how the devices of one resource are
  name*      ResourceName                      | the resource
  resources  []ResourceHealth  map:resourceID  | the devices

type SELinuxOptions | an SELinux context
  user   string  | its user part
  role   string  | its role part
  type   string  | its type part
  level  string  | its level part

type SeccompProfile | a filter for system calls
  type*             SeccompProfileType  | where the filter comes from: RuntimeDefault, Localhost or Unconfined
  localhostProfile  string              | a file on the node; for Localhost only

type SecretEnvSource | all entries of a Secret as environment variables
  + LocalObjectReference
  optional  bool  | go on without it when it is missing

type SecretKeySelector atomic | one entry of a Secret
  + LocalObjectReference
  key*      string  | which entry
  optional  bool    | go on without it when it is missing

type SecurityContext | rights and confinement of a container
  capabilities              Capabilities                | Linux capabilities to give or take
  privileged                bool                        | run with all rights of the node's root
  seLinuxOptions            SELinuxOptions              | the SELinux context
  windowsOptions            WindowsSecurityContextOptions  | the same for Windows
  runAsUser                 int64                       | the user to run as
  runAsGroup                int64                       | the first group to run with
  runAsNonRoot              bool                        | refuse to start as root
  readOnlyRootFilesystem    bool                        | the root file system is read-only
  allowPrivilegeEscalation  bool                        | whether a process may gain more rights than its parent
  procMount                 ProcMountType               | how much of /proc is hidden
  seccompProfile            SeccompProfile              | the filter for system calls
  appArmorProfile           AppArmorProfile             | the AppArmor profile

type SleepAction | a pause
  seconds*  int64  | how long

type TCPSocketAction | a connection to a port
  port*  IntOrString  | number or name of the port
  host   string       | the host to connect to; default: the pod IP

type VolumeDevice | a volume as a block device
  name*        string  | the volume
  devicePath*  string  | where the container sees it

type VolumeMount | a volume as a folder
  name*              string                 | the volume
  readOnly           bool                   | mount it read-only
  recursiveReadOnly  RecursiveReadOnlyMode  | whether mounts below are read-only too
  mountPath*         string                 | where the container sees it
  subPath            string                 | a folder of the volume instead of its root
  mountPropagation   MountPropagationMode   | whether mounts made later are passed on, and which way
  subPathExpr        string                 | like subPath, with $(NAME) for environment variables

type VolumeMountStatus | how a volume was mounted
  name*              string                 | the volume
  mountPath*         string                 | where the container sees it
  readOnly           bool                   | whether it is read-only
  recursiveReadOnly  RecursiveReadOnlyMode  | whether mounts below are read-only too
  volumeStatus       VolumeStatus           | more about the volume

type VolumeStatus | more about a mounted volume
  image  ImageVolumeStatus  | for a volume made of an image

type WindowsSecurityContextOptions | rights and confinement on Windows
  gmsaCredentialSpecName  string  | the object with the credentials
  gmsaCredentialSpec      string  | the credentials themselves
  runAsUserName           string  | the user to run as
  hostProcess             bool    | run as a process of the host
)";

}  // namespace drover::sim::types
