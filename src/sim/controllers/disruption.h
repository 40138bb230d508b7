// The disruption controller: how many pods of a PodDisruptionBudget may be taken away now.
//
// At rest: per budget the pods it selects and whether they are healthy, kept up to date event by event, so that a
// budget over ten thousand pods costs one step per pod event. The server takes from disruptionsAllowed when it grants
// an eviction and notes the pod in disruptedPods; here the numbers are made true again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/selector.h"
#include "sim/controllers/controller.h"

namespace drover::sim {

class DisruptionController final : public Controller {
 public:
  explicit DisruptionController(ControlPlane plane);

 protected:
  std::vector<std::string> interests() const override { return {"poddisruptionbudgets.policy", "pods"}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& key) override;

 private:
  struct Member {
    std::string controller;  // uid, or "" for a pod on its own
    bool healthy = false;    // ready and not being deleted
  };
  struct Budget {
    std::string uid;
    bool unread = true;
    std::int64_t generation = 0;
    std::optional<base::Selector> selector;  // nothing selects nothing
    std::map<std::string, Member> members;   // by pod name
    std::int64_t healthy = 0;
    std::map<std::string, int> controllers;     // members by controller uid
    std::map<std::string, std::string> sample;  // per controller uid one pod that has it
  };
  // How many pods there should be, and how many must stay healthy.
  struct Expectation {
    std::int64_t pods = 0;
    std::int64_t healthy = 0;
    bool some_unmanaged = false;
  };

  void heard_pod(const Commit& commit);
  static void put_pod(Budget& budget, const kube::Object& pod);
  static void drop_pod(Budget& budget, const std::string& name);
  void read_everything(Budget& budget, const kube::Object& object);
  Done write_status(const Budget& budget, const kube::Object& object);
  Done fail_safe(const kube::Object& object, const std::string& why);
  std::expected<Expectation, std::string> expectation(const Budget& budget, const kube::Object& object) const;
  std::expected<std::int64_t, std::string> scale_of_all(const Budget& budget, std::string_view ns) const;
  json::Members still_disrupted(const Budget& budget, const kube::Object& object, const std::string& key);

  std::map<std::string, Budget> budgets_;
};

}  // namespace drover::sim
