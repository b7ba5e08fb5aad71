// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/conv_algorithm.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/packed.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kNine = 9, kProducts = 16;
constexpr int64_t kGap = 16;             // floats between the factors, so that they do not map to the same cache lines
constexpr int64_t kBlockFloats = 12288;  // floats of a block's tiles, over all input channels, per factor
constexpr int64_t kTilesTogether = 8;    // as many rows as the strip's matmul has
constexpr int64_t kMinTiles = 32;        // for fewer tiles, reading the weights dominates
constexpr int64_t kChannelsAlike = 16;   // channels are whole vectors

struct TileGrid {
  int64_t across, down, count, block;

  explicit TileGrid(const ConvGeometry& g)
      : across((g.out[2] + 1) / 2), down((g.out[1] + 1) / 2), count(g.batch * across * down) {
    const int64_t fit = kBlockFloats / (g.in_channels * g.groups) / kTilesTogether * kTilesTogether;
    block = std::clamp(fit, kTilesTogether, (count + kTilesTogether - 1) / kTilesTogether * kTilesTogether);
  }
};

// Columns of the result in strips of up to three vectors, as even as possible.
struct ChannelStrips {
  int64_t lanes, vectors, count;

  explicit ChannelStrips(int64_t channels) : lanes(simd().lanes), vectors(channels / lanes), count((vectors + 2) / 3) {}
  int64_t begin(int64_t i) const { return (i * (vectors / count) + std::min(i, vectors % count)) * lanes; }
  int64_t width(int64_t i) const { return begin(i + 1) - begin(i); }
  int64_t widest() const { return width(0); }
};

// Scratch per chunk: transformed tiles, products of a strip, zeros for positions outside the image, and rows for blocks
// that are computed directly.
struct TileScratch {
  float *tiles, *products, *zeros, *unread, *windows, *line, *sums, *x, *y;
  int64_t tile_stride, product_stride, size;
  int64_t rows;  // rows of tiles of a plain image at a time

  // With a null address it only counts.
  TileScratch(float* at, const ConvGeometry& g, bool plain) {
    const TileGrid t(g);
    rows = std::max<int64_t>(1, t.block / t.across);
    tile_stride = t.block * g.in_channels * g.groups + kGap;
    product_stride = t.block * ChannelStrips(g.out_channels).widest() + kGap;
    size = 0;
    const auto take = [&](int64_t n) { return at ? at + std::exchange(size, size + n) : (size += n, nullptr); };
    tiles = take(kProducts * tile_stride);
    products = take(kProducts * product_stride);
    zeros = take(g.in_channels * g.groups);
    unread = take(g.out_channels * g.groups);
    windows = take(4 * g.depth());
    line = take(g.depth());
    sums = take(4);
    x = take(plain ? (2 * rows + 2) * g.in[2] * g.in_channels * g.groups : 0);
    y = take(plain ? 2 * rows * g.out[2] * g.out_channels * g.groups : 0);
  }
};

// Channels-last images: the node's own, or some rows of one in scratch, from `first_x` and `first_y` on.
struct LastImages {
  const float* x;
  int64_t x_image, x_row, x_place;  // distances in floats
  float* y;
  int64_t y_image, first_x = 0, first_y = 0;
};

class TileBlock {
 public:
  TileBlock(const KernelArgs& args, const ConvGeometry& g, const TileScratch& beside, const float* bias,
            const LastImages& images)
      : job_(args),
        g_(g),
        companion_(beside),
        bias_(bias),
        images_(images),
        tiles_(g),
        strips_(g.out_channels),
        sources_(g.in_channels * g.groups),
        results_(g.out_channels * g.groups) {}

  void compute(int64_t first, int64_t count) {
    for (int64_t t = 0; t < count; ++t) transform(first + t, companion_.tiles + t * sources_);
    bool finite = true;
    for (int64_t group = 0; group < g_.groups; ++group)
      for (int64_t s = 0; s < strips_.count; ++s) finite = strip(group, s, first, count) && finite;
    if (!finite)
      for (int64_t t = 0; t < count; ++t) directly(first + t);
  }

