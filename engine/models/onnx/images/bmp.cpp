// SPDX-License-Identifier: MIT
// Windows bitmaps without compression: 1, 4, 8 bits by a palette, 24 and 32 bits.
#include <fmt/format.h>
#include "engine/models/onnx/images/image.h"

namespace arenascope::models::images {
namespace {

constexpr size_t kFileHeader = 14, kInfoHeader = 40;

uint32_t number(Encoded file, size_t at, int bytes) {
  uint32_t out = 0;
  for (int i = 0; i < bytes; ++i) out |= static_cast<uint32_t>(file[at + static_cast<size_t>(i)]) << (8 * i);
  return out;
}

struct Header {
  int64_t width = 0, height = 0;
  bool downwards = false;
  uint32_t bits = 0;
  size_t pixels = 0, palette = 0, colours = 0;  // where they begin
};

Result<Header> read_header(Encoded file) {
  if (file.size() < kFileHeader + kInfoHeader) return Error{"its header is truncated"};
  const size_t info = number(file, 14, 4);
  Header h;
  h.width = static_cast<int32_t>(number(file, 18, 4));
  h.height = static_cast<int32_t>(number(file, 22, 4));
  h.downwards = h.height < 0;
  h.height = h.downwards ? -h.height : h.height;
  h.bits = number(file, 28, 2);
  h.pixels = number(file, 10, 4);
  h.palette = kFileHeader + info;
  const uint32_t packed = number(file, 30, 4), specified = number(file, 46, 4);
  if (info < kInfoHeader || h.palette > file.size()) return Error{"its header is of a kind that is not read"};
  if (packed != 0) return Error{fmt::format("its pixels are packed in way {}, which is not read", packed)};
  const bool by_palette = h.bits == 1 || h.bits == 4 || h.bits == 8;
  if (!by_palette && h.bits != 24 && h.bits != 32) return Error{fmt::format("{} bits a pixel", h.bits)};
  h.colours = !by_palette ? 0 : specified == 0 ? size_t{1} << h.bits : specified;
  if (h.colours > 256 || h.palette + 4 * h.colours > file.size()) return Error{"its palette is truncated"};
  return h;
}

}  // namespace

Result<Image> decode_bmp(Encoded file) {
  auto header = read_header(file);
  if (!header) return header.error();
  const Header& h = *header;
  auto image = make_image(h.height, h.width, file.size());
  if (!image) return image.error();
  const size_t line = (static_cast<size_t>(h.width) * h.bits + 31) / 32 * 4;
  if (h.pixels > file.size() || file.size() - h.pixels < line * static_cast<size_t>(h.height))
    return Error{"its pixels are truncated"};
  for (int64_t y = 0; y < h.height; ++y) {
    const Encoded from = file.subspan(h.pixels + line * static_cast<size_t>(h.downwards ? y : h.height - 1 - y), line);
    uint8_t* to = image->row(y);
    for (size_t x = 0; x < static_cast<size_t>(h.width); ++x, to += 3) {
      const uint8_t* bgr = from.data() + x * h.bits / 8;
      if (h.colours > 0) {
        const size_t colour = (*bgr >> (8 - h.bits - x * h.bits % 8)) & ((1u << h.bits) - 1);
        if (colour >= h.colours) return Error{fmt::format("colour {} of {}", colour, h.colours)};
        bgr = file.data() + h.palette + 4 * colour;
      }
      to[0] = bgr[2], to[1] = bgr[1], to[2] = bgr[0];
    }
  }
  return image;
}

}  // namespace arenascope::models::images
