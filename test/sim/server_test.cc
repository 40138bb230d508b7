// What single requests to the embedded API server mean.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "sim/objects.h"
#include "sim/server.h"
#include "sim/server/catalog.h"

namespace drover::sim {
namespace {

using namespace kube;

class SingleRequests : public ::testing::Test {
 protected:
  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};
};

TEST_F(SingleRequests, CreatesAnObjectWithUidTimeAndVersion) {
  const Stored node = expect(server.serve(create(kNodes, "", node_named("gpu-1"))));
  EXPECT_EQ(json::text_at(*node, {"metadata", "uid"}).size(), 36u);
  EXPECT_EQ(json::text_at(*node, {"metadata", "creationTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(version_of(*node), std::to_string(server.store().version()));
}

TEST_F(SingleRequests, RefusesASecondObjectOfTheSameName) {
  expect(server.serve(create(kNodes, "", node_named("gpu-1"))));
  const Rejection no = expect_refused(server.serve(create(kNodes, "", node_named("gpu-1"))));
  EXPECT_EQ(no.code, 409);
  EXPECT_EQ(no.reason, "AlreadyExists");
  EXPECT_EQ(no.message, "nodes \"gpu-1\" already exists");
  EXPECT_EQ(json::text_of(no.details), R"({"name":"gpu-1","kind":"nodes"})");
}

TEST_F(SingleRequests, RefusesANamespaceThatDoesNotExist) {
  const Rejection no = expect_refused(server.serve(create(kPods, "nowhere", pod_named("nowhere", "p"))));
  EXPECT_EQ(no.code, 404);
  EXPECT_EQ(no.message, "namespaces \"nowhere\" not found");
}

TEST_F(SingleRequests, PatchesOnlyTheVersionThatThePatchNames) {
  const Stored node = expect(server.serve(create(kNodes, "", node_named("gpu-1"))));
  const std::string version(version_of(*node));
  const auto cordon = [&](bool on) {
    return patch(
        kNodes, "", "gpu-1", PatchKind::Merge,
        {{"metadata", json::Members{{"resourceVersion", version}}}, {"spec", json::Members{{"unschedulable", on}}}});
  };
  const Stored cordoned = expect(server.serve(cordon(true)));
  EXPECT_TRUE(json::flag_at(*cordoned, {"spec", "unschedulable"}));
  const Rejection no = expect_refused(server.serve(cordon(false)));
  EXPECT_EQ(no.reason, "Conflict");
  EXPECT_EQ(no.message,
            "Operation cannot be fulfilled on nodes \"gpu-1\": the object has been modified; please apply your changes "
            "to the "
            "latest version and try again");
}

TEST_F(SingleRequests, GenerateNamesThatAreFree) {
  std::set<std::string> names;
  for (int i = 0; i < 50; ++i) {
    const Stored made =
        expect(server.serve(create(kConfigMaps, "default", parsed(R"({"metadata":{"generateName":"run-"}})"))));
    const std::string name(name_of(*made));
    EXPECT_TRUE(name.starts_with("run-")) << name;
    EXPECT_EQ(name.size(), 9u);
    EXPECT_TRUE(names.insert(name).second);
  }
}

TEST_F(SingleRequests, RefuseFewerReplicasThanNone) {
  const std::string spec = R"("selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}})";
  expect(server.serve(create(kDeployments, "default", parsed(R"({"metadata":{"name":"d"},"spec":{)" + spec + "}}"))));
  const Rejection no = expect_refused(
      server.serve(patch(kDeployments, "default", "d", PatchKind::Merge, parsed(R"({"spec":{"replicas":-1}})"))));
  EXPECT_EQ(no.message,
            "Deployment.apps \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0");
}

struct Refused {
  std::string_view body;
  int code;
  std::string_view message;
};

TEST_F(SingleRequests, RefuseWhatCannotBeCreatedInKubesWords) {
  const std::string subdomain =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
      "and end "
      "with an alphanumeric character (e.g. 'example.com', regex used for validation is "
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const std::string bad_name =
      "ConfigMap \"Bad_Name\" is invalid: metadata.name: Invalid value: \"Bad_Name\": " + subdomain;
  for (const Refused& it : std::initializer_list<Refused>{
           {R"({"metadata":{"name":"Bad_Name"}})", 422, bad_name},
           {R"({"data":{}})", 422,
            "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required"},
           {R"({"metadata":{"name":"a","namespace":"other"}})", 400,
            "the namespace of the provided object does not match the namespace sent on the request"},
           {R"({"metadata":{"name":"a","resourceVersion":"7"}})", 500,
            "resourceVersion should not be set on objects to be created"},
           {R"({"metadata":{"name":"a","labels":{"x":1}}})", 400,
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go "
            "struct field "
            "ObjectMeta.metadata.labels of type string"},
           {R"({"kind":"Pod","metadata":{"name":"a"}})", 400,
            "Pod in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown "
            "conversion"},
           {R"([])", 400, "the body of the request is not a JSON object"},
       }) {
    const Rejection no = expect_refused(server.serve(create(kConfigMaps, "default", parsed(it.body))));
    EXPECT_EQ(no.code, it.code) << it.body;
    EXPECT_EQ(no.message, it.message);
  }
}

TEST_F(SingleRequests, FillInAPodAsTheRealServerDoes) {
  const Stored pod = expect(server.serve(create(kPods, "default", pod_named("default", "p"))));
  EXPECT_EQ(
      json::text_of(*json::find(*pod, {"spec"})),
      R"({"containers":[{"name":"main","image":"example/image:1","imagePullPolicy":"IfNotPresent",)"
      R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","resources":{}}],)"
      R"("restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},)"
      R"("schedulerName":"default-scheduler","enableServiceLinks":true,"tolerations":[)"
      R"({"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},)"
      R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],)"
      R"("priority":0,"preemptionPolicy":"PreemptLowerPriority","serviceAccountName":"default","serviceAccount":"default"})");
  EXPECT_EQ(json::text_of(*json::find(*pod, {"status"})), R"({"phase":"Pending","qosClass":"BestEffort"})");
}