  // Epilogue of finished results, row by row.
  void finish(int64_t first, int64_t count) const {
    for (int64_t t = first, run; t < first + count; t += run) {
      const Place p = place(t);
      run = std::min(first + count - t, tiles_.across - t % tiles_.across);
      const int64_t places = std::min(2 * run, g_.out[2] - p.column);
      for (int64_t row = 0; row < 2; ++row)
        if (const float* const at = result(p, row, 0)) job_.done(at - images_.y, places * results_);
    }
  }

 private:
  struct Place {
    int64_t image, row, column;  // position of the tile's first result
  };
  Place place(int64_t tile) const {
    return {tile / tiles_.across / tiles_.down, tile / tiles_.across % tiles_.down * 2, tile % tiles_.across * 2};
  }
  const float* source(const Place& p, int64_t row, int64_t column) const {
    if (row < 0 || row >= g_.in[1] || column < 0 || column >= g_.in[2]) return nullptr;
    return images_.x + p.image * images_.x_image + (row - images_.first_x) * images_.x_row + column * images_.x_place;
  }
  float* result(const Place& p, int64_t row, int64_t column) const {
    if (p.row + row >= g_.out[1] || p.column + column >= g_.out[2]) return nullptr;
    return images_.y + p.image * images_.y_image +
           ((p.row + row - images_.first_y) * g_.out[2] + p.column + column) * results_;
  }

  void transform(int64_t tile, float* to) const {
    const Place p = place(tile);
    const float* from[kProducts];
    for (int64_t i = 0; i < kProducts; ++i) {
      from[i] = source(p, p.row - g_.begin[1] + i / 4, p.column - g_.begin[2] + i % 4);
      if (!from[i]) from[i] = companion_.zeros;
    }
    simd().tile_in(to, companion_.tile_stride, from, sources_);
  }

  // The results of some channels of a group; returns whether all are finite.
  bool strip(int64_t group, int64_t s, int64_t first, int64_t count) const {
    const int64_t width = strips_.width(s), depth = g_.in_channels, begin = group * g_.out_channels + strips_.begin(s);
    const float* const weights = job_.packed->data() + kProducts * depth * begin;
    const float* const tiles = companion_.tiles + group * depth;
    for (int64_t k = 0; k < kProducts; ++k)
      simd().strip(depth, tiles + k * companion_.tile_stride, sources_, 1, count, weights + k * depth * width, width,
                   static_cast<int>(width / strips_.lanes), companion_.products + k * companion_.product_stride, width,
                   false);
    bool finite = true;
    for (int64_t t = 0; t < count; ++t) {
      const Place p = place(first + t);
      float* to[4];
      for (int64_t i = 0; i < 4; ++i) {
        float* const at = result(p, i / 2, i % 2);
        to[i] = (at ? at : companion_.unread) + begin;
      }
      finite = simd().tile_out(to, companion_.products + t * width, companion_.product_stride, bias_ + begin, width) &&
               finite;
    }
    return finite;
  }

  // The tile's results, computed directly from their windows.
  void directly(int64_t tile) const {
    job_.need_original_weights();
    for (int64_t group = 0; group < g_.groups; ++group) directly(place(tile), group);
  }
  void directly(const Place& p, int64_t group) const {
    const int64_t depth = g_.depth();
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t tap = 0; tap < kNine; ++tap) {
        const float* from = source(p, p.row + i / 2 - g_.begin[1] + tap / 3, p.column + i % 2 - g_.begin[2] + tap % 3);
        from = from ? from + group * g_.in_channels : companion_.zeros;
        float* const to = companion_.windows + i * depth + tap;
        for (int64_t c = 0; c < g_.in_channels; ++c) to[c * kNine] = from[c];
      }
    for (int64_t k = group * g_.out_channels; k < (group + 1) * g_.out_channels; ++k) {
      std::memcpy(companion_.line, job_.source(1).data() + k * depth * 4, static_cast<size_t>(depth) * 4);
      std::fill_n(companion_.sums, 4, 0.0f);
      simd().dots[0](companion_.line, depth, 1, companion_.windows, depth, 4, depth, companion_.sums, 1);
      for (int64_t i = 0; i < 4; ++i)
        if (float* const to = result(p, i / 2, i % 2)) to[k] = companion_.sums[i] + bias_[k];
    }
  }

  const KernelArgs& job_;
  const ConvGeometry& g_;
  const TileScratch& companion_;
  const float* bias_;
  const LastImages& images_;
  const TileGrid tiles_;
  const ChannelStrips strips_;
  const int64_t sources_, results_;  // channels of all groups
};

