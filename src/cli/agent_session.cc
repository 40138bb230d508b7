#include "cli/agent_session.h"

#include <unistd.h>

#include <random>

namespace drover::cli {

agent::Environment environment_of_this_process() {
  agent::Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

std::uint64_t seed_of_the_system() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace drover::cli
