#include "vendor.h"

#include <algorithm>
#include <vector>

#include "both.h"
#include "facts.h"
#include "vendors/acme/sim/machine.h"

namespace drover::proof {

std::int64_t Terms::max_unavailable(std::int64_t nodes) const {
  return std::min(nodes, away_is_percent ? (away * nodes + 99) / 100 : away);
}

std::string_view Vendor::word(std::string_view phase) const {
  const auto at = std::find_if(states.begin(), states.end(), [&](const Pair& state) { return state.key == phase; });
  return at == states.end() ? std::string_view() : at->value;
}

bool Vendor::is_in_flight(std::string_view state) const {
  return std::any_of(states.begin(), states.end(),
                     [&](const Pair& one) { return one.value == state && is_in_flight_phase(one.key); });
}

bool Vendor::knows(std::string_view state) const {
  return std::any_of(states.begin(), states.end(), [&](const Pair& one) { return one.value == state; });
}

bool Vendor::is_exempt(std::string_view invariant) const {
  return std::any_of(exempt.begin(), exempt.end(), [&](const Pair& one) { return one.key == invariant; });
}

json::Value Vendor::merge_of(std::string_view verb, std::string_view rest) const {
  for (const Pair& sentence : sentences) {
    if (sentence.key != verb) continue;
    auto merge = json::parse(replaced(sentence.value, "$1", rest));
    return merge ? std::move(*merge) : json::Value();
  }
  return nullptr;
}

std::span<const Vendor* const> all_vendors() {
  static const std::array kAll = {&nvidia(), &tenstorrent(), &acme()};
  return kAll;
}

sim::SimVendors all_machines() {
  static const std::vector<const sim::SimVendor*> kAll = [] {
    const sim::SimVendors registered = sim::all();
    std::vector<const sim::SimVendor*> all = {&nvidia_and_tenstorrent()};  // first: they have the others' labels, too
    all.insert(all.end(), registered.begin(), registered.end());
    all.push_back(&sim::acme());
    return all;
  }();
  return kAll;
}

const Vendor* vendor_named(std::string_view name) {
  for (const Vendor* vendor : all_vendors()) {
    if (vendor->name == name) return vendor;
  }
  return nullptr;
}

std::string replaced(std::string_view text, std::string_view key, std::string_view value) {
  std::string result(text);
  for (std::size_t at = result.find(key); at != std::string::npos; at = result.find(key, at + value.size()))
    result.replace(at, key.size(), value);
  return result;
}

}  // namespace drover::proof
