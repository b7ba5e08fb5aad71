// SPDX-License-Identifier: MIT
#include <tiffio.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "engine/models/onnx/images/image.h"

namespace arenascope::models::images {
namespace {

struct TiffSource {
  Encoded file;
  size_t at = 0;
};

tmsize_t read_part(thandle_t handle, void* to, tmsize_t count) {
  auto* s = static_cast<TiffSource*>(handle);
  if (s->at >= s->file.size() || count <= 0) return 0;
  const size_t part = std::min(static_cast<size_t>(count), s->file.size() - s->at);
  std::memcpy(to, s->file.data() + s->at, part);
  s->at += part;
  return static_cast<tmsize_t>(part);
}

tmsize_t write_part(thandle_t, void*, tmsize_t) { return 0; }

toff_t seek(thandle_t handle, toff_t to, int from) {
  auto* s = static_cast<TiffSource*>(handle);
  const toff_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? s->at : s->file.size();
  s->at = static_cast<size_t>(base + to);
  return s->at;
}

int close(thandle_t) { return 0; }
toff_t size(thandle_t handle) { return static_cast<TiffSource*>(handle)->file.size(); }

struct Close {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};

// libtiff would print what it finds.
void be_quiet() {
  static const bool quiet = [] {
    TIFFSetWarningHandler(nullptr);
    TIFFSetErrorHandler(nullptr);
    return true;
  }();
  (void)quiet;
}

}  // namespace

Result<Image> decode_tiff(Encoded file) {
  be_quiet();
  TiffSource source{file};
  const std::unique_ptr<TIFF, Close> tiff(
      TIFFClientOpen("image", "rm", &source, read_part, write_part, seek, close, size, nullptr, nullptr));
  uint32_t width = 0, height = 0;
  if (!tiff || TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) == 0 ||
      TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height) == 0)
    return Error{"its header is damaged"};
  auto image = make_image(height, width, file.size());
  if (!image) return image.error();
  // The buffer that libtiff needs to decode one tile or strip.
  const tmsize_t piece = TIFFIsTiled(tiff.get()) ? TIFFTileSize(tiff.get()) : TIFFStripSize(tiff.get());
  char why[1024] = "";
  if (piece <= 0 || piece / 16 > static_cast<tmsize_t>(image->rgb.size()) + (1 << 16) ||
      TIFFRGBAImageOK(tiff.get(), why) == 0)
    return Error{why[0] != '\0' ? why : "its pieces are larger than it"};
  std::vector<uint32_t> pixels(image->rgb.size() / 3);
  if (TIFFReadRGBAImageOriented(tiff.get(), width, height, pixels.data(), ORIENTATION_TOPLEFT, 1) == 0)
    return Error{"it is damaged"};
  uint8_t* to = image->rgb.data();
  for (const uint32_t pixel : pixels) {
    *to++ = static_cast<uint8_t>(TIFFGetR(pixel));
    *to++ = static_cast<uint8_t>(TIFFGetG(pixel));
    *to++ = static_cast<uint8_t>(TIFFGetB(pixel));
  }
  return image;
}

}  // namespace arenascope::models::images
