// Tables for `kubectl get`: the cells that kube-apiserver 1.36 gives for the same objects (recorded from one).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/print/table.h"

namespace drover::sim::print {
namespace {

const base::WallTime kNow = *base::parse_rfc3339("2026-11-15T12:00:00Z");

json::Value object(std::string_view text) {
  auto parsed = json::parse(text);
  EXPECT_TRUE(parsed) << text;
  json::Value value = parsed ? *parsed : json::Value(json::Members());
  json::ensure(value, {"metadata", "creationTimestamp"}) = "2026-11-15T11:50:00Z";
  return value;
}

struct Case {
  std::string_view group;
  std::string_view plural;
  std::string_view object;
  std::string_view cells;
};

void expect_cells(const Case& one) {
  const Sheet sheet = Sheet::of(one.group, one.plural);
  const json::Value shown = object(one.object);
  EXPECT_EQ(json::text_of(sheet.cells(shown, kNow)), one.cells) << one.plural << " " << one.object;
  EXPECT_EQ(sheet.cells(shown, kNow).size(), sheet.columns().size()) << one.plural;
}

// spec and status of a pod, and its STATUS, READY and RESTARTS.
struct PodCase {
  std::string_view spec;
  std::string_view status;
  std::string_view ready;
  std::string_view word;
  std::string_view restarts;
};

constexpr std::string_view kOne = R"({"containers":[{"name":"a"}]})";
constexpr std::string_view kTwo = R"({"containers":[{"name":"a"},{"name":"b"}]})";
constexpr std::string_view kInit = R"({"containers":[{"name":"a"}],"initContainers":[{"name":"i"},{"name":"j"}]})";
constexpr std::string_view kSide =
    R"({"containers":[{"name":"a"}],"initContainers":[{"name":"i","restartPolicy":"Always"},{"name":"j"}]})";

constexpr PodCase kPods[] = {
    {kOne, R"({"phase":"Pending"})", "0/1", "Pending", "0"},
    {kOne, R"({"phase":"Running","containerStatuses":[{"name":"a","ready":true,"state":{"running":{}}}]})", "1/1",
     "Running", "0"},
    {kOne,
     R"({"phase":"Running","containerStatuses":[{"name":"a","restartCount":5,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"finishedAt":"2026-11-15T11:55:00Z"}}}]})",
     "0/1", "CrashLoopBackOff", "5 (5m ago)"},
    {kTwo,
     R"({"phase":"Running","containerStatuses":[{"name":"a","restartCount":3,"state":{"terminated":{"exitCode":1,"reason":"Error"}},"lastState":{"terminated":{"finishedAt":"2026-11-15T11:00:00Z"}}},{"name":"b","restartCount":2,"ready":true,"state":{"running":{}},"lastState":{"terminated":{"finishedAt":"2026-11-15T11:59:40Z"}}}]})",
     "1/2", "Error", "5 (20s ago)"},
    {kOne,
     R"({"phase":"Succeeded","containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]})",
     "0/1", "Completed", "0"},
    {kOne, R"({"phase":"Failed","containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":7}}}]})", "0/1",
     "ExitCode:7", "0"},
    {kOne,
     R"({"phase":"Failed","containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":137,"signal":9}}}]})",
     "0/1", "Signal:9", "0"},
    {kOne, R"({"phase":"Failed","reason":"Evicted"})", "0/1", "Evicted", "0"},
    {kOne, R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]})",
     "0/1", "SchedulingGated", "0"},
    {kInit,
     R"({"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"running":{}}},{"name":"j","state":{"waiting":{"reason":"PodInitializing"}}}]})",
     "0/1", "Init:0/2", "0"},
    {kInit,
     R"({"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":0}}},{"name":"j","restartCount":4,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"finishedAt":"2026-11-15T11:58:20Z"}}}]})",
     "0/1", "Init:CrashLoopBackOff", "4 (100s ago)"},
    {kInit, R"({"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":3}}}]})",
     "0/1", "Init:ExitCode:3", "0"},
    {kInit,
     R"({"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":3,"signal":6}}}]})",
     "0/1", "Init:Signal:6", "0"},
    {kInit,
     R"({"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":1,"reason":"OOMKilled"}}}]})",
     "0/1", "Init:OOMKilled", "0"},
    {kSide,
     R"({"phase":"Running","conditions":[{"type":"Initialized","status":"True"}],"initContainerStatuses":[{"name":"i","restartCount":2,"ready":true,"started":true,"state":{"running":{}},"lastState":{"terminated":{"finishedAt":"2026-11-15T11:59:10Z"}}},{"name":"j","restartCount":9,"state":{"terminated":{"exitCode":0}}}],"containerStatuses":[{"name":"a","restartCount":1,"ready":true,"state":{"running":{}}}]})",
     "2/2", "Running", "3 (50s ago)"},
    {kTwo,
     R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0,"reason":"Completed"}}},{"name":"b","ready":true,"state":{"running":{}}}]})",
     "1/2", "Running", "0"},
    {kTwo,
     R"({"phase":"Running","containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0,"reason":"Completed"}}},{"name":"b","ready":true,"state":{"running":{}}}]})",
     "1/2", "NotReady", "0"},
    {kTwo,
     R"({"phase":"Running","containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0,"reason":"Completed"}}},{"name":"b","state":{"terminated":{"exitCode":2,"reason":"Error"}}}]})",
     "0/2", "Error", "0"},
};

