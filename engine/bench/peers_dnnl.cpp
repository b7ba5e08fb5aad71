// SPDX-License-Identifier: MIT
#include <oneapi/dnnl/dnnl.h>

#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include <arenascope/backends/cpu/kernels/one_thread.h>
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {
namespace {

using dnnl::memory;
using Desc = memory::desc;
using Tag = memory::format_tag;
using Type = memory::data_type;
using Arguments = std::unordered_map<int, memory>;

const dnnl::engine& engine() {
  static const dnnl::engine one(dnnl::engine::kind::cpu, 0);
  return one;
}

memory made(const Desc& desc) {
  memory m(desc, engine());
  auto* bytes = static_cast<unsigned char*>(m.get_data_handle());
  if (desc.data_type() == Type::f32) {
    auto* f = reinterpret_cast<float*>(bytes);
    for (size_t i = 0; i < desc.get_size() / 4; ++i) f[i] = static_cast<float>(i * 2654435761u % 2001) * 1e-3f - 1;
  } else if (desc.data_type() == Type::bf16) {
    for (size_t i = 0; i < desc.get_size() / 2; ++i)
      bytes[2 * i] = static_cast<unsigned char>(i), bytes[2 * i + 1] = 0x3f;
  } else {
    for (size_t i = 0; i < desc.get_size(); ++i) bytes[i] = static_cast<unsigned char>(i % 100);
  }
  return m;
}

struct Step {
  dnnl::primitive primitive;
  Arguments arguments;
};

Peer peer(std::string name, std::vector<Step> steps) {
  auto kept = std::make_shared<std::vector<Step>>(std::move(steps));
  auto stream = std::make_shared<dnnl::stream>(engine());
  return {std::move(name), [kept, stream] {
            const cpu::OneThread one;
            for (const Step& s : *kept) s.primitive.execute(*stream, s.arguments);
            stream->wait();
          }};
}

template <class F>
Peer attempt(F&& make) try {
  const cpu::OneThread one;
  return make();
} catch (const dnnl::error&) {
  return {};
}

}  // namespace

Peer onednn_gemm(Number type, int64_t m, int64_t n, int64_t k) {
  return attempt([&] {
    const Type in = type == Number::F32 ? Type::f32 : type == Number::BF16 ? Type::bf16 : Type::s8;
    const Type out = type == Number::I8 ? Type::s32 : Type::f32;
    const Desc src({m, k}, type == Number::I8 ? Type::u8 : in, Tag::ab), weights({k, n}, in, Tag::any),
        dst({m, n}, out, Tag::ab);
    const dnnl::matmul::primitive_desc pd(dnnl::matmul::desc(src, weights, dst), engine());
    return peer("oneDNN", {{dnnl::matmul(pd),
                            {{DNNL_ARG_SRC, made(src)},
                             {DNNL_ARG_WEIGHTS, made(pd.weights_desc())},
                             {DNNL_ARG_DST, memory(dst, engine())}}}});
  });
}

Peer dnnl_sgemm_product(int64_t m, int64_t n, int64_t k, const float* weights, const float* src) {
  auto dst = std::make_shared<std::vector<float>>(static_cast<size_t>(m * n));
  return {"oneDNN sgemm", [=] {
            const cpu::OneThread one;
            dnnl_sgemm('N', 'T', m, n, k, 1, src, k, weights, k, 0, dst->data(), n);
          }};
}

Peer dnnl_conv(const ConvShape& s, bool plain_images) {
  return attempt([&] {
    const Desc src({1, s.channels, s.height, s.width}, Type::f32, Tag::any);
    const Desc dst({1, s.out_channels, s.out_height(), s.out_width()}, Type::f32, Tag::any);
    const Desc weights = s.groups == 1
                             ? Desc({s.out_channels, s.channels, s.kernel, s.kernel}, Type::f32, Tag::any)
                             : Desc({s.groups, s.out_channels / s.groups, s.channels / s.groups, s.kernel, s.kernel},
                                    Type::f32, Tag::any);
    const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto,
                                               src, weights, dst, {s.stride, s.stride}, {s.pad, s.pad}, {s.pad, s.pad});
    const dnnl::convolution_forward::primitive_desc pd(desc, engine());
    const memory x = made(pd.src_desc()), y(pd.dst_desc(), engine());
    std::vector<Step> steps;
    if (plain_images) {
      const memory plain = made(Desc({1, s.channels, s.height, s.width}, Type::f32, Tag::nchw));
      steps.push_back({dnnl::reorder(plain, x), {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, x}}});
    }
    steps.push_back({dnnl::convolution_forward(pd),
                     {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, made(pd.weights_desc())}, {DNNL_ARG_DST, y}}});
    if (plain_images) {
      const memory plain(Desc({1, s.out_channels, s.out_height(), s.out_width()}, Type::f32, Tag::nchw), engine());
      steps.push_back({dnnl::reorder(y, plain), {{DNNL_ARG_FROM, y}, {DNNL_ARG_TO, plain}}});
    }
    return peer(plain_images ? "oneDNN, graph layout" : "oneDNN, its own layout", std::move(steps));
  });
}

Peer dnnl_byte_conv(const ConvShape& s) {
  return attempt([&] {
    const Desc src({1, s.channels, s.height, s.width}, Type::u8, Tag::nhwc),
        weights({s.out_channels, s.channels, s.kernel, s.kernel}, Type::s8, Tag::any),
        dst({1, s.out_channels, s.out_height(), s.out_width()}, Type::f32, Tag::nhwc);
    const dnnl::convolution_forward::primitive_desc pd(
        dnnl::convolution_forward::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, src,
                                        weights, dst, {s.stride, s.stride}, {s.pad, s.pad}, {s.pad, s.pad}),
        engine());
    return peer("oneDNN", {{dnnl::convolution_forward(pd),
                            {{DNNL_ARG_SRC, made(src)},
                             {DNNL_ARG_WEIGHTS, made(pd.weights_desc())},
                             {DNNL_ARG_DST, memory(dst, engine())}}}});
  });
}

