// SPDX-License-Identifier: MIT
#include <png.h>

#include <csetjmp>
#include <cstring>

#include "engine/models/onnx/images/image.h"

namespace arenascope::models::images {
namespace {

struct PngSource {
  Encoded left;
  char problem[128] = "it is damaged";
};

void read_part(png_structp png, png_bytep to, size_t count) {
  auto* source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (count > source->left.size()) png_error(png, "its data is truncated");
  std::memcpy(to, source->left.data(), count);
  source->left = source->left.subspan(count);
}

void defer_as_loop(png_structp png, png_const_charp text) {
  auto* source = static_cast<PngSource*>(png_get_error_ptr(png));
  std::strncpy(source->problem, text, sizeof source->problem - 1);
  png_longjmp(png, 1);
}

void ignore(png_structp, png_const_charp) {}

struct Opened {
  PngSource source;
  png_structp png = nullptr;
  png_infop info = nullptr;
  explicit Opened(Encoded file) {
    source.left = file;
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, defer_as_loop, ignore);
    if (png) info = png_create_info_struct(png);
  }
  ~Opened() { png_destroy_read_struct(&png, &info, nullptr); }
};

// Neither function has an object with a destructor, since libpng leaves them by longjmp.
bool read_header(Opened& o) {
  if (setjmp(png_jmpbuf(o.png)) != 0) return false;
  png_set_read_fn(o.png, &o.source, read_part);
  png_read_info(o.png, o.info);
  return true;
}

// As eight bits of red, green and blue; what shines through is dropped.
bool read_rows(Opened& o, Image& image) {
  if (setjmp(png_jmpbuf(o.png)) != 0) return false;
  png_set_expand(o.png);
  png_set_scale_16(o.png);
  png_set_gray_to_rgb(o.png);
  png_set_strip_alpha(o.png);
  const int passes = png_set_interlace_handling(o.png);
  png_read_update_info(o.png, o.info);
  if (png_get_rowbytes(o.png, o.info) != static_cast<size_t>(3 * image.width))
    png_error(o.png, "rows of another width");
  for (int pass = 0; pass < passes; ++pass)
    for (int64_t y = 0; y < image.height; ++y) png_read_row(o.png, image.row(y), nullptr);
  png_read_end(o.png, nullptr);
  return true;
}

}  // namespace

Result<Image> decode_png(Encoded file) {
  Opened opened(file);
  if (!opened.png || !opened.info) return Error{"libpng has no memory"};
  if (!read_header(opened)) return Error{opened.source.problem};
  auto image = make_image(png_get_image_height(opened.png, opened.info), png_get_image_width(opened.png, opened.info),
                          file.size());
  if (!image) return image.error();
  if (!read_rows(opened, *image)) return Error{opened.source.problem};
  return image;
}

}  // namespace arenascope::models::images
