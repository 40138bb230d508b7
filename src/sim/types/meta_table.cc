// What every object has, and the answers that are not objects. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kMeta = R"(
scope meta - v1 io.k8s.apimachinery.pkg.apis.meta.v1
CauseType ConditionStatus DeletionPropagation FieldSelectorOperator LabelSelectorOperator = string
ManagedFieldsOperationType StatusReason = string

kind DeleteOptions | how to delete
  + TypeMeta
  gracePeriodSeconds              int64                        | how long it may take to end; 0 for at once
  preconditions                   Preconditions                | what must be true of the object
  orphanDependents                bool                         | do not delete dependents; deprecated form of propagationPolicy
  propagationPolicy               DeletionPropagation          | what becomes of what it owns: Orphan, Background or Foreground
  dryRun                          []string             atomic  | All to only pretend
  ignoreStoreReadErrorWithClusterBreakingPotential  bool                         | delete even what cannot be read; dangerous

kind Status | an answer that is not an object
  + TypeMeta
  metadata  ListMeta       | about the answer
  status    string         | Success or Failure
  message   string         | what is the matter, for people
  reason    StatusReason   | the reason, one CamelCase word
  details   StatusDetails  | the object concerned
  code      int32          | the HTTP code

type Condition | one thing that is true, false or unknown
  type*                string           | which aspect
  status*              ConditionStatus  | True, False or Unknown
  observedGeneration   int64            | the generation that this status describes
  lastTransitionTime*  Time             | when the status last changed
  reason*              string           | the reason, one CamelCase word
  message*             string           | what is the matter, for people

type FieldSelectorRequirement | a demand on a field
  key*       string                         | the field
  operator*  FieldSelectorOperator          | In, NotIn, Exists or DoesNotExist
  values     []string               atomic  | what to compare with

type LabelSelector atomic | which objects, by their labels; all demands must be met
  matchLabels       map[string]string                   | labels with these values
  matchExpressions  []LabelSelectorRequirement  atomic  | demands on labels

type LabelSelectorRequirement | a demand on a label
  key*       string                         | the label's key
  operator*  LabelSelectorOperator          | In, NotIn, Exists or DoesNotExist
  values     []string               atomic  | what to compare with

type ListMeta | about a list as a whole
  selfLink            string     | no longer used
  resourceVersion     string     | the version of the cluster's state that the list shows
  continue            string     | ask with this for the next page
  remainingItemCount  int64      | how many are left after this page
  shardInfo           ShardInfo  | which part of all objects this is

type ManagedFieldsEntry | fields that one manager has set
  manager      string                      | the field manager
  operation    ManagedFieldsOperationType  | Apply or Update
  apiVersion   string                      | the version in which the fields are written
  time         Time                        | when
  fieldsType   string                      | always FieldsV1
  fieldsV1     FieldsV1                    | the fields
  subresource  string                      | through which subresource

type ObjectMeta | what every object has
  name                        string                                   | what it is called, unique within its kind and namespace
  generateName                string                                   | the beginning of a name that the server completes
  namespace                   string                                   | where it is
  selfLink                    string                                   | no longer used
  uid                         UID                                      | unlike any other object's, ever
  resourceVersion             string                                   | changes with every write; a write that sends it is refused if the object has changed
  generation                  int64                                    | counts changes of the desired state
  creationTimestamp           Time                                     | when it was made
  deletionTimestamp           Time                                     | when it is to be gone
  deletionGracePeriodSeconds  int64                                    | how long it has to end
  labels                      map[string]string                        | words to find it by
  annotations                 map[string]string                        | notes of tools and people
  ownerReferences             []OwnerReference      map:uid merge:uid  | objects that it belongs to; when all are gone, it goes
  finalizers                  []string              set merge          | finalizers that must be removed before the object is deleted
  managedFields               []ManagedFieldsEntry  atomic             | which manager set which field

type OwnerReference atomic | an object that another belongs to
  apiVersion*         string  | group and version of the object
  kind*               string  | what kind of object it is
  name*               string  | its name
  uid*                UID     | its uid
  controller          bool    | whether it is the managing controller
  blockOwnerDeletion  bool    | whether the owner waits for this one when it is deleted in the foreground

type Preconditions | what must be true of an object
  uid              UID     | it has this uid
  resourceVersion  string  | it has this version

type ShardInfo | a part of all objects
  selector*  string  | which part

type StatusCause | one cause of a refusal
  reason   CauseType  | what is wrong, one CamelCase word
  message  string     | what is the matter, for people
  field    string     | where

type StatusDetails | more about a refusal
  name               string                 | the object
  group              string                 | the object's group
  kind               string                 | what kind of object it is
  uid                UID                    | the object's uid
  causes             []StatusCause  atomic  | what is wrong, one by one
  retryAfterSeconds  int32                  | try again after so long

type TypeMeta | what an object is
  kind        string  | what kind of object it is
  apiVersion  string  | group and version of the object
)";

}  // namespace drover::sim::types
