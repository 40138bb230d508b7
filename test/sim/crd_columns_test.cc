// Cells of a Table, as a real API server filled them for the same object.
#include "sim/crd/columns.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace drover::sim::crd {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kObject = R"json({
  "metadata": {"name": "a", "creationTimestamp": "2026-11-15T16:00:00Z", "labels": {"app.kubernetes.io/name": "lbl"}},
  "spec": {"s": "text", "i": 7, "f": 2.5, "b": true, "o": {"k": "v", "a": 1}, "l": ["x", "y"],
           "lo": [{"n": 1, "v": "one"}, {"n": 2, "v": "two"}, {"v": "none"}], "nul": null, "big": 12345678.5},
  "status": {"conditions": [{"type": "Other", "status": "False"}, {"type": "Ready", "status": "True"}]}})json";

struct Row {
  std::string_view type;
  std::string_view path;
  std::string_view cell;  // as JSON
};
constexpr auto kRows = std::to_array<Row>({
    {"string", ".spec.s", R"("text")"},
    {"string", ".spec.i", R"("7")"},
    {"string", ".spec.f", R"("2.5")"},
    {"string", ".spec.b", R"("true")"},
    {"string", ".spec.o", R"("{\"a\":1,\"k\":\"v\"}")"},
    {"string", ".spec.l", R"("[\"x\",\"y\"]")"},
    {"string", ".spec.nope", "null"},
    {"string", ".spec.l[0]", R"("x")"},
    {"string", ".spec.l[5]", "null"},
    {"string", ".spec.l[-1]", R"("y")"},
    {"string", ".spec.l[*]", R"("x")"},
    {"string", ".spec.l[0:2]", R"("x")"},
    {"string", ".spec.l[1:]", R"("y")"},
    {"integer", ".spec.i", "7"},
    {"integer", ".spec.s", "null"},
    {"integer", ".spec.f", "2"},
    {"number", ".spec.f", "2.5E0"},
    {"number", ".spec.i", "7E0"},
    {"boolean", ".spec.b", "true"},
    {"boolean", ".spec.s", "null"},
    {"date", ".metadata.creationTimestamp", R"("3h20m")"},
    {"date", ".spec.s", R"("<invalid>")"},
    {"date", ".spec.nope", "null"},
    {"string", R"(.status.conditions[?(@.type=="Ready")].status)", R"("True")"},
    {"string", ".status.conditions[?(@.type=='Ready')].status", R"("True")"},
    {"string", R"(.status.conditions[?(@.type=="Nope")].status)", "null"},
    {"string", R"(.status.conditions[?(@.type=="Ready")].nope)", "null"},
    {"string", R"(.metadata.labels.app\.kubernetes\.io/name)", R"("lbl")"},
    {"string", R"(.metadata.labels['app\.kubernetes\.io/name'])", R"("lbl")"},
    {"string", ".spec['s']", R"("text")"},
    {"string", ".spec.o.k", R"("v")"},
    {"string", ".spec.lo[?(@.n>1)].v", R"("two")"},
    {"string", ".spec.lo[*].v", R"("one")"},
    {"string", ".spec.lo[?(@.n)].v", R"("one")"},
    {"string", ".spec.nul", R"("<no value>")"},
    {"string", "..s", R"("text")"},
    {"string", ".spec.s.deeper", "null"},
    {"string", ".spec.big", R"("1.23456785e+07")"},
    {"string", ".", "null"},
    {"string", ".spec.l[", "null"},
    {"string", ".spec.l[x]", "null"},
});

TEST(Columns, ShowWhatARealServerShows) {
  const json::Value object = *json::parse(kObject);
  const base::WallTime now = *base::parse_rfc3339("2026-11-15T19:20:30Z");
  for (const Row& row : kRows) {
    const Column column = Column::make(json::Members{{"name", "C"}, {"type", row.type}, {"jsonPath", row.path}});
    EXPECT_EQ(json::text_of(column.cell(object, now)), row.cell) << row.type << " " << row.path;
  }
}

TEST(Columns, AreDescribedByTheirPathByDefault) {
  const Column plain =
      Column::make(json::Members{{"name", "C"}, {"type", "string"}, {"jsonPath", ".spec.s"}, {"priority", 1}});
  EXPECT_EQ(
      json::text_of(plain.header()),
      R"({"name":"C","type":"string","format":"","description":"Custom resource definition column (in JSONPath format): .spec.s","priority":1})");
  const Column described =
      Column::make(json::Members{{"name", "C"}, {"type", "string"}, {"description", "what"}, {"jsonPath", ".spec.s"}});
  EXPECT_EQ(json::text_at(described.header(), {"description"}), "what");
}

TEST(Columns, AgesReadAsKubectlWritesThem) {
  const base::WallTime start{};
  const auto shown = [&](auto span) { return age(start, start + span); };
  EXPECT_EQ(shown(-5s), "<invalid>");
  EXPECT_EQ(shown(-1s), "0s");
  EXPECT_EQ(shown(0s), "0s");
  EXPECT_EQ(shown(119s), "119s");
  EXPECT_EQ(shown(120s), "2m");
  EXPECT_EQ(shown(4min + 30s), "4m30s");
  EXPECT_EQ(shown(10min + 59s), "10m");
  EXPECT_EQ(shown(179min), "179m");
  EXPECT_EQ(shown(3h), "3h");
  EXPECT_EQ(shown(3h + 20min), "3h20m");
  EXPECT_EQ(shown(47h), "47h");
  EXPECT_EQ(shown(49h), "2d1h");
  EXPECT_EQ(shown(24h * 9), "9d");
  EXPECT_EQ(shown(24h * 800), "2y70d");
  EXPECT_EQ(shown(24h * 365 * 9), "9y");
}

}  // namespace
}  // namespace drover::sim::crd
