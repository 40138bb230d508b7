// CustomResourceDefinitions and their schemas. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kDefinitions = R"(
scope apiextensions apiextensions.k8s.io v1 io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
FieldValueErrorReason = string FieldValueDuplicate FieldValueForbidden FieldValueInvalid FieldValueRequired
ConditionStatus ConversionStrategyType CustomResourceDefinitionConditionType JSONSchemaURL = string
ResourceScope = string
JSONSchemaDefinitions = map[string]JSONSchemaProps
JSONSchemaDependencies = map[string]JSONSchemaPropsOrStringArray
ValidationRules = []ValidationRule

kind CustomResourceDefinition | a new kind of object
  + TypeMeta
  metadata  ObjectMeta                  | name, labels and the rest that every object has
  spec*     CustomResourceDefinitionSpec  | what it is like
  status    CustomResourceDefinitionStatus  | whether it is served

type CustomResourceColumnDefinition | a column of kubectl get
  name*        string  | its heading
  type*        string  | integer, number, string, boolean or date
  format       string  | how the value is written
  description  string  | what it shows
  priority     int32   | above 0: only with -o wide
  jsonPath*    string  | where the value is

type CustomResourceConversion | how one version becomes another
  strategy*  ConversionStrategyType  | None, which only changes the version, or Webhook
  webhook    WebhookConversion       | the webhook to call

type CustomResourceDefinitionCondition | one condition (True, False or Unknown) of a definition
  type*               CustomResourceDefinitionConditionType  | which aspect, such as Established
  status*             ConditionStatus             | True, False or Unknown
  lastTransitionTime  Time                        | when the status last changed
  reason              string                      | the reason, one CamelCase word
  message             string                      | what is the matter, for people
  observedGeneration  int64                       | the generation that this status describes

type CustomResourceDefinitionNames | names of a kind
  plural*     string            | as in paths
  singular    string            | as people type it
  shortNames  []string  atomic  | as hurried people type it
  kind*       string            | as in objects
  listKind    string            | the kind of lists
  categories  []string  atomic  | groups of kinds that can be asked for together, such as all

type CustomResourceDefinitionSpec | what a new kind is like
  group*                 string                              | the API group
  names*                 CustomResourceDefinitionNames          | the names
  scope*                 ResourceScope                       | Namespaced or Cluster
  versions*              []CustomResourceDefinitionVersion  atomic  | the versions
  conversion             CustomResourceConversion            | how one version becomes another
  preserveUnknownFields  bool                                | keep fields that the schema does not know; must be false

type CustomResourceDefinitionStatus | whether a new kind is served
  conditions          []CustomResourceDefinitionCondition  map:type  | current conditions, one per type
  acceptedNames       CustomResourceDefinitionNames            | names that it got
  storedVersions      []string                    atomic    | versions in which objects were ever stored
  observedGeneration  int64                                 | the generation that this status describes

type CustomResourceDefinitionVersion | one version of a kind
  name*                     string                              | as in paths, such as v1
  served*                   bool                                | whether it can be asked for
  storage*                  bool                                | whether objects are stored in it; one version must be
  deprecated                bool                                | warn its users
  deprecationWarning        string                              | in these words
  schema                    CustomResourceValidation            | what objects look like
  subresources              CustomResourceSubresources          | parts with paths of their own
  additionalPrinterColumns  []CustomResourceColumnDefinition  atomic  | columns of kubectl get
  selectableFields          []SelectableField           atomic  | fields that field selectors can use

type CustomResourceSubresourceScale | where the numbers are that scaling needs
  specReplicasPath*    string  | the number that is wanted
  statusReplicasPath*  string  | the number that there is
  labelSelectorPath    string  | the selector of the pods, as text

type CustomResourceSubresourceStatus | the status has a path of its own

type CustomResourceSubresources | parts with paths of their own
  status  CustomResourceSubresourceStatus  | the status is written apart from the rest
  scale   CustomResourceSubresourceScale  | it can be scaled

