// Every row of NVIDIA's conformance table is shown by tests that exist, and the page about NVIDIA says the same of it.
//
// Read as text, so that a test can be named whichever program it is in: nvidia_rows.txt, the page, the sources of the
// tests. Whether a named test would fail if its row were broken is for people to judge.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"

namespace drover::proof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kTable = "test/proof/nvidia_rows.txt";
constexpr const char* kPage = "docs/vendors/nvidia.md";
constexpr std::string_view kVerdicts[] = {"holds", "in effect", "differs", "out", "missing"};

struct Row {
  std::string id;
  std::string verdict;
  std::string sentence;
  std::vector<std::string> shown_by;  // or the one word that says why it is not shown
};

std::vector<std::string> parts_of(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(between);
    parts.emplace_back(base::trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + between.size());
  }
}

bool is_verdict(std::string_view word) {
  return std::find(std::begin(kVerdicts), std::end(kVerdicts), word) != std::end(kVerdicts);
}

// A line that is not a row becomes a row without a verdict.
std::vector<Row> rows_in(std::string_view table) {
  std::vector<Row> rows;
  for (const std::string_view line : base::split(table, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> parts = parts_of(line, " | ");
    parts.resize(4);
    Row row{.id = parts[0], .verdict = parts[1], .sentence = parts[2], .shown_by = {}};
    if (parts[3].starts_with("out: ")) {
      row.shown_by.push_back(parts[3]);
    } else if (!parts[3].empty()) {
      for (const std::string& one : parts_of(parts[3], ", ")) {
        // A comma inside brackets belongs to the name.
        const bool goes_on = !row.shown_by.empty() && row.shown_by.back().find('[') != std::string::npos &&
                             !row.shown_by.back().ends_with(']');
        if (goes_on) {
          row.shown_by.back() += ", " + one;
        } else {
          row.shown_by.push_back(one);
        }
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// "21-24, 25a, 26" of the page, in the table's order of rows; what is not a row of the table is told.
std::vector<std::string> ids_in(std::string_view cell, const std::vector<Row>& rows, std::string& trouble) {
  std::vector<std::string> ids;
  const auto place_of = [&](const std::string& id) {
    return std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.id == id; });
  };
  for (const std::string& part : parts_of(cell, ",")) {
    const std::vector<std::string> ends = parts_of(part, "-");
    const auto first = place_of(ends.front());
    const auto last = place_of(ends.back());
    if (first == rows.end() || last == rows.end() || last < first) {
      trouble += fmt::format("the page speaks of row {}, which is not in the table\n", part);
      continue;
    }
    for (auto at = first; at <= last; ++at) ids.push_back(at->id);
  }
  return ids;
}

// The page's verdict on each row: what the third column begins with, in the section "Row by row".
std::map<std::string, std::string> verdicts_on(std::string_view page, const std::vector<Row>& rows,
                                               std::string& trouble) {
  std::map<std::string, std::string> verdicts;
  bool is_section = false;
  for (const std::string_view line : base::split(page, '\n')) {
    if (line.starts_with("## ")) is_section = line == "## Row by row";
    if (!is_section || !line.starts_with("| ") || line.starts_with("| rows ")) continue;
    const std::vector<std::string> cells = parts_of(line, " | ");
    if (cells.size() < 3) continue;
    const std::string verdict(base::trim(std::string_view(cells[2]).substr(0, cells[2].find_first_of(":;,|"))));
    for (const std::string& id : ids_in(std::string_view(cells[0]).substr(2), rows, trouble)) {
      if (!verdicts.emplace(id, verdict).second) trouble += fmt::format("the page speaks of row {} twice\n", id);
    }
  }
  return verdicts;
}

std::string text_of(const std::filesystem::path& path) { return base::read_file(path.string()).value_or(""); }

// "" when it exists.
std::string missing(const std::string& test) {
  if (test.starts_with("scenario:")) {
    const std::string story = text_of(fmt::format("test/proof/scenarios/{}.txt", test.substr(9)));
    return story.find("\n---\n") == std::string::npos ? "there is no such scenario" : "";
  }
  std::string room, suite, name, words;
  if (!RE2::FullMatch(test, R"(test_(\w+):(\w+)\.(\w+)(?:\[(.+)\])?)", &room, &suite, &name, &words)) {
    return "it is neither scenario:NAME nor test_ROOM:SUITE.NAME";
  }
  // test_vendors, and test_vendors_agent of their agents.
  const std::filesystem::path folder = "test/" + (room.starts_with("vendors") ? "vendors" : room);
  if (!std::filesystem::is_directory(folder)) return "there is no " + folder.string();
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (!file.path().string().ends_with("_test.cc")) continue;
    const std::string source = text_of(file.path());
    if (!RE2::PartialMatch(source, fmt::format(R"(TEST(_F|_P)?\({},\s*{}\))", suite, name))) continue;
    const bool has_words = words.empty() || source.find('"' + words + '"') != std::string::npos;
    return has_words ? "" : fmt::format("{} says nothing of \"{}\"", file.path().filename().string(), words);
  }
  return "there is no such test in " + folder.string();
}

// Of the table by itself: every row says something, and is shown by what exists, or says why not.
std::string troubles_of(const std::vector<Row>& rows) {
  std::string troubles;
  std::set<std::string> seen;
  for (const Row& row : rows) {
    const auto blame = [&](const std::string& what) { troubles += fmt::format("row {}: {}\n", row.id, what); };
    if (!seen.insert(row.id).second) blame("it is there twice");
    if (!is_verdict(row.verdict)) blame(fmt::format("\"{}\" is not a verdict", row.verdict));
    if (row.sentence.empty()) blame("it says nothing");
    if (row.shown_by.empty()) blame("no test is named, and no reason why there is none");
    const bool is_out = !row.shown_by.empty() && row.shown_by.front().starts_with("out: ");
    const bool should_be_out = row.verdict == "out" || row.verdict == "missing";
    if (is_out != should_be_out) {
      blame(is_out ? "it is to be shown by a test: a reason is not enough" : "it is out, and yet a test is named");
    }
    if (is_out) continue;
    for (const std::string& test : row.shown_by) {
      if (const std::string why = missing(test); !why.empty()) blame(fmt::format("{}: {}", test, why));
    }
  }
  return troubles;
}

// Of both together.
std::string differences(const std::vector<Row>& rows, std::string_view page) {
  std::string troubles;
  const auto verdicts = verdicts_on(page, rows, troubles);
  for (const Row& row : rows) {
    const auto at = verdicts.find(row.id);
    if (at == verdicts.end()) {
      troubles += fmt::format("row {}: the page does not speak of it\n", row.id);
    } else if (at->second != row.verdict) {
      troubles += fmt::format("row {}: the table says \"{}\", the page \"{}\"\n", row.id, row.verdict, at->second);
    }
  }
  return troubles;
}

TEST(NvidiaRows, AreAllShownByTestsThatExist) {
  const std::vector<Row> rows = rows_in(text_of(kTable));
  EXPECT_EQ(rows.size(), 128U) << "a row of NVIDIA's table is never dropped: it is out, with a reason";
  EXPECT_EQ(troubles_of(rows), "") << "in " << kTable;
}

TEST(NvidiaRows, AreToldAlikeOnThePage) {
  EXPECT_EQ(differences(rows_in(text_of(kTable)), text_of(kPage)), "") << kTable << " and " << kPage << " differ";
}

// The checks themselves can go red.

TEST(NvidiaRows, AreReadWithTheirTests) {
  const std::vector<Row> rows =
      rows_in("# why\n\n1 | holds | a: b | scenario:plain, test_core:A.B[c, d], test_core:E.F\n");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].sentence, "a: b");
  EXPECT_THAT(rows[0].shown_by, ElementsAre("scenario:plain", "test_core:A.B[c, d]", "test_core:E.F"));
}

