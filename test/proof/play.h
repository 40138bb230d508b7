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
#include "fleet_limit.h"
#include "operator/patchy_api.h"
#include "operator/stage.h"

namespace drover::proof {

struct PlayOptions {
  std::uint64_t seed = 1;
  const Vendor& vendor = nvidia();
  std::vector<const Vendor*> also = {};                  // served by the same operator
  std::optional<core::Share> max_unavailable = {};       // what the operator is told of all policies together
  std::optional<core::Share> told_instead = {};          // a mistake: what it is told in the place of that
  std::function<void(operate::Operator&)> on_pass = {};  // called after each pass of an operator
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

  // In whose words a sentence is said, and who checks what comes of it: the first vendor, or the one that "NAME:"
  // names.
  Vendor vendor;
  Checker* checker = nullptr;
  void speak_for(const Vendor& another);
  // All that are served, the first one first.
  std::vector<const Vendor*> vendors() const;

  // One sentence of a story; false when it is not understood or what it waits for does not come (and `trouble` says
  // why).
  bool say(std::string_view sentence);
  // Several, with ";;" between them; those that are not understood are passed over.
  void say_all(std::string_view sentences);
  const std::string& trouble() const { return trouble_; }
  // What the checkers have found, and "" for nothing.
  bool is_clean() const;
  std::string report() const;
  std::vector<Breach> breaches() const;
  // At rest, for each vendor.
  void check_at_rest();
  void check_drivers();
  void machine_goes_down(const std::string& node);
  void the_trouble_ends();

  void start(std::size_t replica = 0);
  void kill(std::size_t replica = 0);
  bool is_running(std::size_t replica = 0) const;
  // Of the first operator that ran.
  const std::string& writes() const { return writes_; }

  // The API objects' words that must be the same however often the operator died.
  std::string final_state();
  // By node; of all vendors together.
  std::map<std::string, Effects> effects() const;
  // Runs on and sees whether the operator is quiet.
  bool comes_to_rest();

  std::string state(const std::string& name) const { return marks_of(vendor, *node(name)).state; }
  sim::Stored policy() const { return world.store().find(vendor.policy.qualified(), std::string(vendor.policy_name)); }

  // Those that have the vendor's device.
  std::vector<std::string> names() const;

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
    std::unique_ptr<Door> door;
    std::unique_ptr<operate::Operator> drover;
    std::uint64_t passes_told = 0;
  };
  void check_all();
  std::vector<const Door*> doors() const;  // of all operators so far
  base::Loop& loop();
  void look_for_passes();
  bool is_anothers(const kube::Object& pod) const;  // an operand of one of the vendors
  void add_final_state(std::string& text) const;
  bool fails(std::string why);
  bool say_for(std::string_view vendor_name, std::string_view sentence);
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
  operate::testing::PatchyApi patchy_;                                 // between all operators and the API server
  base::Span clock_is_off_ = {};                                       // of operators that start from now on
  std::vector<std::unique_ptr<operate::testing::WrongClock>> clocks_;  // of all so far: late answers look at them
  const Vendor* in_turn_;
  std::vector<std::unique_ptr<Checker>> checkers_;  // of each vendor
  std::unique_ptr<FleetLimit> limit_;               // where there are several
  std::unique_ptr<base::Loop> told_loop_;           // the operators' loop, where passes are told of
  std::vector<Replica> replicas_;
  std::vector<std::unique_ptr<Door>> old_doors_;
  base::Timer revival_;
  bool has_died_ = false;
  int no_deletions_ = 0;                             // the fault, while there is one
  std::map<std::string, std::vector<int>> holders_;  // processes of machines that hold the device
  std::string writes_;
  std::string trouble_;
};

}  // namespace drover::proof