TEST_F(SingleRequests, CountTheGenerationOfWishesNotOfReports) {
  const auto generation = [](const Stored& object) { return json::int_at(*object, {"metadata", "generation"}); };
  Object budget = parsed(R"({"metadata":{"name":"b"},"spec":{"minAvailable":1}})");
  EXPECT_EQ(generation(expect(server.serve(create(kDisruptionBudgets, "default", budget)))), 1);
  const auto merge = [&](std::string_view body, std::string subresource) {
    return expect(server.serve(
        patch(kDisruptionBudgets, "default", "b", PatchKind::Merge, parsed(body), std::move(subresource))));
  };
  EXPECT_EQ(generation(merge(R"({"metadata":{"labels":{"a":"b"}}})", "")), 1);
  EXPECT_EQ(generation(merge(R"({"status":{"disruptionsAllowed":3}})", "status")), 1);
  EXPECT_EQ(generation(merge(R"({"spec":{"minAvailable":2}})", "")), 2);
  EXPECT_EQ(generation(merge(R"({"metadata":{"generation":9}})", "")), 2);
}

TEST_F(SingleRequests, KeepStatusAndSpecApart) {
  expect(server.serve(create(kPods, "default", pod_named("default", "p"))));
  const auto merge = [&](std::string_view body, std::string subresource) {
    return expect(server.serve(patch(kPods, "default", "p", PatchKind::Merge, parsed(body), std::move(subresource))));
  };
  EXPECT_EQ(json::text_at(*merge(R"({"status":{"phase":"Running"}})", ""), {"status", "phase"}), "Pending");
  const Stored reported = merge(R"({"status":{"phase":"Running"},"spec":{"nodeName":"n"}})", "status");
  EXPECT_EQ(json::text_at(*reported, {"status", "phase"}), "Running");
  EXPECT_EQ(json::text_at(*reported, {"spec", "nodeName"}), "");
}

TEST_F(SingleRequests, NeedAVersionToReplaceACustomResource) {
  const Resource things{"example.com", "v1", "things", "Thing"};
  server.add_resource(things);
  expect(server.serve(create(things, "default", parsed(R"({"metadata":{"name":"t"},"spec":{"a":null}})"))));
  Request blind = replace(things, parsed(R"({"metadata":{"name":"t","namespace":"default"},"spec":{}})"));
  const Rejection no = expect_refused(server.serve(blind));
  EXPECT_EQ(no.code, 422);
  EXPECT_EQ(no.message,
            "things.example.com \"t\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an "
            "update");
}

