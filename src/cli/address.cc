#include "cli/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <string_view>

#include "base/text.h"

namespace drover::cli {

base::Result<Address> parse_address(const std::string& text) {
  const auto refuse = [&](std::string_view why) {
    return base::fault(base::Fault::Kind::Refused,
                       fmt::format("--listen {}: {}; write ADDRESS:PORT, for example 127.0.0.1:6443 (port 0 picks a "
                                   "free one, no address means everywhere)",
                                   base::one_line(text, 60), why));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return refuse("there is no port");
  const auto port = base::parse_int(std::string_view(text).substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return refuse("the port is not a number from 0 to 65535");
  Address address{text.substr(0, colon), static_cast<int>(*port)};
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host.empty()) address.host = "::";
  if (address.host == "localhost") address.host = "127.0.0.1";
  in_addr four{};
  in6_addr six{};
  const bool is_four = inet_pton(AF_INET, address.host.c_str(), &four) == 1;
  if (!is_four && inet_pton(AF_INET6, address.host.c_str(), &six) != 1)
    return refuse("the address is not an IP address");
  address.is_loopback = address.host.starts_with("127.") || address.host == "::1";
  address.is_everywhere = address.host == "0.0.0.0" || address.host == "::";
  return address;
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* address = nullptr;
    if (one->ifa_addr->sa_family == AF_INET) {
      address = &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      address = &reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
    }
    if (address == nullptr || inet_ntop(one->ifa_addr->sa_family, address, text.data(), text.size()) == nullptr)
      continue;
    found.emplace_back(text.data());
  }
  freeifaddrs(list);
  return found;
}

}  // namespace drover::cli
