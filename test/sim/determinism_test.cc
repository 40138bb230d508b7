// The same seed gives the same transcript, byte for byte.
#include <gtest/gtest.h>

#include "sim/faults.h"
#include "sim/objects.h"
#include "sim/store_api.h"

namespace drover::sim {
namespace {

using namespace kube;
using namespace std::chrono_literals;

// A few hundred random requests by several clients over an API with faults, and watches that write down what they
// see.
class Story {
 public:
  explicit Story(std::uint64_t seed) : chance_(seed) {
    api_.add({.fault = FaultKind::LostAnswer, .verb = "write", .probability = 0.05});
    api_.add({.fault = FaultKind::DuplicateEvent, .probability = 0.05});
    api_.add({.fault = FaultKind::StaleWatch, .probability = 0.1, .span = 3s});
    api_.add({.fault = FaultKind::Slow, .probability = 0.1, .span = 1s});
    watch({kNodes, "", "", ""});
    watch({kPods, "", "app=web", ""});
    watch({kPods, "default", "", "spec.nodeName=n1"});
    for (int i = 0; i < 400; ++i) {
      loop_.after(std::chrono::milliseconds(chance_.below(60'000)), [this] { act(); }).let_go();
    }
    loop_.run_for(2min);
    server_.store().each("pods", "", [this](const Stored& pod) { note(json::text_of(*pod)); });
    server_.store().each("nodes", "", [this](const Stored& node) { note(json::text_of(*node)); });
  }
  const std::string& transcript() const { return transcript_; }

 private:
  void note(const std::string& line) { transcript_ += line + "\n"; }
  void watch(Range range) {
    api_.watch({.range = range, .resource_version = "0", .timeout = 30s, .projection = {}},
               {.event =
                    [this](WatchEvent event) {
                      note("event " + std::to_string(static_cast<int>(event.kind)) + json::text_of(event.object));
                    },
                .ended = [this, range](std::optional<Fault>) { watch(range); }})
        .let_go();
  }
  void act() {
    const std::string name = "n" + std::to_string(chance_.below(4));
    const std::string pod = "p" + std::to_string(chance_.below(8));
    Request request;
    switch (chance_.below(9)) {
      case 0: request = create(kNodes, "", node_named(name)); break;
      case 1:
        request = patch(kNodes, "", name, PatchKind::Merge,
                        {{"spec", json::Members{{"unschedulable", chance_.chance(0.5)}}}});
        break;
      case 2: request = remove(kNodes, "", name, ""); break;
      case 3: {
        Object object = pod_named("default", pod, chance_.chance(0.5) ? name : "");
        json::ensure(object, {"metadata", "labels", "app"}) = chance_.chance(0.5) ? "web" : "db";
        request = create(kPods, "default", object);
        break;
      }
      case 4: {
        Object object = pod_named("default", "");
        object.as_object()["metadata"] = json::Members{{"generateName", "made-"}};
        request = create(kPods, "default", object);
        break;
      }
      case 5:
        request =
            patch(kPods, "default", pod, PatchKind::Strategic, parsed(R"({"metadata":{"labels":{"app":"web"}}})"));
        break;
      case 6:
        request = patch(kPods, "default", pod, PatchKind::Merge, parsed(R"({"status":{"phase":"Running"}})"), "status");
        break;
      case 7: request = evict("default", pod, ""); break;
      default:
        request = remove(kPods, "default", pod, "");
        request.grace = 0s;
        break;
    }
    const std::string what = sentence(request);
    api_.call(std::move(request),
              [this, what](Result<Object> result) {
                note(base::human(loop_.now().time_since_epoch()) + " " + what + ": " +
                     (result ? json::text_of(*result) : result.error().message));
              })
        .let_go();
  }

  base::VirtualLoop loop_;
  Server server_{loop_, base::Random(11)};
  StoreApi door_{server_, loop_, base::Random(12)};
  FaultyApi api_{door_, loop_, base::Random(13), &server_};
  base::Random chance_;
  std::string transcript_;
};

TEST(Determinism, TheSameSeedGivesTheSameTranscript) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Story first(seed);
    const Story second(seed);
    EXPECT_GT(first.transcript().size(), 100'000u);
    EXPECT_EQ(first.transcript(), second.transcript()) << "seed " << seed;
  }
}

TEST(Determinism, AnotherSeedGivesAnother) { EXPECT_NE(Story(1).transcript(), Story(2).transcript()); }

}  // namespace
}  // namespace drover::sim
