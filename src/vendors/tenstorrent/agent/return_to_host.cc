#include "vendors/tenstorrent/agent/return_to_host.h"

#include "vendors/tenstorrent/agent/kmd_cache.h"
#include "vendors/tenstorrent/agent/kmd_hold.h"
#include "vendors/tenstorrent/agent/load_step.h"

namespace drover::agent {
namespace {

// A person types apt meanwhile.
constexpr base::Span kLookAgain = std::chrono::seconds(10);

}  // namespace

struct HandBack::Body {
  host::Host& host;
  base::Loop& loop;
  Say say;
  Done done;
  base::Timer again = {};

  void start() {
    // With signals of DKMS the loaded module is the host's own, and not ours to unload.
    if (hosts_own_driver(host).empty() && kmd_is_loaded(host)) {
      if (auto free = kmd_is_free(host); !free) return end(free);
      const auto gone = host.unload(std::string(kKmdModule));
      if (!gone && gone.error().kind != base::Fault::Kind::NotFound) return end(gone);
      say("unloaded tenstorrent");
    }
    say("now install the host's driver: apt install --reinstall tenstorrent-dkms && modprobe tenstorrent");
    look();
  }

  void look() {
    if (hosts_own_driver(host).empty() || !kmd_is_loaded(host)) {
      again = loop.after(kLookAgain, [this] { look(); });
      return;
    }
    say(kHandedBack);
    end({});
  }

  void end(const base::Result<void>& result) {
    again = loop.after(base::Span::zero(), [this, result] {
      const Done tell = std::move(done);
      tell(result);
    });
  }
};

HandBack::HandBack(host::Host& host, base::Loop& loop, Say say, Done done)
    : body_(new Body{.host = host, .loop = loop, .say = std::move(say), .done = std::move(done)}) {
  body_->start();
}

HandBack::~HandBack() = default;

}  // namespace drover::agent
