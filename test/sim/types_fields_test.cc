// The built-in kinds' fields: the tables can be read, and objects are refused in the words of kube-apiserver 1.36
// (recorded from one).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/types/graph.h"
#include "sim/types/scalars.h"
#include "sim/types/types.h"

namespace drover::sim::types {
namespace {

json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value) << text;
  return value ? *value : json::Value();
}

const Type& type_of(std::string_view group, std::string_view kind) {
  const Type* type = find(group, "v1", kind);
  EXPECT_NE(type, nullptr) << kind;
  static const Type kNothing;
  return type == nullptr ? kNothing : *type;
}

Reading read_pod_spec(std::string_view spec) {
  json::Value pod = json::Members{{"apiVersion", "v1"}, {"kind", "Pod"}};
  pod.get_object()["spec"] = parsed(spec);
  return read("", "v1", "Pod", pod);
}

TEST(Types, TablesSayNothingThatMeansNothing) { EXPECT_EQ(graph().complaints(), std::vector<std::string>()); }

TEST(Types, ABadTableIsToldNotObeyed) {
  const Graph graph(
      {"scope core - v1 x\n"
       "  lost  string | before any type\n"
       "nonsense\n"
       "kind Thing | a thing\n"
       "  + Nowhere\n"
       "  a  Nowhere | a\n"
       "  b  string  sideways | b\n"
       "kind Thing | again\n"});
  EXPECT_EQ(graph.complaints().size(), 6U);
  ASSERT_NE(graph.find("core.Thing"), nullptr);
}

TEST(Types, EveryFieldIsExplained) {
  for (const Kind& kind : kinds()) {
    EXPECT_FALSE(kind.type->about.empty()) << kind.kind;
    for (const Field& field : kind.type->fields) EXPECT_FALSE(field.about.empty()) << kind.kind << " " << field.name;
  }
}

TEST(Types, KnowsHowListsAreMerged) {
  const Type& spec = *type_of("", "Pod").field("spec")->type;
  const Field& ports = *spec.field("containers")->type->element->field("ports");
  EXPECT_EQ(ports.merge, Merge::Map);
  EXPECT_EQ(ports.keys, (std::vector<std::string_view>{"containerPort", "protocol"}));
  EXPECT_TRUE(ports.patch_merges);
  EXPECT_EQ(ports.patch_key, "containerPort");
  EXPECT_TRUE(spec.field("containers")->required);
  EXPECT_FALSE(spec.field("volumes")->required);
  EXPECT_TRUE(spec.field("volumes")->patch_retains_keys);
}

TEST(Types, FieldsOfEmbeddedStructsStandWithTheOthers) {
  const Type& spec = *type_of("", "Pod").field("spec")->type;
  const Type& volume = *spec.field("volumes")->type->element;
  ASSERT_NE(volume.field("hostPath"), nullptr);
  EXPECT_EQ(volume.field("hostPath")->through, "VolumeSource");
  EXPECT_EQ(volume.field("VolumeSource"), nullptr);
}

TEST(Types, VersionsOfAGroupAreApart) {
  EXPECT_NE(find("autoscaling", "v2", "HorizontalPodAutoscaler"), nullptr);
  EXPECT_EQ(find("autoscaling", "v1", "HorizontalPodAutoscaler"), nullptr);
  EXPECT_EQ(find("autoscaling", "v2", "HorizontalPodAutoscaler")->spelling, "v2.HorizontalPodAutoscaler");
}

struct SpecCase {
  std::string_view spec;
  std::string_view complaint;
};

