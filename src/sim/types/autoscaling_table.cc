// How many there are, and what changes that. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kAutoscaling = R"(
scope autoscaling autoscaling v1 io.k8s.api.autoscaling.v1

kind Scale | how many, for anything that can be scaled
  + TypeMeta
  metadata  ObjectMeta   | name, labels and the rest that every object has
  spec      ScaleSpec    | how many are wanted
  status    ScaleStatus  | how many there are

type ScaleSpec | how many are wanted
  replicas  int32  | the number

type ScaleStatus | how many there are
  replicas*  int32   | the number
  selector   string  | which pods are counted, as text

scope autoscaling2 autoscaling v2 io.k8s.api.autoscaling.v2
HPAScalingPolicyType HorizontalPodAutoscalerConditionType MetricSourceType MetricTargetType = string
ScalingPolicySelect = string

kind HorizontalPodAutoscaler | changes how many there are, by what is measured
  + TypeMeta
  metadata  ObjectMeta                  | name, labels and the rest that every object has
  spec*     HorizontalPodAutoscalerSpec  | of what, between which bounds, by which measures
  status    HorizontalPodAutoscalerStatus  | how many it wants, and why

type ContainerResourceMetricSource | use of one container in all pods
  name*       ResourceName  | the resource
  target*     MetricTarget  | how much it should be
  container*  string        | the container

type ContainerResourceMetricStatus | current use of one container in all pods
  name*       ResourceName       | the resource
  current*    MetricValueStatus  | how much it is
  container*  string             | the container

type CrossVersionObjectReference | an object that can be scaled or measured
  kind*       string  | what kind of object it is
  name*       string  | its name
  apiVersion  string  | group and version of the object

type ExternalMetricSource | something outside of the cluster
  metric*  MetricIdentifier  | what is measured
  target*  MetricTarget      | how much it should be

type ExternalMetricStatus | something outside of the cluster, now
  metric*   MetricIdentifier   | what is measured
  current*  MetricValueStatus  | how much it is

type HPAScalingPolicy | how fast to change
  type*           HPAScalingPolicyType  | Pods or Percent
  value*          int32                 | so many
  periodSeconds*  int32                 | in so long

type HPAScalingRules | how to change in one direction
  stabilizationWindowSeconds  int32                        | look back so long and take the calmest
  selectPolicy                ScalingPolicySelect          | of several policies: Max, Min or Disabled
  policies                    []HPAScalingPolicy   atomic  | how fast to change
  tolerance                   Quantity                     | leave it when it is off by less than this

type HorizontalPodAutoscalerBehavior | how to change
  scaleUp    HPAScalingRules  | towards more
  scaleDown  HPAScalingRules  | towards fewer

type HorizontalPodAutoscalerCondition | one condition (True, False or Unknown) of an autoscaler
  type*               HorizontalPodAutoscalerConditionType  | which aspect
  status*             ConditionStatus             | True, False or Unknown
  lastTransitionTime  Time                        | when the status last changed
  reason              string                      | the reason, one CamelCase word
  message             string                      | what is the matter, for people

type HorizontalPodAutoscalerSpec | what is scaled, and how
  scaleTargetRef*  CrossVersionObjectReference          | what is scaled
  minReplicas      int32                               | at least so many
  maxReplicas*     int32                               | at most so many
  metrics          []MetricSpec                atomic  | by which measures; the one that wants most counts
  behavior         HorizontalPodAutoscalerBehavior          | how fast to change

type HorizontalPodAutoscalerStatus | how many an autoscaler wants, and why
  observedGeneration  int64                                            | the generation that this status describes
  lastScaleTime       Time                                             | when it last changed the number
  currentReplicas     int32                                            | so many there are
  desiredReplicas*    int32                                            | desired number
  currentMetrics      []MetricStatus              atomic               | what was measured
  conditions          []HorizontalPodAutoscalerCondition  map:type merge:type  | current conditions, one per type

type MetricIdentifier | what is measured
  name*     string         | its name
  selector  LabelSelector  | which series, by their labels

type MetricSpec | one measure, and how much it should be; one of these
  type*              MetricSourceType            | which one of these
  object             ObjectMetricSource          | a metric of one object
  pods               PodsMetricSource            | something of every pod
  resource           ResourceMetricSource        | what every pod uses
  containerResource  ContainerResourceMetricSource  | use of one container in all pods
  external           ExternalMetricSource        | something outside of the cluster

type MetricStatus | one measure now
  type*              MetricSourceType            | which one of these
  object             ObjectMetricStatus          | a metric of one object
  pods               PodsMetricStatus            | something of every pod
  resource           ResourceMetricStatus        | what every pod uses
  containerResource  ContainerResourceMetricStatus  | use of one container in all pods
  external           ExternalMetricStatus        | something outside of the cluster

type MetricTarget | how much a measure should be
  type*               MetricTargetType  | Utilization, Value or AverageValue
  value               Quantity          | in all
  averageValue        Quantity          | for each pod
  averageUtilization  int32             | for each pod, in percent of its request

type MetricValueStatus | how much a measure is
  value               Quantity  | in all
  averageValue        Quantity  | for each pod
  averageUtilization  int32     | for each pod, in percent of its request

type ObjectMetricSource | a metric of one object
  describedObject*  CrossVersionObjectReference  | the object
  target*           MetricTarget                | how much it should be
  metric*           MetricIdentifier            | what is measured

type ObjectMetricStatus | a current metric of one object
  metric*           MetricIdentifier            | what is measured
  current*          MetricValueStatus           | how much it is
  describedObject*  CrossVersionObjectReference  | the object

type PodsMetricSource | something of every pod
  metric*  MetricIdentifier  | what is measured
  target*  MetricTarget      | how much it should be

type PodsMetricStatus | something of every pod, now
  metric*   MetricIdentifier   | what is measured
  current*  MetricValueStatus  | how much it is

type ResourceMetricSource | what every pod uses
  name*    ResourceName  | the resource
  target*  MetricTarget  | how much it should be

type ResourceMetricStatus | what every pod uses now
  name*     ResourceName       | the resource
  current*  MetricValueStatus  | how much it is
)";

}  // namespace drover::sim::types
