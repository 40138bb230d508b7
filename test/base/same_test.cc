#include "base/same.h"

#include <gtest/gtest.h>

namespace drover::json {
namespace {

TEST(Same, LooksAtWhatIsThereAndNotAtItsOrder) {
  const Value one = {{"a", 1}, {"b", {{"c", {1, "x", nullptr}}, {"d", true}}}};
  const Value turned = {{"b", {{"d", true}, {"c", {1, "x", nullptr}}}}, {"a", 1U}};
  EXPECT_TRUE(same(one, turned));
  EXPECT_FALSE(same(one, Value{{"a", 1}, {"b", {{"c", {"x", 1, nullptr}}, {"d", true}}}})) << "a list has an order";
  EXPECT_FALSE(same(Value{{"a", 1}, {"b", 2}}, Value{{"a", 1}, {"c", 2}}));
  EXPECT_FALSE(same(Value{{"a", 1}}, Value{{"a", 1}, {"b", nullptr}}));
  EXPECT_FALSE(same(Value("1"), Value(1)));
  const Value* nowhere = nullptr;
  EXPECT_TRUE(same(nowhere, nowhere));
  EXPECT_FALSE(same(&one, nowhere));
}

}  // namespace
}  // namespace drover::json
