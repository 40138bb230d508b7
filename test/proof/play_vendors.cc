// Several vendors in one play: whose words count, who checks, and what is true of all of them together.
#include <algorithm>
#include <utility>

#include "play.h"

namespace drover::proof {
namespace {

// The loop of the operators, which tells when one of their callbacks has run.
class ToldLoop final : public base::Loop {
 public:
  ToldLoop(base::Loop& inner, std::function<void()> tell) : inner_(inner), tell_(std::move(tell)) {}

  base::Instant now() const override { return inner_.now(); }
  base::WallTime wall() const override { return inner_.wall(); }
  [[nodiscard]] base::Timer after(base::Span span, std::function<void()> then) override {
    return inner_.after(span, told(std::move(then)));
  }
  void post(std::function<void()> then) override { inner_.post(told(std::move(then))); }

 private:
  std::function<void()> told(std::function<void()> then) {
    return [this, then = std::move(then)] {
      then();
      tell_();
    };
  }

  base::Loop& inner_;
  std::function<void()> tell_;
};

}  // namespace

std::vector<const Vendor*> Play::vendors() const {
  std::vector<const Vendor*> all = {&options_.vendor};
  all.insert(all.end(), options_.also.begin(), options_.also.end());
  return all;
}

// Each vendor's checker watches the same world, and knows whose other works are done in it.
void Play::check_all() {
  for (const Vendor* one : vendors()) {
    CheckerOptions options = options_.checker;
    options.knows_owners = options_.knows_owners;
    for (const Vendor* other : vendors()) {
      if (other != one) options.beside.push_back(other);
    }
    if (!checkers_.empty()) options.chronicler = checkers_.front().get();
    checkers_.push_back(std::make_unique<Checker>(*one, world, kubelets, options));
    checkers_.back()->look_through([this] { return doors(); });
  }
  checker = checkers_.front().get();
  if (options_.also.empty()) return;
  LimitTerms terms;
  if (options_.max_unavailable) {
    terms = {.amount = options_.max_unavailable->amount,
             .is_percent = options_.max_unavailable->is_percent,
             .is_asked_for = true};
  }
  limit_ = std::make_unique<FleetLimit>(vendors(), world, *checker, terms);
}

std::vector<const Door*> Play::doors() const {
  std::vector<const Door*> doors;
  for (const Replica& replica : replicas_) {
    if (replica.door) doors.push_back(replica.door.get());
  }
  for (const auto& door : old_doors_) doors.push_back(door.get());
  return doors;
}

void Play::the_trouble_ends() {
  checker->note("fate", "the trouble ends");
  for (const auto& one : checkers_) one->the_trouble_ends();
}

void Play::speak_for(const Vendor& another) {
  const std::vector<const Vendor*> all = vendors();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Vendor* one) { return one->name == another.name; });
  if (at == all.end() || in_turn_ == *at) return;
  in_turn_ = *at;
  vendor = another;
  checker = checkers_[static_cast<std::size_t>(at - all.begin())].get();
}

bool Play::say_for(std::string_view vendor_name, std::string_view sentence) {
  const Vendor* another = vendor_named(vendor_name);
  if (another == nullptr) return fails("no such vendor");
  const Vendor& before = *in_turn_;
  speak_for(*another);
  const bool is_done = say(sentence);
  speak_for(before);
  return is_done;
}

std::vector<std::string> Play::names() const {
  std::vector<std::string> all = Stage::names();
  if (options_.also.empty()) return all;
  std::erase_if(all, [this](const std::string& name) { return !marks_of(vendor, *node(name)).has_device; });
  return all;
}

bool Play::is_clean() const {
  return std::all_of(checkers_.begin(), checkers_.end(), [](const auto& one) { return one->is_clean(); });
}

std::string Play::report() const {
  std::string text;
  for (const auto& one : checkers_) text += one->report();
  return text;
}

std::vector<Breach> Play::breaches() const {
  std::vector<Breach> all;
  for (const auto& one : checkers_) all.insert(all.end(), one->breaches().begin(), one->breaches().end());
  return all;
}

void Play::check_at_rest() {
  for (const auto& one : checkers_) one->check_at_rest();
}

// A node that failed for one vendor may be one of another's, and what is away counts for all.
void Play::check_drivers() {
  const bool others_halt =
      limit_ && (limit_->is_reached() ||
                 std::any_of(checkers_.begin(), checkers_.end(), [](const auto& one) { return one->is_halted(); }));
  for (const auto& one : checkers_) one->check_drivers(others_halt);
}

void Play::machine_goes_down(const std::string& node) {
  for (const auto& one : checkers_) one->machine_goes_down(node);
}

std::string Play::final_state() {
  const Vendor& before = *in_turn_;
  std::string text;
  for (const Vendor* one : vendors()) {
    speak_for(*one);
    add_final_state(text);
  }
  speak_for(before);
  return text;
}

std::map<std::string, Effects> Play::effects() const {
  std::map<std::string, Effects> all;
  for (const auto& one : checkers_) {
    for (const auto& [node, effects] : one->effects()) {
      Effects& sum = all[node];
      sum.driver_deletes += effects.driver_deletes;
      sum.evictions += effects.evictions;
      sum.deletes += effects.deletes;
      sum.cordons += effects.cordons;
      sum.driver_pods += effects.driver_pods;
    }
  }
  return all;
}

// ---- passes

base::Loop& Play::loop() {
  if (!options_.on_pass) return world.loop;
  if (!told_loop_) told_loop_ = std::make_unique<ToldLoop>(world.loop, [this] { look_for_passes(); });
  return *told_loop_;
}

void Play::look_for_passes() {
  for (Replica& one : replicas_) {
    if (!one.drover || one.drover->passes() == one.passes_told) continue;
    one.passes_told = one.drover->passes();
    options_.on_pass(*one.drover);
  }
}

}  // namespace drover::proof
