// Watches on the server: replay, selectors, transitions, the end of history; and lists with their pages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/objects.h"
#include "sim/server.h"

namespace drover::sim {
namespace {

using namespace kube;

class Watching : public ::testing::Test {
 protected:
  void label(const std::string& node, const char* value) {
    expect(server.serve(patch(kNodes, "", node, PatchKind::Merge,
                              {{"metadata", json::Members{{"labels", json::Members{{"pool", json::Value(value)}}}}}})));
  }
  Server::Seen into(std::string& text) {
    return [&text](WatchEvent::Kind kind, const Stored& object) {
      text += "AMDB"[static_cast<int>(kind)];
      text += std::string(name_of(*object)) + "@" + std::string(version_of(*object)) + "/" +
              std::string(label_of(*object, "pool")) + " ";
    };
  }
  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};
  std::uint64_t start = server.store().version();
};

TEST_F(Watching, SeesComingChangingAndGoing) {
  std::string seen;
  expect(server.watch({kNodes, "", "", ""}, start, into(seen)));
  expect(server.serve(create(kNodes, "", node_named("a"))));
  label("a", "x");
  expect(server.serve(remove(kNodes, "", "a", "")));
  EXPECT_EQ(seen, "Aa@5/ Ma@6/x Da@7/x ");
}

TEST_F(Watching, ReplaysWhatHappenedSinceAVersion) {
  expect(server.serve(create(kNodes, "", node_named("a"))));
  label("a", "x");
  expect(server.serve(remove(kNodes, "", "a", "")));
  std::string seen;
  expect(server.watch({kNodes, "", "", ""}, start + 1, into(seen)));
  EXPECT_EQ(seen, "Ma@6/x Da@7/x ");
}

TEST_F(Watching, FromZeroBeginsWithWhatExists) {
  expect(server.serve(create(kNodes, "", node_named("b"))));
  expect(server.serve(create(kNodes, "", node_named("a"))));
  std::string seen;
  expect(server.watch({kNodes, "", "", ""}, 0, into(seen)));
  EXPECT_EQ(seen, "Aa@6/ Ab@5/ ");
}

TEST_F(Watching, AnObjectThatStartsOrStopsMatchingComesAndGoes) {
  expect(server.serve(create(kNodes, "", node_named("a"))));
  std::string seen;
  expect(server.watch({kNodes, "", "pool=gold", ""}, server.store().version(), into(seen)));
  label("a", "silver");
  label("a", "gold");
  label("a", "silver");  // leaves as it last matched, with the version of the change
  EXPECT_EQ(seen, "Aa@7/gold Da@8/gold ");
}

TEST_F(Watching, FieldSelectorsFollowAPodToItsNode) {
  expect(server.serve(create(kPods, "default", pod_named("default", "p"))));
  std::string seen;
  expect(server.watch({kPods, "", "", "spec.nodeName=n1"}, server.store().version(), into(seen)));
  Request bind = create(kPods, "default", {{"target", json::Members{{"name", "n1"}}}});
  bind.name = "p";
  bind.subresource = "binding";
  expect(server.serve(bind));
  EXPECT_EQ(seen, "Ap@6/ ");
}

TEST_F(Watching, RefusesAVersionThatHistoryHasForgotten) {
  for (const char* name : {"a", "b", "c"}) expect(server.serve(create(kNodes, "", node_named(name))));
  server.store().compact(server.store().version());
  const Rejection no =
      expect_refused(server.watch({kNodes, "", "", ""}, start, [](WatchEvent::Kind, const Stored&) {}));
  EXPECT_EQ(no.code, 410);
  EXPECT_EQ(no.reason, "Expired");
  EXPECT_EQ(no.message, "too old resource version: 4 (7)");
}

TEST_F(Watching, StopsInTheMiddleOfAnEvent) {
  int seen = 0;
  int id = 0;
  id = expect(server.watch({kNodes, "", "", ""}, start, [&](WatchEvent::Kind, const Stored&) {
    ++seen;
    server.unwatch(id);
  }));
  expect(server.serve(create(kNodes, "", node_named("a"))));
  expect(server.serve(create(kNodes, "", node_named("b"))));
  EXPECT_EQ(seen, 1);
}

TEST_F(Watching, ANoOpWriteSendsNoEvent) {
  expect(server.serve(create(kNodes, "", node_named("a"))));
  label("a", "x");
  const std::uint64_t before = server.store().version();
  label("a", "x");
  EXPECT_EQ(server.store().version(), before);
}

// Lists.

class Listing : public Watching {
 protected:
  std::string names(const ListPage& page) {
    std::string text;
    for (const Stored object : page.items) text += std::string(name_of(*object)) + " ";
    return text;
  }
};

TEST_F(Listing, PagesShowTheMomentOfTheFirst) {
  for (const char* name : {"a", "b", "c", "d", "e"}) expect(server.serve(create(kNodes, "", node_named(name))));
  const ListPage first = expect(server.list({kNodes, "", "", ""}, 2, "", ""));
  EXPECT_EQ(names(first), "a b ");
  EXPECT_EQ(first.remaining, 3);
  expect(server.serve(remove(kNodes, "", "c", "")));
  expect(server.serve(create(kNodes, "", node_named("cc"))));
  label("d", "new");
  const ListPage second = expect(server.list({kNodes, "", "", ""}, 2, first.continue_token, ""));
  EXPECT_EQ(names(second), "c d ");
  EXPECT_EQ(label_of(*second.items[1].open(), "pool"), "");
  EXPECT_EQ(second.resource_version, first.resource_version);
  const ListPage third = expect(server.list({kNodes, "", "", ""}, 2, second.continue_token, ""));
  EXPECT_EQ(names(third), "e ");
  EXPECT_EQ(third.continue_token, "");
}

// Nodes that register, each written several times, while a client pages through them: the last page is of the same
// moment as the first.
TEST_F(Listing, PagesLastWhileThousandsOfNodesRegister) {
  constexpr int kCount = 4500;
  const std::string weight(4000, 'w');
  for (int i = 0; i < kCount; ++i) {
    Object node = node_named(fmt::format("n{:04}", i));
    json::ensure(node, {"metadata", "annotations", "weight"}) = weight;
    expect(server.serve(create(kNodes, "", std::move(node))));
  }
  ListPage page = expect(server.list({kNodes, "", "", ""}, 750, "", ""));
  int shown = static_cast<int>(page.items.size());
  for (int round = 0; !page.continue_token.empty(); ++round) {
    for (int i = 0; i < kCount; ++i) label(fmt::format("n{:04}", i), std::to_string(round).c_str());
    page = expect(server.list({kNodes, "", "", ""}, 750, page.continue_token, ""));
    for (const Stored node : page.items) {
      EXPECT_EQ(label_of(*node, "pool"), "");
      EXPECT_EQ(kube::annotation_of(*node, "weight").size(), weight.size());
    }
    shown += static_cast<int>(page.items.size());
  }
  EXPECT_EQ(shown, kCount);
}

TEST_F(Listing, APageTooLateIsExpired) {
  for (const char* name : {"a", "b", "c"}) expect(server.serve(create(kNodes, "", node_named(name))));
  const ListPage first = expect(server.list({kNodes, "", "", ""}, 1, "", ""));
  label("a", "x");
  server.store().compact(server.store().version());
  const Rejection no = expect_refused(server.list({kNodes, "", "", ""}, 1, first.continue_token, ""));
  EXPECT_EQ(no.code, 410);
  EXPECT_EQ(no.reason, "Expired");
}

TEST_F(Listing, RefusesAFieldThatCannotBeSelected) {
  EXPECT_EQ(expect_refused(server.list({kPods, "", "", "spec.hostname=x"}, 0, "", "")).message,
            "field label not supported: spec.hostname");
  EXPECT_EQ(expect_refused(server.list({kConfigMaps, "", "", "data.x=1"}, 0, "", "")).message,
            "\"data.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
}

TEST_F(Listing, SelectsNodesThatAreCordoned) {
  expect(server.serve(create(kNodes, "", node_named("a"))));
  expect(server.serve(create(kNodes, "", node_named("b"))));
  expect(server.serve(patch(kNodes, "", "a", PatchKind::Merge, {{"spec", json::Members{{"unschedulable", true}}}})));
  EXPECT_EQ(names(expect(server.list({kNodes, "", "", "spec.unschedulable=true"}, 0, "", ""))), "a ");
  EXPECT_EQ(names(expect(server.list({kNodes, "", "", "spec.unschedulable=false"}, 0, "", ""))), "b ");
  EXPECT_EQ(names(expect(server.list({kNodes, "", "", "metadata.name!=a"}, 0, "", ""))), "b ");
}

TEST_F(Listing, RefusesATokenThatIsNone) {
  for (const char* token : {"x", "!!!", "e30="}) {
    EXPECT_EQ(expect_refused(server.list({kNodes, "", "", ""}, 1, token, "")).code, 400) << token;
  }
}

}  // namespace
}  // namespace drover::sim