json::Array pod_cells(const PodCase& pod, bool going) {
  json::Value shown = object(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}})");
  shown.get_object()["spec"] = *json::parse(pod.spec);
  shown.get_object()["status"] = *json::parse(pod.status);
  if (going) json::ensure(shown, {"metadata", "deletionTimestamp"}) = "2026-11-15T11:59:00Z";
  return Sheet::of("", "pods").cells(shown, kNow);
}

TEST(Table, SaysInOneWordHowAPodIs) {
  for (const PodCase& pod : kPods) {
    const json::Array cells = pod_cells(pod, false);
    EXPECT_EQ(std::string_view(cells[1].get_string()), pod.ready) << pod.status;
    EXPECT_EQ(std::string_view(cells[2].get_string()), pod.word) << pod.status;
    EXPECT_EQ(std::string_view(cells[3].get_string()), pod.restarts) << pod.status;
  }
}

TEST(Table, CallsAPodThatIsDeletedTerminatingUnlessItIsOver) {
  for (const PodCase& pod : kPods) {
    const bool over = pod.status.find("Succeeded") != std::string_view::npos ||
                      pod.status.find(R"("Failed")") != std::string_view::npos;
    EXPECT_EQ(std::string_view(pod_cells(pod, true)[2].get_string()), over ? pod.word : "Terminating") << pod.status;
  }
  const PodCase lost = {kOne, R"({"phase":"Running","reason":"NodeLost"})", "", "", ""};
  EXPECT_EQ(pod_cells(lost, true)[2], "Unknown");
}

