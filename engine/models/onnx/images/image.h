// SPDX-License-Identifier: MIT
// Image files as rows of pixels. Each format is decoded by its packaged library, bmp and pnm by own code; a build without
// a library reports the format as unsupported. Sizes are read and checked before anything is decoded.
#pragma once
#include <arenascope/base/result.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace arenascope::models::images {

struct Image {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> rgb;  // row by row, three bytes a pixel

  uint8_t* row(int64_t y) { return rgb.data() + static_cast<size_t>(3 * y * width); }
};

using Encoded = std::span<const uint8_t>;

// A black image of that size. Errors: a size that a file of `file` bytes cannot contain.
Result<Image> make_image(int64_t height, int64_t width, size_t file);

// By what the file begins with. Errors: no image that is known here, one that is damaged, its library is missing.
Result<Image> decode(Encoded file);

// Decoders by format; the first bytes have been checked.
Result<Image> decode_bmp(Encoded file);
Result<Image> decode_pnm(Encoded file);
Result<Image> decode_jpeg(Encoded file);
Result<Image> decode_png(Encoded file);
Result<Image> decode_webp(Encoded file);
Result<Image> decode_tiff(Encoded file);
Result<Image> decode_jpeg2000(Encoded file);

// How bright a pixel is (ITU-R 601-2).
inline uint8_t grey(const uint8_t* rgb) {
  return static_cast<uint8_t>((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16);
}

}  // namespace arenascope::models::images
