// Mistakes that only an operator of several vendors can make, each made from outside (bugs.h), and found.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/log.h"
#include "story.h"

namespace drover::proof {
namespace {

struct Found {
  bool is_found = false;
  std::string report;
};

Found found(const std::string& name, std::string_view invariant, const std::function<void(PlayOptions&)>& plant) {
  log::redirect([](std::string_view) {});
  const Story told = story(name);
  PlayOptions options = options_of(told);
  plant(options);
  Play play(options);
  std::string report = tell(play, told);
  const std::vector<Breach> breaches = play.breaches();
  const bool is_found = std::any_of(breaches.begin(), breaches.end(),
                                    [&](const Breach& breach) { return breach.invariant == invariant; });
  return {is_found, report + "\n" + play.checker->chronicle()};
}

// A record without the claim of the other vendor.
void hide_claim(const Vendor& of, kube::Object& node) {
  auto record = json::parse(kube::annotation_of(node, kRecord));
  if (!record || json::text_at(*record, {"claim", "kind"}) != of.kind) return;
  record->get_object().erase("claim");
  json::ensure(node, {"metadata", "annotations", kRecord}) = json::text_of(*record);
}

TEST(TwoVendors, AnOperatorThatDoesNotKnowTheLimitOverAllIsFound) {
  const Found was = found("together-limit", "I1 limit over all", [](PlayOptions& options) {
    options.told_instead = core::Share{.amount = 100, .is_percent = true};
  });
  EXPECT_TRUE(was.is_found) << was.report;
}

TEST(TwoVendors, AnOperatorThatDoesNotSeeTheOtherWorksClaimIsFound) {
  const Found was = found("together-pods", "I4 no lost cordon", [](PlayOptions& options) {
    options.mistakes.see = [](const kube::Range& range, kube::Object& object) {
      if (range.resource.plural == "nodes") hide_claim(nvidia(), object);
      return true;
    };
  });
  EXPECT_TRUE(was.is_found) << was.report;
}

// The write that cordons for the one closes the other's gate.
TEST(TwoVendors, AWriteForTheOneThatChangesWhatIsTheOthersIsFound) {
  const Found was = found("together-plain", "I23 foreign mutation", [](PlayOptions& options) {
    options.mistakes.alter = [](kube::Request& request) {
      const bool is_node_patch = request.verb == kube::Verb::Patch && request.resource.plural == "nodes";
      const std::string_view record = json::text_at(request.body, {"metadata", "annotations", kRecord});
      if (is_node_patch && record.find(R"("kind":"nvidia/driver")") != std::string_view::npos)
        json::ensure(request.body, {"metadata", "annotations", tenstorrent().cordon_annotation}) = "nvidia";
      return true;
    };
  });
  EXPECT_TRUE(was.is_found) << was.report;
}

}  // namespace
}  // namespace drover::proof
