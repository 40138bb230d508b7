#include "host/fingerprint.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace drover::host {

struct Fingerprint::State {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
  bool is_good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
};

Fingerprint::Fingerprint() : state_(std::make_unique<State>()) {}
Fingerprint::~Fingerprint() = default;

void Fingerprint::add(std::string_view bytes) {
  state_->is_good = state_->is_good && EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1;
}

std::string Fingerprint::text() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (!state_->is_good || EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) != 1) return {};
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string Fingerprint::of(std::string_view bytes) {
  Fingerprint one;
  one.add(bytes);
  return one.text();
}

}  // namespace drover::host
