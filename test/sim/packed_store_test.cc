// What is packed comes out as it went in, and readers of the store see no difference.
#include "sim/packed_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <utility>
#include <vector>

#include "base/virtual_loop.h"
#include "sim/store.h"

namespace drover::sim {
namespace {

json::Value value_of(int depth) {
  const auto text = [] { return *rc::gen::string<std::string>(); };
  switch (*rc::gen::inRange(0, depth > 0 ? 9 : 7)) {
    case 0: return nullptr;
    case 1: return *rc::gen::arbitrary<bool>();
    case 2: return *rc::gen::arbitrary<std::int64_t>();
    case 3: return *rc::gen::arbitrary<std::uint64_t>();
    case 4: return *rc::gen::arbitrary<double>();
    case 5:
    case 6: return json::Value(text());
    case 7: {
      json::Array list;
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) list.push_back(value_of(depth - 1));
      return list;
    }
    default: {
      json::Members members;
      for (int i = *rc::gen::inRange(0, 30); i > 0; --i) members[text()] = value_of(depth - 1);
      return members;
    }
  }
}

RC_GTEST_PROP(PackedStore, GivesBackWhatItWasGiven, ()) {
  PackedStore store;
  const json::Value first = value_of(3);
  const json::Value second = value_of(3);
  const auto packed = store.pack(first);
  const auto packed_second = store.pack(second);
  RC_ASSERT(json::text_of(*store.unpack(packed)) == json::text_of(first));
  RC_ASSERT(store.unpack(packed)->kind() == first.kind());
  RC_ASSERT(json::text_of(*store.unpack(packed_second)) == json::text_of(second));
}

// Objects that have parts in common, come in any order and go in any order.
RC_GTEST_PROP(PackedStore, SharesPartsAmongObjectsThatComeAndGo, ()) {
  PackedStore store;
  std::vector<json::Value> common;
  for (int i = 0; i < 4; ++i) common.push_back(value_of(3));
  std::vector<std::pair<json::Value, Packed>> kept;
  for (int turn = *rc::gen::inRange(0, 60); turn > 0; --turn) {
    if (!kept.empty() && *rc::gen::arbitrary<bool>()) {
      kept.erase(kept.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(kept)));
    } else {
      json::Array object{turn, common[*rc::gen::inRange<std::size_t>(0, common.size())],
                         json::Value{{"inside", common[*rc::gen::inRange<std::size_t>(0, common.size())]}}};
      Packed packed = store.pack(object);
      kept.emplace_back(std::move(object), std::move(packed));
    }
    for (const auto& [object, packed] : kept) {
      RC_ASSERT(json::text_of(*store.unpack(packed)) == json::text_of(object));
    }
  }
  kept.clear();
  RC_ASSERT(store.parts() == 0u);
}

TEST(PackedStore, KeepsWhatManyObjectsHaveAlikeOnce) {
  PackedStore store;
  const json::Value alike = {{"containers", json::Array{json::Value{{"image", "registry.example/service:1.4.2"},
                                                                    {"command", json::Array{"serve", "--port=8080"}}}}},
                             {"schedulerName", "the scheduler of all of them"}};
  std::vector<Packed> packed;
  for (int i = 0; i < 100; ++i) packed.push_back(store.pack({{"name", i}, {"spec", alike}}));
  EXPECT_GT(packed.front().size(), 80u);
  EXPECT_LT(packed.back().size(), 20u);
  EXPECT_EQ(*store.unpack(packed.back()), (json::Value{{"name", 99}, {"spec", alike}}));
  packed.clear();
  EXPECT_EQ(store.parts(), 0u);
}

TEST(PackedStore, KeepsTheKindsOfNumbersAndTheirEnds) {
  PackedStore store;
  const json::Value value = json::Array{std::int64_t{-1}, INT64_MIN, INT64_MAX, UINT64_MAX, 0.5, -0.0};
  EXPECT_EQ(*store.unpack(store.pack(value)), value);
  EXPECT_TRUE(store.unpack(store.pack(json::Value(std::uint64_t{7})))->is_uint64());
}

TEST(PackedStore, SpellsKeysOutWhenItsDictionaryIsFull) {
  PackedStore store;
  json::Members many;
  for (int i = 0; i < 70'000; ++i) many["key-" + std::to_string(i)] = i;
  many[std::string(5000, 'k')] = "long";
  const auto packed = store.pack(many);
  EXPECT_EQ(store.keys(), 65'536u);
  EXPECT_EQ(*store.unpack(packed), json::Value(many));
}

kube::Object pod(int number, std::string_view node) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", "pod-" + std::to_string(number)},
            {"namespace", "ns"},
            {"ownerReferences", json::Array{json::Value{{"uid", "owner"}}}}}},
          {"spec", {{"nodeName", node}}}};
}

class PackedObjects : public ::testing::Test {
 protected:
  Store store;
  PackedObjects() {
    store.keep_history(3);
    store.keep_open(2);
    for (int i = 0; i < 20; ++i) store.put("pods", pod(i, "node-1"));
  }
};

