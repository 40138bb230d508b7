// Several vendors in one operator: each has its own checker, and what is done for another vendor is not judged by its
// rules. A write to a Node is for the vendor whose marks it changes; one that changes nothing but the cordon and its
// taint, and the removal of a workload's pod, are for the vendor that has claimed the node. Whose it is of neither, all
// judge.
#include <algorithm>
#include <tuple>

#include "base/same.h"
#include "checker.h"

namespace drover::proof {
namespace {

// What the record says of the vendor, as far as it means something: a claim of another machine, say, does not.
auto said_in_record(const NodeMarks& marks) {
  const ClaimFacts claim = marks.claim_is_ours() ? *marks.claim : ClaimFacts{};
  return std::make_tuple(claim.id, claim.policy, claim.phase, claim.target, claim.cordon_is_ours, claim.serves,
                         marks.result, marks.next);
}

// The members whose keys are the vendor's.
json::Members members_of(const json::Members& members, Vendor::Texts keys, std::string_view one_more) {
  json::Members part;
  for (const auto& member : members) {
    const std::string_view key = member.key();
    const bool is_one = std::any_of(keys.begin(), keys.end(), [&](std::string_view ours) {
      return ours.ends_with('.') ? key.starts_with(ours) : key == ours;
    });
    if (is_one || key == one_more) part[key] = member.value();
  }
  return part;
}

bool changes_marks_of(const Vendor& vendor, const kube::Object& before, const kube::Object& after) {
  const auto labels = [&](const kube::Object& node) {
    return json::Value(members_of(kube::labels_of(node), vendor.our_labels, vendor.state_label));
  };
  const auto annotations = [&](const kube::Object& node) {
    return json::Value(
        members_of(json::members_at(node, {"metadata", "annotations"}), vendor.our_annotations, vendor.order));
  };
  return said_in_record(marks_of(vendor, before)) != said_in_record(marks_of(vendor, after)) ||
         !json::same(labels(before), labels(after)) || !json::same(annotations(before), annotations(after));
}

}  // namespace

bool Checker::is_for_another(const sim::Commit& commit) const {
  const auto& others = options_.beside;
  if (others.empty()) return false;
  const auto has_claimed = [&](const NodeMarks& marks) {
    return marks.claim && std::any_of(others.begin(), others.end(),
                                      [&](const Vendor* other) { return marks.claim->kind == other->kind; });
  };
  if (commit.resource == "nodes") {
    if (commit.kind != sim::Commit::Kind::Changed) return false;
    if (changes_marks_of(vendor_, *commit.before, *commit.after)) return false;
    return has_claimed(marks_of(vendor_, *commit.before)) || has_claimed(marks_of(vendor_, *commit.after)) ||
           std::any_of(others.begin(), others.end(),
                       [&](const Vendor* other) { return changes_marks_of(*other, *commit.before, *commit.after); });
  }
  if (commit.resource != "pods" || !our_role(vendor_, *commit.after).empty()) return false;
  const bool is_theirs = std::any_of(others.begin(), others.end(),
                                     [&](const Vendor* other) { return !our_role(*other, *commit.after).empty(); });
  const auto node = nodes_.find(std::string(json::text_at(*commit.after, {"spec", "nodeName"})));
  return is_theirs || (node != nodes_.end() && has_claimed(node->second.marks));
}

}  // namespace drover::proof
