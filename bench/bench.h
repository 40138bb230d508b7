// What every benchmark shares: rows of figures, printed as a table and written as JSON (`--json FILE`), and a way to
// measure that survives a noisy machine: two things in turns, many short rounds, the ratio of their best rounds.
//
// `--smoke` asks for small sizes: it proves that the benchmark runs, not how fast.
#pragma once

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace drover::bench {

// CPU time of this thread: what a core spent on us, whatever else was running.
inline std::chrono::nanoseconds cpu_now() {
  timespec spec{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spec);
  return std::chrono::seconds(spec.tv_sec) + std::chrono::nanoseconds(spec.tv_nsec);
}

inline double cpu_seconds(const std::function<void()>& work) {
  const auto before = cpu_now();
  work();
  return std::chrono::duration<double>(cpu_now() - before).count();
}

// The least CPU seconds that each of two works took, run in turns.
struct Pair {
  double first;
  double second;
};
inline Pair in_turns(int rounds, const std::function<void()>& first, const std::function<void()>& second) {
  Pair best{1e9, 1e9};
  for (int round = 0; round < rounds; ++round) {
    best.first = std::min(best.first, cpu_seconds(first));
    best.second = std::min(best.second, cpu_seconds(second));
  }
  return best;
}

class Report {
 public:
  Report(std::string title, int argc, char** argv) : title_(std::move(title)) {
    for (int i = 1; i < argc; ++i) {
      if (std::string_view(argv[i]) == "--smoke") smoke_ = true;
      if (std::string_view(argv[i]) == "--json" && i + 1 < argc) json_file_ = argv[++i];
    }
  }
  bool smoke() const { return smoke_; }

  // `wanted` is what the project promises, in words ("at least 500"); "" when it promises nothing.
  void row(std::string name, double value, std::string unit, std::string wanted = {}) {
    rows_.push_back({std::move(name), value, std::move(unit), std::move(wanted)});
  }

  // Prints and writes; the exit code for main.
  int finish() const {
    fmt::print("{}\n", title_);
    json::Array rows;
    for (const Row& row : rows_) {
      fmt::print("  {:<58} {:>14.2f} {:<12} {}\n", row.name, row.value, row.unit,
                 row.wanted.empty() ? "" : "(wanted: " + row.wanted + ")");
      rows.push_back({{"name", row.name}, {"value", row.value}, {"unit", row.unit}, {"wanted", row.wanted}});
    }
    if (json_file_.empty()) return 0;
    const json::Value whole = {{"title", title_}, {"smoke", smoke_}, {"rows", std::move(rows)}};
    auto written = base::write_file(json_file_, json::text_of(whole) + "\n", 0644);
    if (!written) fmt::print(stderr, "{}\n", written.error().message);
    return written ? 0 : 1;
  }

 private:
  struct Row {
    std::string name;
    double value;
    std::string unit;
    std::string wanted;
  };
  std::string title_;
  std::string json_file_;
  bool smoke_ = false;
  std::vector<Row> rows_;
};

}  // namespace drover::bench
