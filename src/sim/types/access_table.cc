// Access control: roles, reviews, tokens, webhooks. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kAccess = R"(
scope rbac rbac.authorization.k8s.io v1 io.k8s.api.rbac.v1

kind ClusterRole | things that may be done, in any namespace or outside of all
  + TypeMeta
  metadata         ObjectMeta               | name, labels and the rest that every object has
  rules            []PolicyRule     atomic  | what may be done
  aggregationRule  AggregationRule          | take the rules of other roles

kind ClusterRoleBinding | grants a ClusterRole in all namespaces
  + TypeMeta
  metadata  ObjectMeta          | name, labels and the rest that every object has
  subjects  []Subject   atomic  | users, groups and ServiceAccounts that get the role
  roleRef*  RoleRef             | which role

kind Role | things that may be done in one namespace
  + TypeMeta
  metadata  ObjectMeta            | name, labels and the rest that every object has
  rules     []PolicyRule  atomic  | what may be done

kind RoleBinding | grants a role in one namespace
  + TypeMeta
  metadata  ObjectMeta          | name, labels and the rest that every object has
  subjects  []Subject   atomic  | users, groups and ServiceAccounts that get the role
  roleRef*  RoleRef             | which role

type AggregationRule | whose rules a role takes
  clusterRoleSelectors  []LabelSelector  atomic  | roles with such labels

type PolicyRule | some verbs on some things
  verbs*           []string  atomic  | what may be done; * for everything
  apiGroups        []string  atomic  | groups of the things; * for all
  resources        []string  atomic  | kinds of things; * for all
  resourceNames    []string  atomic  | only things with these names
  nonResourceURLs  []string  atomic  | paths that are no objects, such as /metrics

type RoleRef atomic | a role
  apiGroup  string  | its group
  kind*     string  | Role or ClusterRole
  name*     string  | its name

type Subject atomic | a user, group or ServiceAccount
  kind*      string  | User, Group or ServiceAccount
  apiGroup   string  | the group of the kind
  name*      string  | the name
  namespace  string  | where the ServiceAccount is

scope authentication authentication.k8s.io v1 io.k8s.api.authentication.v1
ExtraValue = []string

kind SelfSubjectReview | returns the user information of the caller
  + TypeMeta
  metadata  ObjectMeta               | name, labels and the rest that every object has
  status    SelfSubjectReviewStatus  | the answer

kind TokenRequest | asks for a token of a ServiceAccount
  + TypeMeta
  metadata  ObjectMeta          | name, labels and the rest that every object has
  spec      TokenRequestSpec    | which token
  status    TokenRequestStatus  | the token

kind TokenReview | asks whether a token is good
  + TypeMeta
  metadata  ObjectMeta         | name, labels and the rest that every object has
  spec*     TokenReviewSpec    | which token
  status    TokenReviewStatus  | the answer

type BoundObjectReference | an object that the token is bound to: the token is valid while it exists
  kind        string  | what kind of object it is
  apiVersion  string  | group and version of the object
  name        string  | its name
  uid         UID     | its uid

type SelfSubjectReviewStatus | user information of the caller
  userInfo  UserInfo  | name, groups and the rest

type TokenRequestSpec | which token
  audiences          []string              atomic  | audiences that the token is valid for
  expirationSeconds  int64                         | how long it shall be good
  boundObjectRef     BoundObjectReference          | an object that the token is bound to

type TokenRequestStatus | the token
  token                string  | the token itself
  expirationTimestamp  Time    | when it expires

type TokenReviewSpec | which token
  token*     string            | the token itself
  audiences  []string  atomic  | audiences that the token is valid for

type TokenReviewStatus | whether a token is valid
  authenticated  bool              | whether it is
  user           UserInfo          | whose it is
  audiences      []string  atomic  | audiences that the token is valid for
  error          string            | why it could not be looked at

type UserInfo | a user, as the authenticator reports it
  username  string                         | the name
  uid       string                         | unlike any other's
  groups    []string               atomic  | groups they belong to
  extra     map[string]ExtraValue          | anything else that the authenticator knows

scope authorization authorization.k8s.io v1 io.k8s.api.authorization.v1
ExtraValue = []string

kind LocalSubjectAccessReview | asks whether a user may do something in one namespace
  + TypeMeta
  metadata  ObjectMeta                 | name, labels and the rest that every object has
  spec*     SubjectAccessReviewSpec    | the subject and the resource
  status    SubjectAccessReviewStatus  | the answer

kind SelfSubjectAccessReview | asks whether one may do something
  + TypeMeta
  metadata  ObjectMeta                  | name, labels and the rest that every object has
  spec*     SelfSubjectAccessReviewSpec  | what
  status    SubjectAccessReviewStatus   | the answer

kind SelfSubjectRulesReview | asks what one may do in a namespace
  + TypeMeta
  metadata  ObjectMeta                  | name, labels and the rest that every object has
  spec*     SelfSubjectRulesReviewSpec  | which namespace
  status    SubjectRulesReviewStatus    | the answer

