// SPDX-License-Identifier: MIT
// Pools, the gradient of max pooling, local response normalisation and convolutions: by the library where it supports
// them, else by own kernels.
#include "engine/backends/cuda/kernels/windows.h"
#include <arenascope/graph/pool_windows.h>

#include "engine/backends/cuda/lowering/families.h"
#include "engine/backends/cuda/lowering/shapes.h"

#include <algorithm>
#include <span>

namespace arenascope::cuda {
namespace {

// A tensor [N, C, spatial…] with three spatial dimensions.
void to_five(const Dims& dims, int64_t in_front, int64_t (&five)[5]) {
  const int spatial = dims.rank() - 2;
  five[0] = dims[0];
  five[1] = dims[1];
  for (int d = 0; d < 3; ++d) five[d + 2] = d < 3 - spatial ? in_front : dims[d - (3 - spatial) + 2];
}

template <class Given>
void to_three(const Given* given, int spatial, int32_t (&three)[3]) {
  for (int d = 3 - spatial; d < 3; ++d) three[d] = given[d - (3 - spatial)];
}

WindowWork window(const TensorImpl& node) {
  const TensorImpl& x = *node.sources[0];
  WindowWork work;
  work.out = bytes(node);
  work.out_type = node.dtype;
  work.x.data = bytes(x);
  work.x.type = x.dtype;
  work.out_channels = node.sizes[1];
  int64_t sizes[5];
  to_five(node.sizes, 1, sizes);
  for (int d = 4; d >= 0; --d) add_dimension(work.result, sizes[d], {0}, false);
  finish(work.result);
  to_five(x.sizes, 1, work.x_sizes);
  to_five(x.strides, 0, work.x.strides);
  return work;
}

// True if the first `count` inputs have one type.
bool one_type(const TensorImpl& node, size_t count) {
  for (const TensorImpl* source : std::span(node.sources).first(count))
    if (source->dtype != node.dtype || !source->contiguous() || !aligned(source->data(), 16)) return false;
  return aligned(node.data(), 16);
}

// The node as a problem of the library; false if it cannot be one.
bool as_library(const TensorImpl& node, LibraryConvolution& c) {
  const auto p = node.params.get<ConvParams>();
  if (p.spatial < 2 || !one_type(node, 2)) return false;
  for (int d = 0; d < p.spatial; ++d) {
    if (p.pads_begin[d] != p.pads_end[d]) return false;
    c.strides[d] = p.strides[d];
    c.dilations[d] = p.dilations[d];
    c.pads[d] = p.pads_begin[d];
  }
  if (node.element_count() == 0 || node.sources[0]->element_count() == 0) return false;
  c.transposed = node.op == Op::ConvTranspose;
  c.type = node.dtype;
  c.spatial = p.spatial;
  c.groups = p.groups;
  for (int d = 0; d < node.rank(); ++d) {
    c.x_sizes[d] = node.sources[0]->sizes[d];
    c.w_sizes[d] = node.sources[1]->sizes[d];
    c.out_sizes[d] = node.sizes[d];
  }
  c.out = node.data();
  c.x = node.sources[0]->data();
  c.w = node.sources[1]->data();
  return true;
}

bool as_library(const TensorImpl& node, LibraryPool& c) {
  const auto p = node.params.get<PoolParams>();
  if (p.spatial < 2 || p.ceil_mode || !one_type(node, 1)) return false;
  for (int d = 0; d < p.spatial; ++d) {
    if (p.pads_begin[d] != p.pads_end[d] || p.dilations[d] != 1) return false;
    c.kernel[d] = p.kernel[d];
    c.strides[d] = p.strides[d];
    c.pads[d] = p.pads_begin[d];
  }
  c.type = node.dtype;
  c.largest = node.op == Op::MaxPool;
  c.count_pads = p.count_include_pad;
  c.spatial = p.spatial;
  for (int d = 0; d < node.rank(); ++d) {
    c.x_sizes[d] = node.sources[0]->sizes[d];
    c.out_sizes[d] = node.sizes[d];
  }
  c.out = node.data();
  c.x = node.sources[0]->data();
  return true;
}

}  // namespace

Status lower_pool(const LaunchRequest& request) {
  const TensorImpl& node = request.node;
  LibraryPool library;
  if (as_library(node, library) && request.queue.libraries().takes(library)) {
    const Status done = request.queue.libraries().run(library);
    if (done.ok() || request.queue.libraries().takes(library)) return done;
  }
  const auto p = node.params.get<PoolParams>();
  WindowWork work = window(node);
  to_three(p.kernel, p.spatial, work.window.kernel);
  to_three(p.strides, p.spatial, work.window.strides);
  to_three(p.dilations, p.spatial, work.window.dilations);
  to_three(p.pads_begin, p.spatial, work.window.begin);
  to_three(p.pads_end, p.spatial, work.window.end);
  work.largest = node.op == Op::MaxPool;
  work.count_pads = p.count_include_pad;
  return request.queue.launch(pick(class_of(node.dtype), KernelId::pool_f32, KernelId::pool_f64, KernelId::pool_full),
                              grid_for(request.queue, work.result.count), work);
}

Status lower_pool_back(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0], &dy = *node.sources[1];
  const auto p = node.params.get<PoolParams>();
  PoolBackWork work;
  work.out = bytes(node);
  work.x = bytes(x);
  work.dy = bytes(dy);
  work.type = node.dtype;
  to_five(x.sizes, 1, work.x_sizes);
  to_five(x.strides, 0, work.x_strides);
  to_five(dy.sizes, 1, work.dy_sizes);
  to_five(dy.strides, 0, work.dy_strides);
  for (int d = 4; d >= 0; --d) add_dimension(work.source, work.x_sizes[d], {0}, false);
  finish(work.source);
  to_three(p.kernel, p.spatial, work.window.kernel);
  to_three(p.strides, p.spatial, work.window.strides);
  to_three(p.dilations, p.spatial, work.window.dilations);
  to_three(p.pads_begin, p.spatial, work.window.begin);
  const bool is_double = class_of(node.dtype) == NumberClass::Double;
  if (windows_are_apart(node))
    return request.queue.launch(is_double ? KernelId::pool_back_apart_f64 : KernelId::pool_back_apart_f32,
                                grid_for(request.queue, dy.element_count()), work);
  return request.queue.launch(is_double ? KernelId::pool_back_f64 : KernelId::pool_back_f32,
                              grid_for(request.queue, work.source.count), work);
}