constexpr Case kCells[] =
    {
        {"", "pods",
         R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{}],"readinessGates":[{"conditionType":"a/b"},{"conditionType":"c/d"}]},"status":{"phase":"Running","podIPs":[{"ip":"10.1.1.1"}],"nominatedNodeName":"m","conditions":[{"type":"a/b","status":"True"}]}})",
         R"(["p","0/1","Running","0","10m","10.1.1.1","n","m","1/2"])"},
        {"", "pods", R"({"metadata":{"name":"p"}})", R"(["p","0/0","","0","10m","<none>","<none>","<none>","<none>"])"},
        {"", "nodes",
         R"({"metadata":{"name":"n","labels":{"node-role.kubernetes.io/worker":"","node-role.kubernetes.io/gpu":"","kubernetes.io/role":"x"}},"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}],"addresses":[{"type":"Hostname","address":"n"},{"type":"InternalIP","address":"10.0.0.1"}],"nodeInfo":{"kubeletVersion":"v1.36.3","osImage":"Debian","kernelVersion":"6.1","architecture":"amd64","containerRuntimeVersion":"containerd://2"}}})",
         R"=(["n","Ready,SchedulingDisabled","gpu,worker,x","10m","v1.36.3","10.0.0.1","<none>","Debian","6.1 (amd64)","containerd://2"])="},
        {"", "nodes", R"({"metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})",
         R"(["n","NotReady","<none>","10m","","<none>","<none>","<unknown>","<unknown>","<unknown>"])"},
        {"", "nodes", R"({"metadata":{"name":"n"}})",
         R"(["n","Unknown","<none>","10m","","<none>","<none>","<unknown>","<unknown>","<unknown>"])"},
        {"apps", "daemonsets",
         R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"b":"1","a":"2"}},"template":{"spec":{"nodeSelector":{"z":"1","b":"2"},"containers":[{"name":"x","image":"i"},{"name":"y","image":"j"}]}}},"status":{"desiredNumberScheduled":4,"currentNumberScheduled":3,"numberReady":2,"updatedNumberScheduled":1}})",
         R"(["d",4,3,2,1,0,"b=2,z=1","10m","x,y","i,j","a=2,b=1"])"},
        {"apps", "deployments",
         R"({"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchExpressions":[{"key":"t","operator":"In","values":["z","b"]},{"key":"q","operator":"DoesNotExist"},{"key":"Z","operator":"NotIn","values":["k"]},{"key":"e","operator":"Exists"}]},"template":{"spec":{"containers":[{"name":"x","image":"i"}]}}},"status":{"readyReplicas":1,"updatedReplicas":2}})",
         R"=(["d","1/2",2,0,"10m","x","i","Z notin (k),e,!q,t in (b,z)"])="},
        {"apps", "replicasets", R"({"metadata":{"name":"r"},"spec":{"replicas":2},"status":{"replicas":1}})",
         R"(["r",2,1,0,"10m","","","<none>"])"},
        {"apps", "statefulsets", R"({"metadata":{"name":"s"},"spec":{"replicas":2}})", R"(["s","0/2","10m","",""])"},
        {"apps", "controllerrevisions",
         R"({"metadata":{"name":"c","ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","controller":true}]},"revision":3})",
         R"(["c","daemonset.apps/d",3,"10m"])"},
        {"batch", "jobs",
         R"({"metadata":{"name":"j"},"spec":{"completions":5},"status":{"succeeded":2,"startTime":"2026-11-15T11:58:00Z","completionTime":"2026-11-15T11:58:07Z","conditions":[{"type":"Complete","status":"True"}]}})",
         R"(["j","Complete","2/5","7s","10m","","","<none>"])"},
        {"batch", "jobs",
         R"({"metadata":{"name":"j"},"spec":{"parallelism":3},"status":{"startTime":"2026-11-15T11:58:00Z"}})",
         R"(["j","Running","0/1 of 3","2m","10m","","","<none>"])"},
        {"batch", "jobs", R"({"metadata":{"name":"j"},"status":{"conditions":[{"type":"Suspended","status":"True"}]}})",
         R"(["j","Suspended","0/1","","10m","","","<none>"])"},
        {"batch", "cronjobs",
         R"({"metadata":{"name":"c"},"spec":{"schedule":"* * * * *","suspend":false},"status":{"active":[{}],"lastScheduleTime":"2026-11-15T11:59:00Z"}})",
         R"(["c","* * * * *","<none>","False",1,"60s","10m","","","<none>"])"},
        {"policy", "poddisruptionbudgets",
         R"({"metadata":{"name":"b"},"spec":{"minAvailable":1},"status":{"disruptionsAllowed":2}})",
         R"(["b","1","N/A",2,"10m"])"},
        {"policy", "poddisruptionbudgets", R"({"metadata":{"name":"b"},"spec":{"maxUnavailable":"20%"}})",
         R"(["b","N/A","20%",0,"10m"])"},
        {"", "events",
         R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p","fieldPath":"spec.containers{a}"},"message":" hello \n","reason":"R","type":"Warning","count":3,"firstTimestamp":"2026-11-15T11:51:00Z","lastTimestamp":"2026-11-15T11:58:30Z","source":{"component":"kubelet","host":"n1"}})",
         R"(["90s","Warning","R","pod/p","spec.containers{a}","kubelet, n1","hello","9m",3,"e"])"},
        {"", "events",
         R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Node"},"eventTime":"2026-11-15T11:59:00.000000Z","reportingComponent":"c","reportingInstance":"i","series":{"count":7,"lastObservedTime":"2026-11-15T11:59:30.000000Z"}})",
         R"(["30s","","","node","","c, i","","60s",7,"e"])"},
        {"", "events", R"({"metadata":{"name":"e"}})", R"(["<unknown>","","","","","","","<unknown>",1,"e"])"},
        {"", "namespaces", R"({"metadata":{"name":"n"},"status":{"phase":"Active"}})", R"(["n","Active","10m"])"},
        {"", "configmaps", R"({"metadata":{"name":"c"},"data":{"a":"b"},"binaryData":{"c":"AAAA"}})",
         R"(["c",2,"10m"])"},
        {"", "secrets", R"({"metadata":{"name":"s"},"type":"Opaque","data":{"a":"AAAA"}})",
         R"(["s","Opaque",1,"10m"])"},
        {"", "serviceaccounts", R"({"metadata":{"name":"s"}})", R"(["s","10m"])"},
        {"", "services",
         R"({"metadata":{"name":"s"},"spec":{"type":"NodePort","clusterIPs":["10.96.0.9"],"ports":[{"port":80,"nodePort":30080,"protocol":"TCP"},{"port":53,"protocol":"UDP"}],"selector":{"b":"1","a":"2"}}})",
         R"(["s","NodePort","10.96.0.9","<none>","80:30080/TCP,53/UDP","10m","a=2,b=1"])"},
        {"", "services",
         R"({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer","externalIPs":["8.8.8.8"]},"status":{"loadBalancer":{"ingress":[{"hostname":"long.example"},{"ip":"4.4.4.4"}]}}})",
         R"(["s","LoadBalancer","<none>","4.4.4.4,long.example,8.8.8.8","<none>","10m","<none>"])"},
        {"", "services", R"({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer"}})",
         R"(["s","LoadBalancer","<none>","<pending>","<none>","10m","<none>"])"},
        {"", "endpoints",
         R"({"metadata":{"name":"e"},"subsets":[{"addresses":[{"ip":"10.0.0.1"},{"ip":"fd00::2"}],"ports":[{"port":80},{"port":81}]}]})",
         R"(["e","10.0.0.1:80,[fd00::2]:80,10.0.0.1:81 + 1 more...","10m"])"},
        {"discovery.k8s.io", "endpointslices",
         R"({"metadata":{"name":"e"},"addressType":"IPv4","ports":[{"port":80,"name":"a"},{"name":"b"}],"endpoints":[]})",
         R"(["e","IPv4","80,b","<unset>","10m"])"},
        {"coordination.k8s.io", "leases", R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"me"}})",
         R"(["l","me","10m"])"},
        {"rbac.authorization.k8s.io", "rolebindings",
         R"({"metadata":{"name":"r"},"roleRef":{"kind":"ClusterRole","name":"view"},"subjects":[{"kind":"User","name":"u"},{"kind":"User","name":"v"},{"kind":"Group","name":"g"},{"kind":"ServiceAccount","name":"s","namespace":"n"}]})",
         R"(["r","ClusterRole/view","10m","u, v","g","n/s"])"},
        {"rbac.authorization.k8s.io", "roles", R"({"metadata":{"name":"r"}})", R"(["r","2026-11-15T11:50:00Z"])"},
        {"apiextensions.k8s.io", "customresourcedefinitions", R"({"metadata":{"name":"x.y"}})",
         R"(["x.y","2026-11-15T11:50:00Z"])"},
        {"scheduling.k8s.io", "priorityclasses", R"({"metadata":{"name":"p"},"value":5,"preemptionPolicy":"Never"})",
         R"(["p",5,false,"10m","Never"])"},
        {"", "persistentvolumeclaims", R"({"metadata":{"name":"p"},"status":{"phase":"Pending"}})",
         R"(["p","Pending","","","","","<unset>","10m","<unset>"])"},
        {"", "resourcequotas",
         R"({"metadata":{"name":"q"},"status":{"hard":{"pods":"10","limits.cpu":"2"},"used":{"pods":"3","limits.cpu":"0"}}})",
         R"(["q","pods: 3/10","limits.cpu: 0/2","10m"])"},
        {"", "replicationcontrollers",
         R"({"metadata":{"name":"r"},"spec":{"replicas":2,"selector":{"c":"d","a":"b"}},"status":{"replicas":1}})",
         R"(["r",2,1,0,"10m","","","a=b,c=d"])"},
        {"", "podtemplates",
         R"({"metadata":{"name":"t"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"x","image":"i"}]}}})",
         R"(["t","x","i","a=b"])"},
        {"autoscaling", "horizontalpodautoscalers",
         R"({"metadata":{"name":"h"},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"averageUtilization":50}}},{"type":"Resource","resource":{"name":"memory","target":{"averageValue":"5Mi"}}},{"type":"External"}]},"status":{"currentMetrics":[{"resource":{"current":{"averageUtilization":12}}}]}})", R"(["h","Deployment/d","cpu: 12%/50%, memory: <unknown>/5Mi + 1 more...","<unset>",3,0,"10m"])"},
        {"networking.k8s.io", "ingresses",
         R"({"metadata":{"name":"i"},"spec":{"ingressClassName":"c","tls":[{}],"rules":[{"host":"a.b"},{"host":"b.c"},{"host":"c.d"},{"host":"d.e"}]}})",
         R"(["i","c","a.b,b.c,c.d + 1 more...","","80, 443","10m"])"},
        {"networking.k8s.io", "ingressclasses",
         R"({"metadata":{"name":"i"},"spec":{"controller":"a.b/c","parameters":{"apiGroup":"x.y","kind":"K","name":"n"}}})",
         R"(["i","a.b/c","K.x.y/n","10m"])"},
        {"admissionregistration.k8s.io", "validatingadmissionpolicies",
         R"({"metadata":{"name":"p"},"spec":{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{}]}})",
         R"(["p",1,"v1/ConfigMap","10m"])"},
        {"admissionregistration.k8s.io", "validatingadmissionpolicybindings",
         R"({"metadata":{"name":"b"},"spec":{"policyName":"p","paramRef":{"name":"x"}}})", R"(["b","p","*/x","10m"])"},
        {"apiregistration.k8s.io", "apiservices",
         R"({"metadata":{"name":"v1.x"},"spec":{"service":{"namespace":"n","name":"s"}},"status":{"conditions":[{"type":"Available","status":"False","reason":"Gone"}]}})",
         R"=(["v1.x","n/s","False (Gone)","10m"])="},
        {"storage.k8s.io", "csidrivers", R"({"metadata":{"name":"d"},"spec":{"tokenRequests":[{"audience":"x"}]}})",
         R"(["d",true,false,false,"x",false,"<none>","10m"])"},
        {"storage.k8s.io", "csinodes", R"({"metadata":{"name":"n"},"spec":{"drivers":[{}]}})", R"(["n",1,"10m"])"},
        {"storage.k8s.io", "volumeattachments",
         R"({"metadata":{"name":"v"},"spec":{"attacher":"d","nodeName":"n","source":{"persistentVolumeName":"p"}}})",
         R"(["v","d","p","n",false,"10m"])"},
        {"resource.k8s.io", "resourceclaims",
         R"({"metadata":{"name":"c"},"status":{"allocation":{},"reservedFor":[{}]}})",
         R"(["c","allocated,reserved","10m"])"},
};

