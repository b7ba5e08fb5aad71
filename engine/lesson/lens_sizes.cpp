// SPDX-License-Identifier: MIT
// Sizes: the padded buffer and the image of a tensor on a device, rounding by a mask, and the checked number of elements
// of a shape.
#include <arenascope/base/round_up.h>
#include <arenascope/tensor/shape.h>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "engine/lesson/device_size.h"
#include "engine/lesson/lens.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr int64_t kMaxExtent = 64, kMaxTexels = 512, kTexel = 16;  // bytes of four floats

Result<std::vector<int64_t>> nhwc_of(LensRun& run) {
  auto sizes = lens_integers(run, lens_value(run, "shape"), "shape", 4, 1, kMaxExtent);
  if (!sizes) return sizes;
  if (sizes->size() != 4) return lens_count(run, "shape", 4, 4, sizes->size());
  const DeviceSize size = device_size((*sizes)[0], (*sizes)[1], (*sizes)[2], (*sizes)[3]);
  if (size.elements / 4 <= kMaxTexels) return sizes;
  return Error{fmt::format("shape: expected a buffer of at most {} elements, found {}", kMaxTexels * 4, size.elements)};
}

void push_rounded(std::string formula, const LensStrip& strip, std::vector<LensFrame>& frames) {
  Bytes bytes = 0;
  for (const LensCell& cell : strip.cells) bytes += cell.length;
  LensFrame frame{LensEvent::Rounded, {std::move(formula), std::to_string(bytes)}, {strip}, {}};
  frame.values = {{"bytes", static_cast<double>(bytes)}};
  frames.push_back(std::move(frame));
}

// Blocks of four channels, one after the other; each has a texel of four floats per pixel.
LensFrames acquire(LensRun& run) {
  auto sizes = nhwc_of(run);
  if (!sizes) return sizes.error();
  const int64_t n = (*sizes)[0], h = (*sizes)[1], w = (*sizes)[2], c = (*sizes)[3], pixels = n * h * w;
  const DeviceSize size = device_size(n, h, w, c);
  LensStrip strip{"buffer", LensUnit::Bytes, size.elements * 4, {}};
  std::vector<LensFrame> frames{{LensEvent::Start, {}, {strip}, {}}};
  const auto end_operation = [&] {
    for (LensCell& cell : strip.cells) cell.current = false;
  };
  for (int64_t group = 0; group * 4 < c; ++group)
    for (int64_t pixel = 0; pixel < pixels; ++pixel)
      strip.cells.push_back(
          {(group * pixels + pixel) * kTexel, std::min<int64_t>(4, c - group * 4) * 4, CellKind::Data, "", true, -1});
  push_rounded(fmt::format("N·H·W·C = {}·{}·{}·{} = {}", n, h, w, c, pixels * c), strip, frames);
  end_operation();
  LensStrip padded = strip;
  padded.cells.clear();
  for (const LensCell& cell : strip.cells) {
    padded.cells.push_back(cell);
    if (cell.length < kTexel)
      padded.cells.push_back({cell.begin + cell.length, kTexel - cell.length, CellKind::Padding, "", true, -1});
  }
  const int64_t filled = (c + 3) / 4 * pixels * kTexel, all = size.channels * pixels * 4;
  if (all > filled) padded.cells.push_back({filled, all - filled, CellKind::Padding, "", true, -1});
  strip = std::move(padded);
  push_rounded(fmt::format("alignC = ROUND_UP({}, 8) = {}", c, size.channels), strip, frames);
  end_operation();
  const int64_t rows = size.more_rows * w * 4 * 4, columns = size.more_columns * 4 * 4;
  strip.cells.push_back({all, rows, CellKind::Padding, "hR", true, -1});
  push_rounded(fmt::format("hR = ROUND_UP({0} + 3, 4) - {0} = {1}", h, size.more_rows), strip, frames);
  end_operation();
  strip.cells.push_back({all + rows, columns, CellKind::Padding, "wR", true, -1});
  push_rounded(fmt::format("wR = ROUND_UP({0} + 3, 4) - {0} = {1}", w, size.more_columns), strip, frames);
  return frames;
}

// One strip per row of the image; groups of four channels are side by side.
LensFrames image(LensRun& run) {
  auto sizes = nhwc_of(run);
  if (!sizes) return sizes.error();
  const int64_t w = (*sizes)[2], c = (*sizes)[3];
  const DeviceSize size = device_size((*sizes)[0], (*sizes)[1], w, c);
  std::vector<LensStrip> rows;
  for (int64_t row = 0; row < size.height; ++row)
    rows.push_back({fmt::format("y = {}", row), LensUnit::Slots, size.width, {}});
  std::vector<LensFrame> frames{{LensEvent::Start, {}, rows, {}}};
  for (int64_t group = 0; group * 4 < c; ++group) {
    const int64_t last = std::min<int64_t>(group * 4 + 3, c - 1);
    for (LensStrip& strip : rows) {
      for (LensCell& cell : strip.cells) cell.current = false;
      for (int64_t x = 0; x < w; ++x)
        strip.cells.push_back({group * w + x, 1, last == group * 4 + 3 ? CellKind::Data : CellKind::Value,
                               fmt::format("{}–{}", group * 4, last), true, -1});
    }
    frames.push_back({LensEvent::Texels,
                      {std::to_string(group * 4), std::to_string(last), std::to_string(group * w),
                       std::to_string(group * w + w - 1)},
                      rows,
                      {{"width", static_cast<double>((group + 1) * w)},
                       {"height", static_cast<double>(size.height)},
                       {"texels", static_cast<double>((group + 1) * w * size.height)}}});
  }
  return frames;
}

