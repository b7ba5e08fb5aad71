// SPDX-License-Identifier: MIT
#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include "engine/models/onnx/images/image.h"

namespace arenascope::models::images {
namespace {

// libjpeg reports errors through a callback that must not return, so that it leaves by longjmp.
struct Handler {
  jpeg_error_mgr base;
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX];
};

void fail(j_common_ptr info) {
  auto* handler = reinterpret_cast<Handler*>(info->err);
  handler->base.format_message(info, handler->text);
  std::longjmp(handler->back, 1);
}

// Warnings also mean that the data is damaged.
void note(j_common_ptr info, int level) {
  if (level < 0) fail(info);
}

struct Decompressor {
  jpeg_decompress_struct info{};
  Handler handler{};
  Decompressor() {
    info.err = jpeg_std_error(&handler.base);
    handler.base.error_exit = fail;
    handler.base.emit_message = note;
  }
  ~Decompressor() { jpeg_destroy_decompress(&info); }
};

// Neither function has an object with a destructor, since libjpeg leaves them by longjmp. False: handler.text has the reason.
bool read_header(Decompressor& d, Encoded file) {
  if (setjmp(d.handler.back) != 0) return false;
  jpeg_create_decompress(&d.info);
  jpeg_mem_src(&d.info, file.data(), static_cast<unsigned long>(file.size()));
  jpeg_read_header(&d.info, TRUE);
  return true;
}

bool read_rows(Decompressor& d, Image& image) {
  if (setjmp(d.handler.back) != 0) return false;
  d.info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&d.info);
  while (d.info.output_scanline < d.info.output_height) {
    JSAMPROW row = image.row(d.info.output_scanline);
    jpeg_read_scanlines(&d.info, &row, 1);
  }
  jpeg_finish_decompress(&d.info);
  return true;
}

}  // namespace

Result<Image> decode_jpeg(Encoded file) {
  Decompressor d;
  if (!read_header(d, file)) return Error{d.handler.text};
  auto image = make_image(d.info.image_height, d.info.image_width, file.size());
  if (!image) return image.error();
  if (d.info.jpeg_color_space == JCS_CMYK || d.info.jpeg_color_space == JCS_YCCK)
    return Error{"its colours are those of print (CMYK)"};
  if (!read_rows(d, *image)) return Error{d.handler.text};
  return image;
}

}  // namespace arenascope::models::images