TEST(Table, FillsTheCellsOfEveryKind) {
  for (const Case& one : kCells) expect_cells(one);
}

TEST(Table, SurvivesObjectsThatAreAnythingButWhatTheyShouldBe) {
  for (const Case& one : kCells) {
    for (const std::string_view odd :
         {"null", "3", "[]", R"({"metadata":3,"spec":[],"status":"x"})",
          R"({"status":{"conditions":[3,null],"containerStatuses":[1],"addresses":[[]]}})"}) {
      const auto value = *json::parse(odd);
      EXPECT_EQ(Sheet::of(one.group, one.plural).cells(value, kNow).size(),
                Sheet::of(one.group, one.plural).columns().size());
    }
  }
}

TEST(Table, RowsCarryTheMetadataUnlessAskedOtherwise) {
  const json::Value pod =
      object(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"status":{"phase":"Failed"}})");
  const Sheet sheet = Sheet::of("", "pods");
  const json::Value row = sheet.row(pod, kNow, Include::Metadata);
  EXPECT_EQ(json::text_at(row, {"object", "kind"}), "PartialObjectMetadata");
  EXPECT_EQ(json::text_at(row, {"object", "metadata", "name"}), "p");
  EXPECT_EQ(json::text_of(row.at("conditions")),
            R"([{"type":"Completed","status":"True","reason":"Failed","message":"The pod failed."}])");
  EXPECT_EQ(sheet.row(pod, kNow, Include::Object).at("object"), pod);
  EXPECT_TRUE(sheet.row(pod, kNow, Include::None).at("object").is_null());
  for (const Include include : {Include::None, Include::Metadata, Include::Object})
    EXPECT_EQ(*json::parse(sheet.row_text(pod, kNow, include)), sheet.row(pod, kNow, include));
}

