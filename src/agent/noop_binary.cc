#include "agent/noop_binary.h"

#include <concepts>
#include <string_view>

namespace drover::agent {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kHeaders = 64 + 56;      // of the file, and of its one segment
constexpr std::uint64_t kPlace = 0x400000;       // where it is loaded
constexpr std::uint64_t kLargestPage = 0x10000;  // of all kernels of both machines

// mov $60, %eax; xor %edi, %edi; syscall
constexpr std::string_view kX86 = "\xb8\x3c\x00\x00\x00\x31\xff\x0f\x05"sv;
// mov x0, #0; mov x8, #93; svc #0
constexpr std::string_view kArm = "\x00\x00\x80\xd2\xa8\x0b\x80\xd2\x01\x00\x00\xd4"sv;

// Both machines write the lowest byte first.
template <std::unsigned_integral Number>
void put(std::string& file, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    file += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xff);
}

}  // namespace

std::string noop_binary(Machine machine) {
  const std::string_view code = machine == Machine::X86_64 ? kX86 : kArm;
  const std::uint64_t size = kHeaders + code.size();

  std::string file(
      "\x7f"
      "ELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"sv);
  put<std::uint16_t>(file, 2);  // can be run as it is
  put(file, static_cast<std::uint16_t>(machine));
  put<std::uint32_t>(file, 1);
  put<std::uint64_t>(file, kPlace + kHeaders);  // the first instruction
  put<std::uint64_t>(file, 64);                 // its segments are told here
  put<std::uint64_t>(file, 0);                  // it has no sections
  put<std::uint32_t>(file, 0);
  put<std::uint16_t>(file, 64);
  put<std::uint16_t>(file, 56);
  put<std::uint16_t>(file, 1);
  put<std::uint16_t>(file, 64);
  put<std::uint16_t>(file, 0);
  put<std::uint16_t>(file, 0);

  put<std::uint32_t>(file, 1);  // to be loaded
  put<std::uint32_t>(file, 5);  // to be read and run, never written
  put<std::uint64_t>(file, 0);
  put<std::uint64_t>(file, kPlace);
  put<std::uint64_t>(file, kPlace);
  put<std::uint64_t>(file, size);
  put<std::uint64_t>(file, size);
  put<std::uint64_t>(file, kLargestPage);
  return file.append(code);
}

base::Result<std::string> noop_binary() {
#if defined(__x86_64__)
  return noop_binary(Machine::X86_64);
#elif defined(__aarch64__)
  return noop_binary(Machine::AArch64);
#else
  return base::fault(base::Fault::Kind::Refused, "there is no helper for this kind of processor");
#endif
}

}  // namespace drover::agent
