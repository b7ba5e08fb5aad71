// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/node_weights.h"

#include "engine/backends/opencl/op_images.h"
#include "engine/backends/opencl/winograd.h"

namespace arenascope::opencl {
namespace {

int64_t blocks_of_four(int64_t channels) { return (channels + 3) / 4; }

bool wants_unpacking(const TensorImpl& node) {
  return node.op == Op::MulMat && info(node.sources[0]->dtype).quantised && node.sources[0]->has(kFlagWeight) &&
         node.sources[0]->contiguous() && (node.dtype == DType::F32 || node.dtype == DType::F16);
}

}  // namespace

Result<std::shared_ptr<const NodeWeights>> WeightPacking::weights_of(const TensorImpl& node) {
  const bool filter = node.placement == Placement::Packed && node.op == Op::Conv;
  const bool winograd = !filter && takes_winograd(ctx_, node);
  if (!filter && !winograd && !(options_.unpack && wants_unpacking(node))) return std::shared_ptr<const NodeWeights>();
  const TensorImpl& weight = *node.sources[filter || winograd ? 1 : 0];
  const std::byte* bias = filter && node.sources.size() > 2 ? node.sources[2]->data() : nullptr;
  const Kind kind = winograd             ? Kind::Winograd
                    : !filter            ? Kind::Unpacked
                    : is_depthwise(node) ? Kind::DepthwiseFilter
                                         : Kind::Filter;
  auto& known = made_[{weight.data(), bias, node.dtype, kind}];
  if (known) return known;
  auto made = winograd ? transform(node) : filter ? pack_filter(node) : unpack(node);
  if (made) known = *made;
  return made;
}

Result<std::shared_ptr<const NodeWeights>> WeightPacking::pack_filter(const TensorImpl& conv) {
  auto made = std::make_shared<NodeWeights>();
  const TensorImpl& w = *conv.sources[1];
  const int64_t inputs = w.sizes[1], filled = is_depthwise(conv) ? 1 : blocks_of_four(inputs) * 4;
  const int64_t taps = w.sizes[2] * w.sizes[3];
  auto as_image = pack_image(w, conv.dtype, inputs, filled, taps, made->filter);
  if (!as_image) return as_image.error();
  made->filter_image = *as_image;
  if (!*as_image)
    if (auto ok = pack(w, conv.dtype, inputs, filled, taps, made->filter); !ok) return ok.error();
  if (conv.sources.size() > 2)
    if (auto ok = pack(*conv.sources[2], conv.dtype, 1, 1, 1, made->bias); !ok) return ok.error();
  return std::shared_ptr<const NodeWeights>(std::move(made));
}

// Weights [O, I, taps] in a buffer with `filled` inputs (padded).
Status WeightPacking::pack(const TensorImpl& weight, DType type, int64_t inputs, int64_t filled, int64_t taps,
                           Storage& to) {
  const int64_t outputs = weight.sizes[0], rows = blocks_of_four(outputs);
  const Bytes bytes = rows * 4 * filled * taps * element_bytes(type);
  auto storage = Storage::allocate(context_, device_, MemoryKind::Persistent, bytes);
  if (!storage) return storage.error();
  to = std::move(*storage);
  Layout l = layout_of(weight);
  collapse({&l});
  return Call(ctx_, "image", " -DCONVERT", "pack_weights")
      .tensor(weight, l)
      .scratch(to.data(), bytes)
      .arg(static_cast<cl_int>(type))
      .arg(cl_int(outputs))
      .arg(cl_int(inputs))
      .arg(cl_int(filled))
      .arg(cl_int(taps))
      .grid({filled, taps, rows});
}

// The same in an image of the static pool; false: use a buffer.
Result<bool> WeightPacking::pack_image(const TensorImpl& weight, DType type, int64_t inputs, int64_t filled,
                                       int64_t taps, Storage& to) {
  const int64_t outputs = weight.sizes[0], rows = blocks_of_four(outputs);
  const ImageShape shape{static_cast<size_t>(filled), static_cast<size_t>(rows * taps), type == DType::F16};
  const DeviceFacts& facts = ctx_.runtime.facts();
  if (!options_.filter_images || !pool_ || shape.width > facts.image_width || shape.height > facts.image_height)
    return false;
  pool_->request_image(shape);
  auto storage = Storage::allocate(context_, device_, MemoryKind::Persistent, shape.bytes());
  if (!storage) return storage.error();
  to = std::move(*storage);
  auto place = ctx_.runtime.buffers().find(to.data());
  if (!place) return place.error();
  Layout l = layout_of(weight);
  collapse({&l});
  const Status packed = Call(ctx_, "image", shape.half ? " -DCONVERT -DHALF_IMAGES" : " -DCONVERT", "pack_filter")
                            .tensor(weight, l)
                            .buffer(place->buffer)
                            .arg(cl_int(outputs))
                            .arg(cl_int(inputs))
                            .arg(cl_int(filled))
                            .arg(cl_int(taps))
                            .grid({filled, taps, rows});
  if (!packed) return packed.error();
  return true;
}

Result<std::shared_ptr<const NodeWeights>> WeightPacking::unpack(const TensorImpl& matmul) {
  auto made = std::make_shared<NodeWeights>();
  TensorImpl& weight = *matmul.sources[0];
  auto plain = Tensor::empty(context_, weight.sizes, matmul.dtype, device_, MemoryKind::Persistent);
  if (!plain) return plain.error();
  made->unpacked = *plain;
  Layout l = layout_of(weight);
  collapse({&l});
  const Status cast = Call(ctx_, "movement", " -DWITH_QUANTISED", "cast")
                          .tensor(weight, l)
                          .tensor(**plain, layout_of(**plain))
                          .arg(cl_long(weight.element_count()))
                          .items(weight.element_count());
  if (!cast) return cast.error();
  return std::shared_ptr<const NodeWeights>(std::move(made));
}

Result<std::shared_ptr<const NodeWeights>> WeightPacking::transform(const TensorImpl& conv) {
  auto made = std::make_shared<NodeWeights>();
  const TensorImpl& weight = *conv.sources[1];
  auto storage = Storage::allocate(context_, device_, MemoryKind::Persistent, winograd_filter_bytes(weight));
  if (!storage) return storage.error();
  made->winograd = std::move(*storage);
  if (auto ok = transform_filters(ctx_, weight, made->winograd); !ok) return ok.error();
  return std::shared_ptr<const NodeWeights>(std::move(made));
}

}  // namespace arenascope::opencl
