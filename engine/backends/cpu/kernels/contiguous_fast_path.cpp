// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/contiguous_fast_path.h"

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

template <ElementLoops::Binary ElementLoops::*Loop>
void two(const TensorImpl& node, const Simd& simd, const ComputeParams& params) {
  const Part part = part_of(node, params);
  (simd.elements.*Loop)(part.out, node.sources[0]->data_as<float>() + part.begin,
                        node.sources[1]->data_as<float>() + part.begin, part.count);
}

template <ElementLoops::Unary ElementLoops::*Loop>
void one(const TensorImpl& node, const Simd& simd, const ComputeParams& params) {
  const Part part = part_of(node, params);
  (simd.elements.*Loop)(part.out, node.sources[0]->data_as<float>() + part.begin, part.count, 0, 0);
}

}  // namespace

ContiguousLoop contiguous_loop(const TensorImpl& node) {
  constexpr int64_t kMaxElements = 16384;  // longer nodes use kernels that consider the caches
  if (node.element_count() > kMaxElements) return nullptr;
  if (node.dtype != DType::F32 || !node.contiguous() || !has_work(node)) return nullptr;
  for (const TensorImpl* source : node.sources)
    if (source->dtype != DType::F32 || !(source->sizes == node.sizes) || !source->contiguous()) return nullptr;
  switch (node.op) {
    case Op::Add: return two<&ElementLoops::add>;
    case Op::Sub: return two<&ElementLoops::sub>;
    case Op::Mul: return two<&ElementLoops::mul>;
    case Op::Div: return two<&ElementLoops::div>;
    case Op::Min: return two<&ElementLoops::min>;
    case Op::Max: return two<&ElementLoops::max>;
    case Op::Relu: return one<&ElementLoops::relu>;
    case Op::Sigmoid: return one<&ElementLoops::sigmoid>;
    case Op::Tanh: return one<&ElementLoops::tanh>;
    case Op::Silu: return one<&ElementLoops::silu>;
    default: return nullptr;
  }
}

}  // namespace arenascope::cpu
