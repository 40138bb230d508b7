#include "observe/daemon_set_facts.h"

#include "protocol/keys.h"

namespace drover::observe {

kube::Projection daemon_set_projection() {
  return {"metadata.generation",      "metadata.annotations", "metadata.labels",
          "metadata.ownerReferences", "spec.selector",        "spec.template.metadata.labels",
          "status.observedGeneration"};
}

DaemonSetFacts daemon_set_facts(const kube::Object& daemon_set, const vendors::WorkProfile& profile) {
  DaemonSetFacts facts;
  facts.name = kube::name_of(daemon_set);
  facts.uid = kube::uid_of(daemon_set);
  facts.role = json::text_at(daemon_set, {"spec", "template", "metadata", "labels", profile.role_label});
  facts.digest = json::text_at(daemon_set, {"spec", "template", "metadata", "labels", protocol::kDigestLabel});
  facts.template_mark = kube::annotation_of(daemon_set, profile.template_annotation);
  facts.may_force = kube::annotation_of(daemon_set, profile.force_annotation) == "true";
  facts.generation = json::int_at(daemon_set, {"metadata", "generation"});
  facts.is_settled = json::int_at(daemon_set, {"status", "observedGeneration"}) >= facts.generation;
  facts.is_going = kube::is_being_deleted(daemon_set);
  facts.is_ours = !kube::annotation_of(daemon_set, protocol::kPolicyAnnotation).empty();
  facts.set = profile.driver_set(daemon_set);
  return facts;
}

}  // namespace drover::observe