constexpr SpecCase kMalformed[] = {
    {R"({"hostNetwork":"yes"})",
     "json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool"},
    {R"({"containers":[{"name":1}]})",
     "json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string"},
    {R"({"containers":{"name":1}})",
     "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container"},
    {R"({"containers":["x"]})",
     "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container"},
    {R"({"containers":[{"imagePullPolicy":3}]})",
     "json: cannot unmarshal number into Go struct field Container.spec.containers.imagePullPolicy of type "
     "v1.PullPolicy"},
    {R"({"containers":[{"args":[1]}]})",
     "json: cannot unmarshal number into Go struct field Container.spec.containers.args of type string"},
    {R"({"containers":[{"resources":{"limits":"x"}}]})",
     "json: cannot unmarshal string into Go struct field ResourceRequirements.spec.containers.resources.limits of type "
     "v1.ResourceList"},
    {R"({"containers":[{"resources":{"limits":{"cpu":"abc"}}}]})",
     "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
    {R"({"containers":[{"resources":{"limits":{"cpu":{}}}}]})",
     "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
    {R"({"terminationGracePeriodSeconds":3.5})",
     "json: cannot unmarshal number 3.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64"},
    {R"({"priority":3000000000})",
     "json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of type int32"},
    {R"({"containers":[{"livenessProbe":{"httpGet":{"port":{}}}}]})",
     "json: cannot unmarshal object into Go struct field "
     "HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32"},
    {R"({"containers":[{"livenessProbe":{"httpGet":"x"}}]})",
     "json: cannot unmarshal string into Go struct field Probe.spec.containers.livenessProbe.ProbeHandler.httpGet of "
     "type v1.HTTPGetAction"},
    {R"({"volumes":[{"hostPath":{"path":3}}]})",
     "json: cannot unmarshal number into Go struct field "
     "HostPathVolumeSource.spec.volumes.VolumeSource.hostPath.path of type string"},
    {R"({"nodeSelector":{"a":1}})",
     "json: cannot unmarshal number into Go struct field PodSpec.spec.nodeSelector of type string"},
    {R"({"nodeSelector":["a"]})",
     "json: cannot unmarshal array into Go struct field PodSpec.spec.nodeSelector of type map[string]string"},
    // The first mistake counts, unless a type that reads itself finds one.
    {R"({"hostPID":1,"hostIPC":2})",
     "json: cannot unmarshal number into Go struct field PodSpec.spec.hostPID of type bool"},
    {R"({"hostPID":1,"overhead":{"cpu":"x"}})",
     "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
};

TEST(Types, ObjectsThatCannotBeReadAreRefusedInTheDecodersWords) {
  for (const SpecCase& one : kMalformed) EXPECT_EQ(read_pod_spec(one.spec).malformed, one.complaint) << one.spec;
}

TEST(Types, NullFitsEverywhere) {
  EXPECT_EQ(read_pod_spec(R"({"hostPID":null,"containers":[null],"overhead":{"cpu":null},"affinity":null})").malformed,
            "");
}

TEST(Types, UnknownFieldsAreNamedInTheOrderOfTheObject) {
  const Reading reading = read_pod_spec(
      R"({"foo":1,"containers":[{"name":"a","Image":"c","env":[{"valueFrom":{"zz":1}}]}],"bar":{"a":1}})");
  EXPECT_EQ(reading.malformed, "");
  EXPECT_EQ(strict_error(reading.strict),
            R"(strict decoding error: unknown field "spec.foo", unknown field "spec.containers[0].Image", )"
            R"(unknown field "spec.containers[0].env[0].valueFrom.zz", unknown field "spec.bar")");
}

TEST(Types, SchemasOfDefinitionsAreWalkedBelowFreeKeys) {
  const auto reading = read(
      "apiextensions.k8s.io", "v1", "CustomResourceDefinition",
      parsed(
          R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"bar":1,"items":{"x":1}}}}}}]}})"));
  EXPECT_EQ(reading.strict,
            (std::vector<std::string>{R"(unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.bar")"}));
}

TEST(Types, AHundredUnknownFieldsAreEnough) {
  json::Members spec;
  for (int i = 0; i < 150; ++i) spec["f" + std::to_string(i)] = 1;
  EXPECT_EQ(read_pod_spec(json::text_of(spec)).strict.size(), 100U);
}

TEST(Types, KindsThatAreNotBuiltInHaveNothingToComplainAbout) {
  const Reading reading = read("shop.example", "v1", "Widget", parsed(R"({"spec":3,"foo":1})"));
  EXPECT_EQ(reading.malformed, "");
  EXPECT_TRUE(reading.strict.empty());
}

TEST(Types, TimesAreRefusedAsGoRefusesThem) {
  EXPECT_EQ(time_error("2026-11-15T12:00:00Z", false), "");
  EXPECT_EQ(time_error("2026-11-15T12:00:00.5+02:00", false), "");
  EXPECT_EQ(time_error("2026-11-15T12:00:00.000000Z", true), "");
  EXPECT_EQ(time_error("abc", false),
            R"(parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006")");
  EXPECT_EQ(time_error("2020-01-01", false),
            R"(parsing time "2020-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T")");
  EXPECT_EQ(time_error("2020-13-01T00:00:00Z", false), R"(parsing time "2020-13-01T00:00:00Z": month out of range)");
  EXPECT_EQ(time_error("2023-02-29T00:00:00Z", false), R"(parsing time "2023-02-29T00:00:00Z": day out of range)");
  EXPECT_EQ(time_error("2020-01-01T00:00:00Zx", false), R"(parsing time "2020-01-01T00:00:00Zx": extra text: "x")");
  EXPECT_EQ(
      time_error("2020-01-01T00:00:00Z", true),
      R"(parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000")");
}

TEST(Types, Base64IsRefusedAtTheByteThatGoNames) {
  for (const std::string_view good : {"", "AAAA", "AA==", "AAA=", "AA\nAA\n", "AA=\n="})
    EXPECT_EQ(base64_error(good), "") << good;
  const auto at = [](int byte) { return "illegal base64 data at input byte " + std::to_string(byte); };
  EXPECT_EQ(base64_error("%%%"), at(0));
  EXPECT_EQ(base64_error("abc"), at(0));
  EXPECT_EQ(base64_error("AAAAabc"), at(4));
  EXPECT_EQ(base64_error("AA=A"), at(2));
  EXPECT_EQ(base64_error("AA="), at(3));
  EXPECT_EQ(base64_error("AA==A"), at(4));
  EXPECT_EQ(base64_error("A==="), at(1));
}

TEST(Types, QuantitiesMayBeNumbers) {
  EXPECT_EQ(read_pod_spec(R"({"overhead":{"cpu":1.5,"memory":3,"x":"5Gi"}})").malformed, "");
  EXPECT_EQ(quantity_error("1mi"), "unable to parse quantity's suffix");
}

TEST(Types, DuplicateMembersAreNamedInTheOrderOfTheText) {
  EXPECT_EQ(
      duplicate_fields(R"({"metadata":{"name":"x","name":"y"},"spec":{"c":[{"n":1},{"n":1,"\u006e":2}],"a":{"b":1}}})"),
      (std::vector<std::string>{R"(duplicate field "metadata.name")", R"(duplicate field "spec.c[1].n")"}));
  EXPECT_TRUE(duplicate_fields(R"({"a":"{\"b\":1,\"b\":2}","c":["a","a"],"d":[[{"x":1}],[{"x":1}]]})").empty());
  EXPECT_EQ(duplicate_fields(R"([[{"x":1,"x":2}]])"), (std::vector<std::string>{R"(duplicate field "[0][0].x")"}));
  for (const std::string_view torn : {"", "{", "}", "]", "\"", "\"\\", "{\"a\":1,\"a", "[[[[", ",,,", "{\"a\"{\"a\""})
    (void)duplicate_fields(torn);  // any text will do
}

TEST(Types, StrategicPatchesAreRefusedInTheConvertersWords) {
  const Type& map = type_of("", "ConfigMap");
  const Type& deployment = type_of("apps", "Deployment");
  EXPECT_EQ(conversion_error(map, parsed(R"({"data":{"a":3}})")), "cannot convert int64 to string");
  EXPECT_EQ(conversion_error(map, parsed(R"({"data":{"a":true}})")), "unrecognized type: string");
  EXPECT_EQ(conversion_error(map, parsed(R"({"data":"x"})")), "cannot restore map from string");
  EXPECT_EQ(conversion_error(deployment, parsed(R"({"spec":{"replicas":"3"}})")), "unrecognized type: int32");
  EXPECT_EQ(conversion_error(deployment, parsed(R"({"spec":{"replicas":3.5}})")), "cannot convert float64 to int32");
  EXPECT_EQ(conversion_error(deployment, parsed(R"({"spec":[]})")), "cannot restore struct from: slice");
  EXPECT_EQ(conversion_error(deployment, parsed(R"({"spec":{"replicas":3,"paused":null}})")), "");
}

TEST(Types, ApplyRefusesWhatItsSchemaDoesNotDeclare) {
  const Type& deployment = type_of("apps", "Deployment");
  EXPECT_EQ(apply_error(deployment, parsed(R"({"spec":{"foo":1}})")), ".spec.foo: field not declared in schema");
  EXPECT_EQ(apply_error(type_of("", "ConfigMap"), parsed(R"({"data":{"a":1}})")),
            ".data.a: expected string, got &value.valueUnstructured{Value:1}");
  EXPECT_EQ(apply_error(deployment, parsed(R"({"spec":{"template":{"spec":{"containers":[{"name":"x","foo":1}]}}}})")),
            R"(.spec.template.spec.containers[name="x"].foo: field not declared in schema)");
  EXPECT_EQ(apply_error(deployment, parsed(R"({"spec":{"replicas":"3","paused":1}})")),
            "errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.paused: expected boolean, "
            "got &{1}");
  EXPECT_EQ(apply_error(deployment, parsed(R"({"spec":{"replicas":3}})")), "");
  const Type& pod = type_of("", "Pod");
  EXPECT_EQ(apply_error(pod, parsed(R"({"spec":{"containers":[{"name":"c"},{"name":"c"}]}})")),
            R"(.spec.containers: duplicate entries for key [name="c"])");
  EXPECT_EQ(apply_error(pod, parsed(R"({"metadata":{"finalizers":["a","a"]},"spec":{"tolerations":[{},{}]}})")),
            R"(.metadata.finalizers: duplicate entries for key [="a"])");
  EXPECT_EQ(apply_error(pod, parsed(R"({"spec":{"containers":["x"]}})")),
            ".spec.containers: element 0: associative list with keys may not have non-map elements");
  EXPECT_EQ(
      apply_error(pod, parsed(R"({"spec":{"containers":[{"name":"x","ports":[{"containerPort":80,"foo":1}]}]}})")),
      R"(.spec.containers[name="x"].ports[containerPort=80,protocol="TCP"].foo: field not declared in schema)");
}

}  // namespace
}  // namespace drover::sim::types