Status lower_local_response(const LaunchRequest& request) {
  const auto p = request.node.params.get<LrnParams>();
  WindowWork work = window(request.node);
  work.response = {p.size, static_cast<double>(p.alpha), static_cast<double>(p.beta), static_cast<double>(p.bias)};
  const bool wide = class_of(request.node.dtype) == NumberClass::Double;
  return request.queue.launch(wide ? KernelId::local_response_f64 : KernelId::local_response_f32,
                              grid_for(request.queue, work.result.count), work);
}

Bytes convolution_scratch(const TensorImpl& node, Queue& queue) {
  LibraryConvolution library;
  return as_library(node, library) && queue.libraries().takes(library) ? queue.libraries().scratch(library) : 0;
}

bool fused_convolution(std::span<const TensorImpl* const> chain, LibraryConvolution& c) {
  const TensorImpl &node = *chain[0], &result = *chain.back();
  const bool adds = chain.size() == 3 && chain[1]->op == Op::Add;
  if (node.op != Op::Conv || node.sources.size() < 3 || result.op != Op::Relu || chain.size() != (adds ? 3u : 2u) ||
      !as_library(node, c))
    return false;
  const TensorImpl* added = adds ? chain[1]->sources[chain[1]->sources[0] == &node ? 1 : 0] : nullptr;
  const auto plain = [&](const TensorImpl& t) {
    return t.dtype == node.dtype && t.contiguous() && aligned(t.data(), 16);
  };
  const auto fits = [&](const TensorImpl* source) { return plain(*source) && is_disjoint(result, *source); };
  if (!plain(result) || !std::ranges::all_of(std::span(node.sources).first(3), fits) ||
      (added && (!fits(added) || !(added->sizes == node.sizes))))
    return false;
  c.out = result.data();
  c.relu = true;
  c.bias = node.sources[2]->data();
  c.added = added ? added->data() : nullptr;
  return true;
}

bool is_one_library_call(std::span<const TensorImpl* const> chain, Queue& queue) {
  LibraryConvolution all;
  return fused_convolution(chain, all) && queue.libraries().takes(all);
}

Status lower_convolution(const LaunchRequest& request, const TensorImpl*& bias) {
  const TensorImpl& node = request.node;
  LibraryConvolution library;
  if (as_library(node, library) && request.queue.libraries().takes(library)) {
    const Status done = request.queue.libraries().run(library, request.scratch, request.scratch_bytes);
    if (done.ok() && node.sources.size() > 2) bias = node.sources[2];
    if (done.ok() || request.queue.libraries().takes(library)) return done;
  }
  const auto p = node.params.get<ConvParams>();
  const TensorImpl& w = *node.sources[1];
  WindowWork work = window(node);
  work.w.data = bytes(w);
  work.w.type = w.dtype;
  to_five(w.strides, 0, work.w.strides);
  if (node.sources.size() > 2) {
    work.bias.data = bytes(*node.sources[2]);
    work.bias.type = node.sources[2]->dtype;
    work.bias.strides[0] = node.sources[2]->strides[0];
  }
  for (int d = 0; d < p.spatial; ++d) work.window.kernel[3 - p.spatial + d] = static_cast<int32_t>(w.sizes[d + 2]);
  to_three(p.strides, p.spatial, work.window.strides);
  to_three(p.dilations, p.spatial, work.window.dilations);
  to_three(p.pads_begin, p.spatial, work.window.begin);
  to_three(p.pads_end, p.spatial, work.window.end);
  work.groups = p.groups;
  // Integer sums are exact in float64.
  const bool wide = node.dtype == DType::F64 || !info(node.sources[0]->dtype).floating;
  const bool transposed = node.op == Op::ConvTranspose;
  const KernelId id = transposed ? (wide ? KernelId::convolution_transposed_f64 : KernelId::convolution_transposed_f32)
                                 : (wide ? KernelId::convolution_f64 : KernelId::convolution_f32);
  return request.queue.launch(id, grid_for(request.queue, work.result.count, 128, 64), work);
}

}  // namespace arenascope::cuda
