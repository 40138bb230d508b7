// CustomResourceDefinitions and their schemas. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kDefinitions = R"(
scope apiextensions apiextensions.k8s.io v1 io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
ConditionStatus ConversionStrategyType CustomResourceDefinitionConditionType FieldValueErrorReason = string
JSONSchemaURL ResourceScope = string
JSONSchemaDefinitions = map[string]JSONSchemaProps
JSONSchemaDependencies = map[string]JSONSchemaPropsOrStringArray
ValidationRules = []ValidationRule

kind CustomResourceDefinition | 
  + TypeMeta
  metadata  ObjectMeta                      | name, labels and the rest that every object has
  spec*     CustomResourceDefinitionSpec    | what is wanted
  status    CustomResourceDefinitionStatus  | how it is

type CustomResourceColumnDefinition | 
  name*        string  |
  type*        string  |
  format       string  |
  description  string  |
  priority     int32   |
  jsonPath*    string  |

type CustomResourceConversion | 
  strategy*  ConversionStrategyType  |
  webhook    WebhookConversion       |

type CustomResourceDefinitionCondition | 
  type*               CustomResourceDefinitionConditionType  |
  status*             ConditionStatus                        | how it is
  lastTransitionTime  Time                                   |
  reason              string                                 |
  message             string                                 |
  observedGeneration  int64                                  |

type CustomResourceDefinitionNames | 
  plural*     string            |
  singular    string            |
  shortNames  []string  atomic  |
  kind*       string            |
  listKind    string            |
  categories  []string  atomic  |

type CustomResourceDefinitionSpec | 
  group*                 string                                     |
  names*                 CustomResourceDefinitionNames              |
  scope*                 ResourceScope                              |
  versions*              []CustomResourceDefinitionVersion  atomic  |
  conversion             CustomResourceConversion                   |
  preserveUnknownFields  bool                                       |

type CustomResourceDefinitionStatus | 
  conditions          []CustomResourceDefinitionCondition  map:type  |
  acceptedNames       CustomResourceDefinitionNames                  |
  storedVersions      []string                             atomic    |
  observedGeneration  int64                                          |

type CustomResourceDefinitionVersion | 
  name*                     string                                    |
  served*                   bool                                      |
  storage*                  bool                                      |
  deprecated                bool                                      |
  deprecationWarning        string                                    |
  schema                    CustomResourceValidation                  |
  subresources              CustomResourceSubresources                |
  additionalPrinterColumns  []CustomResourceColumnDefinition  atomic  |
  selectableFields          []SelectableField                 atomic  |

type CustomResourceSubresourceScale | 
  specReplicasPath*    string  |
  statusReplicasPath*  string  |
  labelSelectorPath    string  |

type CustomResourceSubresourceStatus | 

type CustomResourceSubresources | 
  status  CustomResourceSubresourceStatus  | how it is
  scale   CustomResourceSubresourceScale   |

type CustomResourceValidation | 
  openAPIV3Schema  JSONSchemaProps  |

type ExternalDocumentation | 
  description  string  |
  url          string  |

type JSONSchemaProps | 
  id                                    string                                           |
  $schema                               JSONSchemaURL                                    |
  $ref                                  string                                           |
  description                           string                                           |
  type                                  string                                           |
  format                                string                                           |
  title                                 string                                           |
  default                               JSON                                             |
  maximum                               float64                                          |
  exclusiveMaximum                      bool                                             |
  minimum                               float64                                          |
  exclusiveMinimum                      bool                                             |
  maxLength                             int64                                            |
  minLength                             int64                                            |
  pattern                               string                                           |
  maxItems                              int64                                            |
  minItems                              int64                                            |
  uniqueItems                           bool                                             |
  multipleOf                            float64                                          |
  enum                                  []JSON                      atomic               |
  maxProperties                         int64                                            |
  minProperties                         int64                                            |
  required                              []string                    atomic               |
  items                                 JSONSchemaPropsOrArray                           |
  allOf                                 []JSONSchemaProps           atomic               |
  oneOf                                 []JSONSchemaProps           atomic               |
  anyOf                                 []JSONSchemaProps           atomic               |
  not                                   JSONSchemaProps                                  |
  properties                            map[string]JSONSchemaProps                       |
  additionalProperties                  JSONSchemaPropsOrBool                            |
  patternProperties                     map[string]JSONSchemaProps                       |
  dependencies                          JSONSchemaDependencies                           |
  additionalItems                       JSONSchemaPropsOrBool                            |
  definitions                           JSONSchemaDefinitions                            |
  externalDocs                          ExternalDocumentation                            |
  example                               JSON                                             |
  nullable                              bool                                             |
  x-kubernetes-preserve-unknown-fields  bool                                             |
  x-kubernetes-embedded-resource        bool                                             |
  x-kubernetes-int-or-string            bool                                             |
  x-kubernetes-list-map-keys            []string                    atomic               |
  x-kubernetes-list-type                string                                           |
  x-kubernetes-map-type                 string                                           |
  x-kubernetes-validations              ValidationRules             map:rule merge:rule  |

type SelectableField | 
  jsonPath*  string  |

type ServiceReference | 
  namespace*  string  |
  name*       string  |
  path        string  |
  port        int32   |

type ValidationRule | 
  rule*              string                 |
  message            string                 |
  messageExpression  string                 |
  reason             FieldValueErrorReason  |
  fieldPath          string                 |
  optionalOldSelf    bool                   |

type WebhookClientConfig | 
  url       string            |
  service   ServiceReference  |
  caBundle  bytes             |

type WebhookConversion | 
  clientConfig               WebhookClientConfig          |
  conversionReviewVersions*  []string             atomic  |
)";

}  // namespace drover::sim::types
