// Watch events: cut anywhere, the same events come out and the same end is reached as when the text comes byte by byte.
#include <cstdlib>

#include "kube/stream.h"
#include "pieces.h"

namespace {

namespace json = drover::json;
namespace kube = drover::kube;

struct Outcome {
  std::vector<std::string> events;
  std::string fault;
  bool between = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome(const std::vector<std::vector<char>>& pieces, const kube::Projection& projection) {
  Outcome out;
  kube::WatchParser parser(
      projection,
      [&](const kube::WatchEvent& event) {
        out.events.push_back(std::to_string(static_cast<int>(event.kind)) + json::text_of(event.object));
      },
      1024 * 1024);
  for (const auto& piece : pieces) {
    if (const auto fed = parser.feed({piece.data(), piece.size()}); !fed) {
      out.fault = drover::base::word(fed.error().kind);
      return out;
    }
  }
  out.between = parser.is_between_events();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const kube::Projection kSome = {"a.b", "metadata.labels", "status.phase"};
  const drover::fuzz::Input input(bytes, size);
  const kube::Projection projection = (input.choice & 1) != 0 ? kSome : kube::Projection();
  if (!(outcome(input.pieces(), projection) == outcome(input.pieces_of(1), projection))) std::abort();
  return 0;
}
