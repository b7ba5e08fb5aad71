// SPDX-License-Identifier: MIT
#include "engine/models/onnx/images/image.h"

#include <fmt/format.h>

#include <string_view>

namespace arenascope::models::images {
namespace {

using Decoder = Result<Image> (*)(Encoded file);

struct Format {
  std::string_view begins;  // at `at`
  size_t at;
  const char *name, *library;
  Decoder decode;  // null: this build lacks the library
};

// The build defines each library's decoder, or nullptr if the library is missing (CMakeLists.txt).
constexpr Format kFormats[] = {
    {"BM", 0, "a BMP", "", decode_bmp},
    {"P1", 0, "a PNM", "", decode_pnm},
    {"P2", 0, "a PNM", "", decode_pnm},
    {"P3", 0, "a PNM", "", decode_pnm},
    {"P4", 0, "a PNM", "", decode_pnm},
    {"P5", 0, "a PNM", "", decode_pnm},
    {"P6", 0, "a PNM", "", decode_pnm},
    {"\xFF\xD8\xFF", 0, "a JPEG", "libjpeg", ARENASCOPE_DECODE_JPEG},
    {"\x89PNG", 0, "a PNG", "libpng", ARENASCOPE_DECODE_PNG},
    {"WEBP", 8, "a WebP", "libwebp", ARENASCOPE_DECODE_WEBP},
    {std::string_view("II*\0", 4), 0, "a TIFF", "libtiff", ARENASCOPE_DECODE_TIFF},
    {std::string_view("MM\0*", 4), 0, "a TIFF", "libtiff", ARENASCOPE_DECODE_TIFF},
    {"\xFF\x4F\xFF\x51", 0, "a JPEG 2000", "OpenJPEG", ARENASCOPE_DECODE_OPENJPEG},
    {std::string_view("\0\0\0\x0CjP", 6), 0, "a JPEG 2000", "OpenJPEG", ARENASCOPE_DECODE_OPENJPEG},
};

}  // namespace

Result<Image> make_image(int64_t height, int64_t width, size_t file) {
  // No format has so many pixels per byte, except for the smallest files.
  constexpr int64_t kSide = 1 << 16, kMax = 1 << 27, kSmall = 1 << 20, kPixelsAByte = 1 << 13;
  const bool fits = height > 0 && width > 0 && height <= kSide && width <= kSide;
  const int64_t pixels = fits ? height * width : 0;
  if (!fits || pixels > kMax || (pixels > kSmall && pixels / kPixelsAByte > static_cast<int64_t>(file)))
    return Error{fmt::format("an image of {} by {} pixels in {} bytes", width, height, file)};
  return Image{height, width, std::vector<uint8_t>(static_cast<size_t>(3 * pixels))};
}

Result<Image> decode(Encoded file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const Format& format : kFormats) {
    if (text.size() < format.at || !text.substr(format.at).starts_with(format.begins)) continue;
    if (!format.decode)
      return Error{fmt::format("it is {} image, and this build has no {}", format.name, format.library)};
    auto image = format.decode(file);
    if (!image) return Error{fmt::format("it is {} image that cannot be read: {}", format.name, image.error().message)};
    return image;
  }
  return Error{"it is not an image in a supported format (BMP, PNM, JPEG, JPEG 2000, PNG, TIFF, WebP)"};
}

}  // namespace arenascope::models::images
