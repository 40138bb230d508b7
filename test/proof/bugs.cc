#include "bugs.h"

#include <fmt/format.h>

#include <array>

#include "facts.h"
#include "sim/server/merge_patch.h"

namespace drover::proof {
namespace {

bool is_node_patch(const kube::Request& request) {
  return request.verb == kube::Verb::Patch && request.resource.plural == "nodes";
}

// The policy as the operator sees it, with a sentence about it already said.
void hear(const Vendor& vendor, const kube::Range& range, kube::Object& object, std::string_view verb,
          std::string_view rest = "") {
  if (range.resource.plural == vendor.policy.plural) sim::merge_patch(object, vendor.merge_of(verb, rest));
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

void replace_in_record(kube::Object& node, std::string_view what, std::string_view by) {
  const std::string_view record = kube::annotation_of(node, kRecord);
  if (record.find(what) == std::string_view::npos) return;
  std::string text = replaced(record, what, by);
  json::ensure(node, {"metadata", "annotations", kRecord}) = std::move(text);
}

// What the vendor's proof of an image is, as if it had come.
void prove(const Vendor& vendor, kube::Object& object) {
  if (our_role(vendor, object) == vendor.preflight_role && !vendor.preflight_role.empty()) {
    json::ensure(object, {"status", "phase"}) = "Succeeded";
    json::remove(object, {"status", "containerStatuses"});
    json::remove(object, {"status", "initContainerStatuses"});
  }
  auto report = json::parse(kube::annotation_of(object, vendor.report));
  if (!report || !report->is_object()) return;
  report->get_object()["prepared"] = vendor.versions[2];
  report->get_object().erase("cannotPrepare");
  json::ensure(object, {"metadata", "annotations", vendor.report}) = json::text_of(*report);
}

constexpr std::array kBugs =
    {
        Bug{"uncordons a node that a person had cordoned", "cordoned-before,tenstorrent-cordoned-before",
            "I3 foreign cordon",
            [](const Vendor& vendor, kube::Request& request) {
              const bool is_done = is_node_patch(request) && marks_of(vendor, request.body).state == vendor.done();
              if (is_done) json::ensure(request.body, {"spec", "unschedulable"}) = nullptr;
              return true;
            }},
        Bug{"ignores maxUnavailable", "wide", "I1 budget", nullptr,
            [](const Vendor& vendor, const kube::Range& range, kube::Object& object) {
              hear(vendor, range, object, "upgrade-policy", vendor.any_share);
              return true;
            }},
        Bug{"ignores how many may be upgraded in parallel", "narrow,tenstorrent-plain", "I2 parallelism", nullptr,
            [](const Vendor& vendor, const kube::Range& range, kube::Object& object) {
              hear(vendor, range, object, "upgrade-policy", vendor.any_width);
              return true;
            }},
        Bug{"forgets the claim in the write that cordons", "plain,tenstorrent-plain,acme-plain", "I5 atomic ownership",
            [](const Vendor&, kube::Request& request) {
              if (is_node_patch(request) && json::flag_at(request.body, {"spec", "unschedulable"})) {
                json::remove(request.body, {"metadata", "annotations", kRecord});
              }
              return true;
            }},
        Bug{"leaves the gates open in the write that cordons", "tenstorrent-plain", "I5 atomic ownership",
            [](const Vendor& vendor, kube::Request& request) {
              if (is_node_patch(request)) json::remove(request.body, {"metadata", "labels", vendor.a_gate});
              return true;
            }},
        Bug{"deletes instead of evicting", "budget-freed,tenstorrent-budget,acme-budget", "I11 eviction only",
            [](const Vendor&, kube::Request& request) {
              if (request.subresource == "eviction") request = kube::remove(kube::kPods, request.ns, request.name, "");
              request.field_manager = "drover";
              return true;
            }},
        Bug{"does not hear of a pause", "pause,tenstorrent-pause,acme-budget", "I16 pause", nullptr,
            [](const Vendor& vendor, const kube::Range& range, kube::Object& object) {
              hear(vendor, range, object, "resume");
              return true;
            }},
        Bug{"takes a pause for a wish to change drivers without the controller", "alone-not-while-paused", "I16 pause",
            nullptr,
            [](const Vendor&, const kube::Range& range, kube::Object& object) {
              if (range.resource.plural == "nodes")
                replace_in_record(object, R"("next":"outdated")", R"("next":"alone")");
              return true;
            },
            nullptr, "tenstorrent"},
        Bug{"replaces a driver while another one changes", "alone", "I2 parallelism", nullptr,
            [](const Vendor& vendor, const kube::Range&, kube::Object& object) {
              // The first driver comes as it should.
              const bool is_first = json::text_of(object).find(vendor.versions[0]) != std::string::npos;
              if (our_role(vendor, object) == vendor.driver_role && !is_first) set_condition(object, "Ready", "True");
              return true;
            },
            nullptr, "tenstorrent"},
        Bug{"swaps without draining", "eviction,tenstorrent-plain,acme-plain", "I6 destructive guard", nullptr,
            [](const Vendor&, const kube::Range& range, kube::Object&) {
              return !range.fields.starts_with("spec.nodeName=");
            }},
        Bug{"believes a validator that is not ready", "validation-failure,acme-check-fails", "I20 truthful done",
            nullptr,
            [](const Vendor& vendor, const kube::Range&, kube::Object& object) {
              if (our_role(vendor, object) != vendor.validator_role) return true;
              set_condition(object, "Ready", "True");
              json::ensure(object, {"status", "containerStatuses"}) =
                  json::Array{{{"state", {{"running", {{"startedAt", "2030-01-01T00:00:00Z"}}}}}}};
              return true;
            },
            nullptr, "tenstorrent"},
        Bug{"believes an agent that has not loaded yet", "tenstorrent-plain", "I20 truthful done", nullptr,
            [](const Vendor& vendor, const kube::Range&, kube::Object& object) {
              if (our_role(vendor, object) == vendor.driver_role) set_condition(object, "Ready", "True");
              auto report = json::parse(kube::annotation_of(object, vendor.report));
              const NodeMarks marks = marks_of(vendor, object);
              if (!report || !report->is_object() || !marks.claim || marks.claim->phase != "restart") return true;
              report->get_object()["loaded"] = vendor.versions[2];
              report->get_object().erase("wants");
              json::ensure(object, {"metadata", "annotations", vendor.report}) = json::text_of(*report);
              return true;
            }},
        Bug{"leaves the failed state by itself", "validation-failure,tenstorrent-load-fails,acme-check-fails",
            "I21 failed is sticky", nullptr,
            [](const Vendor& vendor, const kube::Range& range, kube::Object& object) {
              if (range.resource.plural != "nodes" || marks_of(vendor, object).state != vendor.failed()) return true;
              if (!vendor.state_label.empty()) {
                json::ensure(object, {"metadata", "labels", vendor.state_label}) = vendor.word("required");
                return true;
              }
              replace_in_record(object, R"("result":"failed")", R"("next":"asked","result":"failed")");
              replace_in_record(object, R"("phase":"failed")", R"("phase":"required")");
              return true;
            }},
        Bug{"cordons before the driver is proven", "image-missing,tenstorrent-build-fails", "I19 preflight", nullptr,
            [](const Vendor& vendor, const kube::Range&, kube::Object& object) {
              prove(vendor, object);
              return true;
            }},
        Bug{"gives a node up and leaves it cordoned", "version-put-back,tenstorrent-put-back", "I4 no lost cordon",
            [](const Vendor&, kube::Request& request) {
              if (gives_up(request)) json::remove(request.body, {"spec", "unschedulable"});
              return true;
            }},
        Bug{"gives a node up and leaves its gates closed", "tenstorrent-put-back", "I4 no lost cordon",
            [](const Vendor& vendor, kube::Request& request) {
              if (gives_up(request)) json::remove(request.body, {"metadata", "labels", vendor.a_gate});
              return true;
            }},
        Bug{"touches what is not its own", "plain,tenstorrent-plain", "I23 foreign mutation",
            [](const Vendor&, kube::Request& request) {
              if (is_node_patch(request)) json::ensure(request.body, {"metadata", "labels", "team"}) = "drover";
              return true;
            }},
        // ---- as the engine was before these were found by trying

        Bug{"does not see pods that have no node yet", "", "L1 progress", nullptr,
            [](const Vendor& vendor, const kube::Range&, kube::Object& object) {
              return our_role(vendor, object) != vendor.driver_role ||
                     !json::text_at(object, {"spec", "nodeName"}).empty();
            },
            nullptr, "tenstorrent"},
        Bug{"takes every pod for the first of its owner", "", "I24 bounded writes", nullptr,
            [](const Vendor& vendor, const kube::Range&, kube::Object& object) {
              json::Value* owners = json::find(object, {"metadata", "ownerReferences"});
              if (owners == nullptr || !owners->is_array() || !our_role(vendor, object).empty()) return true;
              for (json::Value& one : owners->get_array()) one.get_object()["uid"] = kube::uid_of(object);
              return true;
            }},
        Bug{"believes that a driver that served once serves for ever", "", "I20 truthful status", nullptr,
            [](const Vendor& vendor, const kube::Range&, kube::Object& object) {
              const bool runs = json::text_at(object, {"status", "phase"}) == "Running";
              if (our_role(vendor, object) == vendor.driver_role && runs) set_condition(object, "Ready", "True");
              return true;
            }},
        Bug{"takes an API server that is away for one that answers", "", "I11 eviction only", nullptr, nullptr,
            [](const Vendor&, const kube::Resource&, kube::Fault& fault) {
              if (fault.kind == kube::Fault::Kind::Unreachable) fault.kind = kube::Fault::Kind::Conflict;
            }},
        Bug{"counts an hour between two leaders", "", "I11 eviction only", nullptr,
            [](const Vendor&, const kube::Range& range, kube::Object& object) {
              if (range.resource.plural == "nodes") replace_in_record(object, R"("spent":)", R"("spent":3600,"was":)");
              return true;
            }},
        Bug{"waits for a definition that is gone", "", "L2 at rest", nullptr, nullptr,
            [](const Vendor& vendor, const kube::Resource& resource, kube::Fault& fault) {
              const bool is_missing = fault.kind == kube::Fault::Kind::NotFound;
              if (resource.plural == vendor.policy.plural && is_missing) fault.kind = kube::Fault::Kind::Unreachable;
            }},
        Bug{"believes what a Node says of itself", "", "I3 foreign cordon", nullptr,
            [](const Vendor&, const kube::Range& range, kube::Object& object) {
              if (range.resource.plural == "nodes") json::remove(object, {"metadata", "managedFields"});
              return true;
            }},
        Bug{"says Ready when it is not", "pause", "I20 truthful status",
            [](const Vendor& vendor, kube::Request& request) {
              if (request.subresource == "status" && request.resource.plural == vendor.policy.plural)
                set_condition(request.body, "Ready", "True");
              return true;
            }},

        Bug{"says the same twice", "plain,tenstorrent-plain", "I24 bounded writes",
            [](const Vendor& vendor, kube::Request& request) {
              json::Value* message =
                  request.resource.plural == "events" ? json::find(request.body, {"message"}) : nullptr;
              if (message != nullptr) *message = fmt::format("{} [upgrade-required]", vendor.step_event);
              return true;
            },
            nullptr, nullptr, "nvidia,tenstorrent"},
};

}  // namespace

std::span<const Bug> all_bugs() { return kBugs; }

Door::Mistakes Bug::mistakes(const Vendor& vendor) const {
  Door::Mistakes mistakes;
  if (alter != nullptr) mistakes.alter = [this, &vendor](kube::Request& request) { return alter(vendor, request); };
  if (see != nullptr) {
    mistakes.see = [this, &vendor](const kube::Range& range, kube::Object& object) {
      return see(vendor, range, object);
    };
  }
  if (hear != nullptr) {
    mistakes.hear = [this, &vendor](const kube::Resource& resource, kube::Fault& fault) {
      hear(vendor, resource, fault);
    };
  }
  return mistakes;
}

}  // namespace drover::proof
