// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/straight.h"

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

struct Part {
  float* out;
  int64_t begin, count;
};

Part part_of(const TensorImpl& node, const ComputeParams& params) {
  const int64_t count = node.element_count();
  if (params.nth == 1) return {node.data_as<float>(), 0, count};
  const Range range = split(count, params.ith, params.nth, 64);
  return {node.data_as<float>() + range.begin, range.begin, range.size()};
}

template <Simd::Binary Simd::*Loop>
void two(const TensorImpl& node, const Simd& simd, const ComputeParams& params) {
  const Part part = part_of(node, params);
  (simd.*Loop)(part.out, node.sources[0]->data_as<float>() + part.begin, node.sources[1]->data_as<float>() + part.begin,
               part.count);
}

template <Simd::Unary Simd::*Loop>
void one(const TensorImpl& node, const Simd& simd, const ComputeParams& params) {
  const Part part = part_of(node, params);
  (simd.*Loop)(part.out, node.sources[0]->data_as<float>() + part.begin, part.count, 0, 0);
}

}  // namespace

StraightLoop straight_loop(const TensorImpl& node) {
  constexpr int64_t kMostElements = 16384;  // longer ones have kernels that look at the caches
  if (node.element_count() > kMostElements) return nullptr;
  if (node.dtype != DType::F32 || !node.contiguous() || !has_work(node)) return nullptr;
  for (const TensorImpl* source : node.sources)
    if (source->dtype != DType::F32 || !(source->sizes == node.sizes) || !source->contiguous()) return nullptr;
  switch (node.op) {
    case Op::Add: return two<&Simd::add>;
    case Op::Sub: return two<&Simd::sub>;
    case Op::Mul: return two<&Simd::mul>;
    case Op::Div: return two<&Simd::div>;
    case Op::Min: return two<&Simd::min>;
    case Op::Max: return two<&Simd::max>;
    case Op::Relu: return one<&Simd::relu>;
    case Op::Sigmoid: return one<&Simd::sigmoid>;
    case Op::Tanh: return one<&Simd::tanh>;
    case Op::Silu: return one<&Simd::silu>;
    default: return nullptr;
  }
}

}  // namespace arenascope::cpu
