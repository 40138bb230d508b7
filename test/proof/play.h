// A story played on the embedded cluster, sentence by sentence, with the checker watching.
//
// The sentences are those of the scenario files (test/proof/scenarios): what people, workloads and fate do, and what is
// waited for. The operator on the stage can be told to die at a certain write, and comes back two seconds later.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checker.h"
#include "door.h"
#include "operator/patchy_api.h"
#include "operator/stage.h"

namespace drover::proof {

struct PlayOptions {
  std::uint64_t seed = 1;
  const Vendor& vendor = nvidia();
  std::string nodes = "nvidia=3";
  CheckerOptions checker = {};
  Death death = {};              // of the first operator
  Door::Mistakes mistakes = {};  // of every operator
  bool with_leases = false;
  bool without_namespace = false;  // that of the vendor's operands: "namespace there" makes it
  bool knows_owners = false;       // the API server says who set what
};

class Play : public operate::testing::Stage {
 public:
  explicit Play(const PlayOptions& options);
  ~Play();

  const Vendor& vendor;

  // One sentence of a story; false when it is not understood or what it waits for does not come (and `trouble` says
  // why).
  bool say(std::string_view sentence);
  // Several, with ";;" between them; those that are not understood are passed over.
  void say_all(std::string_view sentences);
  const std::string& trouble() const { return trouble_; }

  void start(std::size_t replica = 0);
  void kill(std::size_t replica = 0);
  bool is_running(std::size_t replica = 0) const;
  // Of the first operator that ran.
  const std::string& writes() const { return writes_; }

  // The API objects' words that must be the same however often the operator died.
  std::string final_state();
  // Runs on and sees whether the operator is quiet.
  bool comes_to_rest();

  std::string state(const std::string& name) const { return marks_of(vendor, *node(name)).state; }
  sim::Stored policy() const { return world.store().find(vendor.policy.qualified(), std::string(vendor.policy_name)); }

  std::unique_ptr<Checker> checker;

  // What people and fate do; also for the swarm.
  void as(std::string_view asker, kube::Request request);
  void set_node(std::string_view asker, const std::string& node, json::Value merge);
  void add_workload(const std::string& name, int replicas, int devices, const std::string& node, std::string_view label,
                    bool local_data, bool is_pinned = false);
  void add_pod(const std::string& name, int devices, const std::string& node, std::string_view image,
               std::string_view label, bool local_data = false);
  // Past the scheduler, which does not know the resource.
  void bind_pod(const std::string& name, const std::string& resource, const std::string& node, std::string_view image);
  void delete_driver_pod(const std::string& node);
  void competing_operator(bool runs);

 private:
  struct Replica {
    std::unique_ptr<operate::testing::WrongClock> clock;
    std::unique_ptr<Door> door;
    std::unique_ptr<operate::Operator> drover;
  };
  bool fails(std::string why);
  bool someone_is_claimed();
  // By all operators so far, besides Events and status: also those that change nothing.
  std::size_t requests() const;
  bool until(const std::vector<std::string>& words);
  bool about_policy(const std::vector<std::string>& words, std::string_view rest);
  bool about_workload(const std::vector<std::string>& words);
  bool about_node(const std::vector<std::string>& words, std::string_view rest);
  bool about_images(const std::vector<std::string>& words);
  bool about_agents(const std::vector<std::string>& words);
  bool about_machine(const std::vector<std::string>& words);
  bool about_api(const std::vector<std::string>& words);
  void refuse(const std::string& what);
  void delete_definitions();
  void taint(const std::string& node, bool is_wanted);
  void tell_who_hears();
  bool expect(const std::vector<std::string>& words);
  json::Value pod_of(const std::string& name, std::string_view image, int devices, const std::string& node,
                     std::string_view label, bool local_data) const;
  void create_policy(std::string_view version, std::string_view upgrade);
  bool is(const std::string& name, std::string_view what, const std::string& wanted);

  PlayOptions options_;
  operate::testing::PatchyApi patchy_;  // between all operators and the API server
  base::Span clock_is_off_ = {};        // of operators that start from now on
  std::vector<Replica> replicas_;
  std::vector<std::unique_ptr<Door>> old_doors_;
  base::Timer revival_;
  bool has_died_ = false;
  std::map<std::string, std::vector<int>> holders_;  // processes of machines that hold the device
  std::string writes_;
  std::string trouble_;
};

}  // namespace drover::proof
