#include "scripted_server.h"

#include <fmt/core.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <map>
#include <utility>

#include "base/text.h"
#include "kube/net/asio_loop_body.h"

namespace drover::kube::fixtures {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::string pem_of(const std::function<void(BIO*)>& write) {
  BIO* bio = BIO_new(BIO_s_mem());
  write(bio);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  std::string out(text, static_cast<std::size_t>(size));
  BIO_free(bio);
  return out;
}

template <class T, class Read>
T* from_pem(const std::string& pem, Read read) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  T* out = read(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return out;
}

void add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

}  // namespace

Identity make_identity(const std::string& common_name, const std::string& names, const Identity* issuer) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  static long serial = 1;
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(common_name.c_str()), -1,
                             -1, 0);
  X509* signer = issuer == nullptr ? certificate : from_pem<X509>(issuer->certificate_pem, PEM_read_bio_X509);
  EVP_PKEY* signing_key = issuer == nullptr ? key : from_pem<EVP_PKEY>(issuer->key_pem, PEM_read_bio_PrivateKey);
  X509_set_issuer_name(certificate, X509_get_subject_name(signer));
  add_extension(certificate, signer, NID_basic_constraints, issuer == nullptr ? "critical,CA:TRUE" : "CA:FALSE");
  if (!names.empty()) add_extension(certificate, signer, NID_subject_alt_name, names);
  X509_sign(certificate, signing_key, EVP_sha256());
  Identity identity{pem_of([&](BIO* bio) { PEM_write_bio_X509(bio, certificate); }), pem_of([&](BIO* bio) {
                      PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
                    })};
  if (issuer != nullptr) {
    X509_free(signer);
    EVP_PKEY_free(signing_key);
  }
  X509_free(certificate);
  EVP_PKEY_free(key);
  return identity;
}

std::string ScriptedServer::Seen::field(const std::string& name) const {
  const std::size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

namespace {

// One connection: reads requests, writes steps.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(ScriptedServer::Body& server, tcp::socket socket, asio::ssl::context* tls, int number);
  void begin();
  void close();

 private:
  void read();
  void look();
  void run(Step step);
  void write_next();
  void relay();
  void relay_up();
  void relay_down();
  template <class Use>
  void on_stream(Use use) {
    if (tls_) {
      use(*tls_);
    } else {
      use(socket_);
    }
  }
  tcp::socket& socket() { return tls_ ? tls_->next_layer() : socket_; }

  ScriptedServer::Body& server_;
  tcp::socket socket_;
  std::unique_ptr<asio::ssl::stream<tcp::socket>> tls_;
  int number_;
  std::array<char, 65536> piece_ = {};
  std::string heard_;
  Step step_;
  std::size_t next_piece_ = 0;
  base::Timer wait_;
  tcp::socket relay_;
  std::array<char, 65536> relay_piece_ = {};
};

}  // namespace

struct ScriptedServer::Body : std::enable_shared_from_this<ScriptedServer::Body> {
  explicit Body(AsioLoop& events)
      : loop(events), acceptor(events.body().io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {}

  AsioLoop& loop;
  tcp::acceptor acceptor;
  std::unique_ptr<asio::ssl::context> tls;
  std::string certificate_pem;
  std::deque<Step> script;
  std::vector<Seen> seen;
  int connections = 0;
  std::map<int, std::shared_ptr<Session>> sessions;  // open until one side closes them, also while idle

  void accept() {
    acceptor.async_accept([self = shared_from_this()](const error_code& error, tcp::socket socket) {
      if (error) return;
      const int number = ++self->connections;
      auto session = std::make_shared<Session>(*self, std::move(socket), self->tls.get(), number);
      self->sessions[number] = session;
      session->begin();
      self->accept();
    });
  }
  Step next() {
    if (script.empty()) return {.pieces = {answer(500, R"({"kind":"Status","message":"the script has run out"})")}};
    Step step = std::move(script.front());
    script.pop_front();
    return step;
  }
};

namespace {

Session::Session(ScriptedServer::Body& server, tcp::socket socket, asio::ssl::context* tls, int number)
    : server_(server), socket_(std::move(socket)), number_(number), relay_(socket_.get_executor()) {
  if (tls != nullptr) tls_ = std::make_unique<asio::ssl::stream<tcp::socket>>(std::move(socket_), *tls);
}

void Session::begin() {
  if (!tls_) return read();
  tls_->async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](const error_code& error) {
    if (error) return self->close();
    self->read();
  });
}

void Session::close() {
  error_code ignored;
  wait_.cancel();
  socket().close(ignored);
  relay_.close(ignored);
}

void Session::relay() {
  const auto port = static_cast<unsigned short>(base::parse_int(step_.relay_to).value_or(0));
  relay_.async_connect(tcp::endpoint(asio::ip::address_v4::loopback(), port),
                       [self = shared_from_this()](const error_code& error) {
                         if (error) return self->close();
                         self->relay_up();
                         self->relay_down();
                       });
}

void Session::relay_up() {
  on_stream([this](auto& stream) {
    stream.async_read_some(asio::buffer(piece_), [self = shared_from_this()](const error_code& error,
                                                                             std::size_t bytes) {
      if (error) return self->close();
      asio::async_write(self->relay_, asio::buffer(self->piece_.data(), bytes),
                        [self](const error_code& failure, std::size_t) { failure ? self->close() : self->relay_up(); });
    });
  });
}