TEST(Table, RowsOfDaemonSetsLeaveOutTheAnnotationThatIsAField) {
  const json::Value set = object(
      R"({"kind":"DaemonSet","metadata":{"name":"d","annotations":{"deprecated.daemonset.template.generation":"1"}}})");
  const Sheet sheet = Sheet::of("apps", "daemonsets");
  EXPECT_EQ(json::find(sheet.row(set, kNow, Include::Metadata), {"object", "metadata", "annotations"}), nullptr);
  EXPECT_EQ(*json::parse(sheet.row_text(set, kNow, Include::Metadata)), sheet.row(set, kNow, Include::Metadata));
  EXPECT_EQ(sheet.row(set, kNow, Include::Object).at("object"), set);
}

TEST(Table, HasTheIncludeObjectPolicies) {
  EXPECT_EQ(include_of(""), Include::Metadata);
  EXPECT_EQ(include_of("None"), Include::None);
  EXPECT_FALSE(include_of("none"));
  EXPECT_EQ(include_error("Foo"),
            "Unable to convert to Table as requested: includeObject: Invalid value: \"Foo\": must be 'Metadata', "
            "'Object', 'None', or empty");
}

TEST(Table, OfOneObjectHasItsVersion) {
  const json::Value pod = object(R"({"metadata":{"name":"p","resourceVersion":"7"}})");
  const json::Value table = table_of_one(Sheet::of("", "pods"), pod, kNow, Include::None, false);
  EXPECT_EQ(json::text_at(table, {"metadata", "resourceVersion"}), "7");
  EXPECT_TRUE(table.at("columnDefinitions").is_null());
  EXPECT_EQ(json::array_at(table, {"rows"}).size(), 1U);
}

TEST(Table, ShowsACustomResourceByTheColumnsOfItsDefinition) {
  crd::Version version;
  version.columns.push_back(crd::Column::make(
      *json::parse(R"({"name":"Phase","type":"string","jsonPath":".status.phase","priority":1,"description":"d"})")));
  const Sheet sheet = Sheet::of(version);
  EXPECT_EQ(json::text_of(sheet.cells(object(R"({"metadata":{"name":"x"},"status":{"phase":"Up"}})"), kNow)),
            R"(["x","Up"])");
  EXPECT_EQ(json::text_at(sheet.columns()[1], {"name"}), "Phase");
  EXPECT_TRUE(sheet.no_rows_is_null());
  EXPECT_FALSE(Sheet::of("", "pods").no_rows_is_null());
}

}  // namespace
}  // namespace drover::sim::print
