#include "base/interned_string.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/cow_ptr.h"

namespace drover::base {
namespace {

TEST(InternedString, IsKeptOnceAndGoesWithItsLastHolder) {
  const std::size_t before = InternedString::held();
  {
    const InternedString one("feature.node.kubernetes.io/kernel-version.full");
    InternedString other(std::string("feature.node.kubernetes.io/kernel-version.full"));
    EXPECT_EQ(one, other);
    EXPECT_EQ(one.view().data(), other.view().data());
    EXPECT_EQ(InternedString::held(), before + 1);
    other = InternedString("another");
    EXPECT_EQ(InternedString::held(), before + 2);
    EXPECT_NE(one, other);
    other = one;
    EXPECT_EQ(InternedString::held(), before + 1);
    const std::vector<InternedString> many(100, one);
    EXPECT_EQ(InternedString::held(), before + 1);
    EXPECT_EQ(many.back(), "feature.node.kubernetes.io/kernel-version.full");
  }
  EXPECT_EQ(InternedString::held(), before);
}

TEST(InternedString, TheEmptyTextIsNotHeld) {
  const std::size_t before = InternedString::held();
  EXPECT_TRUE(InternedString("").empty());
  EXPECT_EQ(InternedString(""), InternedString());
  EXPECT_EQ(InternedString::held(), before);
}

TEST(CowPtr, CopiesDeepAndComparesByValue) {
  CowPtr<std::string> one = std::string("a");
  const CowPtr<std::string> other = one;
  EXPECT_EQ(one, other);
  *one = "b";
  EXPECT_EQ(*other, "a");
  EXPECT_FALSE(one == other);
  one.reset();
  EXPECT_FALSE(one);
  EXPECT_EQ(one, CowPtr<std::string>());
}

}  // namespace
}  // namespace drover::base
