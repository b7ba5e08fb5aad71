// SPDX-License-Identifier: MIT
// oneDNN's fast kernels use channels-last images directly, without reordering. The weight layout that a kernel needs
// depends on the number of rows. The weights are packed once, for strips of the default height, and row ranges are
// composed of strip heights that use this layout.
#include "engine/backends/cpu/onednn/onednn_conv_nhwc.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>

#include "engine/backends/cpu/kernels/conv_strip.h"
#include "engine/backends/cpu/onednn/onednn_common.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

using dnnl::memory;
using Desc = memory::desc;

constexpr Bytes kStripBytes = 768 << 10;      // input and result of a strip
constexpr Bytes kLibraryScratch = 256 << 10;  // limit of the library's own scratch
constexpr int64_t kFewChannels = 4;
constexpr auto kFloat = memory::data_type::f32;
constexpr auto kAny = memory::format_tag::any;
constexpr auto kLast = memory::format_tag::nhwc;

bool suits(const TensorImpl& node, const ConvGeometry& g) {
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  if (node.params.get<ConvParams>().spatial != 2 || g.groups != 1 || g.in_channels == 0 || g.positions == 0)
    return false;
  if (x.dtype != DType::F32 || w.dtype != DType::F32 || node.dtype != DType::F32 || !w.contiguous()) return false;
  if (anchor_sources(node) < 3) return true;
  const TensorImpl& bias = *node.sources[2];
  return bias.dtype == DType::F32 && bias.contiguous();
}

// True if the input is channels-last; with one channel or one position both layouts are the same.
bool source_lies_last(const TensorImpl& x) {
  return x.channels_last() || (x.contiguous() && !has_two_layouts(x.sizes.span()));
}

// If a result depends on one input position only, positions may be treated as rows: chunks of seven rows would be
// uneven.
ConvGeometry of_places(const TensorImpl& node) {
  ConvGeometry g(node);
  const bool alike = g.taps == 1 && g.stride[1] == 1 && g.stride[2] == 1 && g.begin[1] == 0 && g.begin[2] == 0 &&
                     g.in[1] == g.out[1] && g.in[2] == g.out[2];
  if (!alike || !source_lies_last(*node.sources[0]) || g.in_stride[1] != g.in[2] * g.in_stride[2]) return g;
  g.in_stride[1] = g.in_stride[2];
  g.in[1] = g.out[1] = g.in[1] * g.in[2];
  g.in[2] = g.out[2] = 1;
  return g;
}

int64_t strip_rows(const ConvGeometry& g) {
  const int64_t row_bytes = 4 * (g.in_channels * g.in[2] * g.stride[1] + g.out_channels * g.out[2]);
  return std::clamp<int64_t>(kStripBytes / row_bytes, std::min<int64_t>(4, g.out[1]), g.out[1]);
}

// Rows of strips that are computed in scratch, because only taller strips than needed are supported.
int64_t max_external_rows(const ConvGeometry& g) { return std::min(g.out[1], 2 * strip_rows(g)); }

struct Work {
  Bytes source = 0, result;
  explicit Work(const TensorImpl& node, const ConvGeometry& g) {
    const int64_t rows = max_external_rows(g);
    const int64_t in = std::min(g.in[1], (rows - 1) * g.stride[1] + (g.kernel[1] - 1) * g.dilation[1] + 1);
    if (!source_lies_last(*node.sources[0])) source = round_to_line(4 * g.in_channels * in * g.in[2]);
    result = round_to_line(4 * g.out_channels * rows * g.out[2]);
  }
  Bytes total() const { return source + result + kLibraryScratch; }
};

dnnl::convolution_forward::primitive_desc describe(const dnnl::engine& engine, const ConvGeometry& g, const Strip& s,
                                                   const Desc& weights, bool bias) {
  const Desc source({1, g.in_channels, s.in, g.in[2]}, kFloat, kLast),
      result({1, g.out_channels, s.out, g.out[2]}, kFloat, kLast);
  const int64_t right = (g.out[2] - 1) * g.stride[2] + (g.kernel[2] - 1) * g.dilation[2] + 1 - g.in[2] - g.begin[2];
  const memory::dims strides{g.stride[1], g.stride[2]}, dilations{g.dilation[1] - 1, g.dilation[2] - 1},
      begin{s.top, g.begin[2]}, end{s.bottom, right};
  const auto forward = dnnl::prop_kind::forward_inference;
  const auto direct = dnnl::algorithm::convolution_direct;
  if (bias)
    return {{forward, direct, source, weights, Desc({g.out_channels}, kFloat, memory::format_tag::x), result, strides,
             dilations, begin, end},
            own_scratch(),
            engine};
  return {{forward, direct, source, weights, result, strides, dilations, begin, end}, own_scratch(), engine};
}