void Session::relay_down() {
  relay_.async_read_some(
      asio::buffer(relay_piece_), [self = shared_from_this()](const error_code& error, std::size_t bytes) {
        if (error) return self->close();
        self->on_stream([&](auto& stream) {
          asio::async_write(
              stream, asio::buffer(self->relay_piece_.data(), bytes),
              [self](const error_code& failure, std::size_t) { failure ? self->close() : self->relay_down(); });
        });
      });
}

void Session::read() {
  on_stream([this](auto& stream) {
    stream.async_read_some(asio::buffer(piece_),
                           [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                             if (error) return;
                             self->heard_.append(self->piece_.data(), bytes);
                             self->look();
                           });
  });
}

void Session::look() {
  const std::size_t raw = server_.script.empty() ? 0 : server_.script.front().raw_bytes;
  if (raw > 0) {
    if (heard_.size() < raw) return read();
    server_.seen.push_back({heard_.substr(0, raw), "", number_});
    heard_.erase(0, raw);
    return run(server_.next());
  }
  const std::size_t end = heard_.find("\r\n\r\n");
  if (end == std::string::npos) return read();
  ScriptedServer::Seen seen{heard_.substr(0, end + 4), "", number_};
  const auto length = static_cast<std::size_t>(base::parse_int(seen.field("Content-Length")).value_or(0));
  if (heard_.size() < end + 4 + length) return read();
  seen.body = heard_.substr(end + 4, length);
  heard_.erase(0, end + 4 + length);
  server_.seen.push_back(std::move(seen));
  run(server_.next());
}

void Session::run(Step step) {
  step_ = std::move(step);
  next_piece_ = 0;
  if (step_.wait == base::Span::zero()) return write_next();
  wait_ = server_.loop.after(step_.wait, [self = shared_from_this()] { self->write_next(); });
}

void Session::write_next() {
  if (next_piece_ < step_.pieces.size()) {
    const std::string& piece = step_.pieces[next_piece_++];
    on_stream([&](auto& stream) {
      asio::async_write(stream, asio::buffer(piece), [self = shared_from_this()](const error_code& error, std::size_t) {
        if (!error) self->write_next();
      });
    });
    return;
  }
  if (!step_.relay_to.empty()) return relay();
  if (step_.after == Step::After::Silence) return;
  if (step_.after == Step::After::StayOpen) return heard_.empty() ? read() : look();
  if (step_.after == Step::After::Reset) {
    error_code ignored;
    socket().set_option(asio::socket_base::linger(true, 0), ignored);
  }
  close();
}

}  // namespace

ScriptedServer::ScriptedServer(AsioLoop& loop, std::optional<Identity> identity, std::string client_ca_pem)
    : body_(std::make_shared<Body>(loop)) {
  if (identity) {
    body_->certificate_pem = identity->certificate_pem;
    body_->tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
    body_->tls->use_certificate_chain(asio::buffer(identity->certificate_pem));
    body_->tls->use_private_key(asio::buffer(identity->key_pem), asio::ssl::context::pem);
    if (!client_ca_pem.empty()) {
      body_->tls->add_certificate_authority(asio::buffer(client_ca_pem));
      body_->tls->set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    }
  }
  body_->accept();
}

ScriptedServer::~ScriptedServer() {
  error_code ignored;
  body_->acceptor.close(ignored);
  drop_connections();
}

ScriptedServer& ScriptedServer::then(Step step) {
  body_->script.push_back(std::move(step));
  return *this;
}

ScriptedServer& ScriptedServer::then(std::string bytes, Step::After after) {
  return then(Step{.pieces = {std::move(bytes)}, .after = after});
}

ScriptedServer& ScriptedServer::then_to_bytes(std::size_t count, std::string bytes) {
  return then(Step{.pieces = {std::move(bytes)}, .raw_bytes = count});
}

const std::vector<ScriptedServer::Seen>& ScriptedServer::seen() const { return body_->seen; }
int ScriptedServer::connections() const { return body_->connections; }

void ScriptedServer::drop_connections() {
  for (const auto& [number, session] : std::exchange(body_->sessions, {})) session->close();
}

std::string ScriptedServer::port() const { return std::to_string(body_->acceptor.local_endpoint().port()); }

Target ScriptedServer::target() const {
  Target target;
  target.tls = body_->tls != nullptr;
  target.host = "127.0.0.1";
  target.port = port();
  target.ca_pem = body_->certificate_pem;
  target.source = "the test";
  return target;
}

std::string answer(int code, std::string_view body, std::string_view more_fields) {
  return fmt::format("HTTP/1.1 {} Word\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}\r\n{}", code,
                     body.size(), more_fields, body);
}
std::string ok(std::string_view body, std::string_view more_fields) { return answer(200, body, more_fields); }

const char* const kChunkedHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string chunk(std::string_view text) { return fmt::format("{:x}\r\n{}\r\n", text.size(), text); }

std::string chunked(std::string_view body, std::size_t size) {
  std::string out = kChunkedHead;
  for (std::size_t at = 0; at < body.size(); at += size) out += chunk(body.substr(at, size));
  return out + "0\r\n\r\n";
}

}  // namespace drover::kube::fixtures
