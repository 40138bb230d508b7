// What a task tells the operator: it is read back as it was written, and never longer than the kubelet keeps.
#include "protocol/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::protocol {
namespace {

using ::testing::HasSubstr;

Verdict whole() {
  return {.claim = "claim-1",
          .boot = "0b1c",
          .target = "19.9.0.0#7",
          .outcome = Outcome::Mismatch,
          .parts = {{"0000:01:00.0", "19.8.0.0"}, {"chip 1", ""}},
          .message = "what \"happened\"",
          .output = {"FLASH SUCCESS", "the end"}};
}

TEST(Verdict, IsReadBackAsItWasWritten) {
  const auto read = parse_verdict(text_of(whole()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, whole());
  EXPECT_EQ(*parse_verdict(text_of(Verdict{})), Verdict{});
}

TEST(Verdict, HasAWordForEachOutcomeThatIsItsOwn) {
  for (int i = 0; i <= static_cast<int>(Outcome::Wedged); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    EXPECT_NE(word(outcome), "");
    EXPECT_EQ(parse_outcome(word(outcome)), outcome);
  }
  EXPECT_EQ(parse_outcome(""), std::nullopt);
  EXPECT_EQ(parse_outcome("Done"), std::nullopt);
}

TEST(Verdict, IsNeverLongerThanTheKubeletKeepsAndKeepsOutcomeAndParts) {
  for (const char* filling : {"x", "\"", "\x01", "\xe2\x82\xac", "\\"}) {
    Verdict verdict = whole();
    for (int i = 0; i < 400; ++i) verdict.message += filling;
    for (int i = 0; i < 100; ++i) verdict.output.emplace_back(1000, filling[0]);
    for (int i = 0; i < 100; ++i) verdict.parts.push_back({std::string(100, filling[0]), std::string(100, 'v')});
    const std::string text = text_of(verdict);
    EXPECT_LE(text.size(), kMostVerdictBytes);
    const auto read = parse_verdict(text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->outcome, Outcome::Mismatch);
    EXPECT_EQ(read->parts.front(), whole().parts.front());
  }
}

TEST(Verdict, RefusesWhatIsNone) {
  for (const char* text : {"", "{}", "[]", "done", "{\"v\":2,\"outcome\":\"done\"}", "{\"v\":1}",
                           "{\"v\":1,\"outcome\":\"perhaps\"}", "{\"v\":1,\"outcome\":\"done\",\"parts\":[1]}",
                           "{\"v\":1,\"outcome\":\"done\",\"parts\":[[\"a\"]]}", "{\"v\":1,\"outcome\":\"done\""})
    EXPECT_FALSE(parse_verdict(text)) << text;
  EXPECT_FALSE(parse_verdict(std::string(5000, ' ') + text_of(whole())));
}

TEST(Verdict, NamesEachVersionOnce) {
  EXPECT_EQ(versions_of({}), "");
  EXPECT_EQ(versions_of({{"a", "19.9.0.0"}, {"b", "19.8.0.0"}, {"c", "19.9.0.0"}, {"d", ""}}), "19.8.0.0,19.9.0.0");
}

}  // namespace
}  // namespace drover::protocol