TEST_F(SingleRequests, ScaleAWorkload) {
  expect(server.serve(
      create(kDeployments, "default",
             parsed(R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":)"
                    R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}})"))));
  const Stored scale = expect(server.serve(
      patch(kDeployments, "default", "d", PatchKind::Merge, parsed(R"({"spec":{"replicas":5}})"), "scale")));
  EXPECT_EQ(json::text_at(*scale, {"kind"}), "Scale");
  EXPECT_EQ(json::text_at(*scale, {"status", "selector"}), "a=b");
  EXPECT_EQ(json::int_at(*server.store().find("deployments.apps", "default/d"), {"spec", "replicas"}), 5);
}

TEST_F(SingleRequests, ADryRunShowsTheOutcomeAndKeepsNothing) {
  Request request = create(kNodes, "", node_named("a"));
  request.dry_run = true;
  EXPECT_EQ(name_of(*expect(server.serve(request))), "a");
  EXPECT_FALSE(server.store().find("nodes", "a"));
}

TEST_F(SingleRequests, ToWhatDoesNotExistAreNotFound) {
  EXPECT_EQ(expect_refused(server.serve(get({"no.such", "v1", "things", "Thing"}, "default", "x"))).message,
            "the server could not find the requested resource");
  Request unknown = get(kNodes, "", "a");
  unknown.subresource = "dance";
  EXPECT_EQ(expect_refused(server.serve(unknown)).code, 404);
}

TEST_F(SingleRequests, SayWhetherSomethingWasMade) {
  EXPECT_EQ(expect(server.reply(create(kNodes, "", node_named("a")))).code, 201);
  EXPECT_EQ(expect(server.reply(get(kNodes, "", "a"))).code, 200);
  const Request apply = patch(kNodes, "", "b", PatchKind::Apply, node_named("b"));
  EXPECT_EQ(expect(server.reply(apply)).code, 201);
  EXPECT_EQ(expect(server.reply(apply)).code, 200);
}

TEST_F(SingleRequests, ACustomResourceBringsItsSchema) {
  const Resource things{"example.com", "v1", "things", "Thing"};
  auto kind = std::make_shared<CustomKind>();
  kind->fill_in = [](Object& thing) { json::ensure(thing, {"spec", "size"}) = 1; };
  kind->check = [](const Object& thing, const Object* /*old*/, FieldErrors& errors) {
    if (json::flag_at(thing, {"spec", "bad"})) errors.invalid("spec.bad", "true", "must be good");
  };
  server.add_resource(things, kind);
  const auto make = [&](std::string_view body) { return server.serve(create(things, "default", parsed(body))); };
  EXPECT_EQ(json::int_at(*expect(make(R"({"metadata":{"name":"t"}})")), {"spec", "size"}), 1);
  EXPECT_EQ(expect_refused(make(R"({"metadata":{"name":"u"},"spec":{"bad":true}})")).message,
            "Thing.example.com \"u\" is invalid: spec.bad: Invalid value: true: must be good");
  server.remove_resource("example.com", "things");
  EXPECT_EQ(expect_refused(make(R"({"metadata":{"name":"v"}})")).code, 404);
}

// Hostile bodies: whatever is sent to whatever, the server answers, and what it keeps has a name, a uid and a version.

json::Value anything(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 5)) {
    case 0: return nullptr;
    case 1: return *rc::gen::inRange(-2, 3);
    case 2:
      return json::Value(
          *rc::gen::element<std::string>("", "x", "a/b", "delete", "replace", "Never", "2026-01-01T00:00:00Z"));
    case 3: return *rc::gen::element(true, false);
    case 4: return 1.5;
    case 5: {
      json::Array array;
      for (int i = *rc::gen::inRange(0, 3); i > 0; --i) array.push_back(anything(depth - 1));
      return array;
    }
    default: {
      json::Members members;
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        members[*rc::gen::element<std::string>(
            "metadata", "spec", "status", "name", "labels", "annotations", "finalizers", "ownerReferences",
            "managedFields", "containers", "initContainers", "template", "volumes", "projected", "sources", "env",
            "ports", "taints", "conditions", "selector", "matchLabels", "strategy", "$patch", "$retainKeys",
            "$setElementOrder/containers", "kind", "op", "path", "value", "deleteOptions", "preconditions", "target",
            "resourceVersion", "uid", "type", "replicas")] = anything(depth - 1);
      }
      return members;
    }
  }
}

RC_GTEST_PROP(HostileBodies, NeverBreakTheServer, ()) {
  base::VirtualLoop loop;
  Server server(loop, base::Random(1));
  server.always_manage_fields(*rc::gen::element(true, false));
  const std::vector<Resource> resources = {
      kPods,     kNodes,      kConfigMaps, kDeployments, kDaemonSets, kJobs, kDisruptionBudgets,
      kServices, kNamespaces, kEvents,     kLeases,      kSecrets};
  for (int i = 0; i < 12; ++i) {
    Request request;
    request.resource = *rc::gen::elementOf(resources);
    request.verb =
        *rc::gen::element(Verb::Get, Verb::Create, Verb::Create, Verb::Replace, Verb::Patch, Verb::Patch, Verb::Delete);
    request.patch = *rc::gen::element(PatchKind::Merge, PatchKind::Strategic, PatchKind::Json, PatchKind::Apply);
    request.ns = "default";
    request.name = "x";
    request.subresource =
        *rc::gen::element<std::string>("", "", "", "status", "scale", "eviction", "binding", "finalize");
    request.body = anything(5);
    if (request.body.is_object() && *rc::gen::inRange(0, 4) > 0) {
      json::Members& members = request.body.get_object();
      members["kind"] = request.resource.kind;
      members["apiVersion"] = request.resource.api_version();
      members["metadata"] = json::Members{{"name", "x"}};
    }
    (void)server.serve(request);
  }
  for (const Resource& resource : resources) {
    server.store().each(resource.qualified(), "", [](const Stored& object) {
      RC_ASSERT(object->is_object());
      RC_ASSERT(!name_of(*object).empty());
      RC_ASSERT(uid_of(*object).size() == 36u);
      RC_ASSERT(!version_of(*object).empty());
    });
  }
}

}  // namespace
}  // namespace drover::sim