kind SubjectAccessReview | asks whether a user may do something
  + TypeMeta
  metadata  ObjectMeta                 | name, labels and the rest that every object has
  spec*     SubjectAccessReviewSpec    | the subject and the resource
  status    SubjectAccessReviewStatus  | the answer

type FieldSelectorAttributes | a field selector of the request
  rawSelector   string                              | as the request has it
  requirements  []FieldSelectorRequirement  atomic  | the requests

type LabelSelectorAttributes | a label selector of the request
  rawSelector   string                              | as the request has it
  requirements  []LabelSelectorRequirement  atomic  | the requests

type NonResourceAttributes | a request that is not about objects
  path  string  | its path
  verb  string  | its verb

type NonResourceRule | verbs on paths
  verbs*           []string  atomic  | what may be done
  nonResourceURLs  []string  atomic  | on these paths

type ResourceAttributes | a request about objects
  namespace      string                   | where; none for all or none
  verb           string                   | what is to be done
  group          string                   | the group
  version        string                   | the version
  resource       string                   | the kind of things
  subresource    string                   | which part of them
  name           string                   | which one; none for all
  fieldSelector  FieldSelectorAttributes  | only those with such fields
  labelSelector  LabelSelectorAttributes  | only those with such labels

type ResourceRule | verbs on things
  verbs*         []string  atomic  | what may be done
  apiGroups      []string  atomic  | groups of the things
  resources      []string  atomic  | kinds of things
  resourceNames  []string  atomic  | only things with these names

type SelfSubjectAccessReviewSpec | the action to check
  resourceAttributes     ResourceAttributes     | something with objects
  nonResourceAttributes  NonResourceAttributes  | something else

type SelfSubjectRulesReviewSpec | the namespace to check
  namespace  string  | the namespace

type SubjectAccessReviewSpec | the user and the requested action
  resourceAttributes     ResourceAttributes             | something with objects
  nonResourceAttributes  NonResourceAttributes          | something else
  user                   string                         | the user
  groups                 []string               atomic  | groups they belong to
  extra                  map[string]ExtraValue          | anything else that the authenticator knows
  uid                    string                         | their uid

type SubjectAccessReviewStatus | whether access is allowed
  allowed*         bool    | whether access is allowed
  denied           bool    | whether an authorizer denied the request
  reason           string  | why
  evaluationError  string  | what went wrong when asking

type SubjectRulesReviewStatus | the allowed actions
  resourceRules*     []ResourceRule     atomic  | with objects
  nonResourceRules*  []NonResourceRule  atomic  | with other paths
  incomplete*        bool                       | there may be more
  evaluationError    string                     | what went wrong when asking

scope admissionregistration admissionregistration.k8s.io v1 io.k8s.api.admissionregistration.v1
FailurePolicyType = string Fail Ignore
MatchPolicyType = string Equivalent Exact
OperationType = string * CONNECT CREATE DELETE UPDATE
ReinvocationPolicyType = string IfNeeded Never
ScopeType = string * Cluster Namespaced
SideEffectClass = string None NoneOnDryRun Some Unknown
ValidationAction = string Audit Deny Warn
ParameterNotFoundActionType = string

kind MutatingWebhookConfiguration | webhooks that may change what is written
  + TypeMeta
  metadata  ObjectMeta                              | name, labels and the rest that every object has
  webhooks  []MutatingWebhook  map:name merge:name  | the webhooks

kind ValidatingAdmissionPolicy | rules in CEL for what is written
  + TypeMeta
  metadata  ObjectMeta                  | name, labels and the rest that every object has
  spec      ValidatingAdmissionPolicySpec  | the rules
  status    ValidatingAdmissionPolicyStatus  | whether the rules make sense

kind ValidatingAdmissionPolicyBinding | puts a policy in force
  + TypeMeta
  metadata  ObjectMeta                  | name, labels and the rest that every object has
  spec*     ValidatingAdmissionPolicyBindingSpec  | which policy, for what

kind ValidatingWebhookConfiguration | webhooks that may refuse what is written
  + TypeMeta
  metadata  ObjectMeta                                | name, labels and the rest that every object has
  webhooks  []ValidatingWebhook  map:name merge:name  | the webhooks

type AuditAnnotation | a note for the audit log
  key*              string  | its key
  valueExpression*  string  | its text, in CEL; null for none

type ExpressionWarning | an expression that looks wrong
  fieldRef*  string  | where it is
  warning*   string  | what looks wrong

type MatchCondition | a condition for asking a webhook, in CEL
  name*        string  | what messages call it
  expression*  string  | the condition

type MatchResources atomic | which requests
  namespaceSelector     LabelSelector                      | which namespaces count, by their labels
  objectSelector        LabelSelector                      | which objects, by their labels
  resourceRules         []NamedRuleWithOperations  atomic  | these
  excludeResourceRules  []NamedRuleWithOperations  atomic  | but not these
  matchPolicy           MatchPolicyType                    | whether other versions of a thing count: Exact or Equivalent

