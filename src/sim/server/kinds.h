// What each built-in kind does to its objects: defaults, the first status, checks. Rows of the catalog point here.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "kube/object.h"
#include "sim/server/rejections.h"

namespace drover::sim {

// pods.cc
void fill_in_pod(kube::Object& pod);
void new_pod(kube::Object& pod);
void update_pod(kube::Object& fresh, const kube::Object& old);
void check_pod(const kube::Object& pod, const kube::Object* old, FieldErrors& errors);
// spec.template of a workload: the defaults that pods share with their templates.
void fill_in_pod_template(json::Value& pod_template);
// The containers of a pod spec; `field` is "spec" or "spec.template.spec".
void check_pod_spec(const json::Value& spec, const std::string& field, FieldErrors& errors);

// workloads.cc
void fill_in_daemon_set(kube::Object& daemon_set);
// The annotation that counts a DaemonSet's templates, from 1; its controller puts the number on pods.
void new_daemon_set(kube::Object& daemon_set);
void count_daemon_template(kube::Object& fresh, const kube::Object& old);
void fill_in_deployment(kube::Object& deployment);
void fill_in_replica_set(kube::Object& replica_set);
void fill_in_job(kube::Object& job);
void new_job(kube::Object& job);
void new_budget(kube::Object& budget);
// Selector given, matching the template, and unchanged.
void check_workload(const kube::Object& fresh, const kube::Object* old, FieldErrors& errors);

// cluster_kinds.cc
void fill_in_namespace(kube::Object& ns);
void new_namespace(kube::Object& ns);
void keep_namespace_finalizers(kube::Object& fresh, const kube::Object& old);
void fill_in_node(kube::Object& node);
void new_node(kube::Object& node);
void check_node(const kube::Object& node, const kube::Object* old, FieldErrors& errors);
void fill_in_secret(kube::Object& secret);
void fill_in_service(kube::Object& service);
void new_service(kube::Object& service);
void fill_in_event(kube::Object& event);
void check_event(const kube::Object& event, const kube::Object* old, FieldErrors& errors);

// small_checks.cc
// ConfigMaps and Secrets: keys, and what is immutable.
void check_config(const kube::Object& fresh, const kube::Object* old, FieldErrors& errors);
void check_budget(const kube::Object& budget, const kube::Object* old, FieldErrors& errors);
// Numbers of a spec that must not be negative.
void check_not_negative(const kube::Object& object, std::initializer_list<std::string_view> fields,
                        FieldErrors& errors);
void check_job(const kube::Object& job, const kube::Object* old, FieldErrors& errors);

// Times that conditions show as null when they are not set.
void fill_in_conditions(kube::Object& object, std::initializer_list<std::string_view> times);
// Sets a member only when it is absent, null or empty text.
void set_default(json::Members& members, std::string_view key, json::Value value);
// The object under a key, made when absent.
json::Members& object_in(json::Members& members, std::string_view key);

}  // namespace drover::sim
