// What containers have said: the last lines of each, bounded.
//
// At rest: for each "ns/pod/container" the current run and the one before it, each a ring of numbered lines. Readers
// keep a number and ask for what came after it, so a slow reader costs nothing and loses only what the ring has
// dropped.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/time.h"

namespace drover::sim {

class LogBook {
 public:
  explicit LogBook(std::size_t most_lines = 1000, std::size_t most_line_bytes = 4096)
      : most_lines_(most_lines), most_line_bytes_(most_line_bytes) {}

  struct Line {
    std::uint64_t number;  // from 1, per run
    base::WallTime at;
    std::string text;
  };
  struct Run {
    std::uint64_t id = 0;  // tells runs of one container apart
    std::deque<Line> lines;
    std::uint64_t next_number = 1;
    bool has_ended = false;
  };

  // The kubelet's side.
  void begin_run(const std::string& container);
  void append(const std::string& container, base::WallTime at, std::string_view text);
  void end_run(const std::string& container);
  // The pod "ns/name" is gone, with everything its containers said.
  void forget_pod(const std::string& pod);

  // The reader's side. Nothing when the container never ran (or never restarted, for `previous`).
  const Run* run(const std::string& container, bool previous = false) const;
  // Called (on the loop's thread) when the container says something, ends, begins again or is forgotten.
  int listen(const std::string& container, std::function<void()> heard);
  void unlisten(int id);
  std::size_t listeners() const { return listeners_.size(); }

 private:
  struct Ear {
    std::string container;
    std::function<void()> heard;
  };
  void tell(const std::string& container);

  std::size_t most_lines_;
  std::size_t most_line_bytes_;
  struct Runs {
    Run current;
    Run previous;
  };
  std::map<std::string, Runs> books_;
  std::map<int, Ear> listeners_;
  int next_listener_ = 1;
  std::uint64_t next_run_ = 1;
};

}  // namespace drover::sim
