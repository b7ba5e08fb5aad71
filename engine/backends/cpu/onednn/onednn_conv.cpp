// SPDX-License-Identifier: MIT
#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

#include "engine/backends/cpu/kernels/conv_strip.h"
#include "engine/backends/cpu/kernels/windows.h"
#include "engine/backends/cpu/onednn/onednn_common.h"
#include "engine/backends/cpu/onednn/onednn_conv.h"
#include "engine/backends/cpu/onednn/onednn_conv_nhwc.h"

namespace arenascope::cpu {
namespace {

using dnnl::memory;
using Desc = memory::desc;

constexpr Bytes kStripBytes = 768 << 10;       // input and result of a strip, in blocked layout
constexpr Bytes kLibraryScratch = 1024 << 10;  // limit of the library's own scratch

constexpr auto kFloat = memory::data_type::f32;
constexpr auto kAny = memory::format_tag::any;

bool suits(const TensorImpl& node, const ConvGeometry& g) {
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  return node.params.get<ConvParams>().spatial == 2 && g.groups == 1 && g.taps > 1 && g.in_channels > 0 &&
         g.positions > 0 && x.dtype == DType::F32 && w.dtype == DType::F32 && w.contiguous() && g.in_stride[2] == 1 &&
         g.in_stride[1] == g.in[2] && g.channel_stride == g.in[1] * g.in[2];
}

int64_t blocks_of_16(int64_t channels) { return (channels + 15) / 16 * 16; }

// Rows of a strip, so that input and result stay within their bytes.
int64_t strip_rows(const ConvGeometry& g) {
  const int64_t row_bytes =
      4 * (blocks_of_16(g.in_channels) * g.in[2] * g.stride[1] + blocks_of_16(g.out_channels) * g.out[2]);
  return std::clamp<int64_t>(kStripBytes / row_bytes, std::min<int64_t>(4, g.out[1]), g.out[1]);
}

struct Work {
  Bytes source, result;
  explicit Work(const ConvGeometry& g) {
    const int64_t rows = strip_rows(g);
    const int64_t in = std::min(g.in[1], (rows - 1) * g.stride[1] + (g.kernel[1] - 1) * g.dilation[1] + 1);
    source = round_to_line(4 * blocks_of_16(g.in_channels) * in * g.in[2]);
    result = round_to_line(4 * blocks_of_16(g.out_channels) * rows * g.out[2]);
  }
  Bytes total() const { return source + result + kLibraryScratch; }
};

struct Plan {
  dnnl::reorder in, out;
  dnnl::convolution_forward conv;
  Desc plain_source, source, result, plain_result, scratch;
};

class Conv : public OnednnConv {
 public:
  explicit Conv(const TensorImpl& node) : g_(node), work_(g_), engine_(dnnl::engine::kind::cpu, 0) {
    const int64_t rows = strip_rows(g_);
    const Strip first = strip_of(g_, std::min(rows, g_.out[1] - rows), rows);
    weights_ = convolution(first, plain_weights(memory::format_tag::any)).weights_desc();
    if (takes_any_height(rows)) return;
    // The blocked layout has fast kernels for strips of every height.
    image_ = memory::format_tag::nChw16c;
    weights_ = plain_weights(memory::format_tag::OIhw16i16o);
    if (!takes_any_height(rows)) throw dnnl::error(dnnl_unimplemented, "no fast kernel for these strips");
  }

  Bytes packed_bytes() const override { return static_cast<Bytes>(weights_.get_size()); }

  bool pack(const TensorImpl& weight, std::byte* to) override {
    return reorder(engine_, plain_weights(memory::format_tag::oihw), weight.data(), weights_, to);
  }

  bool takes(int parts) const override {
    const int64_t all = g_.batch * g_.out[1], most = (all + parts - 1) / parts;
    return 10 * all >= 6 * most * parts;
  }

  int64_t compute(const KernelArgs& args, const std::byte* packed, const Done& done) override {
    const Range rows = args.part(g_.batch * g_.out[1]);
    const int64_t longest = strip_rows(g_);
    const auto compute_strip = [&](int64_t image, int64_t first, int64_t run, dnnl::stream& stream) -> int64_t {
      const int64_t strips = (run + longest - 1) / longest;
      const Strip strip = strip_of(g_, first, (run + strips - 1) / strips);
      if (!execute(args, packed, image, first, strip, stream)) return 0;
      done(image, first, strip.out);
      return strip.out;
    };
    return compute_strips(engine_, rows.begin, rows.end, g_.out[1], compute_strip);
  }

 private:
  Desc plain_weights(memory::format_tag tag) const {
    return Desc({g_.out_channels, g_.in_channels, g_.kernel[1], g_.kernel[2]}, kFloat, tag);
  }

