#include "base/box.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::base {
namespace {

TEST(Box, IsEmptyUntilSomethingIsPutIn) {
  Box<std::string> box;
  EXPECT_FALSE(box);
  box = std::string("x");
  ASSERT_TRUE(box.has_value());
  EXPECT_EQ(*box, "x");
  box.reset();
  EXPECT_EQ(box, Box<std::string>(std::nullopt));
}

TEST(Box, WhoeverChangesHisCopyChangesNobodyElses) {
  Box<std::string> one = std::string("a claim");
  Box<std::string> other = one;
  const Box<std::string>& seen = other;
  EXPECT_EQ(&*seen, &*static_cast<const Box<std::string>&>(one)) << "copies share what nobody changes";
  one->append(" of mine");
  EXPECT_EQ(*one, "a claim of mine");
  EXPECT_EQ(*seen, "a claim");
  other = std::string("another");
  EXPECT_EQ(*one, "a claim of mine");
}

TEST(Box, IsComparedByWhatIsInIt) {
  const Box<std::string> one = std::string("x");
  EXPECT_EQ(one, Box<std::string>(std::string("x")));
  EXPECT_NE(one, Box<std::string>(std::string("y")));
  EXPECT_NE(one, Box<std::string>());
}

TEST(Box, OutlivesWhatItWasCopiedFromAndMoved) {
  Box<std::string> kept;
  {
    Box<std::string> first = std::string("long enough to lie on the heap");
    kept = first;
    const Box<std::string> moved = std::move(first);
    EXPECT_EQ(moved, kept);
  }
  EXPECT_EQ(*kept, "long enough to lie on the heap");
  Box<std::string>& itself = kept;
  kept = itself;
  EXPECT_EQ(*kept, "long enough to lie on the heap");
}

}  // namespace
}  // namespace drover::base
