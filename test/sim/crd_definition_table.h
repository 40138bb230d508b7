// Definitions and their schemas, and what is wrong with them. A real API server gave the same answers.
#pragma once

#include <array>
#include <string_view>

namespace drover::sim::crd {

// Schemas of the whole object (spec.versions[0].schema.openAPIV3Schema), and what is wrong with them: complaints as
// above, "S" standing for spec.validation.openAPIV3Schema; "" when nothing is.
struct SchemaRow {
  std::string_view schema;
  std::string_view outcome;
};

inline constexpr auto kSchemas = std::to_array<SchemaRow>({
    {R"j({"type":"object"})j", ""},
    {R"j({})j", "S.type: Required value: must not be empty at the root"},
    {R"j({"type":"array","items":{"type":"string"}})j",
     R"j(S.type: Invalid value: "array": must be object at the root)j"},
    {R"j({"type":"object","properties":{"a":{}}})j",
     "S.properties[a].type: Required value: must not be empty for specified object fields"},
    {R"j({"type":"object","properties":{"a":{"type":"array"}}})j",
     "S.properties[a].items: Required value: must be specified"},
    {R"j({"type":"object","properties":{"a":{"type":"array","items":{}}}})j",
     "S.properties[a].items.type: Required value: must not be empty for specified array items"},
    {R"j({"type":"object","properties":{"a":{"type":"text"}}})j",
     R"j(S.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string")j"},
    {R"j({"type":"object","properties":{"a":{"x-kubernetes-preserve-unknown-fields":true}}})j", ""},
    {R"j({"type":"object","properties":{"a":{"type":"object","x-kubernetes-preserve-unknown-fields":false}}})j",
     "S.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"},
    {R"j({"type":"object","additionalProperties":{"type":"string"}})j",
     "S.additionalProperties: Forbidden: must not be used at the root"},
    {R"j({"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":{"type":"string"}}}})j",
     "S.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"},
    {R"j({"type":"object","nullable":true})j", "S.nullable: Forbidden: nullable cannot be true at the root"},
    {R"j({"type":"object","properties":{"a":{"type":"array","uniqueItems":true,"items":{"type":"string"}}}})j",
     "S.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes "
     "quadratic"},
    {R"j({"type":"object","properties":{"a":{"type":"string","pattern":"[a"}}})j",
     R"j(S.properties[a].pattern: Invalid value: "[a": must be a valid regular expression, but isn't: error parsing regexp: missing closing ]: `[a`)j"},
    {R"j({"type":"object","properties":{"a":{"type":"string","pattern":"(?=a)"}}})j",
     R"j(S.properties[a].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: `(?=`)j"},
    {R"j({"type":"object","properties":{"a":{"type":"string","anyOf":[{"type":"string"}]}}})j",
     "S.properties[a].anyOf[0].type: Forbidden: must be empty to be structural"},
    {R"j({"type":"object","properties":{"a":{"type":"string","allOf":[{"description":"x","default":"y"}]}}})j",
     "S.properties[a].allOf[0].default: Forbidden: must be undefined to be structural\n"
     "S.properties[a].allOf[0].description: Forbidden: must be empty to be structural"},
    {R"j({"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true}}})j",
     ""},
    {R"j({"type":"object","oneOf":[{"properties":{"b":{"minimum":1}}}]})j",
     "S.properties[b]: Required value: because it is defined in S.oneOf[0].properties[b]"},
    {R"j({"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":5}}}}})j",
     ""},
    {R"j({"type":"object","properties":{"metadata":{"type":"object","properties":{"labels":{"type":"object"}}}}})j",
     "S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is "
     "implicitly specified"},
    {R"j({"type":"object","properties":{"kind":{"type":"integer"}}})j",
     R"j(S.properties[kind].type: Invalid value: "integer": must be string)j"},
    {R"j({"type":"object","properties":{"a":{"type":"object","x-kubernetes-embedded-resource":true}}})j",
     "S.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without "
     "x-kubernetes-preserve-unknown-fields"},
    {R"j({"type":"object","properties":{"a":{"$ref":"#/x","type":"object"}}})j",
     "S.properties[a].$ref: Forbidden: $ref is not supported"},
    // list types
    {R"j({"type":"object","properties":{"a":{"type":"string","x-kubernetes-list-type":"set"}}})j",
     R"j(S.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified)j"},
    {R"j({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"bag"}}})j",
     R"j(S.properties[a].x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map")j"},
    {R"j({"type":"object","properties":{"a":{"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"set"}}})j",
     "S.properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with "
     "x-kubernetes-list-type=set"},
    {R"j({"type":"object","properties":{"a":{"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"map"}}})j",
     "S.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"},
    {R"j({"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
         "items":{"type":"object","properties":{"v":{"type":"string"}}}}}})j",
     R"j(S.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k"]: entries must all be names of item properties)j"},
    {R"j({"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
         "items":{"type":"object","properties":{"k":{"type":"string"}}}}}})j",
     "S.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so "
     "it must have a default or be a required property"},
    {R"j({"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-map-keys":["k"],"items":{"type":"string"}}}})j",
     "S.properties[a].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty"},
    {R"j({"type":"object","properties":{"a":{"type":"object","x-kubernetes-map-type":"x"}}})j",
     R"j(S.properties[a].x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular")j"},
    // defaults
    {R"j({"type":"object","properties":{"a":{"type":"integer","default":"x"}}})j",
     R"j(S.properties[a].default: Invalid value: "string":  in body must be of type integer: "string")j"},
    {R"j({"type":"object","properties":{"a":{"type":"integer","default":5,"maximum":3}}})j",
     "S.properties[a].default: Invalid value: 5:  in body should be less than or equal to 3"},
    {R"j({"type":"object","properties":{"a":{"type":"object","default":{"b":1},"properties":{"c":{"type":"string"}}}}})j",
     R"j(S.properties[a].default: Invalid value: {"b":1}: must not have unknown fields)j"},
    {R"j({"type":"object","properties":{"a":{"type":"object","default":{"b":1},"properties":{"b":{"type":"string"}}}}})j",
     R"j(S.properties[a].default.b: Invalid value: "integer": b in body must be of type string: "integer")j"},
    {R"j({"type":"object","properties":{"a":{"type":"integer","default":5,"x-kubernetes-validations":[{"rule":"self < 5","message":"small"}]}}})j",
     "S.properties[a].default: Invalid value: 5: small"},
    {R"j({"type":"object","properties":{"apiVersion":{"type":"string","default":"v1"}}})j",
     "S.properties[apiVersion].default: Forbidden: must not be set in top-level apiVersion"},
    // rules
    {R"j({"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 'x'"}]}}})j",
     "S.properties[a].x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"self \\u003e "
     "'x'\",\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: "
     "compilation failed: ERROR: <input>:1:6: found no matching overload for '_>_' applied to '(int, string)'\n | self "
     "> 'x'\n | .....^"},
    {R"j({"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":"self"}]}}})j",
     R"j(S.properties[a].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool)j"},
    {R"j({"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":" "}]}}})j",
     "S.properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified"},
    {R"j({"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0","message":"a\nb"}]}}})j",
     "S.properties[a].x-kubernetes-validations[0].message: Invalid value: \"a\\nb\": must not contain line breaks"},
    {R"j({"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":"self >\n 0"}]}}})j",
     "S.properties[a].x-kubernetes-validations[0].message: Required value: message must be specified if rule contains "
     "line breaks"},
    {R"j({"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0","reason":"Because"}]}}})j",
     R"j(S.properties[a].x-kubernetes-validations[0].reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")j"},
    {R"j({"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"true","fieldPath":".c"}]}}})j",
     R"j(S.properties[a].x-kubernetes-validations[0].fieldPath: Invalid value: ".c": must be a valid path)j"},
    {R"j({"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0","messageExpression":"self"}]}}})j",
     R"j(S.properties[a].x-kubernetes-validations[0].messageExpression: Invalid value: {"Rule":"self \u003e 0","Message":"","MessageExpression":"self","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string)j"},
    {R"j({"type":"object","properties":{"a":{"type":"array","maxItems":3,"items":{"type":"integer","x-kubernetes-validations":[{"rule":"self >= oldSelf"}]}}}})j",
     R"j(S.properties[a].items.x-kubernetes-validations[0].rule: Invalid value: "self >= oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within S.properties[a])j"},
    {R"j({"type":"object","x-kubernetes-validations":[{"rule":"self.metadata.name.startsWith('a') && self.kind == 'X' && has(self.apiVersion)"}]})j",
     ""},
    {R"j({"type":"object","x-kubernetes-validations":[{"rule":"self.metadata.labels.size() > 0"}]})j",
     "S.x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"self.metadata.labels.size() \\u003e "
     "0\",\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: "
     "compilation failed: ERROR: <input>:1:14: undefined field 'labels'\n | self.metadata.labels.size() > 0\n | "
     ".............^"},
});

