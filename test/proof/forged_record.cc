#include "forged_record.h"

#include <array>
#include <string>

#include "base/json.h"

namespace drover::proof {
namespace {

constexpr std::array kForgedPhases = {"idle",  "required", "cordon",   "wait-for-jobs", "evict-device-pods",
                                      "drain", "restart",  "validate", "uncordon",      "done",
                                      "failed"};
// Labels that only others may set.
constexpr std::array<std::string_view, 2> kForeignGates = {"node-role.kubernetes.io/control-plane",
                                                           "node-restriction.kubernetes.io/trusted"};

json::Value any_claim(base::Random& random, const Vendor& vendor, std::string_view uid, base::WallTime now) {
  json::Value claim = json::Members{{"id", "foreign"},
                                    {"kind", random.chance(0.9) ? vendor.kind : "tenstorrent/firmware"},
                                    {"policy", "some-uid"},
                                    {"node", !uid.empty() && random.chance(0.9) ? uid : "another"},
                                    {"phase", kForgedPhases[random.below(kForgedPhases.size())]},
                                    {"since", base::rfc3339(now - random.below(1000) * std::chrono::seconds(1))},
                                    {"target", "whatever"},
                                    {"cordon", random.chance(0.7) ? "ours" : "found"}};
  if (!random.chance(0.3)) return claim;
  const std::string_view gate = random.chance(0.6) ? vendor.a_gate : kForeignGates[random.below(kForeignGates.size())];
  json::ensure(claim, {"gates", gate}) = "true";
  return claim;
}

}  // namespace

json::Value any_forged_record(base::Random& random, const Vendor& vendor, std::string_view uid, base::WallTime now) {
  if (random.chance(0.2)) return json::Value();
  if (random.chance(0.2)) return "{\"v\": 1, \"claim\":";
  json::Members record = {{"v", 1}};
  if (random.chance(0.6)) record["claim"] = any_claim(random, vendor, uid, now);
  if (random.chance(0.5)) {
    record["outcomes"] = json::Members{{vendor.kind, json::Members{{"result", random.chance(0.5) ? "done" : "failed"},
                                                                   {"target", "whatever"},
                                                                   {"next", random.chance(0.5) ? "asked" : ""}}}};
  }
  return json::Value(json::text_of(record));
}

}  // namespace drover::proof
