#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace drover::base {
namespace {

Result<std::unique_ptr<int>> make(bool good) {
  if (!good) return fault(Fault::Kind::Conflict, "no");
  return std::make_unique<int>(7);
}

Result<int> twice(bool good) {
  TRY(auto first, make(good));
  TRY(const auto second, make(true));
  return *first + *second;
}

Result<void> nothing(bool good) {
  TRY_VOID(twice(good));
  return {};
}

TEST(Try, GivesTheValueOrReturnsTheFault) {
  EXPECT_EQ(twice(true).value(), 14);
  EXPECT_EQ(twice(false).error().kind, Fault::Kind::Conflict);
  EXPECT_TRUE(nothing(true));
  EXPECT_EQ(nothing(false).error().message, "no");
}

TEST(Fault, ContextGoesBeforeTheMessageAndKeepsTheRest) {
  Fault fault{Fault::Kind::Throttled, "slow down", std::chrono::seconds(3)};
  auto wrapped = with_context(fault, "patch nodes/gpu-7");
  EXPECT_EQ(wrapped.error().message, "patch nodes/gpu-7: slow down");
  EXPECT_EQ(wrapped.error().kind, Fault::Kind::Throttled);
  EXPECT_EQ(wrapped.error().retry_after, std::chrono::seconds(3));
}

}  // namespace
}  // namespace drover::base
