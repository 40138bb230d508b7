// Who may do what: roles, reviews, tokens, webhooks. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kAccess = R"(
scope rbac rbac.authorization.k8s.io v1 io.k8s.api.rbac.v1

kind ClusterRole | 
  + TypeMeta
  metadata         ObjectMeta               | name, labels and the rest that every object has
  rules            []PolicyRule     atomic  |
  aggregationRule  AggregationRule          |

kind ClusterRoleBinding | 
  + TypeMeta
  metadata  ObjectMeta          | name, labels and the rest that every object has
  subjects  []Subject   atomic  |
  roleRef*  RoleRef             |

kind Role | 
  + TypeMeta
  metadata  ObjectMeta            | name, labels and the rest that every object has
  rules     []PolicyRule  atomic  |

kind RoleBinding | 
  + TypeMeta
  metadata  ObjectMeta          | name, labels and the rest that every object has
  subjects  []Subject   atomic  |
  roleRef*  RoleRef             |

type AggregationRule | 
  clusterRoleSelectors  []LabelSelector  atomic  |

type PolicyRule | 
  verbs*           []string  atomic  |
  apiGroups        []string  atomic  |
  resources        []string  atomic  |
  resourceNames    []string  atomic  |
  nonResourceURLs  []string  atomic  |

type RoleRef atomic | 
  apiGroup  string  |
  kind*     string  |
  name*     string  |

type Subject atomic | 
  kind*      string  |
  apiGroup   string  |
  name*      string  |
  namespace  string  |

scope authentication authentication.k8s.io v1 io.k8s.api.authentication.v1
ExtraValue = []string

kind SelfSubjectReview | 
  + TypeMeta
  metadata  ObjectMeta               | name, labels and the rest that every object has
  status    SelfSubjectReviewStatus  | how it is

kind TokenRequest | 
  + TypeMeta
  metadata  ObjectMeta          | name, labels and the rest that every object has
  spec      TokenRequestSpec    | what is wanted
  status    TokenRequestStatus  | how it is

kind TokenReview | 
  + TypeMeta
  metadata  ObjectMeta         | name, labels and the rest that every object has
  spec*     TokenReviewSpec    | what is wanted
  status    TokenReviewStatus  | how it is

type BoundObjectReference | 
  kind        string  |
  apiVersion  string  |
  name        string  |
  uid         UID     |

type SelfSubjectReviewStatus | 
  userInfo  UserInfo  |

type TokenRequestSpec | 
  audiences          []string              atomic  |
  expirationSeconds  int64                         |
  boundObjectRef     BoundObjectReference          |

type TokenRequestStatus | 
  token                string  |
  expirationTimestamp  Time    |

type TokenReviewSpec | 
  token*     string            |
  audiences  []string  atomic  |

type TokenReviewStatus | 
  authenticated  bool              |
  user           UserInfo          |
  audiences      []string  atomic  |
  error          string            |

type UserInfo | 
  username  string                         |
  uid       string                         |
  groups    []string               atomic  |
  extra     map[string]ExtraValue          |

scope authorization authorization.k8s.io v1 io.k8s.api.authorization.v1
ExtraValue = []string

kind LocalSubjectAccessReview | 
  + TypeMeta
  metadata  ObjectMeta                 | name, labels and the rest that every object has
  spec*     SubjectAccessReviewSpec    | what is wanted
  status    SubjectAccessReviewStatus  | how it is

kind SelfSubjectAccessReview | 
  + TypeMeta
  metadata  ObjectMeta                   | name, labels and the rest that every object has
  spec*     SelfSubjectAccessReviewSpec  | what is wanted
  status    SubjectAccessReviewStatus    | how it is

kind SelfSubjectRulesReview | 
  + TypeMeta
  metadata  ObjectMeta                  | name, labels and the rest that every object has
  spec*     SelfSubjectRulesReviewSpec  | what is wanted
  status    SubjectRulesReviewStatus    | how it is

kind SubjectAccessReview | 
  + TypeMeta
  metadata  ObjectMeta                 | name, labels and the rest that every object has
  spec*     SubjectAccessReviewSpec    | what is wanted
  status    SubjectAccessReviewStatus  | how it is