TEST(NvidiaRows, AreBlamedForWhatIsNotThere) {
  const auto trouble = [](std::string_view table) { return troubles_of(rows_in(table)); };
  EXPECT_THAT(trouble("1 | holds | a: b | scenario:plain"), IsEmpty());
  EXPECT_THAT(trouble("1 | out | a: b | out: not wanted"), IsEmpty());
  EXPECT_THAT(trouble("1 | holds | a: b | scenario:nowhere"), HasSubstr("there is no such scenario"));
  EXPECT_THAT(trouble("1 | holds | a: b | test_core:AtRest.Dances"), HasSubstr("there is no such test in test/core"));
  EXPECT_THAT(trouble("1 | holds | a: b | test_moon:A.B"), HasSubstr("there is no test/moon"));
  EXPECT_THAT(trouble("1 | holds | a: b | test_core:SlotsTest.AsManyStartAsMay[six at once]"),
              HasSubstr("slots_test.cc says nothing of \"six at once\""));
  EXPECT_THAT(trouble("1 | holds | a: b | by hand"), HasSubstr("neither"));
  EXPECT_THAT(trouble("1 | holds | a: b"), HasSubstr("no test is named"));
  EXPECT_THAT(trouble("1 | holds | a: b | out: too hard"), HasSubstr("a reason is not enough"));
  EXPECT_THAT(trouble("1 | out | a: b | scenario:plain"), HasSubstr("and yet a test is named"));
  EXPECT_THAT(trouble("1 | perhaps | a: b | scenario:plain"), HasSubstr("\"perhaps\" is not a verdict"));
  EXPECT_THAT(trouble("1 | holds |  | scenario:plain"), HasSubstr("it says nothing"));
  EXPECT_THAT(trouble("1 | holds | a: b | scenario:plain\n1 | holds | a: b | scenario:plain"), HasSubstr("twice"));
}

TEST(NvidiaRows, AreComparedWithThePage) {
  const std::vector<Row> rows = rows_in(
      "1 | holds | a: b | scenario:plain\n2b | holds | a: b | scenario:plain\n"
      "4 | out | a: b | out: no\n");
  const auto trouble = [&](std::string_view lines) {
    return differences(rows,
                       fmt::format("## Row by row\n| rows | given | here |\n|---|---|---|\n{}\n## Next\n", lines));
  };
  EXPECT_THAT(trouble("| 1-2b | x | holds; with care |\n| 4 | y | out: no |"), IsEmpty());
  EXPECT_THAT(trouble("| 1, 2b | x | holds |\n| 4 | y | differs: so |"), HasSubstr("row 4: the table says \"out\""));
  EXPECT_THAT(trouble("| 1 | x | holds |\n| 4 | y | out: no |"), HasSubstr("row 2b: the page does not speak of it"));
  EXPECT_THAT(trouble("| 1-4 | x | holds |\n| 4 | y | out: no |"), HasSubstr("row 4 twice"));
  EXPECT_THAT(trouble("| 1-5 | x | holds |"), HasSubstr("row 1-5, which is not in the table"));
}

}  // namespace
}  // namespace drover::proof
