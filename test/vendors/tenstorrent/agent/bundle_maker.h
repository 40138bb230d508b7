// Firmware bundles for tests, made as the vendor's script makes them, and as it never would.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace drover::agent::testing {

// One entry of a tar archive, with its padding.
inline std::string tar_entry(const std::string& name, const std::string& content, char kind = '0',
                             const std::string& link = "") {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000644");
  char size[13];
  std::snprintf(size, sizeof size, "%011llo", static_cast<unsigned long long>(content.size()));
  header.replace(124, 11, size);
  header[156] = kind;
  header.replace(157, link.size(), link);
  header.replace(257, 5, "ustar");
  header.replace(263, 2, "00");
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char checksum[8];
  std::snprintf(checksum, sizeof checksum, "%06o", sum);
  header.replace(148, 7, std::string(checksum, 6) + '\0');
  std::string entry = header + content;
  entry.resize((entry.size() + 511) / 512 * 512, '\0');
  return entry;
}

inline std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string manifest_text(const std::string& numbers = "19,9,0,0") {
  std::vector<std::string> parts(1);
  for (const char c : numbers) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return R"({"version": "2.0.0", "bundle_version": {"fwId": )" + parts[0] + R"(, "releaseId": )" + parts[1] +
         R"(, "patch": )" + parts[2] + R"(, "debug": )" + parts[3] + "}}";
}

inline std::string board_entries(const std::string& board) {
  return tar_entry("./" + board + "/", "", '5') +
         tar_entry("./PaxHeaders/image.bin", "30 mtime=1731680524.123456789\n", 'x') +
         tar_entry("./" + board + "/image.bin", std::string(3000, 'A')) +
         tar_entry("./" + board + "/mask.json", R"([{"tag": "write-boardcfg"}])");
}

inline std::string tar_end() { return std::string(1024, '\0'); }

// A good one, gzip'd.
inline std::string make_bundle(const std::string& numbers = "19,9,0,0",
                               const std::vector<std::string>& boards = {"NEBULA_X2", "P150A-1"}) {
  std::string tar = tar_entry("./", "", '5') + tar_entry("./manifest.json", manifest_text(numbers));
  for (const std::string& board : boards) tar += board_entries(board);
  return gzipped(tar + tar_end());
}

}  // namespace drover::agent::testing
