#include "observe/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace drover::observe {
namespace {

using core::Claim;

bool has_part(std::string_view list, std::string_view wanted) {
  bool found = false;
  vendors::each_part(list, [&](std::string_view part) { found = found || part == wanted; });
  return found;
}

// As the API server judges the value of a label.
bool is_label_value(std::string_view text) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0; };
  if (text.size() > 63) return false;
  if (text.empty()) return true;
  if (!is_plain(text.front()) || !is_plain(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return is_plain(c) || c == '-' || c == '_' || c == '.'; });
}

bool may_be_restored(std::string_view key, std::string_view value) {
  const std::string_view domain = key.substr(0, std::min(key.find('/'), key.size()));
  const bool is_kubernetes = domain == "kubernetes.io" || domain.ends_with(".kubernetes.io");
  if (value == core::kAbsent) return true;
  return is_kubernetes ? value == "true" || value == "false" : is_label_value(value);
}

}  // namespace

bool cordon_is_trusted(const NodeFacts& facts, const vendors::WorkProfile& profile) {
  const FieldOwners& owners = facts.owners;
  return !owners.are_known || owners.cordon_is_ours || has_part(profile.vendor.own_operator_managers, owners.cordon_by);
}

std::string distrust(protocol::ClaimRecord& held, const NodeFacts& facts, const vendors::WorkProfile& profile,
                     std::string_view gates) {
  std::string doubts;
  const auto doubt = [&](std::string what) { doubts += (doubts.empty() ? "" : "; ") + std::move(what); };
  Claim& claim = held.claim;
  if (claim.cordon == Claim::Cordon::Ours && facts.is_cordoned && !cordon_is_trusted(facts, profile)) {
    claim.cordon = Claim::Cordon::Found;
    doubt(fmt::format("the cordon was set by {}, not by drover, and stays",
                      facts.owners.cordon_by.empty() ? "another client" : facts.owners.cordon_by.view()));
  }
  std::erase_if(claim.gates, [&](const auto& gate) {
    const bool is_known =
        has_part(profile.gates, gate.first) || has_part(gates, gate.first) || facts.owners.owns_label(gate.first);
    if (is_known && may_be_restored(gate.first, gate.second)) return false;
    doubt(fmt::format("label {} is not one that drover pauses, or {} not a value for it; it is left as it is",
                      gate.first.substr(0, 80), gate.second.substr(0, 63)));
    return true;
  });
  if (held.autoscaler_is_told && facts.owners.are_known && !facts.owners.scale_down_is_ours)
    held.autoscaler_is_told = false;
  return doubts;
}

}  // namespace drover::observe
