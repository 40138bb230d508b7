// Everything that a forecast needs of a live cluster, by lists alone: the fleet as `drover status` sees it, with the
// policy that somebody thinks of in the place of the one that is there, and the pods, nodes and budgets around it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "cli/look.h"
#include "cli/plan_ground.h"
#include "cli/rounds.h"
#include "kube/api.h"
#include "vendors/profile.h"

namespace drover::cli {

// The one policy of this vendor in the text of a manifest. Malformed and Refused say what is wrong with it.
base::Result<kube::Object> policy_in(std::string_view text, const vendors::Profile& profile);

// The API with another policy in it. Lists only: whatever would write is refused before it leaves.
class SupposedApi final : public kube::Api {
 public:
  SupposedApi(kube::Api& api, base::Loop& loop, const vendors::Profile& profile, std::optional<kube::Object> policy)
      : api_(api), loop_(loop), profile_(profile), policy_(std::move(policy)) {}

  kube::Call call(kube::Request request, Answer answer) override;
  kube::Call list(kube::ListRequest request, kube::ListSink sink) override;
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override;

 private:
  // The server's with the spec of ours; what the server knows of it stays.
  kube::Object supposed(const kube::Object& there) const;

  kube::Api& api_;
  base::Loop& loop_;
  const vendors::Profile& profile_;
  std::optional<kube::Object> policy_;
};

class Survey {
 public:
  // `policy` takes the place of the one that is there.
  Survey(kube::Api& api, base::Loop& loop, const vendors::Profile& profile, std::optional<kube::Object> policy);
  Survey(const Survey&) = delete;
  Survey& operator=(const Survey&) = delete;

  // `done` is called once, with the first thing that went wrong. The rest may be asked afterwards.
  void begin(std::function<void(base::Result<void>)> done);

  const Look& look() const { return look_; }
  // What cannot be read of the policy, one line each; the ground means nothing then.
  std::vector<std::string> troubles() const;
  // Fields of the policy that nobody reads.
  std::vector<std::string> notes() const;
  Ground ground() const { return ground_; }

 private:
  void list_surroundings();
  void list_pods();
  void take_node(const kube::Object& node);
  void take_pod(const kube::Object& pod);
  void know_missing_images();
  void find_pace();

  // What an operand pod says of its own past, by node.
  struct Past {
    std::optional<base::WallTime> driver_ready_at = {};
    std::optional<base::Span> driver = {};
    std::optional<base::Span> pull = {};
    std::optional<base::WallTime> validator_made_at = {};
    std::optional<base::WallTime> validator_ready_at = {};
  };

  SupposedApi api_;
  const vendors::Profile& profile_;
  Rounds rounds_;
  Look look_;
  std::map<std::string, Past> pasts_;
  std::map<std::string, std::string> reports_;  // by node: what its agent says
  Ground ground_;
};

}  // namespace drover::cli
