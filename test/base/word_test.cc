#include "base/word.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/box.h"

namespace drover::base {
namespace {

TEST(Word, IsKeptOnceAndGoesWithItsLastHolder) {
  const std::size_t before = Word::held();
  {
    const Word one("feature.node.kubernetes.io/kernel-version.full");
    Word other(std::string("feature.node.kubernetes.io/kernel-version.full"));
    EXPECT_EQ(one, other);
    EXPECT_EQ(one.view().data(), other.view().data());
    EXPECT_EQ(Word::held(), before + 1);
    other = Word("another");
    EXPECT_EQ(Word::held(), before + 2);
    EXPECT_NE(one, other);
    other = one;
    EXPECT_EQ(Word::held(), before + 1);
    const std::vector<Word> many(100, one);
    EXPECT_EQ(Word::held(), before + 1);
    EXPECT_EQ(many.back(), "feature.node.kubernetes.io/kernel-version.full");
  }
  EXPECT_EQ(Word::held(), before);
}

TEST(Word, TheEmptyTextIsNobody) {
  const std::size_t before = Word::held();
  EXPECT_TRUE(Word("").empty());
  EXPECT_EQ(Word(""), Word());
  EXPECT_EQ(Word::held(), before);
}

TEST(Box, CopiesDeepAndComparesByValue) {
  Box<std::string> one = std::string("a");
  const Box<std::string> other = one;
  EXPECT_EQ(one, other);
  *one = "b";
  EXPECT_EQ(*other, "a");
  EXPECT_FALSE(one == other);
  one.reset();
  EXPECT_FALSE(one);
  EXPECT_EQ(one, Box<std::string>());
}

}  // namespace
}  // namespace drover::base
