#include "act/operands.h"

#include <map>
#include <string_view>
#include <utility>

namespace drover::act {
namespace {

constexpr base::Span kApplyAgain = std::chrono::seconds(2);

Write apply(const observe::Fleet& fleet, const json::Value& wanted, std::uint64_t text,
            const observe::DaemonSetFacts* set, const std::string& ns) {
  const std::string name(json::text_at(wanted, {"metadata", "name"}));
  Write write{.key = "apply/" + name,
              .request = kube::patch(kube::kDaemonSets, ns, name, kube::PatchKind::Apply, wanted),
              .purpose = Purpose::ApplySet,
              .subject = {.policy = fleet.policy_ref(), .object = name, .text = text},
              .rest = kApplyAgain};
  write.request.force = true;
  write.subject.generation = set == nullptr ? 0 : set->generation;
  return write;
}

// One that may be made is tried now and then: its node may be one that the DaemonSet leaves out.
constexpr base::Span kTryAgain = std::chrono::minutes(5);

Write try_pod(const observe::Fleet& fleet, const json::Value& set, const std::string& ns) {
  const std::string name(json::text_at(set, {"metadata", "name"}));
  json::Members metadata = {{"generateName", name + "-"}, {"namespace", ns}};
  for (const char* part : {"labels", "annotations"}) {
    if (const json::Value* value = json::find(set, {"spec", "template", "metadata", part})) metadata[part] = *value;
  }
  json::Value pod =
      json::Members{{"metadata", std::move(metadata)}, {"spec", json::members_at(set, {"spec", "template", "spec"})}};
  Write write{.key = "try/" + name,
              .request = kube::create(kube::kPods, ns, std::move(pod)),
              .purpose = Purpose::TryPod,
              .subject = {.policy = fleet.policy_ref(), .object = name},
              .rest = kTryAgain};
  write.request.dry_run = true;
  return write;
}

Write detach(const observe::DaemonSetFacts& set, const std::string& ns) {
  const json::Value body = {{"metadata", {{"uid", set.uid}, {"ownerReferences", nullptr}}}};
  return {.key = "detach/" + set.name,
          .request = kube::patch(kube::kDaemonSets, ns, set.name, kube::PatchKind::Merge, body),
          .purpose = Purpose::DetachSet,
          .subject = {.object = set.name},
          .rest = kApplyAgain};
}

}  // namespace

std::vector<Write> apply_operands(const observe::Fleet& fleet, const DaemonSets& sets, const std::string& ns,
                                  bool only_missing, const PendingWrites& pending) {
  std::vector<Write> writes;
  if (fleet.wants() == nullptr) return writes;
  const std::vector<json::Value>& all = fleet.wants()->daemon_sets();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name(json::text_at(all[i], {"metadata", "name"}));
    const observe::DaemonSetFacts* set = sets.find(ns + "/" + name);
    if (set != nullptr && set->set.has_owner) {
      writes.push_back(detach(*set, ns));
      continue;
    }
    if (set != nullptr && only_missing) continue;
    // Applied once for each text and each generation that another writer made of it.
    const std::uint64_t text = fleet.wanted_texts()[i];
    if (pending.is_applied(name, text, set == nullptr ? 0 : set->generation)) continue;
    writes.push_back(apply(fleet, all[i], text, set, ns));
  }
  for (const std::string& name : fleet.wants()->leftovers()) {
    Write write{.key = "leftover/" + name,
                .request = kube::remove(kube::kDaemonSets, ns, name, ""),
                .purpose = Purpose::RemoveSet,
                .rest = kDeleteAgain};
    write.request.propagation = kube::Propagation::Orphan;
    writes.push_back(std::move(write));
  }
  return writes;
}

std::vector<Write> try_pods(const observe::Fleet& fleet, const std::string& ns, base::Instant now) {
  std::vector<Write> writes;
  if (fleet.wants() == nullptr) return writes;
  const std::set<std::string> without_pods = fleet.sets_without_pods(now);
  for (const json::Value& set : fleet.wants()->daemon_sets()) {
    if (without_pods.contains(std::string(json::text_at(set, {"metadata", "name"}))))
      writes.push_back(try_pod(fleet, set, ns));
  }
  return writes;
}

std::vector<Write> remove_probes(const std::vector<const observe::Fleet*>& fleets, const observe::OperandPods& index,
                                 const kube::Cache<observe::PodFacts>& operand_pods) {
  std::vector<Write> writes;
  if (index.preflights().empty()) return writes;
  for (const auto& [key, since] : index.preflights()) {
    const observe::PodFacts* pod = operand_pods.find(key);
    if (pod == nullptr || pod->is_going) continue;
    const bool is_needed = std::any_of(fleets.begin(), fleets.end(), [pod](const observe::Fleet* fleet) {
      const std::optional<std::size_t> at = fleet->index_of(pod->node);
      if (!at) return false;
      const core::FleetView& view = fleet->seen();
      const core::NodeView& node = view.nodes[*at];
      const bool goes_on = view.policy.is_on || core::goes_without_controller(node, view.policy);
      return node.phase == core::Phase::Required && goes_on && fleet->desired(*at).digest == pod->digest;
    });
    if (is_needed && !pod->has_failed) continue;
    writes.push_back({.key = "delete/" + pod->uid,
                      .request = kube::remove(kube::kPods, pod->ns.str(), pod->name, pod->uid),
                      .purpose = Purpose::RemovePod,
                      .rest = kAskAgain});
  }
  return writes;
}

std::vector<Write> remove_unwanted(const std::set<std::string>& wanted, std::string_view role, const DaemonSets& sets,
                                   const std::string& ns) {
  std::vector<Write> writes;
  if (role.empty()) return writes;
  sets.each([&](const std::string&, const observe::DaemonSetFacts& set) {
    if (set.role != role || set.is_going || !set.is_ours || wanted.contains(set.name)) return;
    writes.push_back({.key = "withdraw/" + set.name,
                      .request = kube::remove(kube::kDaemonSets, ns, set.name, set.uid),
                      .purpose = Purpose::RemoveSet,
                      .rest = kDeleteAgain});
  });
  return writes;
}

}  // namespace drover::act
