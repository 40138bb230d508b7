#include "http/certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>

namespace drover::http {
namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

std::string text_in(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::unexpected<base::Fault> failed(std::string_view what) {
  char reason[256] = "";
  ERR_error_string_n(ERR_get_error(), reason, sizeof reason);
  return base::fault(base::Fault::Kind::Failed, "cannot make a certificate: " + std::string(what) + ": " + reason);
}

bool looks_like_address(const std::string& name) {
  return name.find(':') != std::string::npos || name.find_first_not_of("0123456789.") == std::string::npos;
}

bool add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_validity(X509* certificate, base::WallTime now) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  constexpr std::time_t kDay = 24 * 60 * 60;
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds - kDay) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds + 3650 * kDay) != nullptr;
}

}  // namespace

base::Result<Identity> make_identity(const std::vector<std::string>& names, base::WallTime now) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (!key || !certificate) return failed("no key");
  std::uint64_t serial = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) return failed("no randomness");
  X509* x509 = certificate.get();
  const std::string subject = names.empty() ? "localhost" : names.front();
  X509_NAME* name = X509_get_subject_name(x509);
  const bool filled =
      X509_set_version(x509, 2) == 1 && ASN1_INTEGER_set_uint64(X509_get_serialNumber(x509), serial >> 1) == 1 &&
      set_validity(x509, now) && X509_set_pubkey(x509, key.get()) == 1 &&
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(subject.c_str()), -1,
                                 -1, 0) == 1 &&
      X509_set_issuer_name(x509, name) == 1;
  if (!filled) return failed("its fields");
  std::string alternatives;
  for (const auto& one : names) {
    alternatives += (alternatives.empty() ? "" : ",") + std::string(looks_like_address(one) ? "IP:" : "DNS:") + one;
  }
  const bool extended = add_extension(x509, NID_basic_constraints, "critical,CA:TRUE") &&
                        add_extension(x509, NID_ext_key_usage, "serverAuth") &&
                        (alternatives.empty() || add_extension(x509, NID_subject_alt_name, alternatives));
  if (!extended) return failed("its names");
  if (X509_sign(x509, key.get(), EVP_sha256()) == 0) return failed("its signature");
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  const Bio key_text(BIO_new(BIO_s_mem()));
  if (!certificate_text || !key_text || PEM_write_bio_X509(certificate_text.get(), x509) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return failed("its text");
  }
  return Identity{text_in(certificate_text.get()), text_in(key_text.get())};
}

}  // namespace drover::http
