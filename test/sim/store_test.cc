// The versioned store: commits, order, history, indexes, and objects that outlive it.
#include "sim/store.h"

#include <gtest/gtest.h>

#include "sim/objects.h"

namespace drover::sim {
namespace {

std::vector<std::string> keys_of(const Store& store, std::string_view resource, std::string_view ns = {}) {
  std::vector<std::string> keys;
  store.each(resource, ns, [&](const Stored& object) { keys.push_back(kube::key_of(*object)); });
  return keys;
}

TEST(Store, GivesEveryCommitTheNextVersion) {
  Store store;
  EXPECT_EQ(kube::version_of(*store.put("nodes", node_named("a"))), "1");
  EXPECT_EQ(kube::version_of(*store.put("nodes", node_named("b"))), "2");
  EXPECT_EQ(kube::version_of(*store.put("nodes", node_named("a"))), "3");
  EXPECT_EQ(kube::version_of(*store.erase("nodes", "b")), "4");
  EXPECT_EQ(store.version(), 4u);
}

TEST(Store, WalksInKeyOrderAndInsideOneNamespace) {
  Store store;
  for (const char* ns : {"b", "a", "a-b"}) {
    for (const char* name : {"y", "x"}) store.put("pods", pod_named(ns, name));
  }
  EXPECT_EQ(keys_of(store, "pods"), (std::vector<std::string>{"a-b/x", "a-b/y", "a/x", "a/y", "b/x", "b/y"}));
  EXPECT_EQ(keys_of(store, "pods", "a"), (std::vector<std::string>{"a/x", "a/y"}));
}

TEST(Store, KeepsWhatWasReadWhenTheObjectChangesOrGoes) {
  Store store;
  const Stored first = store.put("nodes", node_named("a"));
  kube::Object changed = *first;
  json::ensure(changed, {"spec", "unschedulable"}) = true;
  store.put("nodes", changed);
  store.erase("nodes", "a");
  EXPECT_EQ(kube::version_of(*first), "1");
  EXPECT_FALSE(json::flag_at(*first, {"spec", "unschedulable"}));
}

TEST(Store, LetsCopiesOutliveIt) {
  kube::Object copy;
  {
    Store store;
    kube::Object node = node_named("a");
    json::ensure(node, {"metadata", "annotations", "long"}) = std::string(500, 'x');
    copy = *store.put("nodes", node);
    for (int i = 0; i < 200; ++i) store.put("nodes", node_named("other-" + std::to_string(i)));
  }
  json::ensure(copy, {"metadata", "annotations", "added"}) = std::string(300, 'y');
  EXPECT_EQ(kube::annotation_of(copy, "long"), std::string(500, 'x'));
  EXPECT_EQ(kube::annotation_of(copy, "added"), std::string(300, 'y'));
}

TEST(Store, TellsListenersOfEachCommitInOrderEvenWhenOneOfThemWrites) {
  Store store;
  std::vector<std::string> heard;
  store.subscribe([&](const Commit& commit) {
    if (commit.version == 1) store.put("nodes", node_named("made-by-a-listener"));
  });
  store.subscribe(
      [&](const Commit& commit) { heard.push_back(std::to_string(commit.version) + kube::key_of(*commit.after)); });
  store.put("nodes", node_named("a"));
  EXPECT_EQ(heard, (std::vector<std::string>{"1a", "2made-by-a-listener"}));
}

TEST(Store, ForgetsAListenerThatLeavesWhileItIsTold) {
  Store store;
  int heard = 0;
  int id = 0;
  id = store.subscribe([&](const Commit&) {
    ++heard;
    store.unsubscribe(id);
  });
  store.put("nodes", node_named("a"));
  store.put("nodes", node_named("b"));
  EXPECT_EQ(heard, 1);
}

TEST(Store, ReplaysOneResourceFromAVersionOn) {
  Store store;
  store.put("nodes", node_named("a"));
  store.put("pods", pod_named("default", "p"));
  store.put("nodes", node_named("b"));
  store.erase("nodes", "a");
  std::string seen;
  store.replay("nodes", 1, [&](const Commit& commit) {
    seen += std::to_string(commit.version) + (commit.kind == Commit::Kind::Removed ? "-" : "+") +
            kube::key_of(*commit.after) + " ";
  });
  EXPECT_EQ(seen, "3+b 4-a ");
}

TEST(Store, ForgetsHistoryBeyondItsLimit) {
  Store store;
  store.keep_history(3);
  for (int i = 0; i < 5; ++i) store.put("nodes", node_named("n" + std::to_string(i)));
  EXPECT_EQ(store.oldest_replayable(), 2u);
  store.compact(4);
  EXPECT_EQ(store.oldest_replayable(), 4u);
}

TEST(Store, RestoresAnObjectAsItWas) {
  Store store;
  const Stored was = store.put("nodes", node_named("a"));
  store.erase("nodes", "a");
  std::vector<std::uint64_t> told;
  store.subscribe([&](const Commit& commit) { told.push_back(commit.version); });
  store.restore("nodes", was);
  EXPECT_EQ(store.find("nodes", "a"), was);
  EXPECT_EQ(kube::version_of(*was), "1");
  EXPECT_EQ(told, std::vector<std::uint64_t>{3});
  EXPECT_EQ(kube::version_of(*store.put("nodes", node_named("b"))), "4");
}

TEST(Store, FindsThePodsOfANodeAlsoAfterTheyMovedOrWent) {
  Store store;
  store.put("pods", pod_named("default", "a", "n1"));
  store.put("pods", pod_named("default", "b"));
  EXPECT_EQ(store.pods_on("n1").size(), 1u);
  store.put("pods", pod_named("default", "b", "n1"));
  EXPECT_EQ(store.pods_on("n1").size(), 2u);
  store.erase("pods", "default/a");
  ASSERT_EQ(store.pods_on("n1").size(), 1u);
  EXPECT_EQ(kube::name_of(*store.pods_on("n1")[0]), "b");
  EXPECT_TRUE(store.pods_on("n2").empty());
}

TEST(Store, FindsWhatAnObjectOwns) {
  Store store;
  kube::Object pod = pod_named("default", "a");
  json::ensure(pod, {"metadata", "ownerReferences"}) =
      json::Array{json::Members{{"uid", "u1"}}, json::Members{{"uid", "u2"}}};
  store.put("pods", pod);
  ASSERT_EQ(store.owned_by("u1").size(), 1u);
  EXPECT_EQ(store.owned_by("u1")[0].first, "pods");
  json::ensure(pod, {"metadata", "ownerReferences"}) = json::Array{json::Members{{"uid", "u2"}}};
  store.put("pods", pod);
  EXPECT_TRUE(store.owned_by("u1").empty());
  EXPECT_EQ(store.owned_by("u2").size(), 1u);
}

}  // namespace
}  // namespace drover::sim
