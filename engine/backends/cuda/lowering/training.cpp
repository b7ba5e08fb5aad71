// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/kernels/training.h"
#include "engine/backends/cuda/lowering/families.h"
#include "engine/backends/cuda/lowering/shapes.h"

namespace arenascope::cuda {

Status lower_gather_back(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &dy = *node.sources[0], &indices = *node.sources[1];
  GatherBackWork work;
  for (int d = dy.rank() - 1; d >= 0; --d) add_dimension(work.rows, dy.sizes[d], {dy.strides[d]});
  finish(work.rows);
  work.out = bytes(node);
  work.dy = bytes(dy);
  work.indices = bytes(indices);
  if (node.sources.size() > 2) work.base = bytes(*node.sources[2]);
  work.type = node.dtype;
  work.index_type = indices.dtype;
  work.size = node.sizes[0];
  work.width = work.size > 0 ? node.element_count() / work.size : 0;
  work.count = indices.sizes[0];
  work.index_stride = indices.strides[0];
  work.node = request.number;
  work.fault = request.fault;
  return request.queue.launch(KernelId::gather_back, grid_for(request.queue, node.element_count()), work);
}

Status lower_optimizer_step(const LaunchRequest& request) {
  const TensorImpl& node = request.node;
  const auto p = node.params.get<OptimizerStepParams>();
  const auto floats = [&](size_t i) { return reinterpret_cast<float*>(bytes(*node.sources[i])); };
  OptimizerWork work;
  work.to = reinterpret_cast<float*>(bytes(node));
  work.gradient = floats(1);
  work.numbers = floats(2);
  work.spoilt = bytes(*node.sources[3]);
  if (p.states > 0) work.first = floats(4);
  if (p.states > 1) work.second = floats(5);
  work.count = node.element_count();
  work.keep = p.keep;
  work.adaptive = p.adaptive;
  work.beta1 = p.beta1, work.rest1 = p.rest1, work.beta2 = p.beta2, work.rest2 = p.rest2;
  work.epsilon = p.epsilon, work.decay = p.decay;
  return request.queue.launch(KernelId::optimizer_step, grid_for(request.queue, work.count), work);
}

Status lower_dropout(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0], &seed = *node.sources[1];
  DropoutWork work;
  for (int d = node.rank() - 1; d >= 0; --d) add_dimension(work.indexer, node.sizes[d], {x.strides[d]});
  finish(work.indexer);
  work.out = bytes(node);
  work.x = bytes(x);
  work.seed = reinterpret_cast<const int64_t*>(bytes(seed));
  work.seed_stride = seed.strides[0];
  work.type = node.dtype;
  const auto p = node.params.get<DropoutParams>();
  work.ratio = p.ratio, work.sequence = p.sequence;
  return request.queue.launch(KernelId::dropout, grid_for(request.queue, work.indexer.count), work);
}

Status lower_mul_mat_id(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &a = *node.sources[0], &x = *node.sources[1], &ids = *node.sources[2];
  MulMatIdWork work;
  work.out = reinterpret_cast<float*>(bytes(node));
  work.matrices = bytes(a);
  work.x = bytes(x);
  work.ids = bytes(ids);
  work.type = a.dtype, work.x_type = x.dtype, work.id_type = ids.dtype;
  for (int d = 0; d < 3; ++d) work.a_strides[d] = a.strides[d];
  work.x_strides[0] = x.strides[0];
  work.x_strides[1] = x.rank() == 3 ? x.strides[1] : 0;
  work.x_strides[2] = x.strides.back();
  for (int d = 0; d < 2; ++d) work.id_strides[d] = ids.strides[d];
  work.count = node.element_count();
  work.columns = node.sizes[2];
  work.depth = a.sizes[2];
  work.each = node.sizes[1];
  work.entries = a.sizes[0];
  work.node = request.number;
  work.fault = request.fault;
  return request.queue.launch(KernelId::mul_mat_id, grid_for(request.queue, work.count), work);
}

}  // namespace arenascope::cuda