  // The library falls back to a reference loop, hundreds of times slower, if the fast kernel that determined the
  // weights' layout does not support a strip height. Support varies with the height.
  bool takes_any_height(int64_t most) const {
    for (int64_t rows = 1; rows <= most; ++rows)
      for (const int64_t first : {int64_t{0}, (g_.out[1] - rows) / 2, g_.out[1] - rows}) {
        const Strip s = strip_of(g_, first, rows);
        if (s.in > 0 && implementation_of(convolution(s, weights_)) == Implementation::Reference) return false;
      }
    return true;
  }

  dnnl::convolution_forward::primitive_desc convolution(const Strip& s, const Desc& weights) const {
    const Desc source({1, g_.in_channels, s.in, g_.in[2]}, kFloat, image_),
        result({1, g_.out_channels, s.out, g_.out[2]}, kFloat, image_);
    const int64_t right =
        (g_.out[2] - 1) * g_.stride[2] + (g_.kernel[2] - 1) * g_.dilation[2] + 1 - g_.in[2] - g_.begin[2];
    const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                               source, weights, result, {g_.stride[1], g_.stride[2]},
                                               {g_.dilation[1] - 1, g_.dilation[2] - 1}, {s.top, g_.begin[2]},
                                               {s.bottom, right});
    return {desc, own_scratch(), engine_};
  }

  // Rows of a plain image, all channels.
  Desc plain(int64_t channels, int64_t rows, int64_t height, int64_t width) const {
    return Desc({1, channels, rows, width}, kFloat, {channels * height * width, height * width, width, 1});
  }

  // The primitives for strips of this shape, created on first use; null if they need too much scratch.
  const Plan* plan(const Strip& s) {
    std::lock_guard lock(mutex_);
    const auto [place, is_new] = plans_.try_emplace(s.key());
    if (!is_new) return place->second.get();
    if (s.in <= 0) return nullptr;  // only padding
    check_addresses();
    const auto pd = convolution(s, weights_);
    auto plan = std::make_unique<Plan>();
    plan->plain_source = plain(g_.in_channels, s.in, g_.in[1], g_.in[2]);
    plan->plain_result = plain(g_.out_channels, s.out, g_.out[1], g_.out[2]);
    plan->source = pd.src_desc();
    plan->result = pd.dst_desc();
    plan->scratch = pd.scratchpad_desc();
    const dnnl::reorder::primitive_desc in(engine_, plan->plain_source, engine_, plan->source, own_scratch());
    const dnnl::reorder::primitive_desc out(engine_, plan->result, engine_, plan->plain_result, own_scratch());
    if (static_cast<Bytes>(plan->source.get_size()) > work_.source ||
        static_cast<Bytes>(plan->result.get_size()) > work_.result ||
        static_cast<Bytes>(plan->scratch.get_size()) > kLibraryScratch || in.scratchpad_desc().get_size() > 0 ||
        out.scratchpad_desc().get_size() > 0)
      return nullptr;
    plan->in = dnnl::reorder(in);
    plan->out = dnnl::reorder(out);
    plan->conv = dnnl::convolution_forward(pd);
    place->second = std::move(plan);
    return place->second.get();
  }

  bool execute(const KernelArgs& args, const std::byte* packed, int64_t image, int64_t row, const Strip& s,
               dnnl::stream& stream) {
    const Plan* p = plan(s);
    if (!p) return false;
    std::byte* const scratch = args.scratch<std::byte>(round_to_line(work_.total()));
    auto* const x = args.source(0).data_as<float>() + image * g_.batch_stride + s.first * g_.in[2];
    auto* const y = args.node.data_as<float>() + image * g_.out_channels * g_.positions + row * g_.out[2];
    memory plain_source(p->plain_source, engine_, x), source(p->source, engine_, scratch);
    memory result(p->result, engine_, scratch + work_.source), plain_result(p->plain_result, engine_, y);
    memory weights(weights_, engine_, const_cast<std::byte*>(packed)),
        own(p->scratch, engine_, scratch + work_.source + work_.result);
    p->in.execute(stream, plain_source, source);
    p->conv.execute(
        stream,
        {{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, result}, {DNNL_ARG_SCRATCHPAD, own}});
    p->out.execute(stream, result, plain_result);
    stream.wait();
    return true;
  }

  ConvGeometry g_;
  Work work_;
  dnnl::engine engine_;
  memory::format_tag image_ = kAny;
  Desc weights_;
  std::mutex mutex_;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, std::unique_ptr<Plan>> plans_;
};

}  // namespace

std::unique_ptr<OnednnConv> make_onednn_conv(const TensorImpl& node) {
  if (node.channels_last()) return make_onednn_conv_nhwc(node);
  return make_where<Conv>(suits(node, ConvGeometry(node)), node);
}

Bytes onednn_conv_work(const TensorImpl& node) {
  if (node.channels_last()) return onednn_conv_nhwc_work(node);
  const ConvGeometry g(node);
  return suits(node, g) ? Work(g).total() : 0;
}

}  // namespace arenascope::cpu
