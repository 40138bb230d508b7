#include "cli/plan_others.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "observe/ranges.h"

namespace drover::cli {

void OtherPolicies::begin(std::function<void(base::Result<void>)> done) {
  lists_.begin(std::move(done));
  for (const vendors::WorkProfile* profile : profiles_) {
    for (std::size_t kind = 0; profile != &planned_ && kind < profile->policy_kinds(); ++kind) {
      lists_.list_if_known(observe::policies_of(*profile, kind), {"metadata.name"},
                           [this, word = profile->policy_kind(kind).kind](const kube::Object& policy) {
                             names_.push_back(fmt::format("{} {}", word, kube::name_of(policy)));
                           });
    }
  }
  lists_.then([this] {
    std::sort(names_.begin(), names_.end());
    lists_.finish({});
  });
  if (!lists_.is_waiting()) lists_.finish({});
}

std::string not_planned(const std::string& policy, const vendors::WorkProfile& planned) {
  return fmt::format(
      "{} is not planned: drover plan foresees what a {} does and knows no other kind yet; drover status "
      "shows its nodes",
      policy, kinds_of(planned));
}

std::string kinds_of(const vendors::WorkProfile& profile) {
  std::string kinds;
  for (std::size_t kind = 0; kind < profile.policy_kinds(); ++kind) {
    kinds += fmt::format("{}{}", kinds.empty() ? "" : " or ", profile.policy_kind(kind).kind);
  }
  return kinds;
}

}  // namespace drover::cli
