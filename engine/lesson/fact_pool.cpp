// SPDX-License-Identifier: MIT
// What a tensor takes in a device's pool, as MNN's onAcquire rounds it: channels in fours or eights, rows and columns
// padded for kernels that read beyond the edge.
#include "engine/lesson/fact_table.h"

#include <fmt/format.h>

#include "engine/lesson/words.h"

namespace arenascope::lesson {
namespace {

int64_t round_up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

struct Image {
  int64_t n = 1, h = 1, w = 1, c = 1;
};

Result<Image> image_of(const Arguments& a) {
  int64_t sizes[4] = {};
  for (size_t i = 0; i < 4; ++i) {
    const auto size = whole_number(a[i]);
    if (!size || *size < 1 || *size > (1 << 15)) return Error{fmt::format("'{}' is no size", a[i])};
    sizes[i] = *size;
  }
  return Image{sizes[0], sizes[1], sizes[2], sizes[3]};
}

Result<Value> buffer_bytes(const Scene&, const Arguments& a) {
  auto x = image_of(a);
  if (!x) return x.error();
  const int64_t more_rows = round_up(x->h + 3, 4) - x->h, more_columns = round_up(x->w + 3, 4) - x->w;
  const int64_t elements = x->n * round_up(x->c, 8) * x->w * x->h + more_rows * x->w * 4 + more_columns * 4;
  return bytes_value(elements * 4);
}

Result<Value> plain_bytes(const Scene&, const Arguments& a) {
  auto x = image_of(a);
  if (!x) return x.error();
  return bytes_value(x->n * x->h * x->w * x->c * 4);
}

Result<Value> image_width(const Scene&, const Arguments& a) {
  auto x = image_of(a);
  if (!x) return x.error();
  return number_value(static_cast<double>((x->c + 3) / 4 * x->w));
}

Result<Value> image_height(const Scene&, const Arguments& a) {
  auto x = image_of(a);
  if (!x) return x.error();
  return number_value(static_cast<double>(x->n * x->h));
}

constexpr Fact kPoolFacts[] = {
    {{"tensor_bytes", 4, 4, "bytes of an f32 tensor of N,H,W,C elements"}, plain_bytes},
    {{"buffer_bytes", 4, 4, "bytes of the buffer that MNN's onAcquire asks for it"}, buffer_bytes},
    {{"image_width", 4, 4, "texels of four channels in a row of its image"}, image_width},
    {{"image_height", 4, 4, "rows of its image"}, image_height},
};

}  // namespace

std::span<const Fact> pool_facts() { return kPoolFacts; }

}  // namespace arenascope::lesson
