// SPDX-License-Identifier: MIT
// An image's size, in the Reserve event of its space: id = width | height << 16, in texels; spaces of plain bytes have
// another id. It is only used if it divides the space into texels of at most 16 bytes.
#pragma once
#include <arenascope/base/ids.h>

#include <cstdint>

namespace arenascope::trace {

struct ImageSize {
  uint32_t width = 0, height = 0;  // texels
  Bytes texel = 0;                 // bytes of one; 0: it is no image
  constexpr bool valid() const { return texel > 0; }
};

// 0 if a side exceeds the event's field.
constexpr uint32_t image_id(uint32_t width, uint32_t height) {
  return width > 0xffff || height > 0xffff ? 0 : width | height << 16;
}
constexpr ImageSize image_size(uint32_t id, Bytes bytes) {
  const uint32_t width = id & 0xffff, height = id >> 16;
  const Bytes texels = static_cast<Bytes>(width) * height;
  if (texels == 0 || bytes <= 0 || bytes % texels != 0 || bytes / texels > 16) return {};
  return {width, height, bytes / texels};
}

}  // namespace arenascope::trace
