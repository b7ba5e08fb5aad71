// SPDX-License-Identifier: MIT
// The size of a tensor of N images, H rows, W columns and C channels on a device, as MNN's onAcquire rounds it.
#pragma once
#include <arenascope/base/round_up.h>

namespace arenascope::lesson {

struct DeviceSize {
  int64_t channels;                 // rounded up to 8
  int64_t more_rows, more_columns;  // at the edge
  int64_t elements;                 // of the buffer
  int64_t width, height;            // of the image, in texels of four channels
};

constexpr DeviceSize device_size(int64_t n, int64_t h, int64_t w, int64_t c) {
  DeviceSize size{};
  size.channels = round_up(c, 8);
  size.more_rows = round_up(h + 3, 4) - h;
  size.more_columns = round_up(w + 3, 4) - w;
  size.elements = n * size.channels * w * h + size.more_rows * w * 4 + size.more_columns * 4;
  size.width = (c + 3) / 4 * w;
  size.height = n * h;
  return size;
}

}  // namespace arenascope::lesson
