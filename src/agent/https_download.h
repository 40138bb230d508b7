// Downloads by https: verified certificates, a few redirects to other https addresses, through the proxy that the
// environment names (HTTPS_PROXY, NO_PROXY), TLS 1.2 or newer.
//
// Nothing that a server says is trusted with more than bytes: a redirect to anything but https is refused, and so is
// an answer that starts at another byte than was asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/download.h"
#include "agent/environment.h"
#include "kube/http_api.h"

namespace drover::agent {

// Where an address leads, and what is asked for there.
struct DownloadPlace {
  std::string host;
  std::string port;
  std::string target;  // path and query
};
// Refused where it is not https, names a user, or makes no sense.
base::Result<DownloadPlace> download_place(std::string_view url);
// The proxy for that host, "" for none. NO_PROXY lists hosts, domains ("corp.example", ".corp.example"), or "*".
std::string proxy_for(const Environment& environment, const DownloadPlace& place);
// "bytes 100-499/500" gives 100; nothing where it cannot be read.
std::optional<std::uint64_t> first_byte_of(std::string_view content_range);

class HttpsDownloads final : public Downloads {
 public:
  // `ca_pem`: authorities to trust in the place of the system's; for tests.
  HttpsDownloads(kube::AsioLoop& loop, Environment environment, std::string ca_pem = {});
  std::shared_ptr<void> get(const DownloadAsk& ask, DownloadSink sink) override;

 private:
  kube::AsioLoop& loop_;
  Environment environment_;
  std::string ca_pem_;
};

}  // namespace drover::agent