TEST_F(PackedObjects, KeepsOnlyAFewOpen) {
  EXPECT_LE(store.open(), 4u);
  EXPECT_EQ(store.count("pods"), 20u);
}

TEST_F(PackedObjects, ShowsEverythingAsIfItWereOpen) {
  EXPECT_EQ(kube::name_of(*store.find("pods", "ns/pod-0")), "pod-0");
  EXPECT_EQ(kube::version_of(*store.find("pods", "ns/pod-0")), "1");
  EXPECT_EQ(store.pods_on("node-1").size(), 20u);
  EXPECT_EQ(store.owned_by("owner").size(), 20u);
  int seen = 0;
  store.each("pods", "ns", [&](const Stored& object) { seen += kube::namespace_of(*object) == "ns"; });
  EXPECT_EQ(seen, 20);
}

TEST_F(PackedObjects, ReturnsTheSameObjectWhileItIsInUse) {
  const Stored first = store.find("pods", "ns/pod-0");
  EXPECT_EQ(store.find("pods", "ns/pod-0"), first);
}

TEST_F(PackedObjects, KeepsReferencesFromBeforePackingValid) {
  const Stored held = store.put("pods", pod(0, "node-2"));
  for (int i = 5; i < 15; ++i) store.put("pods", pod(i, "node-1"));
  EXPECT_EQ(store.find("pods", "ns/pod-0"), held);
}

TEST_F(PackedObjects, TellsListenersWhatAPackedObjectWasBefore) {
  std::vector<std::string> told;
  store.subscribe([&](const Commit& commit) {
    told.emplace_back(json::text_at(*commit.before, {"spec", "nodeName"}));
    told.emplace_back(json::text_at(*commit.after, {"spec", "nodeName"}));
  });
  store.put("pods", pod(0, "node-2"));
  EXPECT_THAT(told, ::testing::ElementsAre("node-1", "node-2"));
  EXPECT_EQ(store.pods_on("node-1").size(), 19u);
  EXPECT_EQ(store.pods_on("node-2").size(), 1u);
}

TEST_F(PackedObjects, RemovesWhatIsPacked) {
  const Stored last = store.erase("pods", "ns/pod-0");
  ASSERT_TRUE(last);
  EXPECT_EQ(kube::version_of(*last), "21");
  EXPECT_EQ(store.find("pods", "ns/pod-0"), nullptr);
  EXPECT_EQ(store.pods_on("node-1").size(), 19u);
  for (int i = 1; i < 20; ++i) store.erase("pods", "ns/pod-" + std::to_string(i));
  EXPECT_EQ(store.open(), 0u);
}

TEST_F(PackedObjects, ReplaysAndShowsEarlierStatesThatArePacked) {
  const std::uint64_t then = store.version();
  for (int i = 0; i < 20; ++i) store.put("pods", pod(i, "node-2"));
  store.erase("pods", "ns/pod-3");
  store.put("pods", pod(20, "node-2"));
  std::vector<std::string> told;
  store.replay("pods", then, [&](const Commit& commit) {
    told.push_back(std::string(commit.before ? json::text_at(*commit.before, {"spec", "nodeName"}) : "nowhere") + ">" +
                   std::string(json::text_at(*commit.after, {"spec", "nodeName"})));
  });
  ASSERT_EQ(told.size(), 22u);
  EXPECT_EQ(told.front(), "node-1>node-2");
  EXPECT_EQ(told[20], "node-2>node-2");
  EXPECT_EQ(told.back(), "nowhere>node-2");
  const auto before = store.before("pods", then);
  ASSERT_EQ(before.size(), 21u);
  EXPECT_EQ(json::text_at(*before.at("ns/pod-3").open(), {"spec", "nodeName"}), "node-1");
  EXPECT_FALSE(before.at("ns/pod-20"));
}

TEST(PackedHistory, IsKeptForFiveMinutesAndNotLonger) {
  using namespace std::chrono_literals;
  base::VirtualLoop clock;
  Store store(&clock);
  store.keep_history(3);
  store.keep_open(2);
  for (int i = 0; i < 20; ++i) store.put("pods", pod(i, "node-1"));
  clock.run_for(4min);
  store.put("pods", pod(0, "node-2"));
  EXPECT_EQ(store.oldest_replayable(), 0u);
  EXPECT_EQ(store.history(), 21u);
  clock.run_for(61s);
  store.put("pods", pod(1, "node-2"));
  // Those three that lie open cost nothing that their objects do not.
  EXPECT_EQ(store.oldest_replayable(), 19u);
  EXPECT_EQ(store.history(), 3u);
  EXPECT_EQ(json::text_at(*store.find("pods", "ns/pod-5"), {"spec", "nodeName"}), "node-1");
}

TEST(PackedHistory, OfASmallStoreIsForgottenInstead) {
  Store store;
  store.keep_history(3);
  for (int i = 0; i < 20; ++i) store.put("pods", pod(0, "node-1"));
  EXPECT_EQ(store.history(), 3u);
  EXPECT_EQ(store.oldest_replayable(), 17u);
}

}  // namespace
}  // namespace drover::sim
