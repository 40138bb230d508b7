#include "base/log.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/json.h"

namespace drover::log {
namespace {

class Log : public ::testing::Test {
 protected:
  Log() {
    redirect([this](std::string_view line) { lines_.emplace_back(line); });
  }
  ~Log() override {
    redirect({});
    configure(Level::Info, Format::Text);
  }
  std::vector<std::string> lines_;
};

TEST_F(Log, TextQuotesWhatWouldBeAmbiguous) {
  info("drained", {{"node", "gpu-7"}, {"reason", "a b"}, {"pod", ""}});
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0], R"(info  drained  node=gpu-7  reason="a b"  pod="")");
}

TEST_F(Log, AMessageWithANewlineIsStillOneLine) {
  warn("first\nsecond", {{"why", "x\ny"}});
  EXPECT_EQ(lines_.at(0), R"(warn  first second  why="x\ny")");
}

TEST_F(Log, JsonLinesParse) {
  configure(Level::Info, Format::Json);
  error("it \"broke\"", {{"node", "gpu-7"}});
  auto parsed = json::parse(lines_.at(0));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(json::text_at(*parsed, {"msg"}), "it \"broke\"");
  EXPECT_EQ(json::text_at(*parsed, {"level"}), "error");
  EXPECT_EQ(json::text_at(*parsed, {"node"}), "gpu-7");
}

TEST_F(Log, LevelsBelowTheLeastAreSilent) {
  debug("not shown");
  configure(Level::Error, Format::Text);
  warn("not shown either");
  EXPECT_TRUE(lines_.empty());
}

TEST_F(Log, RedactHidesPasswordsInUrlsAndBearerTokens) {
  EXPECT_EQ(redact("proxy http://me:secret@proxy:3128/x failed"), "proxy http://***@proxy:3128/x failed");
  EXPECT_EQ(redact("Authorization: Bearer abc.def.ghi"), "Authorization: Bearer ***");
  EXPECT_EQ(redact("https://plain/host?q=a@b"), "https://plain/host?q=a@b");
  EXPECT_EQ(redact("https://a:b@c and Bearer t, then https://d:e@f"),
            "https://***@c and Bearer ***, then https://***@f");
}

}  // namespace
}  // namespace drover::log
