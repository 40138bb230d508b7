// The kinds that make pods: their defaults, and the selector that must fit the template and never change.
#include <fmt/format.h>

#include "base/selector.h"
#include "base/text.h"
#include "sim/same.h"
#include "sim/server/kinds.h"

namespace drover::sim {
namespace {

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

json::Members& spec_of(kube::Object& object) { return object_in(object.get_object(), "spec"); }

// A rollout that could never move, or would be late before it began.
void check_rollout(const kube::Object& object, FieldErrors& errors) {
  if (const json::Value* rolling = json::find(object, {"spec", "strategy", "rollingUpdate"})) {
    const auto is_nothing = [&](std::string_view key) {
      const json::Value* value = json::find(*rolling, {key});
      return value != nullptr && (*value == 0 || *value == "0%");
    };
    if (is_nothing("maxUnavailable") && is_nothing("maxSurge")) {
      errors.invalid("spec.strategy.rollingUpdate.maxUnavailable",
                     json::text_of(*json::find(*rolling, {"maxUnavailable"})), "may not be 0 when `maxSurge` is 0");
    }
  }
  const json::Value* deadline = json::find(object, {"spec", "progressDeadlineSeconds"});
  if (deadline == nullptr || !deadline->is_int64()) return;
  if (deadline->get_int64() <= json::int_at(object, {"spec", "minReadySeconds"})) {
    errors.invalid("spec.progressDeadlineSeconds", json::text_of(*deadline), "must be greater than minReadySeconds");
  }
}

}  // namespace

void fill_in_daemon_set(kube::Object& daemon_set) {
  if (kube::annotation_of(daemon_set, kTemplateGeneration).empty()) {
    json::ensure(daemon_set, {"metadata", "annotations", kTemplateGeneration}) = "1";
  }
  json::Members& spec = spec_of(daemon_set);
  fill_in_pod_template(spec["template"]);
  json::Members& strategy = object_in(spec, "updateStrategy");
  set_default(strategy, "type", "RollingUpdate");
  if (strategy.at("type") == "RollingUpdate") {
    json::Members& rolling = object_in(strategy, "rollingUpdate");
    set_default(rolling, "maxUnavailable", 1);
    set_default(rolling, "maxSurge", 0);
  }
  set_default(spec, "revisionHistoryLimit", 10);
  json::Members& status = object_in(daemon_set.get_object(), "status");
  for (const std::string_view key :
       {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"}) {
    set_default(status, key, 0);
  }
}

void new_daemon_set(kube::Object& daemon_set) {
  json::ensure(daemon_set, {"metadata", "annotations", kTemplateGeneration}) = "1";
}

void count_daemon_template(kube::Object& fresh, const kube::Object& old) {
  const std::int64_t before = base::parse_int(kube::annotation_of(old, kTemplateGeneration)).value_or(0);
  const bool changed = !same(json::find(fresh, {"spec", "template"}), json::find(old, {"spec", "template"}));
  json::ensure(fresh, {"metadata", "annotations", kTemplateGeneration}) = fmt::format("{}", before + changed);
}

void fill_in_deployment(kube::Object& deployment) {
  json::Members& spec = spec_of(deployment);
  fill_in_pod_template(spec["template"]);
  set_default(spec, "replicas", 1);
  json::Members& strategy = object_in(spec, "strategy");
  set_default(strategy, "type", "RollingUpdate");
  if (strategy.at("type") == "RollingUpdate") {
    json::Members& rolling = object_in(strategy, "rollingUpdate");
    set_default(rolling, "maxUnavailable", "25%");
    set_default(rolling, "maxSurge", "25%");
  }
  set_default(spec, "revisionHistoryLimit", 10);
  set_default(spec, "progressDeadlineSeconds", 600);
  object_in(deployment.get_object(), "status");
}

void fill_in_replica_set(kube::Object& replica_set) {
  json::Members& spec = spec_of(replica_set);
  fill_in_pod_template(spec["template"]);
  set_default(spec, "replicas", 1);
  set_default(object_in(replica_set.get_object(), "status"), "replicas", 0);
}

void fill_in_job(kube::Object& job) {
  json::Members& spec = spec_of(job);
  fill_in_pod_template(spec["template"]);
  if (!spec.contains("completions") && !spec.contains("parallelism")) spec["completions"] = 1;
  set_default(spec, "parallelism", 1);
  set_default(spec, "backoffLimit", spec.contains("backoffLimitPerIndex") ? 2147483647 : 6);
  set_default(spec, "completionMode", "NonIndexed");
  set_default(spec, "suspend", false);
  set_default(spec, "podReplacementPolicy", spec.contains("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  set_default(spec, "manualSelector", false);
  object_in(job.get_object(), "status");
}

// A job without a selector of its own gets one from its uid, and its pods the labels for it.
void new_job(kube::Object& job) {
  json::Members& spec = spec_of(job);
  const auto label_like_template = [&job] {
    const json::Members given = json::members_at(job, {"spec", "template", "metadata", "labels"});
    if (kube::labels_of(job).empty() && !given.empty()) json::ensure(job, {"metadata", "labels"}) = given;
  };
  if (spec["manualSelector"] == true) {
    label_like_template();
    return;
  }
  const std::string uid(kube::uid_of(job));
  const std::string name(kube::name_of(job));
  json::Value& labels = json::ensure(spec["template"], {"metadata", "labels"});
  if (!labels.is_object()) labels.emplace_object();
  json::Members& members = labels.get_object();
  members["batch.kubernetes.io/controller-uid"] = uid;
  members["batch.kubernetes.io/job-name"] = name;
  members["controller-uid"] = uid;
  members["job-name"] = name;
  json::ensure(spec["selector"], {"matchLabels", "batch.kubernetes.io/controller-uid"}) = uid;
  label_like_template();
}

void new_budget(kube::Object& budget) {
  json::Members& status = object_in(budget.get_object(), "status");
  for (const std::string_view key : {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}) {
    set_default(status, key, 0);
  }
}

void check_workload(const kube::Object& fresh, const kube::Object* old, FieldErrors& errors) {
  const json::Value* selector = json::find(fresh, {"spec", "selector"});
  const json::Value* labels = json::find(fresh, {"spec", "template", "metadata", "labels"});
  if (old != nullptr && !same(selector, json::find(*old, {"spec", "selector"}))) {
    errors.invalid("spec.selector", selector == nullptr ? "null" : json::text_of(*selector), "field is immutable");
  }
  check_not_negative(fresh, {"replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"}, errors);
  check_rollout(fresh, errors);
  if (selector == nullptr) {
    errors.required("spec.selector", "");
  } else if (selector->is_object() && selector->get_object().empty()) {
    errors.invalid("spec.selector", "{}",
                   fmt::format("empty selector is invalid for {}", base::lower(json::text_at(fresh, {"kind"}))));
  }
  const auto parsed = base::Selector::from_json(selector == nullptr ? json::Value(json::Members()) : *selector);
  if (selector == nullptr || !parsed ||
      !parsed->matches(json::members_at(fresh, {"spec", "template", "metadata", "labels"}))) {
    errors.invalid("spec.template.metadata.labels", labels == nullptr ? "null" : json::text_of(*labels),
                   "`selector` does not match template `labels`");
  }
  const json::Value* spec = json::find(fresh, {"spec", "template", "spec"});
  if (old == nullptr || !same(spec, json::find(*old, {"spec", "template", "spec"}))) {
    check_pod_spec(spec == nullptr ? json::Value(json::Members()) : *spec, "spec.template.spec", errors);
  }
}

}  // namespace drover::sim
