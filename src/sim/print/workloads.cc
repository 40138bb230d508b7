// The kinds that make pods, and what they leave behind.
#include <fmt/format.h>

#include "base/text.h"
#include "sim/crd/columns.h"
#include "sim/print/cells.h"

namespace drover::sim::print {
namespace {

json::Value number_at(const json::Value& value, json::Path path) { return json::int_at(value, path); }

const json::Array& containers_of(const json::Value& object) {
  return json::array_at(object, {"spec", "template", "spec", "containers"});
}

// ---- DaemonSets, ReplicaSets, StatefulSets, Deployments

constexpr Column kDaemonSetColumns[] = {
    kName,
    {"Desired", "integer", "", 0, "nodes that should run the pod"},
    {"Current", "integer", "", 0, "nodes that have the pod"},
    {"Ready", "integer", "", 0, "nodes whose pod is ready"},
    {"Up-to-date", "integer", "", 0, "nodes whose pod is of the newest template"},
    {"Available", "integer", "", 0, "nodes whose pod has been ready long enough"},
    {"Node Selector", "string", "", 0, "labels that a node must have"},
    kAge,
    kContainers,
    kImages,
    kSelector,
};

json::Array daemon_set_cells(const kube::Object& set, base::WallTime now) {
  return {name_cell(set),
          number_at(set, {"status", "desiredNumberScheduled"}),
          number_at(set, {"status", "currentNumberScheduled"}),
          number_at(set, {"status", "numberReady"}),
          number_at(set, {"status", "updatedNumberScheduled"}),
          number_at(set, {"status", "numberAvailable"}),
          labels_text(set, {"spec", "template", "spec", "nodeSelector"}),
          age_of(set, now),
          joined(containers_of(set), "name"),
          joined(containers_of(set), "image"),
          selector_text(set, {"spec", "selector"}, "<none>", "<error>")};
}

constexpr Column kReplicaSetColumns[] = {
    kName,
    {"Desired", "integer", "", 0, "pods that there should be"},
    {"Current", "integer", "", 0, "pods that there are"},
    {"Ready", "integer", "", 0, "pods that are ready"},
    kAge,
    kContainers,
    kImages,
    kSelector,
};

json::Array replica_set_cells(const kube::Object& set, base::WallTime now) {
  return {name_cell(set),
          number_at(set, {"spec", "replicas"}),
          number_at(set, {"status", "replicas"}),
          number_at(set, {"status", "readyReplicas"}),
          age_of(set, now),
          joined(containers_of(set), "name"),
          joined(containers_of(set), "image"),
          selector_text(set, {"spec", "selector"}, "<none>", "<error>")};
}

// Its selector has no expressions.
json::Array replication_controller_cells(const kube::Object& controller, base::WallTime now) {
  json::Array cells = replica_set_cells(controller, now);
  cells.back() = labels_text(controller, {"spec", "selector"});
  return cells;
}

constexpr Column kPodTemplateColumns[] = {
    kName,
    {"Containers", "string", "", 0, "the names of the template's containers"},
    {"Images", "string", "", 0, "the images of the template's containers"},
    {"Pod Labels", "string", "", 0, "the labels of pods made from it"},
};

json::Array pod_template_cells(const kube::Object& object, base::WallTime) {
  const json::Array& containers = json::array_at(object, {"template", "spec", "containers"});
  return {name_cell(object), joined(containers, "name"), joined(containers, "image"),
          labels_text(object, {"template", "metadata", "labels"})};
}

std::string ready_of(const json::Value& set) {
  return fmt::format("{}/{}", json::int_at(set, {"status", "readyReplicas"}), json::int_at(set, {"spec", "replicas"}));
}

constexpr Column kStatefulSetColumns[] = {
    kName, {"Ready", "string", "", 0, "pods that are ready, of all that there should be"}, kAge, kContainers, kImages,
};

json::Array stateful_set_cells(const kube::Object& set, base::WallTime now) {
  return {name_cell(set), ready_of(set), age_of(set, now), joined(containers_of(set), "name"),
          joined(containers_of(set), "image")};
}

constexpr Column kDeploymentColumns[] = {
    kName,
    {"Ready", "string", "", 0, "pods that are ready, of all that there should be"},
    {"Up-to-date", "string", "", 0, "pods of the newest template"},
    {"Available", "string", "", 0, "pods that have been ready long enough"},
    kAge,
    kContainers,
    kImages,
    kSelector,
};

json::Array deployment_cells(const kube::Object& deployment, base::WallTime now) {
  return {name_cell(deployment),
          ready_of(deployment),
          number_at(deployment, {"status", "updatedReplicas"}),
          number_at(deployment, {"status", "availableReplicas"}),
          age_of(deployment, now),
          joined(containers_of(deployment), "name"),
          joined(containers_of(deployment), "image"),
          selector_text(deployment, {"spec", "selector"}, "", "<invalid>")};
}

constexpr Column kControllerRevisionColumns[] = {
    kName,
    {"Controller", "string", "", 0, "whose template it remembers"},
    {"Revision", "string", "", 0, "its number in the history"},
    kAge,
};

json::Array controller_revision_cells(const kube::Object& revision, base::WallTime now) {
  std::string controller = "<none>";
  if (const json::Value* owner = kube::controller_of(revision)) {
    const std::string_view version = json::text_at(*owner, {"apiVersion"});
    const auto slash = version.find('/');
    const std::string_view group = slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
    controller = base::lower(json::text_at(*owner, {"kind"}));
    if (!group.empty()) controller.append(".").append(base::lower(group));
    controller.append("/").append(json::text_at(*owner, {"name"}));
  }
  return {name_cell(revision), controller, number_at(revision, {"revision"}), age_of(revision, now)};
}

// ---- Jobs and CronJobs

constexpr Column kJobColumns[] = {
    kName,
    {"Status", "string", "", 0, "how the job is, in one word"},
    {"Completions", "string", "", 0, "pods that succeeded, of all that should"},
    {"Duration", "string", "", 0, "how long it took, or has taken so far"},
    kAge,
    kContainers,
    kImages,
    kSelector,
};

std::string completions_of(const json::Value& job) {
  const auto succeeded = json::int_at(job, {"status", "succeeded"});
  if (const json::Value* wanted = json::find(job, {"spec", "completions"}); wanted != nullptr && wanted->is_number())
    return fmt::format("{}/{}", succeeded, json::int_at(job, {"spec", "completions"}));
  const auto parallel = json::int_at(job, {"spec", "parallelism"});
  return parallel > 1 ? fmt::format("{}/1 of {}", succeeded, parallel) : fmt::format("{}/1", succeeded);
}

std::string duration_of(const json::Value& job, base::WallTime now) {
  const auto start = base::parse_rfc3339(json::text_at(job, {"status", "startTime"}));
  if (!start) return "";
  const auto end = base::parse_rfc3339(json::text_at(job, {"status", "completionTime"}));
  return crd::age(*start, end ? *end : now);
}

std::string_view state_of(const json::Value& job) {
  if (condition_of(job, "Complete") == "True") return "Complete";
  if (condition_of(job, "Failed") == "True") return "Failed";
  if (kube::is_being_deleted(job)) return "Terminating";
  for (const std::string_view state : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (condition_of(job, state) == "True") return state;
  }
  return "Running";
}

json::Array job_cells(const kube::Object& job, base::WallTime now) {
  return {name_cell(job),
          json::Value(state_of(job)),
          completions_of(job),
          duration_of(job, now),
          age_of(job, now),
          joined(containers_of(job), "name"),
          joined(containers_of(job), "image"),
          selector_text(job, {"spec", "selector"}, "<none>", "<error>")};
}

constexpr Column kCronJobColumns[] = {
    kName,
    {"Schedule", "string", "", 0, "when jobs are made, as cron writes it"},
    {"Timezone", "string", "", 0, "where the schedule's clock hangs"},
    {"Suspend", "boolean", "", 0, "whether it is told to make none"},
    {"Active", "integer", "", 0, "jobs of it that run now"},
    {"Last Schedule", "string", "", 0, "how long ago the last job was due"},
    kAge,
    kContainers,
    kImages,
    kSelector,
};

json::Array cron_job_cells(const kube::Object& job, base::WallTime now) {
  const json::Value* suspend = json::find(job, {"spec", "suspend"});
  const std::string_view suspended =
      suspend == nullptr || !suspend->is_bool() ? "<unset>" : (suspend->get_bool() ? "True" : "False");
  const std::string_view last = json::text_at(job, {"status", "lastScheduleTime"});
  const json::Array& containers =
      json::array_at(job, {"spec", "jobTemplate", "spec", "template", "spec", "containers"});
  return {name_cell(job),
          json::Value(json::text_at(job, {"spec", "schedule"})),
          text_or(job, {"spec", "timeZone"}, "<none>"),
          json::Value(suspended),
          json::Value(json::array_at(job, {"status", "active"}).size()),
          last.empty() ? "<none>" : since(last, now),
          age_of(job, now),
          joined(containers, "name"),
          joined(containers, "image"),
          selector_text(job, {"spec", "jobTemplate", "spec", "selector"}, "<none>", "<error>")};
}

// ---- Budgets

constexpr Column kBudgetColumns[] = {
    kName,
    {"Min Available", "string", "", 0, "pods that must stay"},
    {"Max Unavailable", "string", "", 0, "pods that may be missing"},
    {"Allowed Disruptions", "integer", "", 0, "pods that may go now"},
    kAge,
};

json::Array budget_cells(const kube::Object& budget, base::WallTime now) {
  return {name_cell(budget), scalar_text(budget, {"spec", "minAvailable"}, "N/A"),
          scalar_text(budget, {"spec", "maxUnavailable"}, "N/A"), number_at(budget, {"status", "disruptionsAllowed"}),
          age_of(budget, now)};
}

constexpr SheetRow kWorkloadSheets[] = {
    {"apps", "daemonsets", kDaemonSetColumns, daemon_set_cells},
    {"apps", "replicasets", kReplicaSetColumns, replica_set_cells},
    {"", "replicationcontrollers", kReplicaSetColumns, replication_controller_cells},
    {"", "podtemplates", kPodTemplateColumns, pod_template_cells},
    {"apps", "statefulsets", kStatefulSetColumns, stateful_set_cells},
    {"apps", "deployments", kDeploymentColumns, deployment_cells},
    {"apps", "controllerrevisions", kControllerRevisionColumns, controller_revision_cells},
    {"batch", "jobs", kJobColumns, job_cells},
    {"batch", "cronjobs", kCronJobColumns, cron_job_cells},
    {"policy", "poddisruptionbudgets", kBudgetColumns, budget_cells},
};

}  // namespace

std::span<const SheetRow> workload_sheets() { return kWorkloadSheets; }

}  // namespace drover::sim::print
