// A server that answers what the test wrote down, byte for byte, on the same loop as the client under test.
//
// Each request (or, for a step that says so, each run of raw bytes) takes the next step of the script, whatever
// connection it comes on. A script that has run out answers 500, so that a request too many is seen.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/config.h"
#include "kube/http_api.h"

namespace drover::kube::fixtures {

// A certificate and its key, made for the test. It signs itself and may be trusted as an authority.
struct Identity {
  std::string certificate_pem;
  std::string key_pem;
};
// `names` as in subjectAltName: "DNS:localhost,IP:127.0.0.1". `issuer` nullptr: self-signed.
Identity make_identity(const std::string& common_name, const std::string& names, const Identity* issuer = nullptr);

struct Step {
  std::vector<std::string> pieces;  // written one after the other
  enum class After { StayOpen, Close, Reset, Silence } after = After::StayOpen;
  std::size_t raw_bytes = 0;  // answers so many bytes of anything instead of an HTTP request
  base::Span wait = {};       // before the answer
  std::string relay_to = {};  // a port: from then on a tunnel to it, as a proxy makes one
};

class ScriptedServer {
 public:
  // With `identity`, over TLS; with `client_ca` too, clients must show a certificate that it signed.
  explicit ScriptedServer(AsioLoop& loop, std::optional<Identity> identity = {}, std::string client_ca_pem = {});
  ~ScriptedServer();

  ScriptedServer& then(Step step);
  ScriptedServer& then(std::string bytes, Step::After after = Step::After::StayOpen);
  // Answers `count` bytes of anything.
  ScriptedServer& then_to_bytes(std::size_t count, std::string bytes);

  struct Seen {
    std::string head;  // "GET /path HTTP/1.1\r\n…\r\n\r\n", or the raw bytes
    std::string body;
    int connection = 0;
    std::string line() const { return head.substr(0, head.find("\r\n")); }
    // The value of a header field, "" when absent; names as we write them.
    std::string field(const std::string& name) const;
  };
  const std::vector<Seen>& seen() const;
  int connections() const;
  // Closes every connection that is open, as a server does that is restarted.
  void drop_connections();

  // How to reach it.
  Target target() const;
  std::string port() const;

  struct Body;

 private:
  std::shared_ptr<Body> body_;
};

// "HTTP/1.1 200 OK" with a JSON body and its length.
std::string ok(std::string_view body, std::string_view more_fields = {});
std::string answer(int code, std::string_view body, std::string_view more_fields = {});
// The same in chunks of `size` bytes.
std::string chunked(std::string_view body, std::size_t size);
// The head of a chunked answer, and one chunk.
extern const char* const kChunkedHead;
std::string chunk(std::string_view text);

}  // namespace drover::kube::fixtures
