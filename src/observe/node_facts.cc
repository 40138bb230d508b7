#include "observe/node_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "protocol/keys.h"

namespace drover::observe {
namespace {

using Pairs = std::vector<std::pair<base::InternedString, base::InternedString>>;

const base::InternedString* find(const Pairs& pairs, std::string_view key) {
  const auto at = std::find_if(pairs.begin(), pairs.end(), [key](const auto& one) { return one.first == key; });
  return at == pairs.end() ? nullptr : &at->second;
}

// By which images are chosen.
constexpr std::string_view kFeatureLabels[] = {
    "feature.node.kubernetes.io/system-os_release.ID", "feature.node.kubernetes.io/system-os_release.VERSION_ID",
    "feature.node.kubernetes.io/kernel-version.full", "kubernetes.io/hostname", "kubernetes.io/arch"};

bool is_report(std::string_view key) { return key.starts_with(protocol::kReportPrefix); }

void add_keys(std::set<std::string>& keys, std::string_view list) {
  vendors::each_part(list, [&](std::string_view key) { keys.emplace(key); });
}

}  // namespace

std::string_view NodeFacts::label(std::string_view key) const {
  const base::InternedString* value = find(labels, key);
  return value == nullptr ? std::string_view() : value->view();
}

bool NodeFacts::has_label(std::string_view key) const { return find(labels, key) != nullptr; }

std::string_view NodeFacts::annotation(std::string_view key) const {
  const base::InternedString* value = find(annotations, key);
  return value == nullptr ? std::string_view() : value->view();
}

std::string_view NodeFacts::blocked_by(std::string_view type) const {
  const base::InternedString* reason = find(blocked, type);
  return reason == nullptr ? std::string_view() : reason->view();
}

const protocol::Report* NodeFacts::report(std::string_view key) const {
  const auto at = std::find_if(reports.begin(), reports.end(), [key](const auto& one) { return one.first == key; });
  return at == reports.end() ? nullptr : &at->second;
}

bool FieldOwners::owns_label(std::string_view key) const {
  return std::any_of(labels.begin(), labels.end(), [key](const auto& one) { return one == key; });
}

kube::Projection node_projection(vendors::WorkProfiles profiles, const std::vector<std::string>& labels) {
  std::set<std::string> label_keys(labels.begin(), labels.end());
  std::set<std::string> annotation_keys = {std::string(protocol::kRecordAnnotation),
                                           std::string(protocol::kHoldAnnotation),
                                           std::string(protocol::kScaleDownAnnotation)};
  for (const std::string_view key : kFeatureLabels) label_keys.emplace(key);
  for (const vendors::WorkProfile* profile : profiles) {
    for (const std::string_view key :
         {profile->state_label, profile->skip_label, profile->vendor.present_label, profile->deploy_label,
          profile->owner_label, profile->carrier_label, profile->vendor.feature_labels, profile->gates})
      add_keys(label_keys, key);
    for (const std::string_view key :
         {profile->request_annotation, profile->found_cordoned_annotation, profile->managed_annotation,
          profile->cordon_annotation, profile->channel.order, profile->channel.report})
      add_keys(annotation_keys, key);
  }
  std::vector<std::string> paths = {"spec.unschedulable",
                                    "spec.taints",
                                    "status.nodeInfo.bootID",
                                    "status.conditions",
                                    "status.allocatable",
                                    "metadata.managedFields.manager",
                                    "metadata.managedFields.fieldsV1.f:spec.f:unschedulable",
                                    "metadata.managedFields.fieldsV1.f:metadata.f:labels",
                                    "metadata.managedFields.fieldsV1.f:metadata.f:annotations"};
  for (const std::string& key : label_keys) paths.push_back(fmt::format("metadata.labels[{}]", key));
  for (const std::string& key : annotation_keys) paths.push_back(fmt::format("metadata.annotations[{}]", key));
  const std::vector<std::string_view> views(paths.begin(), paths.end());
  return kube::Projection(std::span(views));
}

namespace {

// The API server merges the oldest managers beyond ten into one.
bool is_drover(std::string_view manager) { return manager == "drover" || manager == "ancient-changes"; }

FieldOwners owners_of(const kube::Object& node) {
  FieldOwners owners;
  for (const json::Value& entry : json::array_at(node, {"metadata", "managedFields"})) {
    owners.are_known = true;
    const std::string_view manager = json::text_at(entry, {"manager"});
    const bool has_cordon = json::find(entry, {"fieldsV1", "f:spec", "f:unschedulable"}) != nullptr;
    if (!is_drover(manager)) {
      if (has_cordon) owners.cordon_by = manager;
      continue;
    }
    owners.cordon_is_ours = owners.cordon_is_ours || has_cordon;
    for (const auto& label : json::members_at(entry, {"fieldsV1", "f:metadata", "f:labels"})) {
      const std::string_view key = label.key();
      if (key.starts_with("f:")) owners.labels.emplace_back(key.substr(2));
    }
    const std::string scale_down = fmt::format("f:{}", protocol::kScaleDownAnnotation);
    owners.scale_down_is_ours =
        owners.scale_down_is_ours ||
        json::members_at(entry, {"fieldsV1", "f:metadata", "f:annotations"}).contains(scale_down);
  }
  return owners;
}

}  // namespace

NodeFacts node_facts(const kube::Object& node) {
  NodeFacts facts;
  facts.name = kube::name_of(node);
  facts.uid = kube::uid_of(node);
  facts.version = kube::version_of(node);
  facts.boot = json::text_at(node, {"status", "nodeInfo", "bootID"});
  facts.is_cordoned = json::flag_at(node, {"spec", "unschedulable"});
  facts.taints = json::array_at(node, {"spec", "taints"});
  for (const json::Value& taint : facts.taints) {
    facts.is_tainted = facts.is_tainted || json::text_at(taint, {"key"}) == protocol::kSwapTaint;
  }
  if (const json::Value* allocatable = json::find(node, {"status", "allocatable"}))
    facts.allocatable = json::text_of(*allocatable);
  const auto keep = [](const json::Members& members, Pairs& pairs) {
    pairs.reserve(members.size());
    for (const auto& member : members) {
      if (!member.value().is_string()) continue;
      if (member.key() == protocol::kRecordAnnotation || is_report(member.key())) continue;
      pairs.emplace_back(std::string_view(member.key()), std::string_view(member.value().get_string()));
    }
  };
  keep(kube::labels_of(node), facts.labels);
  keep(json::members_at(node, {"metadata", "annotations"}), facts.annotations);

  facts.owners = owners_of(node);

  for (const json::Value& condition : json::array_at(node, {"status", "conditions"})) {
    const std::string_view type = json::text_at(condition, {"type"});
    if (type.ends_with(protocol::kBlockedSuffix) && json::text_at(condition, {"status"}) == "True")
      facts.blocked.emplace_back(type, json::text_at(condition, {"reason"}));
    if (type != "Ready") continue;
    facts.is_ready = json::text_at(condition, {"status"}) == "True";
    const auto since = base::parse_rfc3339(json::text_at(condition, {"lastTransitionTime"}));
    if (!facts.is_ready && since) facts.unready_since = *since;
  }

  const std::string_view record = kube::annotation_of(node, protocol::kRecordAnnotation);
  if (!record.empty()) {
    auto parsed = protocol::parse_record(record);
    if (parsed) {
      facts.record = std::move(*parsed);
    } else {
      facts.record_trouble = parsed.error().message;
    }
  }
  // One that cannot be read is as good as none: the agent writes another.
  for (const auto& member : json::members_at(node, {"metadata", "annotations"})) {
    if (!is_report(member.key()) || !member.value().is_string()) continue;
    auto report = protocol::parse_report(member.value().get_string());
    if (report && report->boot == facts.boot) facts.reports.emplace_back(std::string_view(member.key()), *report);
  }
  return facts;
}

}  // namespace drover::observe
