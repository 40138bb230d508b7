#include "kube/net/tls.h"

#include <fmt/core.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/ip/address.hpp>

namespace drover::kube::net {
namespace {

using base::Fault;
using base::Result;

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

// OpenSSL's newest complaint, and a clean queue afterwards: what is left there would be blamed on the next connection.
std::string openssl_says() {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "no reason given" : reason;
}

std::unexpected<Fault> malformed(const std::string& source, std::string_view what) {
  return base::fault(Fault::Kind::Malformed, fmt::format("{}: {} ({})", source, what, openssl_says()));
}

Bio memory(const std::string& text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

Result<void> trust(SSL_CTX* context, const std::string& ca_pem, const std::string& source) {
  const Bio bio = memory(ca_pem);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int certificates = 0;
  while (const Certificate certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(store, certificate.get());
    ++certificates;
  }
  if (certificates == 0) return malformed(source, "the certificate authority is not a PEM certificate");
  ERR_clear_error();  // the end of the text is an error to OpenSSL
  return {};
}

Result<void> present(SSL_CTX* context, const TlsTerms& terms, const std::string& source) {
  const Bio bio = memory(terms.certificate_pem);
  const Certificate leaf{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)};
  if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return malformed(source, "the client certificate is not a PEM certificate");
  }
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    if (SSL_CTX_add0_chain_cert(context, next) != 1) X509_free(next);
  }
  ERR_clear_error();
  const Bio key_bio = memory(terms.key_pem);
  // Without a terminal no passphrase can be typed; the default callback would ask for one.
  const auto no_passphrase = [](char*, int, int, void*) { return -1; };
  const Key key{PEM_read_bio_PrivateKey(key_bio.get(), nullptr, no_passphrase, nullptr)};
  if (!key) return malformed(source, "the client key is not a PEM private key without a passphrase");
  if (X509_check_private_key(leaf.get(), key.get()) != 1) {
    return malformed(source, "the client key does not belong to the client certificate");
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) return malformed(source, "the client key cannot be used");
  return {};
}

bool is_address(const std::string& name) {
  boost::system::error_code error;
  boost::asio::ip::make_address(name, error);
  return !error;
}

}  // namespace

Result<TlsContext> make_tls(const TlsTerms& terms, const std::string& source) {
  TlsContext tls;
  try {
    tls = std::make_shared<boost::asio::ssl::context>(boost::asio::ssl::context::tls_client);
  } catch (const std::exception& error) {
    return base::fault(Fault::Kind::Failed, fmt::format("cannot start TLS: {}", error.what()));
  }
  SSL_CTX* context = tls->native_handle();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  static constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  SSL_CTX_set_alpn_protos(context, kHttp11, sizeof kHttp11);
  // Idle connections are many and their buffers are 34 KB each.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  if (terms.verify) {
    if (terms.ca_pem.empty() || terms.trust_system_too) SSL_CTX_set_default_verify_paths(context);
    if (!terms.ca_pem.empty()) TRY_VOID(trust(context, terms.ca_pem, source));
  }
  if (!terms.certificate_pem.empty() || !terms.key_pem.empty()) TRY_VOID(present(context, terms, source));
  return tls;
}

Result<void> expect_server(SSL* ssl, const std::string& name, bool verify) {
  const bool by_address = is_address(name);
  bool ok = by_address || SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;  // SNI knows no addresses
  if (verify) {
    SSL_set_verify(ssl, SSL_VERIFY_PEER, nullptr);
    X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
    ok = ok && (by_address ? X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str()) == 1
                           : X509_VERIFY_PARAM_set1_host(param, name.data(), name.size()) == 1);
  } else {
    SSL_set_verify(ssl, SSL_VERIFY_NONE, nullptr);
  }
  if (ok) return {};
  return base::fault(Fault::Kind::Unreachable,
                     fmt::format("\"{}\" cannot be a server's name ({})", name, openssl_says()));
}

std::string handshake_complaint(SSL* ssl, const boost::system::error_code& error) {
  const long verdict = SSL_get_verify_result(ssl);
  ERR_clear_error();
  if (verdict != X509_V_OK) {
    return fmt::format("its certificate is not to be trusted: {} (check certificate-authority and tls-server-name)",
                       X509_verify_cert_error_string(verdict));
  }
  return fmt::format("no TLS with it: {} (is it an https port?)", error.message());
}

}  // namespace drover::kube::net
