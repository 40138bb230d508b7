// Kubeconfigs: any text gives a target that can be opened or refused, or one line that says why not.
#include <cstdlib>

#include "kube/config.h"
#include "kube/net/dialer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  namespace kube = drover::kube;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto target = kube::parse_kubeconfig(text, "", "/nonexistent", "fuzz");
  if (!target) {
    if (target.error().message.empty() || target.error().message.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  if (target->host.empty() || target->port.empty()) std::abort();
  if (!target->proxy_url.empty()) (void)kube::net::parse_proxy(target->proxy_url);
  return 0;
}