type FieldSelectorAttributes | 
  rawSelector   string                              |
  requirements  []FieldSelectorRequirement  atomic  |

type LabelSelectorAttributes | 
  rawSelector   string                              |
  requirements  []LabelSelectorRequirement  atomic  |

type NonResourceAttributes | 
  path  string  |
  verb  string  |

type NonResourceRule | 
  verbs*           []string  atomic  |
  nonResourceURLs  []string  atomic  |

type ResourceAttributes | 
  namespace      string                   |
  verb           string                   |
  group          string                   |
  version        string                   |
  resource       string                   |
  subresource    string                   |
  name           string                   |
  fieldSelector  FieldSelectorAttributes  |
  labelSelector  LabelSelectorAttributes  |

type ResourceRule | 
  verbs*         []string  atomic  |
  apiGroups      []string  atomic  |
  resources      []string  atomic  |
  resourceNames  []string  atomic  |

type SelfSubjectAccessReviewSpec | 
  resourceAttributes     ResourceAttributes     |
  nonResourceAttributes  NonResourceAttributes  |

type SelfSubjectRulesReviewSpec | 
  namespace  string  |

type SubjectAccessReviewSpec | 
  resourceAttributes     ResourceAttributes             |
  nonResourceAttributes  NonResourceAttributes          |
  user                   string                         |
  groups                 []string               atomic  |
  extra                  map[string]ExtraValue          |
  uid                    string                         |

type SubjectAccessReviewStatus | 
  allowed*         bool    |
  denied           bool    |
  reason           string  |
  evaluationError  string  |

type SubjectRulesReviewStatus | 
  resourceRules*     []ResourceRule     atomic  |
  nonResourceRules*  []NonResourceRule  atomic  |
  incomplete*        bool                       |
  evaluationError    string                     |

scope admissionregistration admissionregistration.k8s.io v1 io.k8s.api.admissionregistration.v1
FailurePolicyType MatchPolicyType OperationType ReinvocationPolicyType ScopeType SideEffectClass = string

kind MutatingWebhookConfiguration | 
  + TypeMeta
  metadata  ObjectMeta                              | name, labels and the rest that every object has
  webhooks  []MutatingWebhook  map:name merge:name  |

kind ValidatingWebhookConfiguration | 
  + TypeMeta
  metadata  ObjectMeta                                | name, labels and the rest that every object has
  webhooks  []ValidatingWebhook  map:name merge:name  |

type MatchCondition | 
  name*        string  |
  expression*  string  |

type MutatingWebhook | 
  name*                     string                                       |
  clientConfig*             WebhookClientConfig                          |
  rules                     []RuleWithOperations    atomic               |
  failurePolicy             FailurePolicyType                            |
  matchPolicy               MatchPolicyType                              |
  namespaceSelector         LabelSelector                                |
  objectSelector            LabelSelector                                |
  sideEffects*              SideEffectClass                              |
  timeoutSeconds            int32                                        |
  admissionReviewVersions*  []string                atomic               |
  reinvocationPolicy        ReinvocationPolicyType                       |
  matchConditions           []MatchCondition        map:name merge:name  |

type Rule | 
  apiGroups    []string   atomic  |
  apiVersions  []string   atomic  |
  resources    []string   atomic  |
  scope        ScopeType          |

type RuleWithOperations | 
  operations  []OperationType  atomic  |
  + Rule

type ServiceReference | 
  namespace*  string  |
  name*       string  |
  path        string  |
  port        int32   |

type ValidatingWebhook | 
  name*                     string                                     |
  clientConfig*             WebhookClientConfig                        |
  rules                     []RuleWithOperations  atomic               |
  failurePolicy             FailurePolicyType                          |
  matchPolicy               MatchPolicyType                            |
  namespaceSelector         LabelSelector                              |
  objectSelector            LabelSelector                              |
  sideEffects*              SideEffectClass                            |
  timeoutSeconds            int32                                      |
  admissionReviewVersions*  []string              atomic               |
  matchConditions           []MatchCondition      map:name merge:name  |

type WebhookClientConfig | 
  url       string            |
  service   ServiceReference  |
  caBundle  bytes             |
)";

}  // namespace drover::sim::types
