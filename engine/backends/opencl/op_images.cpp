// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/op_images.h"

#include <algorithm>

namespace arenascope::opencl {
namespace {

// The same structs as in image.cl.
struct Extent {
  cl_int n, c, h, w;
};
struct Window2 {
  Extent in, out;
  cl_int kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x, pad_y, pad_x, end_y, end_x;
  cl_int biased, count_padding;
};

Extent extent_of(const TensorImpl& t) {
  return {static_cast<cl_int>(t.sizes[0]), static_cast<cl_int>(t.sizes[1]), static_cast<cl_int>(t.sizes[2]),
          static_cast<cl_int>(t.sizes[3])};
}

int64_t blocks(int64_t channels) { return (channels + 3) / 4; }

bool suits(const DeviceFacts& facts, const TensorImpl& t) {
  if (t.rank() != 4 || (t.dtype != DType::F32 && t.dtype != DType::F16) || t.element_count() == 0) return false;
  for (int d = 0; d < 4; ++d)
    if (t.sizes[d] > (1 << 20)) return false;
  const ImageShape shape = image_shape(t);
  return shape.width <= facts.image_width && shape.height <= facts.image_height;
}

// True if it is constant and can be packed once.
bool given(const TensorImpl& t) {
  return t.op == Op::None && !t.is_view() && t.has(kFlagWeight) && (t.dtype == DType::F32 || t.dtype == DType::F16);
}

bool convolves(const TensorImpl& node) {
  const auto p = node.params.get<ConvParams>();
  if (p.spatial != 2 || !given(*node.sources[1]) || (node.sources.size() > 2 && !given(*node.sources[2]))) return false;
  if (node.sources[1]->element_count() == 0) return false;
  return p.groups == 1 || is_depthwise(node);
}

bool is_unary(Op op) { return has_fast(op) && info(op).family == OpFamily::Unary; }
bool is_binary(Op op) { return has_fast(op) && info(op).family == OpFamily::Binary; }

std::string math_options(const KernelContext& ctx, const TensorImpl& node) {
  std::string options;
  const bool half = node.dtype == DType::F16;
  if (half) options += " -DHALF_IMAGES";
  if (half && ctx.runtime.facts().fp16 && ctx.runtime.options().precision == Precision::Low)
    options += " -DHALF_MATH";
  else if (half)
    options += " -DHALF_WEIGHTS";
  return options;
}

// For kernels that always compute in float.
std::string float_options(const TensorImpl& node) { return node.dtype == DType::F16 ? " -DHALF_IMAGES" : ""; }

// Runs over the texels of a tensor.
Status texels(Call& call, const TensorImpl& t) {
  return call.grid({blocks(t.sizes[1]) * t.sizes[3], t.sizes[0] * t.sizes[2]});
}

Window2 window_of(const TensorImpl& node) {
  Window2 w{};
  w.in = extent_of(*node.sources[0]);
  w.out = extent_of(node);
  const auto fill = [&](const auto& p) {
    w.stride_y = p.strides[0];
    w.stride_x = p.strides[1];
    w.dilation_y = p.dilations[0];
    w.dilation_x = p.dilations[1];
    w.pad_y = p.pads_begin[0];
    w.pad_x = p.pads_begin[1];
  };
  if (node.op == Op::Conv) {
    fill(node.params.get<ConvParams>());
    w.kernel_y = static_cast<cl_int>(node.sources[1]->sizes[2]);
    w.kernel_x = static_cast<cl_int>(node.sources[1]->sizes[3]);
    w.biased = node.sources.size() > 2;
  } else {
    const auto p = node.params.get<PoolParams>();
    fill(p);
    w.kernel_y = p.kernel[0];
    w.kernel_x = p.kernel[1];
    w.end_y = p.pads_end[0];
    w.end_x = p.pads_end[1];
    w.count_padding = p.count_include_pad;
  }
  return w;
}

}  // namespace

bool is_depthwise(const TensorImpl& conv) {
  const auto groups = conv.params.get<ConvParams>().groups;
  return groups > 1 && groups == conv.sources[0]->sizes[1] && groups == conv.sizes[1] && conv.sources[1]->sizes[1] == 1;
}

PartitionSide image_packing(const DeviceFacts& facts, const TensorImpl& node, int source) {
  const bool both = is_binary(node.op) || node.op == Op::Concat;
  if (source >= 0) return source == 0 || both ? PartitionSide::Other : PartitionSide::Main;
  if (!suits(facts, node) || node.sources.empty() || !suits(facts, *node.sources[0]) ||
      node.sources[0]->dtype != node.dtype)
    return PartitionSide::Main;
  switch (node.op) {
    case Op::Conv: return convolves(node) ? PartitionSide::Other : PartitionSide::Main;
    case Op::MaxPool:
    case Op::AvgPool: return node.params.get<PoolParams>().spatial == 2 ? PartitionSide::Either : PartitionSide::Main;
    case Op::BatchNorm:
      for (size_t s = 1; s < node.sources.size(); ++s)
        if (node.sources[s]->dtype != DType::F32 && node.sources[s]->dtype != DType::F16) return PartitionSide::Main;
      return PartitionSide::Either;
    case Op::Concat:
      if (node.params.get<AxisParams>().axis != 1) return PartitionSide::Main;
      for (size_t s = 0; s < node.sources.size(); ++s)
        if (!suits(facts, *node.sources[s]) || (s + 1 < node.sources.size() && node.sources[s]->sizes[1] % 4 != 0))
          return PartitionSide::Main;
      return PartitionSide::Either;
    default: break;
  }
  if (is_unary(node.op)) return PartitionSide::Either;
  if (!is_binary(node.op) || !(node.sources[0]->sizes == node.sizes) || !(node.sources[1]->sizes == node.sizes))
    return PartitionSide::Main;
  return PartitionSide::Either;
}

namespace {

Status convolve(KernelContext& ctx, const TensorImpl& node, const NodeWeights* weights) {
  if (!weights) return Error{"the weights of this image convolution were not packed"};
  const Storage& filter = weights->filter;
  const Storage& bias = weights->bias.allocated() ? weights->bias : filter;
  Call call(ctx, "image", (weights->filter_image ? " -DCONV -DFILTER_IMAGE" : " -DCONV") + math_options(ctx, node),
            is_depthwise(node) ? "depthwise" : "conv");
  call.image(*node.sources[0]);
  if (weights->filter_image) {
    call.image(filter);
    if (weights->bias.allocated())
      call.scratch(bias.data(), bias.bytes());
    else
      call.buffer(ctx.problem);  // not read
  } else {
    call.scratch(filter.data(), filter.bytes()).scratch(bias.data(), bias.bytes());
  }
  call.image(node).arg(window_of(node));
  return texels(call, node);
}

}  // namespace

Status run_on_images(KernelContext& ctx, const TensorImpl& node, const NodeWeights* weights) {
  const TensorImpl& x = *node.sources[0];
  if (node.op == Op::Copy) {
    Call call(ctx, "image", " -DCONVERT" + float_options(node),
              node.placement == Placement::Packed ? "to_image" : "to_buffer");
    if (node.placement == Placement::Packed)
      call.tensor(x, layout_of(x)).image(node).arg(extent_of(node));
    else
      call.image(x).arg(extent_of(node)).tensor(node, layout_of(node));
    return texels(call, node);
  }
  if (node.op == Op::Conv) return convolve(ctx, node, weights);
  if (node.op == Op::MaxPool || node.op == Op::AvgPool) {
    Call call(ctx, "image", " -DPOOL" + math_options(ctx, node), "pool");
    call.image(x).image(node).arg(window_of(node)).arg(static_cast<cl_int>(node.op == Op::MaxPool));
    return texels(call, node);
  }
  if (node.op == Op::BatchNorm) {
    Call call(ctx, "image", " -DCHANNELS" + float_options(node), "batch_norm");
    call.image(x);
    for (size_t s = 1; s < node.sources.size(); ++s) call.tensor(*node.sources[s], layout_of(*node.sources[s]));
    call.image(node).arg(extent_of(node)).arg(node.params.get<BatchNormParams>().epsilon);
    return texels(call, node);
  }
  if (node.op == Op::Concat) {
    int64_t first = 0;
    for (const TensorImpl* source : node.sources) {
      Call call(ctx, "image", " -DCHANNELS" + float_options(node), "put_channels");
      call.image(*source).image(node).arg(extent_of(*source)).arg(cl_int(first));
      if (auto ok = texels(call, *source); !ok) return ok;
      first += blocks(source->sizes[1]);
    }
    return {};
  }
  const std::string op =
      " -DPOINTWISE -DNUMBER=float4 -DOP=" + std::to_string(static_cast<int>(node.op)) + float_options(node);
  if (node.sources.size() == 1) {
    const auto [a, b] = scalars_of(node);
    Call call(ctx, "image", op + " -DUNARY", "unary");
    call.image(x).image(node).arg(extent_of(node)).arg(static_cast<cl_float>(a)).arg(static_cast<cl_float>(b));
    return texels(call, node);
  }
  Call call(ctx, "image", op + " -DBINARY", "binary");
  call.image(x).image(*node.sources[1]).image(node).arg(extent_of(node));
  return texels(call, node);
}

}  // namespace arenascope::opencl
