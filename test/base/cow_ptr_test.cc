#include "base/cow_ptr.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::base {
namespace {

TEST(CowPtr, IsEmptyUntilSomethingIsPutIn) {
  CowPtr<std::string> box;
  EXPECT_FALSE(box);
  box = std::string("x");
  ASSERT_TRUE(box.has_value());
  EXPECT_EQ(*box, "x");
  box.reset();
  EXPECT_EQ(box, CowPtr<std::string>(std::nullopt));
}

TEST(CowPtr, AChangedCopyChangesNoOther) {
  CowPtr<std::string> one = std::string("a claim");
  CowPtr<std::string> other = one;
  const CowPtr<std::string>& seen = other;
  EXPECT_EQ(&*seen, &*static_cast<const CowPtr<std::string>&>(one)) << "copies share what is not changed";
  one->append(" of mine");
  EXPECT_EQ(*one, "a claim of mine");
  EXPECT_EQ(*seen, "a claim");
  other = std::string("another");
  EXPECT_EQ(*one, "a claim of mine");
}

TEST(CowPtr, IsComparedByWhatIsInIt) {
  const CowPtr<std::string> one = std::string("x");
  EXPECT_EQ(one, CowPtr<std::string>(std::string("x")));
  EXPECT_NE(one, CowPtr<std::string>(std::string("y")));
  EXPECT_NE(one, CowPtr<std::string>());
}

TEST(CowPtr, OutlivesWhatItWasCopiedFromAndMoved) {
  CowPtr<std::string> kept;
  {
    CowPtr<std::string> first = std::string("long enough to lie on the heap");
    kept = first;
    const CowPtr<std::string> moved = std::move(first);
    EXPECT_EQ(moved, kept);
  }
  EXPECT_EQ(*kept, "long enough to lie on the heap");
  CowPtr<std::string>& itself = kept;
  kept = itself;
  EXPECT_EQ(*kept, "long enough to lie on the heap");
}

}  // namespace
}  // namespace drover::base