// Merge patches of a good CRD, and the complaints about the result.
inline constexpr std::string_view kGoodDefinition = R"json({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "gadgets.judge.example.com"},
  "spec": {"group": "judge.example.com", "scope": "Namespaced",
    "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
    "versions": [{"name": "v1", "served": true, "storage": true,
      "schema": {"openAPIV3Schema": {"type": "object"}}}]}})json";

struct DefinitionRow {
  std::string_view patch;
  std::string_view outcome;
};

inline constexpr auto kDefinitions = std::to_array<DefinitionRow>({
    {R"j({})j", ""},
    {R"j({"metadata":{"name":"gizmos.judge.example.com"}})j",
     R"j(metadata.name: Invalid value: "gizmos.judge.example.com": must be spec.names.plural+"."+spec.group)j"},
    {R"j({"spec":{"group":"nodot"},"metadata":{"name":"gadgets.nodot"}})j",
     R"j(spec.group: Invalid value: "nodot": should be a domain with at least one dot)j"},
    {R"j({"spec":{"scope":"Universe"}})j",
     R"j(spec.scope: Unsupported value: "Universe": supported values: "Cluster", "Namespaced")j"},
    {R"j({"spec":{"scope":null}})j", "spec.scope: Required value"},
    {R"j({"spec":{"names":{"kind":null,"listKind":"X"}}})j", "spec.names.kind: Required value"},
    {R"j({"spec":{"names":{"kind":"GadgetList"}}})j",
     R"j(spec.names.listKind: Invalid value: "GadgetList": kind and listKind may not be the same)j"},
    {R"j({"spec":{"names":{"shortNames":["Gd"]}}})j",
     R"j(spec.names.shortNames[0]: Invalid value: "Gd": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))j"},
    {R"j({"spec":{"versions":[{"name":"v1","served":true,"storage":true}]}})j",
     "spec.versions[0].schema.openAPIV3Schema: Required value"},
    {R"j({"spec":{"versions":[{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})j",
     "spec.versions: Invalid value: "
     "[{\"Name\":\"v1\",\"Served\":true,\"Storage\":false,\"Deprecated\":false,\"DeprecationWarning\":null,\"Schema\":"
     "null,\"Subresources\":null,\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}]: must have exactly one "
     "version marked as storage version\n"
     "status.storedVersions: Invalid value: null: must have at least one stored version"},
    {R"j({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
                            {"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})j",
     R"j(spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names)j"},
    {R"j({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
                            {"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{}}}}}]}})j",
     "spec.versions[1].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified "
     "object fields"},
    {R"j({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},
                             "additionalPrinterColumns":[{"name":"A","type":"text","jsonPath":"spec.a"}]}]}})j",
     "spec.additionalPrinterColumns[0].JSONPath: Invalid value: \"spec.a\": must be a simple json path starting with "
     ".\n"
     R"j(spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string)j"},
    {R"j({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},
                             "subresources":{"scale":{"specReplicasPath":".replicas","statusReplicasPath":".status.replicas"}}}]}})j",
     R"j(spec.subresources.scale.specReplicasPath: Invalid value: ".replicas": should be a json path under .spec)j"},
    {R"j({"spec":{"versions":[{"name":"V1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})j",
     "spec.version: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
     "start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex "
     "used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')\n"
     "spec.versions[0].name: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric "
     "characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  "
     "or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"},
    {R"j({"spec":{"preserveUnknownFields":true}})j",
     "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to "
     "true in spec.versions[*].schema instead"},
    {R"j({"spec":{"conversion":{"strategy":"Magic"}}})j",
     R"j(spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook")j"},
});

}  // namespace drover::sim::crd
