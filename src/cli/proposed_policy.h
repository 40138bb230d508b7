// The cluster with other policies in it: those that a user means to apply, in the place of those that are there.
#pragma once

#include <string_view>
#include <vector>

#include "base/loop.h"
#include "kube/api.h"
#include "vendors/work_profile.h"

namespace drover::cli {

// A policy as a user means to apply it.
struct ProposedPolicy {
  const vendors::WorkProfile* profile = nullptr;
  std::size_t kind = 0;  // of its vendor's
  kube::Object object;
};

// All policies of these vendors in the text of a manifest, at least one; other kinds are left out. Malformed and
// Refused say what is wrong with it.
base::Result<std::vector<ProposedPolicy>> policies_in(std::string_view text, vendors::WorkProfiles profiles);

// The API with them in it. Lists only: a request that would write is refused before it leaves.
class ProposedApi final : public kube::Api {
 public:
  ProposedApi(kube::Api& api, base::Loop& loop, std::vector<ProposedPolicy> policies)
      : api_(api), loop_(loop), policies_(std::move(policies)) {}

  kube::Call call(kube::Request request, Answer answer) override;
  kube::Call list(kube::ListRequest request, kube::ListSink sink) override;
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override;

  bool is_empty() const { return policies_.empty(); }
  // Whether a policy is one of them.
  bool has(const vendors::WorkProfile& profile, std::size_t kind, std::string_view name) const;

 private:
  // The server's with the spec of ours; what the server knows of it stays.
  kube::Object in_place_of(const kube::Object& there, const ProposedPolicy& proposed) const;

  kube::Api& api_;
  base::Loop& loop_;
  std::vector<ProposedPolicy> policies_;
};

}  // namespace drover::cli
