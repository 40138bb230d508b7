// What every object has, and the answers that are not objects. How to read a table: tables.h.
#include "sim/types/tables.h"

namespace drover::sim::types {

const std::string_view kMeta = R"(
scope meta meta.k8s.io v1 io.k8s.apimachinery.pkg.apis.meta.v1
CauseType ConditionStatus DeletionPropagation FieldSelectorOperator LabelSelectorOperator = string
ManagedFieldsOperationType StatusReason = string

kind DeleteOptions | 
  + TypeMeta
  gracePeriodSeconds                                int64                        |
  preconditions                                     Preconditions                |
  orphanDependents                                  bool                         |
  propagationPolicy                                 DeletionPropagation          |
  dryRun                                            []string             atomic  |
  ignoreStoreReadErrorWithClusterBreakingPotential  bool                         |

kind Status | 
  + TypeMeta
  metadata  ListMeta       | name, labels and the rest that every object has
  status    string         | how it is
  message   string         |
  reason    StatusReason   |
  details   StatusDetails  |
  code      int32          |

type Condition | 
  type*                string           |
  status*              ConditionStatus  | how it is
  observedGeneration   int64            |
  lastTransitionTime*  Time             |
  reason*              string           |
  message*             string           |

type FieldSelectorRequirement | 
  key*       string                         |
  operator*  FieldSelectorOperator          |
  values     []string               atomic  |

type LabelSelector atomic | 
  matchLabels       map[string]string                   |
  matchExpressions  []LabelSelectorRequirement  atomic  |

type LabelSelectorRequirement | 
  key*       string                         |
  operator*  LabelSelectorOperator          |
  values     []string               atomic  |

type ListMeta | 
  selfLink            string     |
  resourceVersion     string     |
  continue            string     |
  remainingItemCount  int64      |
  shardInfo           ShardInfo  |

type ManagedFieldsEntry | 
  manager      string                      |
  operation    ManagedFieldsOperationType  |
  apiVersion   string                      |
  time         Time                        |
  fieldsType   string                      |
  fieldsV1     FieldsV1                    |
  subresource  string                      |

type ObjectMeta | 
  name                        string                                   |
  generateName                string                                   |
  namespace                   string                                   |
  selfLink                    string                                   |
  uid                         UID                                      |
  resourceVersion             string                                   |
  generation                  int64                                    |
  creationTimestamp           Time                                     |
  deletionTimestamp           Time                                     |
  deletionGracePeriodSeconds  int64                                    |
  labels                      map[string]string                        |
  annotations                 map[string]string                        |
  ownerReferences             []OwnerReference      map:uid merge:uid  |
  finalizers                  []string              set merge          |
  managedFields               []ManagedFieldsEntry  atomic             |

type OwnerReference atomic | 
  apiVersion*         string  |
  kind*               string  |
  name*               string  |
  uid*                UID     |
  controller          bool    |
  blockOwnerDeletion  bool    |

type Preconditions | 
  uid              UID     |
  resourceVersion  string  |

type ShardInfo | 
  selector*  string  |

type StatusCause | 
  reason   CauseType  |
  message  string     |
  field    string     |

type StatusDetails | 
  name               string                 |
  group              string                 |
  kind               string                 |
  uid                UID                    |
  causes             []StatusCause  atomic  |
  retryAfterSeconds  int32                  |

type TypeMeta | 
  kind        string  |
  apiVersion  string  |
)";

}  // namespace drover::sim::types
