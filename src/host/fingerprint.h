// SHA-256 of bytes that come in pieces: what says that a file is the one we made.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace drover::host {

class Fingerprint {
 public:
  Fingerprint();
  ~Fingerprint();
  Fingerprint(const Fingerprint&) = delete;
  Fingerprint& operator=(const Fingerprint&) = delete;

  void add(std::string_view bytes);
  // 64 hexadecimal digits; call it once, at the end. "" when the library could not do it.
  std::string text();

  static std::string of(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover::host
