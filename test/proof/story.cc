#include "story.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace drover::proof {
namespace {

constexpr const char* kFolder = "test/proof/scenarios";

Story read(const std::filesystem::path& path) {
  Story story{.name = path.stem().string(), .path = path.string(), .sentences = {}, .expected = {}};
  std::ifstream file(path);
  bool is_story = true;
  for (std::string line; std::getline(file, line);) {
    if (is_story && line == "---") {
      is_story = false;
    } else if (is_story) {
      if (line.starts_with("nodes ")) story.nodes = line.substr(6);
      if (line.starts_with("vendor ") && vendor_named(line.substr(7)) != nullptr)
        story.vendor = vendor_named(line.substr(7));
      if (line.starts_with("also ") && vendor_named(line.substr(5)) != nullptr)
        story.also.push_back(vendor_named(line.substr(5)));
      if (line.starts_with("limit "))
        story.max_unavailable = {.amount = std::stoi(line.substr(6)), .is_percent = line.ends_with('%')};
      story.sentences.push_back(line);
    } else {
      story.expected += line + "\n";
    }
  }
  if (story.nodes.empty()) story.nodes = fmt::format("{}=3", story.vendor->name);
  return story;
}

}  // namespace

PlayOptions options_of(const Story& story) {
  return {.vendor = *story.vendor, .also = story.also, .max_unavailable = story.max_unavailable, .nodes = story.nodes};
}

std::vector<Story> all_stories() {
  std::vector<Story> stories;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".txt") stories.push_back(read(entry.path()));
  }
  std::sort(stories.begin(), stories.end(), [](const Story& a, const Story& b) { return a.name < b.name; });
  return stories;
}

Story story(const std::string& name) { return read(fmt::format("{}/{}.txt", kFolder, name)); }

std::string tell(Play& play, const Story& story) {
  for (const std::string& sentence : story.sentences) {
    if (sentence.starts_with('#')) continue;
    if (!play.say(sentence)) {
      return fmt::format("\"{}\": {}\n{}\n{}", sentence, play.trouble(), play.report(), play.checker->chronicle());
    }
  }
  play.check_at_rest();
  return play.report();
}

}  // namespace drover::proof
