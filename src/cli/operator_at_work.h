// Whether an operator is at work, as far as the cluster says: the operator writes its name, its version and its lease
// into the status of its policies, and a lease that is renewed under our eyes has a holder that is alive. No clock of
// another machine is compared with ours.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/loop.h"
#include "kube/api.h"
#include "kube/http_api.h"

namespace drover::cli {

struct OperatorAtWork {
  std::string instance = {};  // empty: no policy's status names an operator
  std::string version = {};
  std::string since = {};               // RFC 3339
  std::string lease = {};               // "drover-system/drover"; empty: it works without one
  std::optional<bool> is_at_work = {};  // nothing: that cannot be told
  std::string trouble = {};             // why not

  // One line for people.
  std::string text() const;
  // For programs; null where no policy's status names an operator.
  json::Value row() const;
};

class OperatorLook {
 public:
  OperatorLook(kube::Api& api, base::Loop& loop) : api_(api), loop_(loop) {}

  // `policies` are objects with their status: the operator that wrote last counts. `done` is called once.
  void begin(const std::vector<const kube::Object*>& policies, std::function<void(OperatorAtWork)> done);

 private:
  void ask();
  void take(const kube::Result<kube::Object>& answer);
  void end();

  kube::Api& api_;
  base::Loop& loop_;
  std::function<void(OperatorAtWork)> done_;
  OperatorAtWork found_;
  std::optional<std::string> first_version_ = {};
  base::Instant began_at_ = {};
  kube::Call call_ = {};
  base::Timer again_ = {};
};

// Runs the loop until it is known.
OperatorAtWork look_for_operator(kube::Api& api, kube::AsioLoop& loop,
                                 const std::vector<const kube::Object*>& policies);

}  // namespace drover::cli
