// HTTP answers: any bytes, cut anywhere, give the same head, the same body and the same end as when they come at once.
#include <cstdlib>
#include <string>

#include "kube/net/response_reader.h"
#include "pieces.h"

namespace {

namespace net = drover::kube::net;

struct Outcome {
  int code = 0;
  std::string body;
  std::string wait;
  bool is_complete = false;
  bool is_broken = false;
  bool ends_well = false;
  std::size_t taken = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome(const std::vector<std::vector<char>>& pieces) {
  Outcome out;
  net::ResponseReader reader(4096);
  for (const auto& piece : pieces) {
    if (reader.is_complete()) break;
    const auto taken = reader.feed({piece.data(), piece.size()}, [&](std::string_view body) {
      if (!reader.has_head() || body.empty()) std::abort();
      out.body += body;
      return drover::base::Result<void>();
    });
    out.is_broken = !taken;
    if (!taken) break;
    out.taken += *taken;
    if (*taken > piece.size()) std::abort();
  }
  out.is_complete = reader.is_complete();
  out.ends_well = reader.end_of_stream().has_value();
  if (reader.has_head()) {
    out.code = reader.head().code;
    out.wait = net::retry_after_seconds(reader.head());
  }
  if (out.is_broken) out.taken = 0;  // how much of a bad piece was taken is unspecified
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const drover::fuzz::Input input(bytes, size);
  if (!(outcome(input.pieces()) == outcome(input.pieces_of(1)))) std::abort();
  return 0;
}