// --- rounding

constexpr int64_t kShownBits = 16;

LensStrip bits_of(std::string title, int64_t value) {
  LensStrip strip{std::move(title), LensUnit::Bits, kShownBits, {}};
  for (int64_t bit = 0; bit < kShownBits; ++bit) {
    const bool set = ((value >> (kShownBits - 1 - bit)) & 1) != 0;
    strip.cells.push_back({bit, 1, set ? CellKind::SetBit : CellKind::ClearBit, set ? "1" : "0", false, -1});
  }
  return strip;
}

LensFrames pad(LensRun& run) {
  auto x = lens_integer(run, "x", 0, (1 << (kShownBits - 1)) - 1);
  auto n = lens_integer(run, "n", 1, 1 << (kShownBits - 2));
  if (!x || !n) return x ? n.error() : x.error();
  if (!std::has_single_bit(static_cast<uint64_t>(*n)))
    return lens_expected(run, "n", "1, 2, 4, 8, …", std::to_string(*n));
  const int64_t result = round_up(*x, *n);
  const std::pair<std::string, int64_t> operations[] = {
      {"x + n - 1", *x + *n - 1}, {"~(n - 1)", ~(*n - 1)}, {"GGML_PAD(x, n)", result}};
  std::vector<LensStrip> strips{bits_of("x", *x)};
  std::vector<LensFrame> frames{{LensEvent::Start, {}, strips, {}}};
  for (const auto& [expression, value] : operations) {
    strips.push_back(bits_of(expression, value));
    const int64_t shown = value & ((1 << kShownBits) - 1);
    frames.push_back({LensEvent::Formula,
                      {expression, std::to_string(value)},
                      strips,
                      {{"value", static_cast<double>(value)},
                       {"x", static_cast<double>(*x)},
                       {"n", static_cast<double>(*n)},
                       {"padding", static_cast<double>(result - *x)},
                       {"ones", static_cast<double>(std::popcount(static_cast<uint64_t>(shown)))}}});
  }
  return frames;
}

// --- elements of a shape

// The number of elements so far as a 64-bit integer.
LensFrames numel(LensRun& run) {
  std::vector<int64_t> sizes;
  for (const std::string& token : split(lens_value(run, "shape"), " ,")) {
    const auto n = parse_integer(token);
    if (!n || sizes.size() == static_cast<size_t>(kMaxDims))
      return lens_expected(run, "shape", fmt::format("N … (1 … {})", kMaxDims), lens_value(run, "shape"));
    sizes.push_back(*n);
  }
  LensStrip list{"shape", LensUnit::Slots, static_cast<int64_t>(sizes.size()), {}};
  std::vector<LensFrame> frames{{LensEvent::Start, {}, {list}, {}}};
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (LensCell& cell : list.cells) cell.current = false;
    list.cells.push_back({static_cast<int64_t>(i), 1, CellKind::Data, std::to_string(sizes[i]), true, -1});
    const auto dims = checked_dims(std::span(sizes).first(i + 1));
    const auto bytes = dims ? checked_byte_count(*dims, DType::F32) : Result<Bytes>(dims.error());
    if (!bytes) {
      frames.push_back({LensEvent::Refused, {bytes.error().message}, {list}, {{"refused", 1}}});
      break;
    }
    const int64_t count = element_count(*dims);
    LensStrip bits{"elements", LensUnit::Bits, 64, {}};
    for (int bit = 63; bit >= 0; --bit)
      if (((static_cast<uint64_t>(count) >> bit) & 1) != 0)
        bits.cells.push_back({63 - bit, 1, CellKind::SetBit, "1", true, -1});
    frames.push_back(
        {LensEvent::Counted,
         {fmt::format("{}", fmt::join(std::span(sizes).first(i + 1), " × ")), std::to_string(count)},
         {list, std::move(bits)},
         {{"elements", static_cast<double>(count)}, {"bytes", static_cast<double>(*bytes)}, {"refused", 0}}});
  }
  return frames;
}

constexpr LensParameter kAcquireShape[] = {{"shape", "1 5 5 3"}};
constexpr LensParameter kImageShape[] = {{"shape", "1 5 5 9"}};
constexpr LensParameter kPad[] = {{"x", "51"}, {"n", "16"}};
constexpr LensParameter kNumel[] = {{"shape", "2097152 2097152 2097152"}};

constexpr LensExperiment kSizeLenses[] = {
    {"acquire", "the buffer of a tensor on a device, with the padding of MNN's onAcquire", kAcquireShape, acquire},
    {"image", "the image of a tensor on a device, texel by texel", kImageShape, image},
    {"pad", "rounding up with a mask, bit by bit", kPad, pad},
    {"numel", "the number of elements of a shape, checked for overflow", kNumel, numel},
};

}  // namespace

std::span<const LensExperiment> size_lenses() { return kSizeLenses; }

}  // namespace arenascope::lesson
