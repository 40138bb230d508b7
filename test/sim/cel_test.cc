// The expression language against a table that a real API server agreed with, and against texts that mean harm.
#include "sim/cel/cel.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/cel_table.h"
#include "sim/crd/cel_type.h"
#include "sim/crd/schema.h"

namespace drover::sim::cel {
namespace {

TypeRef type_from(std::string_view schema) {
  const auto read = crd::read_schema(*json::parse(schema));
  return crd::cel_type(**read, false);
}

// "refused: 1:5: …" from the whole report: its first complaint.
std::string first_complaint(const std::string& message) {
  constexpr std::string_view kStart = "compilation failed: ERROR: <input>:";
  if (!message.starts_with(kStart)) return "refused: " + message;
  return "refused: " + message.substr(kStart.size(), message.find("\n |") - kStart.size());
}

std::string outcome(std::string_view expression, const TypeRef& type, const json::Value& self,
                    const json::Value* old = nullptr, std::uint64_t limit = kCostPerRule) {
  const auto program = compile(expression, type);
  if (!program) return first_complaint(program.error().message);
  const Evaluation evaluation = run(*program, self, old, limit);
  if (evaluation.failed()) return "error: " + std::string(evaluation.error());
  if (evaluation.value.get<bool>() == nullptr) return "not a bool";
  return evaluation.value.is_true() ? "true" : "false";
}

TEST(Cel, AnswersEveryRowOfTheTableAsARealServerDid) {
  const TypeRef type = type_from(kTableSchema);
  const json::Value self = *json::parse(kTableSelf);
  ASSERT_GE(kRows.size(), 250U);
  for (const Row& row : kRows) EXPECT_EQ(outcome(row.expression, type, self), row.outcome) << row.expression;
}

TEST(Cel, TakesAnOldSelfThatMayNotBeThere) {
  const TypeRef type = type_from(R"({"type":"integer"})");
  const json::Value one = 1;
  const json::Value two = 2;
  const auto says = [&](std::string_view expression, const json::Value* old) {
    const auto program = compile(expression, type, true);
    EXPECT_TRUE(program.has_value()) << expression;
    return program ? run(*program, two, old).value.is_true() : false;
  };
  EXPECT_TRUE(says("oldSelf.hasValue()", &one));
  EXPECT_FALSE(says("oldSelf.hasValue()", nullptr));
  EXPECT_TRUE(says("oldSelf.orValue(7) == 7", nullptr));
  EXPECT_TRUE(says("oldSelf.value() + 1 == self", &one));
  EXPECT_FALSE(says("oldSelf.value() == 1", nullptr));
  EXPECT_FALSE(compile("oldSelf + 1 == self", type, true).has_value());
  EXPECT_FALSE(compile("oldSelf.hasValue()", type, false).has_value());
}

TEST(Cel, RefusesByNameWhatItLeavesOut) {
  const TypeRef type = type_from(kTableSchema);
  const json::Value self = *json::parse(kTableSelf);
  for (const std::string_view expression :
       {"ip('10.0.0.1').family() == 4", "isIP(self.s)", "cidr('10.0.0.0/8').containsIP('10.0.0.1')", "isCIDR(self.s)",
        "isSemver(self.s)", "optional.of(1).hasValue()", "optional.none() == optional.none()",
        "format.dns1123Label().validate(self.s).hasValue()", "self.ls.slice(0, 1) == ['a']",
        "self.ls.distinct() == []"}) {
    const std::string answer = outcome(expression, type, self);
    EXPECT_NE(answer.find("is left out of the embedded cluster's CEL"), std::string::npos) << expression << answer;
  }
  for (const std::string_view expression :
       {"self.?opt.hasValue()", "self.ls[?0].hasValue()", "[?self.opt].size() == 1"}) {
    const std::string answer = outcome(expression, type, self);
    EXPECT_NE(answer.find("optional types are left out of the embedded cluster"), std::string::npos) << expression;
  }
}

TEST(Cel, ShowsTheLineAndACaretUnderEveryComplaint) {
  const auto program = compile("self.s == 'a' &&\n  self.ué", type_from(kTableSchema));
  ASSERT_FALSE(program.has_value());
  EXPECT_TRUE(program.error().message.starts_with("compilation failed: ERROR: <input>:2:9: Syntax error"))
      << program.error().message;
  const auto second = compile("self.nope == 1 ||\n  self.s == 2", type_from(kTableSchema));
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().message,
            "compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope == 1 ||\n | ....^\n"
            "ERROR: <input>:2:10: found no matching overload for '_==_' applied to '(string, int)'\n"
            " |   self.s == 2\n | .........^");
}

TEST(Cel, TellsWhetherARuleUsesOldSelf) {
  const TypeRef type = type_from(kTableSchema);
  EXPECT_TRUE(compile("self.i >= oldSelf.i", type)->uses_old_self());
  EXPECT_FALSE(compile("self.i >= 0", type)->uses_old_self());
  const json::Value now = *json::parse(R"({"i": 2, "lo": [{"name": "a"}, {"name": "b", "v": 1}]})");
  const json::Value before = *json::parse(R"({"i": 1, "lo": [{"name": "b", "v": 1}, {"name": "a"}]})");
  EXPECT_EQ(outcome("self.i >= oldSelf.i", type, now, &before), "true");
  EXPECT_EQ(outcome("self.i <= oldSelf.i", type, now, &before), "false");
  EXPECT_EQ(outcome("self.lo == oldSelf.lo", type, now, &before), "true") << "keyed lists have no order";
  EXPECT_EQ(outcome("(self.lo + oldSelf.lo).size() == 2", type, now, &before), "true");
}

TEST(Cel, EndsInAnErrorWhenARuleCostsTooMuch) {
  const TypeRef type = type_from(kTableSchema);
  const json::Value self = *json::parse(kTableSelf);
  EXPECT_EQ(outcome("self.li.all(x, self.li.all(y, x + y > 0))", type, self, nullptr, 20),
            "error: operation cancelled: actual cost limit exceeded");
  std::string nested = "[0,1,2,3,4,5,6,7,8,9]";
  std::string rule = "true";
  for (char variable = 'a'; variable < 'k'; ++variable) rule = nested + ".all(" + variable + ", " + rule + ")";
  EXPECT_EQ(outcome(rule, type, self), "error: operation cancelled: actual cost limit exceeded");
  EXPECT_EQ(outcome("false || " + rule, type, self), "error: operation cancelled: actual cost limit exceeded");
}

TEST(Cel, DoesNotLetATextGrowWithoutEnd) {
  std::string grow = "'" + std::string(1000, 'a') + "'";
  for (int i = 0; i < 4; ++i) grow += ".replace('a', '" + std::string(100, 'a') + "')";
  const std::string answer = outcome(grow + " == ''", type_from(kTableSchema), *json::parse(kTableSelf));
  EXPECT_TRUE(answer == "error: result too large" || answer == "error: operation cancelled: actual cost limit exceeded")
      << answer;
}

TEST(Cel, RefusesTextsThatNestTooDeeply) {
  const TypeRef type = type_from(kTableSchema);
  const auto complaint = [&](const std::string& text) { return compile(text, type).error().message; };
  for (const std::string& text : {std::string(5000, '(') + "1", std::string(5000, '['), std::string(5000, '{'),
                                  "1" + std::string(40000, ' ') + "?" + std::string(10, '?')}) {
    EXPECT_FALSE(compile(text, type).has_value()) << text.substr(0, 20);
  }
  std::string sum = "1";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  EXPECT_NE(complaint(sum + " == 1").find("recursion limit exceeded"), std::string::npos);
  std::string chain = "self";
  for (int i = 0; i < 5000; ++i) chain += ".o";
  EXPECT_NE(complaint(chain).find("recursion limit exceeded"), std::string::npos);
  EXPECT_NE(complaint(std::string(200'000, ' ')).find("exceeds limit"), std::string::npos);
}

TEST(Cel, KeepsLongChainsOfAndAndOrFlat) {
  std::string chain = "self.b";
  for (int i = 0; i < 3000; ++i) chain += " && self.b";
  EXPECT_EQ(outcome(chain, type_from(kTableSchema), *json::parse(kTableSelf)), "true");
}

}  // namespace
}  // namespace drover::sim::cel