// G·g·Gᵀ of one kernel, in double.
void transform_kernel(const std::byte* from, double (&to)[kProducts]) {
  float g[kNine];
  std::memcpy(g, from, sizeof g);
  const auto four = [](double a, double b, double c, double* out, int64_t stride) {
    out[0] = a, out[stride] = (a + b + c) / 2, out[2 * stride] = (a - b + c) / 2, out[3 * stride] = c;
  };
  double rows[4][3];
  for (int x = 0; x < 3; ++x) four(g[x], g[3 + x], g[6 + x], &rows[0][x], 3);
  for (int y = 0; y < 4; ++y) four(rows[y][0], rows[y][1], rows[y][2], to + 4 * y, 1);
}

// Integers converted to float, possibly minus a zero point: their sums are exact while below 2^24, but sums of
// transformed values need not be.
bool counts_whole_numbers(const TensorImpl& t) {
  if (t.op == Op::Cast) return !info(t.sources[0]->dtype).floating;
  bool passes = info(t.op).family == OpFamily::View || t.op == Op::Sub || t.op == Op::Cont || t.op == Op::Pad;
  if (t.op == Op::Fused) {
    const std::vector<Op> held = held_ops(t);
    passes = std::all_of(held.begin(), held.end(), [](Op op) { return op == Op::Sub; });
  }
  return passes && !t.sources.empty() && counts_whole_numbers(*t.sources[0]);
}

bool lie_plain(const TensorImpl& node, const ConvGeometry& g) {
  return node.contiguous() && !node.channels_last() && g.in_stride[2] == 1 && g.in_stride[1] == g.in[2] &&
         g.channel_stride == g.in[1] * g.in[2];
}

// Transposes `rows` rows of n floats, `stride` apart, into n rows of `rows`; `rows` is a multiple of 16.
void transpose_rows(const float* from, int64_t stride, int64_t rows, int64_t n, float* to, int64_t to_stride) {
  for (int64_t i = 0; i < n; i += 16)
    for (int64_t r = 0; r < rows; r += 16) {
      if (i + 16 <= n && r + 16 <= rows) {
        simd().transpose_tile(to + i * to_stride + r, to_stride, from + r * stride + i, stride);
        continue;
      }
      for (int64_t k = i; k < std::min(n, i + 16); ++k)
        for (int64_t j = r; j < std::min(rows, r + 16); ++j) to[k * to_stride + j] = from[j * stride + k];
    }
}

// Plain images: some rows of tiles at a time; input rows are transposed into scratch, results back.
void by_plain_rows(const KernelArgs& args, const ConvGeometry& g, const TileScratch& beside, const float* bias) {
  const TileGrid tiles(g);
  const int64_t sources = g.in_channels * g.groups, results = g.out_channels * g.groups;
  LastImages images{beside.x, 0, g.in[2] * sources, sources, beside.y, 0};
  TileBlock block(args, g, beside, bias, images);
  const Range part = args.part(g.batch * tiles.down);
  for (int64_t r = part.begin, n; r < part.end; r += n) {
    const int64_t image = r / tiles.down, first = r % tiles.down;
    n = std::min({beside.rows, part.end - r, tiles.down - first});
    images.first_x = std::max<int64_t>(0, 2 * first - g.begin[1]), images.first_y = 2 * first;
    const int64_t end_x = std::clamp(2 * (first + n) + 2 - g.begin[1], images.first_x, g.in[1]),
                  end_y = std::min(2 * (first + n), g.out[1]);
    transpose_rows(args.source(0).data_as<float>() + image * g.batch_stride + images.first_x * g.in[2],
                   g.channel_stride, sources, (end_x - images.first_x) * g.in[2], beside.x, sources);
    const int64_t from = r * tiles.across, to = from + n * tiles.across;
    for (int64_t t = from; t < to; t += tiles.block) block.compute(t, std::min(tiles.block, to - t));
    const int64_t begin = image * results * g.positions + images.first_y * g.out[2],
                  places = (end_y - images.first_y) * g.out[2];
    float* const out = args.node.data_as<float>() + begin;
    transpose_rows(beside.y, results, places, results, out, g.positions);
    for (int64_t k = 0; k < results; ++k) args.done(begin + k * g.positions, places);
  }
}

