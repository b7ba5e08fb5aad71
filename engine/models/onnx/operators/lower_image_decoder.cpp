// SPDX-License-Identifier: MIT
// ONNX's ImageDecoder: the given file becomes a constant, since its size is stored in it.
#include <fmt/format.h>
#include "engine/models/onnx/images/image.h"
#include "engine/models/onnx/lowering.h"

#include <cstring>
#include <string>
#include <vector>

namespace arenascope::models {
namespace {

enum class Pixels { Rgb, Bgr, Grey };

std::vector<std::byte> pixels_of(const images::Image& image, Pixels format) {
  const size_t count = image.rgb.size() / 3;
  std::vector<std::byte> out(format == Pixels::Grey ? count : image.rgb.size());
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* rgb = image.rgb.data() + 3 * i;
    if (format == Pixels::Grey) out[i] = std::byte{images::grey(rgb)};
    for (size_t c = 0; c < 3 && format != Pixels::Grey; ++c)
      out[3 * i + c] = std::byte{rgb[format == Pixels::Rgb ? c : 2 - c]};
  }
  return out;
}

void image_decoder(OpCall& c) {
  const Value& from = c.value(0);
  if (!c.ok()) return;
  const std::string name = c.attr_string("pixel_format", "RGB");
  if (name != "RGB" && name != "BGR" && name != "Grayscale")
    return c.fail(fmt::format("the pixel_format '{}' is not supported: expected RGB, BGR or Grayscale", name));
  if (from.dtype != DType::U8 || from.sizes.rank() != 1) return c.fail("its input must be a one-dimensional u8 tensor");
  std::vector<uint8_t> bytes;
  if (!c.known_bytes(0, bytes))
    return c.wait_for(0, fmt::format("the image in '{}' must be given: --input {}=FILE", from.name, from.name));
  auto image = images::decode(bytes);
  if (!image) return c.fail(fmt::format("cannot decode the image '{}': {}", from.name, image.error().message));
  const Pixels format = name == "RGB" ? Pixels::Rgb : name == "BGR" ? Pixels::Bgr : Pixels::Grey;
  const Dims sizes{image->height, image->width, format == Pixels::Grey ? 1 : 3};
  auto owned = MappedFile::of_memory(pixels_of(*image, format));
  if (element_count(sizes) <= HostArray::kMaxElements)
    return c.out(0, HostArray::from_bytes(DType::U8, sizes, owned->bytes().data()));
  c.out_constant(0, DType::U8, sizes, WeightSource(owned->bytes(), owned));
}

constexpr HandlerEntry kImageHandlers[] = {{"ImageDecoder", image_decoder}};

}  // namespace

std::span<const HandlerEntry> image_decoder_handlers() { return kImageHandlers; }

}  // namespace arenascope::models
