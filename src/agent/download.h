// A file from the network, in pieces, as far as a program of the agent may ask for one: by https only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::agent {

struct DownloadAsk {
  std::string url;         // https://HOST/PATH, perhaps with a query
  std::uint64_t from = 0;  // the bytes before this are here already
};

// What comes, in order; a fault that `begin` or `piece` returns ends it, and neither lets go of the download.
struct DownloadSink {
  // The first piece stands at this byte of the file: where it was asked for, or 0 if the server starts at the
  // beginning.
  std::function<base::Result<void>(std::uint64_t from)> begin;
  std::function<base::Result<void>(std::string_view piece)> piece;
  // Once and last. Unreachable: the rest may be asked for again. NotFound, Forbidden, Refused: it would not help.
  std::function<void(base::Result<void>)> done;
};

class Downloads {
 public:
  virtual ~Downloads() = default;
  // Destroying what this returns gives up; nothing is called then.
  [[nodiscard]] virtual std::shared_ptr<void> get(const DownloadAsk& ask, DownloadSink sink) = 0;
};

}  // namespace drover::agent
