#include "base/json.h"

#include <gtest/gtest.h>

namespace drover::json {
namespace {

const Value kPod = {{"metadata", {{"name", "train-7"}, {"generation", 3}, {"labels", {{"app", "train"}}}}},
                    {"spec", {{"hostPID", true}, {"containers", Array{1, 2}}}}};

TEST(Json, AnswersNeutrallyWhenAFieldIsMissingOrOfAnotherType) {
  EXPECT_EQ(text_at(kPod, {"metadata", "name"}), "train-7");
  EXPECT_EQ(text_at(kPod, {"metadata", "generation"}), "");
  EXPECT_EQ(text_at(kPod, {"metadata", "name", "deeper"}), "");
  EXPECT_EQ(int_at(kPod, {"metadata", "generation"}), 3);
  EXPECT_EQ(int_at(kPod, {"metadata", "name"}, 9), 9);
  EXPECT_TRUE(flag_at(kPod, {"spec", "hostPID"}));
  EXPECT_TRUE(flag_at(kPod, {"spec", "hostIPC"}, true));
  EXPECT_EQ(members_at(kPod, {"metadata", "labels"}).size(), 1U);
  EXPECT_TRUE(members_at(kPod, {"spec", "containers"}).empty());
  EXPECT_EQ(array_at(kPod, {"spec", "containers"}).size(), 2U);
  EXPECT_TRUE(array_at(kPod, {"spec"}).empty());
}

TEST(Json, IntAtRefusesFractionsInsteadOfRounding) { EXPECT_EQ(int_at(Value{{"a", 1.5}}, {"a"}, -1), -1); }

TEST(Json, EnsureMakesTheWayAndReplacesWhatIsInIt) {
  Value value = {{"spec", 5}};
  ensure(value, {"spec", "unschedulable"}) = true;
  EXPECT_EQ(text_of(value), R"({"spec":{"unschedulable":true}})");
}

TEST(Json, RemoveTellsWhetherThereWasAnything) {
  Value value = kPod;
  EXPECT_TRUE(remove(value, {"metadata", "labels", "app"}));
  EXPECT_FALSE(remove(value, {"metadata", "labels", "app"}));
  EXPECT_FALSE(remove(value, {"nowhere", "at", "all"}));
  EXPECT_TRUE(members_at(value, {"metadata", "labels"}).empty());
}

TEST(Json, ParseNamesTheByteWhereTheTextStopsBeingJson) {
  auto garbled = parse(R"({"a": nope})");
  ASSERT_FALSE(garbled);
  EXPECT_EQ(garbled.error().kind, base::Fault::Kind::Malformed);
  EXPECT_NE(garbled.error().message.find("at byte"), std::string::npos) << garbled.error().message;
  EXPECT_FALSE(parse(""));
  EXPECT_FALSE(parse("{} {}"));
  EXPECT_TRUE(parse(" {} \n"));
}

TEST(Json, ParseRefusesDepthInsteadOfOverflowingTheStack) {
  EXPECT_FALSE(parse(std::string(100'000, '[')));
  EXPECT_TRUE(parse(std::string(100, '[') + std::string(100, ']')));
}

}  // namespace
}  // namespace drover::json
