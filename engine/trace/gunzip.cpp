// SPDX-License-Identifier: MIT
#include <arenascope/base/grouped.h>
#include <arenascope/trace/gunzip.h>

#include <algorithm>
#include <new>
#ifdef ARENASCOPE_HAS_ZLIB
#include <zlib.h>
#endif

namespace arenascope::trace {

Result<std::string> gunzip(std::span<const uint8_t> bytes, const std::string& name, size_t largest) {
#ifdef ARENASCOPE_HAS_ZLIB
  struct Stream : z_stream {
    Stream() : z_stream{} {}
    ~Stream() { inflateEnd(this); }
  } stream;
  constexpr size_t kAlways = size_t{64} << 20, kMaxRatio = 64;
  if (bytes.size() < (largest - std::min(largest, kAlways)) / kMaxRatio) largest = kAlways + kMaxRatio * bytes.size();
  if (inflateInit2(&stream, 15 + 32) != Z_OK) return Error{name + ": cannot initialise zlib."};  // gzip or zlib
  try {
    std::string out;
    std::string piece(std::clamp<size_t>(4 * bytes.size(), 1024, size_t{1} << 18), '\0');
    const uint8_t* at = bytes.data();
    size_t left = bytes.size();
    for (;;) {
      const auto some = static_cast<uInt>(std::min<size_t>(left, size_t{1} << 30));
      stream.next_in = const_cast<Bytef*>(at);  // zlib does not write through it
      stream.avail_in = some;
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      const int state = inflate(&stream, Z_NO_FLUSH);
      const size_t made = piece.size() - stream.avail_out, used = some - stream.avail_in;
      at += used;
      left -= used;
      if (made > largest - out.size()) {
        return Error{name + ": cannot decompress " + grouped(static_cast<int64_t>(bytes.size())) +
                     " bytes: expected at most " + grouped(static_cast<int64_t>(largest)) +
                     " bytes of contents, found more."};
      }
      out.append(piece, 0, made);
      if (state == Z_STREAM_END) {
        if (left == 0) return out;
        if (inflateReset(&stream) != Z_OK) break;  // a gzip file may have several members
        continue;
      }
      if (state != Z_OK || (made == 0 && used == 0)) break;
    }
    return Error{name + ": the compressed data is corrupt or truncated after " + std::to_string(bytes.size() - left) +
                 " bytes."};
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while decompressing the file."};
  }
#else
  (void)bytes;
  (void)largest;
  return Error{name + ": the file is compressed, and this build does not include zlib."};
#endif
}

}  // namespace arenascope::trace
