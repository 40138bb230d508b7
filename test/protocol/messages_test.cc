// The words between operator and agent: what is written is read back, and nothing else is believed.
#include "protocol/order.h"
#include "protocol/report.h"

#include <gtest/gtest.h>

namespace drover::protocol {
namespace {

using base::Fault;

Order an_order() {
  return {.id = "a40adcfdb72c866c",
          .target = "41884ad21a432455",
          .may_load = true,
          .is_paused = false,
          .version = "550.54.15"};
}

Report a_report() {
  return {.boot = "39eb9a0d-a15a-4b72-b856-e6ba44241254",
          .id = "a40adcfdb72c866c",
          .digest = "41884ad21a432455",
          .wants = AgentRequest::Evict,
          .can_unload = true,
          .message = "2 processes hold /dev/nvidia0"};
}

TEST(Messages, AnOrderIsReadBackAsItWasWritten) {
  EXPECT_EQ(
      text_of(an_order()),
      R"({"v":1,"id":"a40adcfdb72c866c","target":"41884ad21a432455","mayLoad":true,"paused":false,"version":"550.54.15"})");
  EXPECT_EQ(parse_order(text_of(an_order())), an_order());
}

TEST(Messages, AReportIsReadBackAsItWasWritten) {
  EXPECT_EQ(
      text_of(a_report()),
      R"({"v":1,"boot":"39eb9a0d-a15a-4b72-b856-e6ba44241254","id":"a40adcfdb72c866c","digest":"41884ad21a432455",)"
      R"("wants":"evict","canUnload":true,"message":"2 processes hold /dev/nvidia0"})");
  for (const AgentRequest request :
       {AgentRequest::Nothing, AgentRequest::Load, AgentRequest::Evict, AgentRequest::Drain}) {
    Report report = a_report();
    report.wants = request;
    EXPECT_EQ(parse_report(text_of(report)), report) << word(request);
  }
}

TEST(Messages, ARefusalAndAPauseAreReadBackAsTheyWereWritten) {
  Order order = an_order();
  order.may_load = false;
  order.serves = AgentRequest::Evict;
  order.is_refused = true;
  order.message = "pod ml/notebook has no controller";
  EXPECT_EQ(parse_order(text_of(order)), order);
  order.message = std::string(9000, '"');
  EXPECT_LE(text_of(order).size(), kMostMessageBytes);
  EXPECT_TRUE(parse_order(text_of(order)));
  Report report = a_report();
  report.has_paused = true;
  EXPECT_EQ(parse_report(text_of(report)), report);
}

TEST(Messages, MembersOfALaterReleaseAreIgnored) {
  EXPECT_EQ(parse_order(R"({"v":1,"id":"x","target":"d","mayLoad":true,"paused":true,"mood":{"is":"good"}})"),
            (Order{.id = "x", .target = "d", .may_load = true, .is_paused = true}));
}

TEST(Messages, AnOrderThatIsNotWholeIsAFault) {
  for (const char* text :
       {"", "{}", "[]", "null", "{\"v\":1}", R"({"v":2,"id":"x","target":"d","mayLoad":true})",
        R"({"v":"1","id":"x","target":"d","mayLoad":true})", R"({"v":1,"id":"x","target":"d"})",
        R"({"v":1,"id":"x","target":"","mayLoad":true})", R"({"v":1,"target":"d","mayLoad":true})",
        R"({"v":1,"id":"x","target":"d","mayLoad":"true"})",
        R"({"v":1,"id":"x","target":"d","mayLoad":true,"paused":0})",
        R"({"v":1,"id":"x y","target":"d","mayLoad":true})", R"({"v":1,"id":"x","target":"../../etc","mayLoad":true})",
        R"({"v":1,"id":"x","target":"d","mayLoad":true,"version":"1.2;rm -rf /"})",
        R"({"v":1,"id":"x","target":"d","mayLoad":true)"}) {
    const auto order = parse_order(text);
    ASSERT_FALSE(order) << text;
    EXPECT_EQ(order.error().kind, Fault::Kind::Malformed) << text;
    EXPECT_FALSE(order.error().message.empty()) << text;
  }
}

TEST(Messages, AReportThatIsNotWholeIsAFault) {
  for (const char* text :
       {"{}", R"({"v":1,"boot":"","id":"","digest":"d","canUnload":true})",
        R"({"v":1,"id":"","digest":"d","canUnload":true})", R"({"v":1,"boot":"b","id":"","digest":"d"})",
        R"({"v":1,"boot":"b","id":"","digest":"d","canUnload":true,"wants":"coffee"})",
        R"({"v":1,"boot":"b","id":"","digest":"d","canUnload":true,"wants":null})",
        R"({"v":1,"boot":"b","id":"","digest":"d","canUnload":true,"message":7})",
        R"({"v":1,"boot":"b","id":"`id`","digest":"d","canUnload":true})"}) {
    EXPECT_FALSE(parse_report(text)) << text;
  }
}

TEST(Messages, WhatIsLongerThanTwoKilobytesIsAFault) {
  const std::string head = R"({"v":1,"id":"x","target":"d","mayLoad":true,"padding":")";
  EXPECT_TRUE(parse_order(head + std::string(kMostMessageBytes - head.size() - 2, 'x') + "\"}"));
  EXPECT_FALSE(parse_order(head + std::string(kMostMessageBytes - head.size() - 1, 'x') + "\"}"));
}

TEST(Messages, NoReportIsWrittenThatCouldNotBeReadBack) {
  Report report = a_report();
  report.message = std::string(5000, '"') + "\n\x01\\";
  report.id = std::string(5000, 'x');
  const std::string text = text_of(report);
  EXPECT_LE(text.size(), kMostMessageBytes);
  const auto read = parse_report(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->id, "");  // better no claim than half of one
  EXPECT_GT(read->message.size(), 200U);
}

TEST(Messages, AMessageIsOneLine) {
  const auto read =
      parse_report(R"({"v":1,"boot":"b","id":"","digest":"d","canUnload":true,"message":"a\nb\u001b[2J"})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->message.find_first_of("\n\x1b"), std::string::npos) << read->message;
}

TEST(Messages, SayWhatIsToBePreparedAndWhatIs) {
  const Order order{.id = "", .target = "d", .prepare = "2.8.0"};
  EXPECT_EQ(parse_order(text_of(order)).value(), order);
  const Report report{
      .boot = "b", .id = "i", .digest = "d", .loaded = "2.7.0", .prepared = "2.8.0", .cannot_prepare = true};
  EXPECT_EQ(parse_report(text_of(report)).value(), report);
  EXPECT_FALSE(parse_order(R"({"v": 1, "id": "", "target": "d", "mayLoad": false, "prepare": "../x"})"));
  EXPECT_FALSE(parse_report(R"({"v": 1, "boot": "b", "id": "", "digest": "", "canUnload": true, "loaded": 7})"));
}

}  // namespace
}  // namespace drover::protocol