bool fast(const dnnl::convolution_forward::primitive_desc& pd) {
  const Implementation kernel = implementation_of(pd);
  return (kernel == Implementation::Brgemm || kernel == Implementation::Jit) &&
         static_cast<Bytes>(pd.scratchpad_desc().get_size()) <= kLibraryScratch;
}

Desc weights_as(const ConvGeometry& g, memory::format_tag tag) {
  return Desc({g.out_channels, g.in_channels, g.kernel[1], g.kernel[2]}, kFloat, tag);
}

// The strip that determines the weights' layout.
Strip usual(const ConvGeometry& g) {
  const int64_t longest = strip_rows(g), strips = (g.out[1] + longest - 1) / longest,
                rows = (g.out[1] + strips - 1) / strips;
  return strip_of(g, std::min(rows, g.out[1] - rows), rows);
}

// Positions as rows, if the library has a fast kernel for this.
ConvGeometry geometry_of(const TensorImpl& node, const dnnl::engine& engine) {
  const ConvGeometry places = of_places(node), rows(node);
  if (places.out[1] == rows.out[1]) return rows;
  return fast(describe(engine, places, usual(places), weights_as(places, kAny), anchor_sources(node) > 2)) ? places
                                                                                                           : rows;
}

class ConvLast : public OnednnConv {
 public:
  explicit ConvLast(const TensorImpl& node)
      : engine_(dnnl::engine::kind::cpu, 0),
        g_(geometry_of(node, engine_)),
        work_(node, g_),
        bias_(anchor_sources(node) > 2) {
    const auto pd = describe(engine_, g_, usual(g_), weights_as(g_, kAny), bias_);
    if (!fast(pd)) throw dnnl::error(dnnl_unimplemented, "no fast kernel");
    weights_ = pd.weights_desc();
  }

  Bytes packed_bytes() const override { return static_cast<Bytes>(weights_.get_size()); }

  bool pack(const TensorImpl& weight, std::byte* to) override {
    return reorder(engine_, weights_as(g_, memory::format_tag::oihw), weight.data(), weights_, to);
  }

  bool takes(int) const override { return true; }
  int64_t image_rows(const ConvGeometry&) const override { return g_.out[1]; }

  int64_t compute(const KernelArgs& args, const std::byte* packed, const Done& done) override {
    const Range rows = args.part(g_.batch * g_.out[1]);
    const auto compute_strip = [&](int64_t image, int64_t first, int64_t run, dnnl::stream& stream) {
      const int64_t n = some_rows(args, packed, image, first, run, stream);
      if (n > 0) done(image, first, n);
      return n;
    };
    return compute_strips(engine_, rows.begin, rows.end, g_.out[1], compute_strip);
  }

 private:
  struct Plan {
    dnnl::convolution_forward conv;
    Desc source, result, scratch;
  };

  // Computes up to `run` rows from `first` on; returns how many.
  int64_t some_rows(const KernelArgs& args, const std::byte* packed, int64_t image, int64_t first, int64_t run,
                    dnnl::stream& stream) {
    const int64_t longest = strip_rows(g_), strips = (run + longest - 1) / longest, even = (run + strips - 1) / strips;
    float* const to = args.node.data_as<float>() + (image * g_.out[1] + first) * row_floats();
    for (int64_t n = even; n > 0; --n) {
      const Strip strip = strip_of(g_, first, n);
      if (const Plan* p = plan(strip)) {
        execute(*p, args, packed, image, strip, to, stream);
        return n;
      }
    }
    // More rows than needed, some of which belong to another thread: computed in scratch.
    for (int64_t n = even + 1; n <= max_external_rows(g_); ++n) {
      const int64_t from = std::min(first, g_.out[1] - n);
      const Strip strip = strip_of(g_, from, n);
      const Plan* p = plan(strip);
      if (!p) continue;
      auto* const aside = reinterpret_cast<float*>(scratch(args) + work_.source);
      execute(*p, args, packed, image, strip, aside, stream);
      const int64_t some = std::min(run, from + n - first);
      simd().copy(to, aside + (first - from) * row_floats(), some * row_floats());
      return some;
    }
    return 0;
  }

