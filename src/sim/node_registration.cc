#include "sim/node_registration.h"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <utility>

#include "sim/nodes.h"

namespace drover::sim {
namespace {

using base::Fault;
using Kind = Fault::Kind;

constexpr int kAtOnce = 16;
constexpr int kMostTries = 8;

bool may_pass(Kind kind) {
  return kind == Kind::Throttled || kind == Kind::Unreachable || kind == Kind::Unknown || kind == Kind::Failed;
}

}  // namespace

struct NodeRegistration::Body {
  struct Errand {
    kube::Object node;  // empty when it is to go
    std::string name;
    base::Backoff backoff{std::chrono::milliseconds(200), std::chrono::seconds(5)};
    kube::Call call = {};
    base::Timer timer = {};
  };

  kube::Api& api;
  base::Loop& loop;
  base::Random random;
  std::deque<Errand> waiting;
  std::map<int, Errand> under_way;
  int next = 0;
  Count count;
  std::function<void(base::Result<Count>)> done;
  base::Timer telling;

  Body(kube::Api& api, base::Loop& loop, base::Random random) : api(api), loop(loop), random(std::move(random)) {}

  void begin(std::deque<Errand> errands, std::function<void(base::Result<Count>)> then) {
    count = {};
    under_way.clear();
    waiting = std::move(errands);
    done = std::move(then);
    go_on();
  }

  void go_on() {
    while (!waiting.empty() && under_way.size() < kAtOnce) {
      const int number = next++;
      under_way.emplace(number, std::move(waiting.front()));
      waiting.pop_front();
      send(number);
    }
    if (under_way.empty() && done) finish(count);
  }

  void finish(base::Result<Count> outcome) {
    waiting.clear();
    // Later: we may stand inside the answer of one of the calls that end here.
    telling = loop.after(base::Span::zero(), [this, outcome = std::move(outcome)] {
      under_way.clear();
      if (auto tell = std::exchange(done, nullptr)) tell(outcome);
    });
  }

  void send(int number) {
    Errand& errand = under_way.at(number);
    auto request = errand.node.is_object() ? kube::create(kube::kNodes, "", errand.node)
                                           : kube::remove(kube::kNodes, "", errand.name, "");
    request.projection = {"metadata.labels"};
    errand.call =
        api.call(std::move(request), [this, number](base::Result<kube::Object> answer) { answered(number, answer); });
  }

  void answered(int number, const base::Result<kube::Object>& answer) {
    Errand& errand = under_way.at(number);
    const bool makes = errand.node.is_object();
    if (answer || (!makes && answer.error().kind == Kind::NotFound)) return ended(number, true);
    if (makes && answer.error().kind == Kind::AlreadyExists) return look(number);
    give_up_or_retry(number, answer.error());
  }

  void look(int number) {
    Errand& errand = under_way.at(number);
    auto request = kube::get(kube::kNodes, "", errand.name);
    request.projection = {"metadata.labels"};
    errand.call = api.call(std::move(request), [this, number](base::Result<kube::Object> answer) {
      const std::string name = under_way.at(number).name;
      if (!answer) return give_up_or_retry(number, answer.error());
      if (kube::label_of(*answer, kSimulatedLabel) == "true") return ended(number, false);
      finish(base::fault(Kind::Refused,
                         fmt::format("node {} exists and is not labelled {}=true: it may be a real machine; "
                                     "label it, or delete it, or choose other --nodes",
                                     name, kSimulatedLabel)));
    });
  }

  void give_up_or_retry(int number, Fault fault) {
    Errand& errand = under_way.at(number);
    if (!may_pass(fault.kind) || errand.backoff.tries() >= kMostTries) {
      return finish(base::with_context(std::move(fault), "node " + errand.name));
    }
    errand.timer = loop.after(errand.backoff.next(random), [this, number] { send(number); });
  }

  void ended(int number, bool made) {
    ++(made ? count.made : count.found);
    // Not erased here: the call whose answer this is lives in the errand.
    loop.post([this, number, alive = std::weak_ptr<int>(life)] {
      if (alive.expired()) return;
      under_way.erase(number);
      go_on();
    });
  }

  std::shared_ptr<int> life = std::make_shared<int>(0);
};

NodeRegistration::NodeRegistration(kube::Api& api, base::Loop& loop, base::Random random)
    : body_(std::make_unique<Body>(api, loop, std::move(random))) {}
NodeRegistration::~NodeRegistration() = default;

void NodeRegistration::enrol(std::vector<kube::Object> nodes, std::function<void(base::Result<Count>)> done) {
  std::deque<Body::Errand> errands;
  for (auto& node : nodes) {
    Body::Errand errand;
    errand.name = kube::name_of(node);
    errand.node = std::move(node);
    errands.push_back(std::move(errand));
  }
  body_->begin(std::move(errands), std::move(done));
}

void NodeRegistration::dismiss(std::vector<std::string> names, std::function<void(base::Result<int>)> done) {
  std::deque<Body::Errand> errands;
  for (auto& name : names) {
    Body::Errand errand;
    errand.name = std::move(name);
    errands.push_back(std::move(errand));
  }
  body_->begin(std::move(errands), [done = std::move(done)](base::Result<Count> count) {
    if (count) return done(count->made);
    done(std::unexpected(count.error()));
  });
}

}  // namespace drover::sim
