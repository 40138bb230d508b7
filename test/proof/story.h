// A scenario file: a story, "---", and the chronicle it must produce.
#pragma once

#include <string>
#include <vector>

#include "play.h"

namespace drover::proof {

struct Story {
  std::string name;  // of the file, without its ending
  std::string path;
  const Vendor* vendor = &nvidia();
  std::vector<const Vendor*> also = {};
  std::optional<core::Share> max_unavailable = {};  // over all policies
  std::string nodes = {};
  std::vector<std::string> sentences;  // with comments and empty lines
  std::string expected;
};

// Of the story's cluster; the rest is the test's.
PlayOptions options_of(const Story& story);

// All of them, by name.
std::vector<Story> all_stories();
Story story(const std::string& name);

// Says every sentence; "" when all went well, else what did not, with the checker's report.
std::string tell(Play& play, const Story& story);

}  // namespace drover::proof