type CustomResourceValidation | what objects look like
  openAPIV3Schema  JSONSchemaProps  | the schema

type ExternalDocumentation | something to read elsewhere
  description  string  | what it is
  url          string  | where it is

type JSONSchemaProps | what a value looks like
  id                              string                                           | not used
  $schema                         JSONSchemaURL                                    | not used
  $ref                            string                                           | not allowed
  description                     string                                           | what it is, for people
  type                            string                                           | object, array, string, integer, number or boolean
  format                          string                                           | how a string or number is written, such as date-time
  title                           string                                           | a heading for people
  default                         JSON                                             | the default value
  maximum                         float64                                          | at most this
  exclusiveMaximum                bool                                             | less than the maximum, not equal
  minimum                         float64                                          | at least this
  exclusiveMinimum                bool                                             | more than the minimum, not equal
  maxLength                       int64                                            | at most so many characters
  minLength                       int64                                            | at least so many characters
  pattern                         string                                           | a regular expression that must fit
  maxItems                        int64                                            | at most so many elements
  minItems                        int64                                            | at least so many elements
  uniqueItems                     bool                                             | must be false
  multipleOf                      float64                                          | a multiple of this
  enum                            []JSON                      atomic               | one of these
  maxProperties                   int64                                            | at most so many members
  minProperties                   int64                                            | at least so many members
  required                        []string                    atomic               | members that must be there
  items                           JSONSchemaPropsOrArray                           | what elements look like
  allOf                           []JSONSchemaProps           atomic               | all of these must fit
  oneOf                           []JSONSchemaProps           atomic               | exactly one of these must fit
  anyOf                           []JSONSchemaProps           atomic               | one of these must fit
  not                             JSONSchemaProps                                  | this must not fit
  properties                      map[string]JSONSchemaProps                       | what members look like
  additionalProperties            JSONSchemaPropsOrBool                            | what members look like whose names are free
  patternProperties               map[string]JSONSchemaProps                       | not allowed
  dependencies                    JSONSchemaDependencies                           | not allowed
  additionalItems                 JSONSchemaPropsOrBool                            | not allowed
  definitions                     JSONSchemaDefinitions                            | not allowed
  externalDocs                    ExternalDocumentation                            | something to read elsewhere
  example                         JSON                                             | what a value could be
  nullable                        bool                                             | null is allowed
  x-kubernetes-preserve-unknown-fields  bool                                             | keep members that the schema does not know
  x-kubernetes-embedded-resource  bool                                             | it is an object with apiVersion, kind and metadata
  x-kubernetes-int-or-string      bool                                             | a number or a string
  x-kubernetes-list-map-keys      []string                    atomic               | members that tell elements apart
  x-kubernetes-list-type          string                                           | atomic, set or map: how apply merges the list
  x-kubernetes-map-type           string                                           | atomic or granular: how apply merges the object
  x-kubernetes-validations        ValidationRules             map:rule merge:rule  | rules in CEL

type SelectableField | a field that field selectors can use
  jsonPath*  string  | where it is

type ServiceReference | a service to call
  namespace*  string  | where it is
  name*       string  | its name
  path        string  | the path to ask for
  port        int32   | its port

type ValidationRule | a rule in CEL
  rule*              string                 | what must be true
  message            string                 | the message when it is false
  messageExpression  string                 | the message, as a CEL expression
  reason             FieldValueErrorReason  | which reason the refusal has
  fieldPath          string                 | where the refusal points to
  optionalOldSelf    bool                   | whether the rule also looks at values that are new

type WebhookClientConfig | how to reach a webhook; url or service
  url       string            | its address
  service   ServiceReference  | the service it is behind
  caBundle  bytes             | certificates to trust

type WebhookConversion | a webhook that converts
  clientConfig               WebhookClientConfig          | how to reach it
  conversionReviewVersions*  []string             atomic  | versions of the question that it understands
)";

}  // namespace drover::sim::types
