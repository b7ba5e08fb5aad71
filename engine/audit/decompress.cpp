// SPDX-License-Identifier: MIT
#include "engine/audit/decompress.h"

#ifdef ARENASCOPE_HAS_ZLIB
#include <zlib.h>
#endif

namespace arenascope::audit {

#ifdef ARENASCOPE_HAS_ZLIB
Result<std::string> unpack(ByteSpan bytes, const std::string& name) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 32) != Z_OK) return Error{name + ": memory ran out while it was unpacked."};
  struct Closer {
    z_stream& stream;
    ~Closer() { inflateEnd(&stream); }
  } closer{stream};
  constexpr size_t kAtOnce = size_t{1} << 20;
  std::string out, piece(kAtOnce, '\0');
  size_t given = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && given < bytes.size()) {
      const size_t some = std::min(kAtOnce, bytes.size() - given);
      stream.next_in = const_cast<Bytef*>(bytes.data() + given);  // zlib only reads it
      stream.avail_in = static_cast<uInt>(some);
      given += some;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END) return Error{name + ": its compressed data is broken or cut."};
    out.append(piece.data(), piece.size() - stream.avail_out);
    if (out.size() > kLargestUnpacked) return Error{name + ": it unpacks to more than 4 GiB."};
  }
  return out;
}
#else
Result<std::string> unpack(ByteSpan, const std::string& name) {
  return Error{name + ": it is compressed, and this build has no zlib."};
}
#endif

}  // namespace arenascope::audit