Peer dnnl_conv_transpose(const ConvShape& s) {
  return attempt([&] {
    const int64_t height = (s.height - 1) * s.stride + s.kernel, width = (s.width - 1) * s.stride + s.kernel;
    const Desc src({1, s.channels, s.height, s.width}, Type::f32, Tag::nhwc),
        weights({s.out_channels, s.channels, s.kernel, s.kernel}, Type::f32, Tag::any),
        dst({1, s.out_channels, height, width}, Type::f32, Tag::nhwc);
    const dnnl::deconvolution_forward::primitive_desc pd(
        dnnl::deconvolution_forward::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct,
                                          src, weights, dst, {s.stride, s.stride}, {0, 0}, {0, 0}),
        engine());
    return peer("oneDNN", {{dnnl::deconvolution_forward(pd),
                            {{DNNL_ARG_SRC, made(src)},
                             {DNNL_ARG_WEIGHTS, made(pd.weights_desc())},
                             {DNNL_ARG_DST, memory(dst, engine())}}}});
  });
}

Peer dnnl_pool(const ConvShape& s, bool maximum) {
  return attempt([&] {
    const Desc src({1, s.channels, s.height, s.width}, Type::f32, Tag::nchw);
    const Desc dst({1, s.channels, s.out_height(), s.out_width()}, Type::f32, Tag::nchw);
    const auto algorithm = maximum ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_exclude_padding;
    const dnnl::pooling_v2_forward::primitive_desc pd(
        dnnl::pooling_v2_forward::desc(dnnl::prop_kind::forward_inference, algorithm, src, dst, {s.stride, s.stride},
                                       {s.kernel, s.kernel}, {0, 0}, {s.pad, s.pad}, {s.pad, s.pad}),
        engine());
    return peer("oneDNN",
                {{dnnl::pooling_v2_forward(pd), {{DNNL_ARG_SRC, made(src)}, {DNNL_ARG_DST, memory(dst, engine())}}}});
  });
}

Peer dnnl_soft_max(int64_t rows, int64_t columns) {
  return attempt([&] {
    const Desc d({rows, columns}, Type::f32, Tag::ab);
    const dnnl::softmax_forward::primitive_desc pd(
        dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference, d, 1), engine());
    return peer("oneDNN",
                {{dnnl::softmax_forward(pd), {{DNNL_ARG_SRC, made(d)}, {DNNL_ARG_DST, memory(d, engine())}}}});
  });
}

Peer dnnl_layer_norm(int64_t rows, int64_t columns) {
  return attempt([&] {
    const Desc d({rows, columns}, Type::f32, Tag::ab), gains({columns}, Type::f32, Tag::a);
    using Flags = dnnl::normalization_flags;
    const dnnl::layer_normalization_forward::primitive_desc pd(
        dnnl::layer_normalization_forward::desc(dnnl::prop_kind::forward_inference, d, 1e-5f,
                                                Flags::use_scale | Flags::use_shift),
        engine());
    return peer("oneDNN", {{dnnl::layer_normalization_forward(pd),
                            {{DNNL_ARG_SRC, made(d)},
                             {DNNL_ARG_SCALE, made(gains)},
                             {DNNL_ARG_SHIFT, made(gains)},
                             {DNNL_ARG_DST, memory(d, engine())}}}});
  });
}

Peer dnnl_row_sums(int64_t rows, int64_t columns) {
  return attempt([&] {
    const Desc src({rows, columns}, Type::f32, Tag::ab), dst({rows, 1}, Type::f32, Tag::ab);
    const dnnl::reduction::primitive_desc pd(dnnl::reduction::desc(dnnl::algorithm::reduction_sum, src, dst, 0, 0),
                                             engine());
    return peer("oneDNN", {{dnnl::reduction(pd), {{DNNL_ARG_SRC, made(src)}, {DNNL_ARG_DST, memory(dst, engine())}}}});
  });
}

Peer dnnl_transpose(int64_t rows, int64_t columns) {
  return attempt([&] {
    const memory from = made(Desc({rows, columns}, Type::f32, Tag::ab)),
                 to(Desc({rows, columns}, Type::f32, Tag::ba), engine());
    return peer("oneDNN", {{dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}}});
  });
}

Peer dnnl_function(Function function, int64_t n) {
  return attempt([&] {
    const auto algorithm = function == Function::Relu   ? dnnl::algorithm::eltwise_relu
                           : function == Function::Exp  ? dnnl::algorithm::eltwise_exp
                           : function == Function::Gelu ? dnnl::algorithm::eltwise_gelu_erf
                                                        : dnnl::algorithm::eltwise_swish;
    const Desc d({n}, Type::f32, Tag::a);
    const dnnl::eltwise_forward::primitive_desc pd(
        dnnl::eltwise_forward::desc(dnnl::prop_kind::forward_inference, algorithm, d,
                                    function == Function::Silu ? 1.0f : 0.0f, 0.0f),
        engine());
    return peer("oneDNN",
                {{dnnl::eltwise_forward(pd), {{DNNL_ARG_SRC, made(d)}, {DNNL_ARG_DST, memory(d, engine())}}}});
  });
}

}  // namespace arenascope::cpu_bench
