// The transcript, line by line: virtual time, field manager, change. The same seed gives the same text, byte for byte.
//
//   00:00:12.340  kube-scheduler           pods/ml/train-7  spec.nodeName=gpu-3
//
// Made from commits only. Leases are left out: they would be nine lines in ten.
#pragma once

#include <cstddef>
#include <string>

#include "base/loop.h"
#include "sim/server.h"

namespace drover::sim {

class Transcript {
 public:
  Transcript(const base::Loop& loop, Server& server);
  ~Transcript();
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;

  // Everything so far, one line per commit.
  const std::string& text() const { return text_; }
  std::size_t lines() const { return lines_; }
  // A line that is not a commit (a scenario's step, an event on a host).
  void note(std::string_view actor, std::string_view what);

 private:
  void heard(const Commit& commit);

  const base::Loop& loop_;
  Server& server_;
  base::Instant began_at_;
  int subscription_;
  std::string text_;
  std::size_t lines_ = 0;
};

// How `after` differs from `before`, as "path=value" in the order of the object; versions and bookkeeping are left out.
std::string difference(const kube::Object& before, const kube::Object& after);

}  // namespace drover::sim
