// Firmware bundles: any archive, cut anywhere, is read as the same bundle or refused as it is when it comes at once.
// What is fed is the archive before gzip, which a fuzzer could not get past; the choice says whether it is gzip
// already.
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "pieces.h"
#include "vendors/tenstorrent/agent/bundle_reader.h"
#include "vendors/tenstorrent/agent/chip_reading.h"

namespace {

using drover::agent::BundleReader;

// "" where it is refused; why may differ, as what is garbled twice is met in another order.
std::string read(const std::string& bytes, std::size_t most) {
  BundleReader reader;
  for (std::size_t at = 0; at < bytes.size(); at += most) {
    // A copy of its own size, so that a sanitizer sees a read beyond it.
    const std::vector<char> piece(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                  bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + most)));
    if (!reader.take({piece.data(), piece.size()})) return {};
  }
  const auto bundle = reader.end();
  if (!bundle) return {};
  std::string out = bundle->version.text();
  for (const std::string& board : bundle->boards) {
    if (board.find('/') != std::string::npos || board.empty()) std::abort();
    out += " " + board;
  }
  return out;
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  std::vector<Bytef> in(text.begin(), text.end());
  stream.next_in = in.data();
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const drover::fuzz::Input input(bytes, size);
  static_cast<void>(drover::agent::with_smi({}, input.text));
  const std::string text(input.text);
  const std::string archive = input.choice == 'g' ? text : gzipped(text);
  if (read(archive, archive.size() + 1) != read(archive, input.piece_size + 1U)) std::abort();
  return 0;
}
