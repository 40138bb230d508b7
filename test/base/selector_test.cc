#include "base/selector.h"

#include <gtest/gtest.h>

namespace drover::base {
namespace {

bool selects(std::string_view selector, const json::Members& labels) {
  auto parsed = Selector::parse(selector);
  EXPECT_TRUE(parsed) << selector << ": " << (parsed ? "" : parsed.error().message);
  return parsed && parsed->matches(labels);
}

TEST(Selector, MatchesAsKubectlDoes) {
  const json::Members web = {{"app", "web"}, {"tier", "a"}, {"gpus", "8"}, {"empty", ""}};
  struct {
    const char* selector;
    bool matches;
  } rows[] = {
      {"", true},
      {"app=web", true},
      {"app==web", true},
      {"app=db", false},
      {"app!=db", true},
      {"missing!=db", true},
      {"app", true},
      {"missing", false},
      {"!missing", true},
      {"!app", false},
      {"tier in (a, b)", true},
      {"tier in (b)", false},
      {"tier notin (a,b)", false},
      {"missing notin (a)", true},
      {"app=web,tier in (a),!missing", true},
      {"app=web,tier=b", false},
      {"gpus>4", true},
      {"gpus<8", false},
      {"missing>4", false},
      {"empty=", true},
      {"app=", false},
      {" app = web , tier in ( a ) ", true},
      {"missing in (a,)", false},
      {"empty in (,x)", true},
  };
  for (const auto& row : rows) EXPECT_EQ(selects(row.selector, web), row.matches) << row.selector;
}

TEST(Selector, RefusesWhatTheGrammarDoesNotKnow) {
  for (const char* text : {"=web", "app=web,", ",app", "app in a", "app in (a", "app like b", "app=we b", "!", "app=-x",
                           "app>x", "a b", "app=(a)", "-app=x", "Example.com/app=x", "a/b/c=d", "app=ä"}) {
    auto parsed = Selector::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind, Fault::Kind::Refused) << text;
  }
  EXPECT_FALSE(Selector::parse("app=" + std::string(64, 'x')));
  EXPECT_TRUE(Selector::parse("app=" + std::string(63, 'x')));
}

TEST(Selector, ReadsTheObjectForm) {
  const json::Value selector = {
      {"matchLabels", {{"app", "web"}}},
      {"matchExpressions", json::Array{{{"key", "tier"}, {"operator", "In"}, {"values", {"a", "b"}}},
                                       {{"key", "legacy"}, {"operator", "DoesNotExist"}}}}};
  auto parsed = Selector::from_json(selector);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->text(), "app=web,tier in (a,b),!legacy");
  EXPECT_TRUE(parsed->matches(json::Members{{"app", "web"}, {"tier", "b"}}));
  EXPECT_FALSE(parsed->matches(json::Members{{"app", "web"}, {"tier", "b"}, {"legacy", ""}}));
}

TEST(Selector, ObjectFormRefusesUnknownOperatorsAndMissingValues) {
  auto with = [](json::Value expression) {
    return Selector::from_json({{"matchExpressions", json::Array{std::move(expression)}}});
  };
  EXPECT_FALSE(with({{"key", "a"}, {"operator", "Near"}}));
  EXPECT_FALSE(with({{"key", "a"}, {"operator", "In"}}));
  EXPECT_FALSE(with({{"key", "a"}, {"operator", "Exists"}, {"values", {"x"}}}));
  EXPECT_FALSE(Selector::from_json({{"matchLabels", {{"a", 1}}}}));
}

// Small inputs, all of them: whatever parses must print to a text that parses to the same meaning.
TEST(Selector, TextOfEverySmallSelectorMeansTheSame) {
  const std::string alphabet = "ab=!,in ()";
  std::vector<std::string> texts = {""};
  int parsed_count = 0;
  for (int length = 0; length < 5; ++length) {
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      for (char c : alphabet) longer.push_back(text + c);
    }
    for (const std::string& text : longer) {
      auto parsed = Selector::parse(text);
      if (!parsed) continue;
      ++parsed_count;
      auto again = Selector::parse(parsed->text());
      ASSERT_TRUE(again) << '"' << text << "\" printed as " << parsed->text();
      ASSERT_EQ(again->text(), parsed->text()) << text;
    }
    texts = std::move(longer);
  }
  EXPECT_GT(parsed_count, 1000);
}

}  // namespace
}  // namespace drover::base
