// SPDX-License-Identifier: MIT
// A gzip file of `size` times one character, written piece by piece.
#pragma once
#include <zlib.h>

#include <algorithm>
#include <string>

namespace arenascope::test {

inline std::string gzip_of(char character, size_t size) {
  z_stream stream{};
  std::string out;
  if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return out;
  std::string in(size_t{1} << 20, character), piece(size_t{1} << 16, '\0');
  for (int state = Z_OK; state != Z_STREAM_END;) {
    if (stream.avail_in == 0 && size > 0) {
      stream.next_in = reinterpret_cast<Bytef*>(in.data());
      stream.avail_in = static_cast<uInt>(std::min(in.size(), size));
      size -= stream.avail_in;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = deflate(&stream, size == 0 ? Z_FINISH : Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

}  // namespace arenascope::test
