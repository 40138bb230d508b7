// A real control plane for tests, by the scripts in test/bed. One per test program; started by the first test that
// asks.
//
// Where it cannot run (no Go, no registry) tests are skipped with the reason, never passed; DROVER_REQUIRE_BED=1 (CI)
// makes that a failure.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/http_api.h"

namespace drover::real {

struct Ran {
  int status = -1;
  std::string output;  // stdout only; stderr passes through, it is the progress people see
};
// Runs a program to its end, without a shell.
Ran run(const std::vector<std::string>& words);

class Bed {
 public:
  // The one bed of this program; nullptr (with the reason in `why_not()`) when there can be none.
  static Bed* the();
  static const std::string& why_not();

  const std::string& folder() const { return folder_; }
  std::string kubeconfig() const { return folder_ + "/kubeconfig"; }
  std::string kubectl() const { return folder_ + "/bin/kubectl"; }

  // Ends a component by this signal ("KILL", "TERM") and starts it again, while the test goes on; ask `restarted` until
  // it is true.
  void restart(const std::string& component, const std::string& signal);
  bool restarted();
  int pid_of(const std::string& component) const;

  ~Bed();

 private:
  explicit Bed(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
  int restarting_ = -1;  // the pid of the script
};

// A test with a loop, an administrator's client, and a namespace of its own that goes when the test ends.
class OnARealCluster : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Runs the loop until `condition` holds; false when it did not within the time.
  bool until(const std::function<bool()>& condition, base::Span at_most = std::chrono::seconds(30));
  // Sends one request and waits for the outcome.
  kube::Result<kube::Object> ask(kube::Api& api, kube::Request request);
  kube::Result<kube::Object> ask(kube::Request request) { return ask(*api_, std::move(request)); }
  // All objects of a range, by a fresh list.
  kube::Result<std::vector<kube::Object>> list(kube::Range range, int page = 500);

  std::unique_ptr<kube::HttpApi> open(kube::Target target);

  Bed* bed_ = nullptr;
  std::unique_ptr<kube::AsioLoop> loop_;
  std::unique_ptr<kube::HttpApi> api_;
  std::string ns_;
};

}  // namespace drover::real
