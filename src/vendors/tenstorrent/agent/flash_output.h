// What tt-flash says while it works, and what its end means.
//
// Its words are its interface: it ends with 0 or 1 and tells the rest in lines for people. What matters is whether
// every write was verified: it goes on to "Stage: RESET" only then.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/host.h"

namespace drover::agent {

// How a run of tt-flash ended.
struct FlashEnd {
  bool was_run = true;             // false: it could not be started, and nothing was touched
  bool verified = false;           // every write; a reset is allowed then, and only then
  bool succeeded = false;          // with exit code 0, and the reset of every chip worked, as far as it says
  std::string how = {};            // "ended with code 1": for people
  std::string sentence = {};       // its own words to the owner of the board, where it has some
  std::vector<std::string> lines;  // the last it said
};

class FlashOutput {
 public:
  // `say` is told each line as it comes.
  explicit FlashOutput(std::function<void(std::string_view line)> say) : say_(std::move(say)) {}

  void hear(std::string_view piece);
  // Once, after the last piece.
  FlashEnd end(const base::Result<host::Ran>& ran);

 private:
  void take_line();

  std::function<void(std::string_view line)> say_;
  std::string line_;
  std::vector<std::string> last_;
  std::string sentence_;
  bool has_spoken_ = false;
  bool has_begun_reset_ = false;
  bool failed_verification_ = false;
  bool failed_reset_ = false;
};

}  // namespace drover::agent