bool suits_winograd(const TensorImpl& node, const ConvGeometry& g) {
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  for (const TensorImpl* t : {&node, &x, &w})
    if (t->dtype != DType::F32 || t->rank() != 4) return false;
  const bool simple = g.kernel[1] == 3 && g.kernel[2] == 3 && g.stride[1] == 1 && g.stride[2] == 1 &&
                      g.dilation[1] == 1 && g.dilation[2] == 1;
  return simple && w.contiguous() && !counts_whole_numbers(x) && g.in_channels >= kChannelsAlike &&
         g.in_channels % kChannelsAlike == 0 && g.out_channels > 0 && g.out_channels % kChannelsAlike == 0 &&
         TileGrid(g).count >= kMinTiles;
}

bool takes_winograd(const TensorImpl& node, const ConvGeometry& g) {
  const bool last = node.channels_last() && node.sources[0]->channels_last() && g.channel_stride == 1;
  return (last || lie_plain(node, g)) && suits_winograd(node, g);
}

void pack_winograd(const TensorImpl& node, const ConvGeometry& g, std::byte* packed) {
  auto* to = reinterpret_cast<float*>(packed);
  const ChannelStrips strips(g.out_channels);
  const std::byte* const weights = node.sources[1]->data();
  for (int64_t group = 0; group < g.groups; ++group)
    for (int64_t s = 0; s < strips.count; ++s) {
      const int64_t first = group * g.out_channels + strips.begin(s), width = strips.width(s),
                    product = g.in_channels * width;
      for (int64_t c = 0; c < g.in_channels; ++c)
        for (int64_t k = 0; k < width; ++k) {
          double made[kProducts];
          transform_kernel(weights + ((first + k) * g.in_channels + c) * kNine * 4, made);
          for (int64_t i = 0; i < kProducts; ++i) to[i * product + c * width + k] = static_cast<float>(made[i]);
        }
      to += kProducts * product;
    }
}

Bytes winograd_work(const TensorImpl& node, const ConvGeometry& g) {
  return round_to_line(4 * (TileScratch(nullptr, g, !node.channels_last()).size + g.out_channels * g.groups));
}

void winograd(const KernelArgs& args, const ConvGeometry& g) {
  const int64_t channels = g.out_channels * g.groups;
  const bool plain = !args.node.channels_last();
  float* const bias = args.scratch<float>(winograd_work(args.node, g));
  const TileScratch beside(bias + channels, g, plain);
  std::fill_n(beside.zeros, g.in_channels * g.groups, 0.0f);
  if (args.sources() > 2)
    load_elements(args.source(2), 0, channels, bias);
  else
    std::fill_n(bias, channels, 0.0f);
  if (plain) return by_plain_rows(args, g, beside, bias);
  const TileGrid tiles(g);
  const Range part = args.part(tiles.count, kTilesTogether);
  if (part.size() <= 0) return;
  const LastImages images{args.source(0).data_as<float>(), g.batch_stride,        g.in_stride[1], g.in_stride[2],
                          args.node.data_as<float>(),      g.positions * channels};
  TileBlock block(args, g, beside, bias, images);
  const int64_t blocks = (part.size() + tiles.block - 1) / tiles.block,
                even = ((part.size() + blocks - 1) / blocks + kTilesTogether - 1) / kTilesTogether * kTilesTogether;
  for (int64_t t = part.begin; t < part.end; t += even) {
    block.compute(t, std::min(even, part.end - t));
    block.finish(t, std::min(even, part.end - t));
  }
}

}  // namespace

const ConvAlgorithm kConvWinograd{
    .takes = takes_winograd,
    .compute = winograd,
    .work = [](const TensorImpl& node, const ConvGeometry& g, int tasks) { return tasks * winograd_work(node, g); },
    .packed_bytes = [](const TensorImpl&,
                       const ConvGeometry& g) { return 4 * kProducts * g.in_channels * g.out_channels * g.groups; },
    .pack = pack_winograd,
    .suits_nhwc =
        [](const TensorImpl& node, const ConvGeometry& g) {
          return g.groups > 1 && node.sources[1]->has(kFlagWeight) && suits_winograd(node, g);
        }};

}  // namespace arenascope::cpu