  int64_t row_floats() const { return g_.out_channels * g_.out[2]; }
  std::byte* scratch(const KernelArgs& args) const { return args.scratch<std::byte>(round_to_line(work_.total())); }

  // The primitive for strips of this shape, created on first use; null if it is not a fast one.
  const Plan* plan(const Strip& s) {
    std::lock_guard lock(mutex_);
    const auto [place, is_new] = plans_.try_emplace(s.key());
    if (!is_new) return place->second.get();
    if (s.in <= 0) return nullptr;  // only padding
    check_addresses();
    const auto pd = describe(engine_, g_, s, weights_, bias_);
    if (fast(pd))
      place->second = std::make_unique<Plan>(
          Plan{dnnl::convolution_forward(pd), pd.src_desc(), pd.dst_desc(), pd.scratchpad_desc()});
    return place->second.get();
  }

  void execute(const Plan& p, const KernelArgs& args, const std::byte* packed, int64_t image, const Strip& s, float* to,
               dnnl::stream& stream) {
    std::byte* const own = scratch(args);
    const float* const x = args.source(0).data_as<float>() + image * g_.batch_stride + s.first * g_.in_stride[1];
    memory source(p.source, engine_, work_.source > 0 ? reinterpret_cast<float*>(own) : const_cast<float*>(x));
    if (work_.source > 0) put_last(x, s.in, reinterpret_cast<float*>(own));
    memory weights(weights_, engine_, const_cast<std::byte*>(packed)), result(p.result, engine_, to);
    memory space(p.scratch, engine_, own + work_.source + work_.result);
    std::unordered_map<int, memory> arguments{
        {DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, result}, {DNNL_ARG_SCRATCHPAD, space}};
    if (bias_)
      arguments.emplace(DNNL_ARG_BIAS,
                        memory(Desc({g_.out_channels}, kFloat, memory::format_tag::x), engine_, args.source(2).data()));
    p.conv.execute(stream, arguments);
    stream.wait();
  }

  // Copies rows of an image of any strides as channels-last.
  void put_last(const float* x, int64_t rows, float* to) const {
    const int64_t c = g_.in_channels, width = g_.in[2], step = g_.channel_stride;
    for (int64_t r = 0; r < rows; ++r, x += g_.in_stride[1], to += width * c) {
      if (c == 3 && g_.in_stride[2] == 1) {
        simd().threes(to, x, x + step, x + 2 * step, width);
        continue;
      }
      for (int64_t k = 0; k < c; ++k)
        for (int64_t i = 0; i < width; ++i) to[i * c + k] = x[k * step + i * g_.in_stride[2]];
    }
  }

  dnnl::engine engine_;
  ConvGeometry g_;
  Work work_;
  bool bias_;
  Desc weights_;
  std::mutex mutex_;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, std::unique_ptr<Plan>> plans_;
};

}  // namespace

bool reads_plain_source(const TensorImpl& node) { return node.sources[0]->sizes[1] <= kFewChannels; }

bool onednn_supports_nhwc(const TensorImpl& node) try {
  const ConvGeometry g(node);
  if (!suits(node, g)) return false;
  const OneThread one;
  return fast(
      describe(dnnl::engine(dnnl::engine::kind::cpu, 0), g, usual(g), weights_as(g, kAny), anchor_sources(node) > 2));
} catch (const dnnl::error&) {
  return false;
}

std::unique_ptr<OnednnConv> make_onednn_conv_nhwc(const TensorImpl& node) {
  return make_where<ConvLast>(suits(node, ConvGeometry(node)), node);
}

Bytes onednn_conv_nhwc_work(const TensorImpl& node) {
  const ConvGeometry g(node);
  return suits(node, g) ? std::max(Work(node, g).total(), Work(node, of_places(node)).total()) : 0;
}

}  // namespace arenascope::cpu
