// Selectors of lists and watches, each operator against every value of a small world.
#include <gtest/gtest.h>

#include "sim/objects.h"
#include "sim/server.h"
#include "sim/server/selector_words.h"

namespace drover::sim {
namespace {

using namespace kube;

// Objects that differ in one label: absent, "", "a", "b".
std::string matching(std::string_view selector) {
  std::string out;
  const auto filter = Filter::make({kNodes, "", std::string(selector), ""});
  if (!filter) return "refused";
  for (const char* value : {"-", "", "a", "b"}) {
    Object node = node_named("n");
    if (value[0] != '-') json::ensure(node, {"metadata", "labels", "k"}) = value;
    out += filter->matches(node) ? "1" : "0";
  }
  return out;
}

struct SelectorCase {
  std::string_view selector, matches;  // absent, "", "a", "b"
};

TEST(LabelSelectors, MeanWhatKubectlMeans) {
  for (const SelectorCase& it : std::initializer_list<SelectorCase>{
           {"", "1111"},           {"k", "0111"},         {"!k", "1000"},          {"k=a", "0010"},
           {"k==a", "0010"},       {"k!=a", "1101"},      {"k=", "0100"},          {"k in (a)", "0010"},
           {"k in (a,b)", "0011"}, {"k in (,a)", "0110"}, {"k notin (a)", "1101"}, {"k notin (a,b)", "1100"},
           {"k,k!=a", "0101"},     {"k=a,k=b", "0000"},   {"other", "0000"},       {"k in a", "refused"},
           {"k==", "0100"},        {"=a", "refused"},     {"k=a b", "refused"},    {",", "refused"},
       }) {
    EXPECT_EQ(matching(it.selector), it.matches) << it.selector;
  }
}

TEST(LabelSelectors, AreRefusedInKubesWords) {
  EXPECT_EQ(complaint_about_selector("a in b"), "unable to parse requirement: found 'b' expected: '('");
  EXPECT_EQ(complaint_about_selector("a=b c"), "found 'c', expected: ',' or 'end of string'");
  EXPECT_EQ(complaint_about_selector("a=b!"), "found '!', expected: ',' or 'end of string'");
  EXPECT_EQ(complaint_about_selector("a!/b=b"),
            "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_EQ(complaint_about_selector("a,,"), "found ',', expected: identifier after ','");
  EXPECT_EQ(complaint_about_selector("a=b,c in (d,e),!f"), "");
}

struct FieldCase {
  const Resource& resource;
  std::string_view object, selector;
  bool matches;
};

TEST(FieldSelectors, SeeWhatTheirKindShows) {
  for (const FieldCase& it : std::initializer_list<FieldCase>{
           {kPods, R"({"metadata":{"name":"p","namespace":"n"}})", "metadata.name=p,metadata.namespace=n", true},
           {kPods, R"({"spec":{"nodeName":"g"}})", "spec.nodeName=g", true},
           {kPods, R"({})", "spec.nodeName=", true},
           {kPods, R"({"status":{"phase":"Running"}})", "status.phase!=Running", false},
           {kPods, R"({"status":{"phase":"Running"}})", "status.phase!=Succeeded,status.phase!=Failed", true},
           {kPods, R"({"spec":{"restartPolicy":"Always","serviceAccountName":"s"}})",
            "spec.restartPolicy=Always,spec.serviceAccountName=s", true},
           {kNodes, R"({})", "spec.unschedulable=false", true},
           {kNodes, R"({"spec":{"unschedulable":true}})", "spec.unschedulable==true", true},
           {kEvents,
            R"({"involvedObject":{"name":"p","kind":"Pod"},"reason":"R","type":"Normal","source":{"component":"c"}})",
            "involvedObject.name=p,involvedObject.kind=Pod,reason=R,type=Normal,source=c", true},
           {kNamespaces, R"({"status":{"phase":"Active"}})", "status.phase=Active", true},
           {kPods, R"({"metadata":{"name":"a,b"}})", "metadata.name=a\\,b", true},
       }) {
    const auto filter = Filter::make({it.resource, "", "", std::string(it.selector)});
    ASSERT_TRUE(filter) << it.selector;
    EXPECT_EQ(filter->matches(parsed(it.object)), it.matches) << it.selector;
  }
}

TEST(FieldSelectors, RefuseWhatMakesNoSense) {
  const auto refused = [](const char* fields) { return expect_refused(Filter::make({kPods, "", "", fields})).message; };
  EXPECT_EQ(refused("foo"), "invalid selector: 'foo'; can't understand 'foo'");
  EXPECT_EQ(refused("spec.hostname=x"), "field label not supported: spec.hostname");
}

}  // namespace
}  // namespace drover::sim
