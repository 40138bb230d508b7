// Which authorities we trust and how we prove who we are: OpenSSL contexts made from PEM texts.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "base/result.h"

namespace drover::kube::net {

struct TlsTerms {
  std::string ca_pem;  // "" = the system's
  bool trust_system_too = false;
  bool verify = true;
  std::string certificate_pem;  // "" = none
  std::string key_pem;
};

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

// TLS 1.2 or newer, ALPN http/1.1. Malformed when a PEM text does not parse or the key is not the certificate's;
// `source` says where the texts came from.
base::Result<TlsContext> make_tls(const TlsTerms& terms, const std::string& source);

// Prepares one connection: SNI and the name (or address) that the server's certificate must carry.
base::Result<void> expect_server(SSL* ssl, const std::string& name, bool verify);

// Why a handshake failed, in words, with what to do about it.
std::string handshake_complaint(SSL* ssl, const boost::system::error_code& error);

}  // namespace drover::kube::net
