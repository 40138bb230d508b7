#include "bugs.h"

#include <array>

#include "facts.h"

namespace drover::proof {
namespace {

bool is_node_patch(const kube::Request& request) {
  return request.verb == kube::Verb::Patch && request.resource.plural == "nodes";
}

std::string_view new_state(const kube::Request& request) {
  return json::text_at(request.body, {"metadata", "labels", kState});
}

json::Value* upgrade_policy(const kube::Range& range, kube::Object& object) {
  if (range.resource.plural != "clusterpolicies") return nullptr;
  return &json::ensure(object, {"spec", "driver", "upgradePolicy"});
}

// A write that gives the node up: the record that it leaves has no claim.
bool gives_up(const kube::Request& request) {
  if (!is_node_patch(request)) return false;
  const json::Value* annotations = json::find(request.body, {"metadata", "annotations"});
  if (annotations == nullptr || !annotations->get_object().contains(kRecord)) return false;
  return json::text_at(*annotations, {kRecord}).find("\"claim\"") == std::string_view::npos;
}

void set_condition(kube::Object& pod, std::string_view type, std::string_view status) {
  json::Value& conditions = json::ensure(pod, {"status", "conditions"});
  if (!conditions.is_array()) conditions = json::Array();
  for (json::Value& one : conditions.get_array()) {
    if (json::text_at(one, {"type"}) == type) {
      one.get_object()["status"] = status;
      return;
    }
  }
  conditions.get_array().push_back({{"type", type}, {"status", status}});
}

constexpr std::array kBugs = {
    Bug{"uncordons a node that a person had cordoned", "cordoned-before", "I3 foreign cordon",
        [](kube::Request& request) {
          if (is_node_patch(request) && new_state(request) == "upgrade-done") {
            json::ensure(request.body, {"spec", "unschedulable"}) = nullptr;
          }
          return true;
        }},
    Bug{"ignores maxUnavailable", "wide", "I1 budget", nullptr,
        [](const kube::Range& range, kube::Object& object) {
          if (json::Value* upgrade = upgrade_policy(range, object)) upgrade->get_object()["maxUnavailable"] = "100%";
          return true;
        }},
    Bug{"ignores maxParallelUpgrades", "narrow", "I2 parallelism", nullptr,
        [](const kube::Range& range, kube::Object& object) {
          if (json::Value* upgrade = upgrade_policy(range, object)) upgrade->get_object()["maxParallelUpgrades"] = 0;
          return true;
        }},
    Bug{"forgets the claim in the write that cordons", "plain", "I5 atomic ownership",
        [](kube::Request& request) {
          if (is_node_patch(request) && json::flag_at(request.body, {"spec", "unschedulable"})) {
            json::remove(request.body, {"metadata", "annotations", kRecord});
          }
          return true;
        }},
    Bug{"deletes instead of evicting", "budget-freed", "I11 eviction only",
        [](kube::Request& request) {
          if (request.subresource == "eviction") request = kube::remove(kube::kPods, request.ns, request.name, "");
          request.field_manager = "operator";
          return true;
        }},
    Bug{"does not hear of a pause", "pause", "I16 pause", nullptr,
        [](const kube::Range& range, kube::Object& object) {
          if (json::Value* upgrade = upgrade_policy(range, object)) upgrade->get_object()["autoUpgrade"] = true;
          return true;
        }},
    Bug{"takes a pause for a wish to change drivers without the controller", "alone-not-while-paused", "I16 pause",
        nullptr,
        [](const kube::Range& range, kube::Object& object) {
          constexpr std::string_view kPending = R"("next":"outdated")";
          if (range.resource.plural != "nodes") return true;
          std::string record(kube::annotation_of(object, kRecord));
          if (const std::size_t at = record.find(kPending); at != std::string::npos)
            json::ensure(object, {"metadata", "annotations", kRecord}) =
                record.replace(at, kPending.size(), R"("next":"alone")");
          return true;
        }},
    Bug{"replaces a driver while another one changes", "alone", "I2 parallelism", nullptr,
        [](const kube::Range&, kube::Object& object) {
          if (kube::label_of(object, "app") == kDriverApp) set_condition(object, "Ready", "True");
          return true;
        }},
    Bug{"swaps without draining", "eviction", "I6 destructive guard", nullptr,
        [](const kube::Range& range, kube::Object&) { return !range.fields.starts_with("spec.nodeName="); }},
    Bug{"believes a validator that is not ready", "validation-failure", "I20 truthful done", nullptr,
        [](const kube::Range&, kube::Object& object) {
          if (kube::label_of(object, "app") != kValidatorApp) return true;
          set_condition(object, "Ready", "True");
          json::ensure(object, {"status", "containerStatuses"}) =
              json::Array{{{"state", {{"running", {{"startedAt", "2030-01-01T00:00:00Z"}}}}}}};
          return true;
        }},
    Bug{"leaves the failed state by itself", "validation-failure", "I21 failed is sticky", nullptr,
        [](const kube::Range& range, kube::Object& object) {
          if (range.resource.plural == "nodes" && kube::label_of(object, kState) == "upgrade-failed") {
            json::ensure(object, {"metadata", "labels", kState}) = "upgrade-required";
          }
          return true;
        }},
    Bug{"cordons before the image is proven", "image-missing", "I19 preflight", nullptr,
        [](const kube::Range&, kube::Object& object) {
          if (kube::label_of(object, "app") != kPreflightApp) return true;
          json::ensure(object, {"status", "phase"}) = "Succeeded";
          json::remove(object, {"status", "containerStatuses"});
          json::remove(object, {"status", "initContainerStatuses"});
          return true;
        }},
    Bug{"gives a node up and leaves it cordoned", "version-put-back", "I4 no lost cordon",
        [](kube::Request& request) {
          if (gives_up(request)) json::remove(request.body, {"spec", "unschedulable"});
          return true;
        }},
    Bug{"touches what is not its own", "plain", "I23 foreign mutation",
        [](kube::Request& request) {
          if (is_node_patch(request)) json::ensure(request.body, {"metadata", "labels", "team"}) = "drover";
          return true;
        }},
    Bug{"says the same twice", "plain", "I24 bounded writes",
        [](kube::Request& request) {
          json::Value* message = request.resource.plural == "events" ? json::find(request.body, {"message"}) : nullptr;
          if (message != nullptr) *message = "Successfully updated node state label to [upgrade-required]";
          return true;
        }},
};

}  // namespace

std::span<const Bug> all_bugs() { return kBugs; }

}  // namespace drover::proof
