// The bootstrap objects of the fuzzed cluster, as requests separated by a line "---": objects of every kind, so that an
// input can read and change them without creating them first.
#pragma once

#include <string_view>

namespace drover::fuzz {

inline constexpr std::string_view kBootstrapObjects = R"bootstrap(POST /api/v1/namespaces application/json
{"metadata":{"name":"f"}}
---
POST /api/v1/nodes application/json
{"metadata":{"name":"n","labels":{"a":"b"}}}
---
PATCH /api/v1/nodes/n/status application/merge-patch+json
{"status":{"allocatable":{"cpu":"8","memory":"32Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}}
---
POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions application/json
{"metadata":{"name":"gadgets.x.io"},"spec":{"group":"x.io","scope":"Namespaced","names":{"plural":"gadgets","kind":"Gadget",
"shortNames":["gd"],"categories":["all"]},"versions":[
{"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.n","statusReplicasPath":".status.n"}},
"additionalPrinterColumns":[{"name":"N","type":"integer","jsonPath":".spec.n"},{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}],
"selectableFields":[{"jsonPath":".spec.s"}],
"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-validations":[{"rule":"self.spec.n <= 9 || self.metadata.name.startsWith('g')"}],
"properties":{"spec":{"type":"object","x-kubernetes-validations":[
{"rule":"!has(self.l) || self.l.all(x, x.k != 'z')","message":"no z"},{"rule":"self.n >= oldSelf.n","messageExpression":"'n was ' + string(oldSelf.n)"}],
"properties":{"n":{"type":"integer","default":3,"minimum":0,"maximum":1000},"s":{"type":"string","pattern":"^[a-z]*$","maxLength":20},
"e":{"type":"string","enum":["a","b"]},"q":{"x-kubernetes-int-or-string":true},"t":{"type":"string","format":"date-time"},
"any":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"m":{"type":"object","additionalProperties":{"type":"number"}},
"l":{"type":"array","maxItems":9,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string","maxLength":9},"v":{"type":"boolean","nullable":true}}}}}},
"status":{"type":"object","properties":{"n":{"type":"integer"}}}}}}},
{"name":"v1beta1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}
---
POST /apis/x.io/v1/namespaces/f/gadgets?fieldManager=a application/json
{"kind":"Gadget","apiVersion":"x.io/v1","metadata":{"name":"g"},"spec":{"n":5,"s":"abc","l":[{"k":"a","v":true}],"m":{"x":1.5},"any":{"z":[1]}}}
---
POST /api/v1/namespaces/f/configmaps application/json
{"metadata":{"name":"c","labels":{"a":"b"}},"data":{"k":"v"}}
---
POST /api/v1/namespaces/f/secrets application/json
{"metadata":{"name":"s"},"stringData":{"k":"v"}}
---
POST /api/v1/namespaces/f/services application/json
{"metadata":{"name":"s"},"spec":{"selector":{"a":"b"},"ports":[{"port":80,"targetPort":"web"}]}}
---
POST /api/v1/namespaces/f/serviceaccounts application/json
{"metadata":{"name":"a"}}
---
POST /api/v1/namespaces/f/pods application/json
{"metadata":{"name":"p","labels":{"a":"b"},"finalizers":["x.io/f"]},"spec":{"nodeName":"n","tolerations":[{"operator":"Exists"}],"containers":[
{"name":"c","image":"i","env":[{"name":"A","value":"1"}],"ports":[{"containerPort":80,"name":"web"}],"resources":{"requests":{"cpu":"1"}}}]}}
---
POST /apis/apps/v1/namespaces/f/deployments application/json
{"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"d"}},"template":{"metadata":{"labels":{"a":"d"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
---
POST /apis/apps/v1/namespaces/f/daemonsets application/json
{"metadata":{"name":"e"},"spec":{"selector":{"matchLabels":{"a":"e"}},"template":{"metadata":{"labels":{"a":"e"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
---
POST /apis/batch/v1/namespaces/f/jobs application/json
{"metadata":{"name":"j"},"spec":{"completions":2,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
---
POST /apis/policy/v1/namespaces/f/poddisruptionbudgets application/json
{"metadata":{"name":"b"},"spec":{"minAvailable":"50%","selector":{"matchLabels":{"a":"b"}}}}
---
POST /apis/rbac.authorization.k8s.io/v1/namespaces/f/roles application/json
{"metadata":{"name":"r"},"rules":[{"apiGroups":["","x.io"],"resources":["pods","gadgets/status"],"verbs":["get","list"],"resourceNames":["p"]}]}
---
POST /apis/rbac.authorization.k8s.io/v1/namespaces/f/rolebindings application/json
{"metadata":{"name":"r"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"system:anonymous"}]}
---
PATCH /api/v1/namespaces/f/configmaps/applied?fieldManager=b application/apply-patch+yaml
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":{"a":"1","b":"2"}}
)bootstrap";

}  // namespace drover::fuzz
