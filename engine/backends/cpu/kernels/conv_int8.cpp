// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/conv_int8.h"
#include "engine/backends/cpu/kernels/conv_algorithm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/packed.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kMaxInt8Taps = 128, kByteBlock = 16;
constexpr int64_t kTileBytes = 256 << 10;  // results computed together

int64_t up_to(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

// Packed layout of a group's weights and of its input rows.
struct WholeForm {
  bool bytes;                 // bytes; otherwise floats
  int64_t channels, results;  // including padding
  int64_t width;              // width of the padded input rows
  int64_t rows;               // result rows at a time
  int64_t packed;             // packed bytes of a group's weights

  explicit WholeForm(const ConvGeometry& g, int64_t max_rows = 0) : bytes(byte_sums() != nullptr) {
    channels = bytes ? up_to(g.in_channels, 4) : g.in_channels;
    results = up_to(g.out_channels, kByteBlock);
    width = (g.out[2] - 1) * g.stride[2] + (g.kernel[2] - 1) * g.dilation[2] + 1;
    rows = std::clamp<int64_t>(kTileBytes / (4 * results * g.out[2]), 1, max_rows ? max_rows : g.out[1]);
    packed = g.taps * channels * results * element() + (bytes ? 4 * results : 0);
  }
  int64_t element() const { return bytes ? 1 : 4; }
  int64_t place_bytes() const { return channels * element(); }
  int64_t source_rows(const ConvGeometry& g, int64_t n) const {
    return (n - 1) * g.stride[1] + (g.kernel[1] - 1) * g.dilation[1] + 1;
  }
  Bytes source_bytes(const ConvGeometry& g) const {
    return round_to_line(source_rows(g, rows) * width * place_bytes());
  }
  Bytes tile_bytes(const ConvGeometry& g) const { return round_to_line(4 * rows * g.out[2] * results); }
};

// A group's weights: initial sums, then bytes in quads of channels; or floats.
void pack_group(const TensorImpl& node, const ConvGeometry& g, const WholeForm& form, int64_t group, std::byte* to) {
  const auto* from =
      reinterpret_cast<const int8_t*>(node.sources[1]->data()) + group * g.out_channels * g.in_channels * g.taps;
  std::memset(to, 0, static_cast<size_t>(form.packed));
  auto* const start = reinterpret_cast<int32_t*>(to);
  auto* const bytes = reinterpret_cast<int8_t*>(start + form.results);
  auto* const floats = reinterpret_cast<float*>(to);
  const bool raised = node.sources[0]->dtype == DType::I8;  // signed values are offset by 128
  for (int64_t k = 0; k < g.out_channels; ++k) {
    int32_t sum = 0;
    const int64_t first = k / kByteBlock * kByteBlock * g.taps * form.channels, lane = k % kByteBlock;
    for (int64_t c = 0; c < g.in_channels; ++c)
      for (int64_t tap = 0; tap < g.taps; ++tap) {
        const int8_t value = *from++;
        sum += value;
        const int64_t row = first + tap * form.channels * kByteBlock;
        if (form.bytes)
          bytes[row + c / 4 * 4 * kByteBlock + lane * 4 + c % 4] = value;
        else
          floats[row + c * kByteBlock + lane] = static_cast<float>(value);
      }
    if (form.bytes && raised) start[k] = -128 * sum;
  }
}

// Scratch per chunk.
Bytes int8_conv_work(const ConvGeometry& g) {
  const WholeForm form(g);
  return form.source_bytes(g) + form.tile_bytes(g) + round_to_line(form.packed);
}

class Int8Conv {
 public:
  // `place`: column of the result at which those of `g` start; `max_rows` result rows at a time, 0: as many as fit.
  Int8Conv(const KernelArgs& args, const ConvGeometry& g, int64_t place, int64_t max_rows)
      : job_(args),
        g_(g),
        place_(place),
        form_(g, max_rows),
        start_(static_cast<size_t>(form_.results)),
        fractions_(static_cast<size_t>(form_.results)) {
    auto* const scratch = args.scratch<std::byte>(int8_conv_work(ConvGeometry(args.node)));
    source_ = scratch, tile_ = reinterpret_cast<int32_t*>(scratch + form_.source_bytes(g));
    own_ = reinterpret_cast<std::byte*>(tile_) + form_.tile_bytes(g);
    raised_ = form_.bytes && args.source(0).dtype == DType::I8 ? 0x80 : 0;
    for (int64_t tap = 0; tap < g.taps; ++tap)
      taps_[tap] =
          (tap / g.kernel[2] * g.dilation[1] * form_.width + tap % g.kernel[2] * g.dilation[2]) * form_.channels;
  }

  void compute(int64_t image, int64_t group, int64_t first, int64_t rows) {
    const std::byte* const weights = job_.packed ? job_.packed->bytes() + group * form_.packed : own_;
    if (!job_.packed) pack_group(job_.node, g_, form_, group, own_);
    begin_sums(group, weights);
    for (int64_t r = 0; r < form_.source_rows(g_, rows); ++r) {
      std::byte* const to = source_ + r * form_.width * form_.place_bytes();
      lay_out(image, group, first * g_.stride[1] - g_.begin[1] + r, to);
    }
    for (int64_t row = 0; row < rows; ++row)
      if (form_.bytes)
        sum_bytes(row, weights);
      else
        sum_floats(row, reinterpret_cast<const float*>(weights));
    finish(image * g_.groups + group, first, rows);
  }

 private:
  // Integer parts of the biases are included in the integer sums; the fractions are added to the results.
  void begin_sums(int64_t group, const std::byte* weights) {
    std::fill(start_.begin(), start_.end(), 0);
    std::fill(fractions_.begin(), fractions_.end(), 0.0f);
    if (form_.bytes) std::memcpy(start_.data(), weights, start_.size() * sizeof(int32_t));
    if (job_.sources() < 3) return;
    load_elements(job_.source(2), group * g_.out_channels, g_.out_channels, fractions_.data());
    for (size_t k = 0; k < start_.size(); ++k) {
      if (!(std::abs(fractions_[k]) < 0x1p30f)) continue;
      const float whole = std::trunc(fractions_[k]);
      start_[k] += static_cast<int32_t>(whole), fractions_[k] -= whole;
    }
  }

  // An input row with channels innermost.
  void lay_out(int64_t image, int64_t group, int64_t row, std::byte* to) const {
    std::memset(to, raised_, static_cast<size_t>(form_.width * form_.place_bytes()));
    if (row < 0 || row >= g_.in[1]) return;
    const uint8_t* const from = job_.source(0).data_as<uint8_t>() + image * g_.batch_stride +
                                group * g_.in_channels * g_.channel_stride + row * g_.in_stride[1];
    const int64_t begin = std::clamp<int64_t>(g_.begin[2], 0, form_.width),
                  end = std::clamp<int64_t>(g_.in[2] + g_.begin[2], begin, form_.width), step = g_.in_stride[2];
    const auto line = [&](int64_t c) { return from + c * g_.channel_stride + (begin - g_.begin[2]) * step; };
    if (form_.bytes && g_.channel_stride == 1) {
      std::byte* out = to + begin * form_.channels;
      for (int64_t i = 0; i < end - begin; ++i, out += form_.channels) {
        std::memcpy(out, line(0) + i * step, static_cast<size_t>(g_.in_channels));
        if (raised_)
          for (int64_t c = 0; c < g_.in_channels; ++c) out[c] ^= std::byte{0x80};
      }
      return;
    }
    if (form_.bytes) {
      for (int64_t c = 0; c < g_.in_channels; c += 4) {
        // Padding channels have zero weights, so their values do not matter.
        const uint8_t* four[4];
        for (int64_t i = 0; i < 4; ++i) four[i] = line(std::min(c + i, g_.in_channels - 1));
        std::byte* out = to + begin * form_.channels + c;
        for (int64_t i = 0; i < end - begin; ++i, out += form_.channels) {
          const uint8_t all[4] = {four[0][i * step], four[1][i * step], four[2][i * step], four[3][i * step]};
          uint32_t value;
          std::memcpy(&value, all, 4);
          value ^= raised_ * 0x01010101u;
          std::memcpy(out, &value, 4);
        }
      }
      return;
    }
    const bool is_signed = job_.source(0).dtype == DType::I8;
    for (int64_t c = 0; c < g_.in_channels; ++c) {
      float* const out = reinterpret_cast<float*>(to) + begin * form_.channels + c;
      const uint8_t* const values = line(c);
      for (int64_t i = 0; i < end - begin; ++i) {
        const uint8_t value = values[i * step];
        out[i * form_.channels] = static_cast<float>(is_signed ? static_cast<int8_t>(value) : value);
      }
    }
  }

  void sum_bytes(int64_t row, const std::byte* weights) const {
    const auto* const bytes = reinterpret_cast<const int8_t*>(weights) + 4 * form_.results;
    const auto* const x = reinterpret_cast<const uint8_t*>(source_) + row * g_.stride[1] * form_.width * form_.channels;
    for (int64_t k = 0; k < form_.results; k += 4 * kByteBlock) {
      const int64_t blocks = std::min<int64_t>(4, (form_.results - k) / kByteBlock);
      byte_sums()({x, taps_, g_.taps, form_.channels / 4, g_.stride[2] * form_.channels,
                   bytes + k * g_.taps * form_.channels, start_.data() + k, static_cast<int>(blocks), g_.out[2],
                   tile_ + row * g_.out[2] * form_.results + k, form_.results});
    }
  }

  // Splits the sum so that floats stay exact.
  void sum_floats(int64_t row, const float* weights) {
    constexpr int64_t kExact = 512, kPlaces = 64;
    const auto* const x = reinterpret_cast<const float*>(source_) + row * g_.stride[1] * form_.width * form_.channels;
    const Simd& s = simd();
    const int64_t step = g_.stride[2] * form_.channels;
    float sums[kPlaces * kByteBlock];
    for (int64_t k = 0; k < form_.results; k += kByteBlock)
      for (int64_t place = 0; place < g_.out[2]; place += kPlaces) {
        const int64_t places = std::min(kPlaces, g_.out[2] - place);
        int32_t* const to = tile_ + (row * g_.out[2] + place) * form_.results + k;
        for (int64_t p = 0; p < places; ++p) std::copy_n(start_.data() + k, kByteBlock, to + p * form_.results);
        for (int64_t tap = 0; tap < g_.taps; ++tap)
          for (int64_t c = 0; c < form_.channels; c += kExact) {
            const float* const w = weights + ((k * g_.taps + tap * kByteBlock) * form_.channels) + c * kByteBlock;
            for (int64_t v = 0; v < kByteBlock; v += s.lanes)
              s.strip(std::min(kExact, form_.channels - c), x + taps_[tap] + place * step + c, step, 1, places, w + v,
                      kByteBlock, 1, sums + v, kByteBlock, false);
            for (int64_t p = 0; p < places; ++p)
              for (int64_t i = 0; i < kByteBlock; ++i)
                to[p * form_.results + i] += static_cast<int32_t>(sums[p * kByteBlock + i]);
          }
      }
  }

  // Transposes the tile into rows of each channel, as floats.
  void finish(int64_t image_group, int64_t first, int64_t rows) const {
    const int64_t places = rows * g_.out[2], begin = first * job_.node.sizes.back() + place_;
    const LoadRow<float> to_floats = loader<float>(DType::I32);
    for (int64_t k = 0; k < g_.out_channels; k += 16) {
      float* const to = job_.node.data_as<float>() + (image_group * g_.out_channels + k) * g_.positions + begin;
      const int64_t channels = std::min<int64_t>(16, g_.out_channels - k);
      for (int64_t p = 0; p < places; p += 16) turn(to + p, tile_ + p * form_.results + k, channels, places - p);
      for (int64_t i = 0; i < channels; ++i) {
        float* const line = to + i * g_.positions;
        to_floats(line, reinterpret_cast<const std::byte*>(line), 1, places);
        if (const float bias = fractions_[static_cast<size_t>(k + i)]; bias != 0)
          simd().elements.affine(line, line, places, 1, bias);
        job_.done(line - job_.node.data_as<float>(), places);
      }
    }
  }
  void turn(float* to, const int32_t* from, int64_t channels, int64_t places) const {
    if (channels == 16 && places >= 16)
      return simd().transpose_tile(to, g_.positions, reinterpret_cast<const float*>(from), form_.results);
    for (int64_t i = 0; i < channels; ++i)
      for (int64_t j = 0; j < std::min<int64_t>(16, places); ++j)
        std::memcpy(to + i * g_.positions + j, from + j * form_.results + i, 4);
  }

  const KernelArgs& job_;
  const ConvGeometry& g_;
  const int64_t place_;
  const WholeForm form_;
  std::byte *source_, *own_;
  int32_t* tile_;
  uint8_t raised_;
  int64_t taps_[kMaxInt8Taps];
  std::vector<int32_t> start_;    // initial sums of the group
  std::vector<float> fractions_;  // fractions of its biases
};

bool supports_int8_conv(const TensorImpl& node, const ConvGeometry& g) {
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  return (x.dtype == DType::U8 || x.dtype == DType::I8) && w.dtype == DType::I8 && node.dtype == DType::F32 &&
         w.contiguous() && node.contiguous() && g.kernel[0] == 1 && g.in[0] == 1 && g.out[0] == 1 &&
         g.taps <= kMaxInt8Taps && g.in_channels > 0 && g.positions > 0;
}

void pack_int8_conv(const TensorImpl& node, const ConvGeometry& g, std::byte* to) {
  const WholeForm form(g);
  for (int64_t group = 0; group < g.groups; ++group) pack_group(node, g, form, group, to + group * form.packed);
}

void int8_conv(const KernelArgs& args, const ConvGeometry& g) {
  if (g.batch * g.out[1] < args.nth) {
    // Few rows are split by columns.
    const Range places = args.part(g.out[2], kByteBlock);
    if (places.size() <= 0) return;
    ConvGeometry part = g;
    part.out[2] = places.size(), part.begin[2] -= places.begin * g.stride[2];
    Int8Conv conv(args, part, places.begin, 1);
    for (int64_t row = 0; row < g.batch * g.out[1]; ++row)
      for (int64_t group = 0; group < g.groups; ++group) conv.compute(row / g.out[1], group, row % g.out[1], 1);
    return;
  }
  Int8Conv conv(args, g, 0, 0);
  const int64_t most = WholeForm(g).rows;
  const Range rows = args.part(g.batch * g.out[1]);
  for (int64_t row = rows.begin, n; row < rows.end; row += n) {
    const int64_t image = row / g.out[1], first = row % g.out[1];
    n = std::min({most, rows.end - row, g.out[1] - first});
    for (int64_t group = 0; group < g.groups; ++group) conv.compute(image, group, first, n);
  }
}

}  // namespace

const ConvAlgorithm kConvInt8{
    .takes = supports_int8_conv,
    .compute = int8_conv,
    .work = [](const TensorImpl&, const ConvGeometry& g, int tasks) { return tasks * int8_conv_work(g); },
    .packed_bytes = [](const TensorImpl&, const ConvGeometry& g) { return g.groups * WholeForm(g).packed; },
    .pack = pack_int8_conv};

}  // namespace arenascope::cpu