type MutatingWebhook | a webhook that may change what is written
  name*                     string                                       | what messages call it, like a domain
  clientConfig*             WebhookClientConfig                          | how to reach it
  rules                     []RuleWithOperations    atomic               | which requests it is asked about
  failurePolicy             FailurePolicyType                            | when it cannot be reached: Fail or Ignore
  matchPolicy               MatchPolicyType                              | whether other versions of a thing count: Exact or Equivalent
  namespaceSelector         LabelSelector                                | which namespaces count, by their labels
  objectSelector            LabelSelector                                | which objects, by their labels
  sideEffects*              SideEffectClass                              | whether asking does more than answer: None or NoneOnDryRun
  timeoutSeconds            int32                                        | how long to wait for it
  admissionReviewVersions*  []string                atomic               | versions of the question that it understands
  reinvocationPolicy        ReinvocationPolicyType                       | whether it is asked again when others changed something
  matchConditions           []MatchCondition        map:name merge:name  | conditions for asking it

type NamedRuleWithOperations atomic | some operations on some things, by name
  resourceNames  []string  atomic  | only things with these names
  + RuleWithOperations

type ParamKind atomic | what kind of object has the parameters
  apiVersion  string  | group and version of the object
  kind        string  | what kind of object it is

type ParamRef atomic | which object has the parameters
  name                     string                      | its name
  namespace                string                      | its namespace
  selector                 LabelSelector               | all with such labels instead
  parameterNotFoundAction  ParameterNotFoundActionType  | when there is none: Allow or Deny

type Rule | some things
  apiGroups    []string   atomic  | groups of the things; * for all
  apiVersions  []string   atomic  | versions of the things; * for all
  resources    []string   atomic  | kinds of things; * for all
  scope        ScopeType          | Cluster, Namespaced or * for both

type RuleWithOperations | some operations on some things
  operations  []OperationType  atomic  | CREATE, UPDATE, DELETE, CONNECT or *
  + Rule

type ServiceReference | a service to call
  namespace*  string  | where it is
  name*       string  | its name
  path        string  | the path to ask for
  port        int32   | its port

type TypeChecking | what a look at the expressions' types found
  expressionWarnings  []ExpressionWarning  atomic  | expressions that look wrong

type ValidatingAdmissionPolicyBindingSpec | which policy, for what
  policyName*         string                   | the policy
  paramRef            ParamRef                 | where its parameters are
  matchResources      MatchResources           | which of the policy's requests
  validationActions*  []ValidationAction  set  | when a rule is broken: Deny, Warn, Audit

type ValidatingAdmissionPolicySpec | rules, and which requests they are for
  paramKind         ParamKind                               | what kind of object has the parameters
  matchConstraints  MatchResources                          | which requests
  validations       []Validation       atomic               | the rules
  failurePolicy     FailurePolicyType                       | when a rule cannot be evaluated: Fail or Ignore
  auditAnnotations  []AuditAnnotation  atomic               | notes for the audit log
  matchConditions   []MatchCondition   map:name merge:name  | conditions for looking at a request at all
  variables         []Variable         map:name merge:name  | names for parts of expressions

type ValidatingAdmissionPolicyStatus | whether rules make sense
  observedGeneration  int64                   | the generation that this status describes
  typeChecking        TypeChecking            | what a look at the expressions' types found
  conditions          []Condition   map:type  | current conditions, one per type

type ValidatingWebhook | a webhook that may refuse what is written
  name*                     string                                     | what messages call it, like a domain
  clientConfig*             WebhookClientConfig                        | how to reach it
  rules                     []RuleWithOperations  atomic               | which requests it is asked about
  failurePolicy             FailurePolicyType                          | when it cannot be reached: Fail or Ignore
  matchPolicy               MatchPolicyType                            | whether other versions of a thing count: Exact or Equivalent
  namespaceSelector         LabelSelector                              | which namespaces count, by their labels
  objectSelector            LabelSelector                              | which objects, by their labels
  sideEffects*              SideEffectClass                            | whether asking does more than answer: None or NoneOnDryRun
  timeoutSeconds            int32                                      | how long to wait for it
  admissionReviewVersions*  []string              atomic               | versions of the question that it understands
  matchConditions           []MatchCondition      map:name merge:name  | conditions for asking it

type Validation | one rule
  expression*        string        | what must be true, in CEL
  message            string        | the message when it is false
  reason             StatusReason  | which reason the refusal has
  messageExpression  string        | the message, as a CEL expression

type Variable atomic | a name for a part of expressions
  name*        string  | the name
  expression*  string  | the part

type WebhookClientConfig | how to reach a webhook; url or service
  url       string            | its address
  service   ServiceReference  | the service it is behind
  caBundle  bytes             | certificates to trust
)";

}  // namespace drover::sim::types
