#include "operator/operator.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/version.h"
#include "observe/ranges.h"
#include "operator/pass.h"

namespace drover::operate {
namespace {

// The periodic look finds nothing to do; it covers what the watches might miss.
constexpr base::Span kLookAnyway = std::chrono::minutes(10);
// A kilobyte each. What is recorded of thousands of nodes at once is of each node the first.
constexpr std::size_t kEventsRemembered = 1024;

}  // namespace

Operator::Operator(kube::Api& api, base::Loop& loop, const base::Random& random, Settings settings,
                   std::function<void()> lost)
    : api_(api, loop),
      loop_(loop),
      random_(random),
      settings_(std::move(settings)),
      nodes_([](const kube::Object& object) { return observe::node_facts(object); }),
      events_(api_, loop, random.fork("events"), "drover", settings_.instance, kEventsRemembered, true) {
  for (const Served& served : settings_.vendors) {
    controllers_.push_back(std::make_unique<Controller>(
        api_, loop, random.fork(served.profile->vendor.name), served, nodes_, events_,
        [this] { return is_leader() && !is_stopped_; }, [this] { wake(); }));
  }
  if (settings_.lease) {
    election_ = std::make_unique<kube::LeaderElection>(
        api_, loop, random.fork("lease"), *settings_.lease, [this] { look(); }, std::move(lost));
  }
}

Operator::~Operator() = default;

void Operator::start() { election_ ? election_->start() : look(); }

// A new leader lists everything again: a watch that had fallen behind while it stood by would show nodes as free that
// the leader before has taken.
void Operator::look() {
  watch_nodes();
  const act::OperatorName name{
      .instance = settings_.instance,
      .version = std::string(base::version()),
      .since = base::rfc3339(loop_.wall()),
      .lease = settings_.lease ? settings_.lease->ns + "/" + settings_.lease->name : std::string()};
  for (const auto& controller : controllers_) controller->start(name);
}

void Operator::watch_nodes() {
  kube::Listener listener = kube::feed(nodes_, [this] { wake(); });
  listener.trouble = [this](const kube::Fault& fault) {
    trouble_at_ = loop_.now();
    log::warn("watching nodes is interrupted", {{"why", fault.message}});
  };
  nodes_.doubt();
  std::vector<const vendors::WorkProfile*> profiles;
  for (const Served& served : settings_.vendors) profiles.push_back(served.profile);
  node_reflector_ = std::make_unique<kube::Reflector>(
      api_, loop_, random_.fork("nodes"), observe::all_nodes(),
      observe::node_projection(profiles, {label_keys_.begin(), label_keys_.end()}), std::move(listener));
  node_reflector_->start();
}

// Policies may select nodes by any label: those that we have not asked for yet are asked for.
bool Operator::learn_labels() {
  const std::size_t known = label_keys_.size();
  for (const auto& controller : controllers_) {
    controller->read_policies();
    const std::vector<std::string> keys = controller->label_keys();
    label_keys_.insert(keys.begin(), keys.end());
  }
  return label_keys_.size() > known;
}

void Operator::stop(std::function<void()> done) {
  is_stopped_ = true;
  next_ = {};
  if (election_) {
    election_->resign(std::move(done));
  } else {
    loop_.post(std::move(done));
  }
}

bool Operator::is_synced() const {
  return node_reflector_ != nullptr && node_reflector_->is_synced() &&
         std::all_of(controllers_.begin(), controllers_.end(),
                     [](const auto& controller) { return controller->is_synced(); }) &&
         std::any_of(controllers_.begin(), controllers_.end(),
                     [](const auto& controller) { return controller->knows_its_policies(); });
}

bool Operator::knows_a_policy_kind() const {
  return std::any_of(controllers_.begin(), controllers_.end(),
                     [](const auto& controller) { return controller->serves_a_kind(); });
}

bool Operator::stands_by() const { return election_ && !election_->is_leader() && !election_->holder().empty(); }

bool Operator::is_leader() const { return !election_ || election_->is_leader(); }

std::optional<base::Span> Operator::silent_for() const {
  const auto heard = node_reflector_ == nullptr ? std::nullopt : node_reflector_->heard_at();
  return heard ? std::optional<base::Span>(loop_.now() - *heard) : std::nullopt;
}

// Many changes at once are one pass.
void Operator::wake() {
  if (is_woken_ || is_stopped_) return;
  is_woken_ = true;
  loop_.post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    is_woken_ = false;
    run();
  });
}

void Operator::run() {
  if (is_stopped_ || !is_synced() || !is_leader()) return;
  if (learn_labels()) return watch_nodes();
  ++passes_;
  const Heard heard{.time = api_.heard(),
                    .nodes_at = node_reflector_->heard_at().value_or(base::Instant()),
                    .leader_before_until = election_ ? election_->leader_before_until() : std::nullopt};
  const PassInput input{
      .changed_nodes = nodes_.take_changes(), .heard = heard, .max_unavailable = settings_.max_unavailable};
  const base::Span next = run_pass(controllers_, input, kLookAnyway);
  next_ = loop_.after(next, [this] { wake(); });
}

}  // namespace drover::operate
