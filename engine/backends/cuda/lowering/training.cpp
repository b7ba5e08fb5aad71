// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/kernels/training.h"
#include "engine/backends/cuda/lowering/families.h"
#include "engine/backends/cuda/lowering/shapes.h"

namespace arenascope::cuda {

Status lower_gather_back(const Job& job) {
  const TensorImpl &node = job.node, &dy = *node.sources[0], &places = *node.sources[1];
  GatherBackWork work;
  for (int d = dy.rank() - 1; d >= 0; --d) add_dimension(work.rows, dy.sizes[d], {dy.strides[d]});
  finish(work.rows);
  work.out = bytes(node);
  work.dy = bytes(dy);
  work.places = bytes(places);
  if (node.sources.size() > 2) work.base = bytes(*node.sources[2]);
  work.type = node.dtype;
  work.place_type = places.dtype;
  work.size = node.sizes[0];
  work.width = work.size > 0 ? node.element_count() / work.size : 0;
  work.count = places.sizes[0];
  work.place_stride = places.strides[0];
  work.node = job.number;
  work.fault = job.fault;
  return job.queue.launch(KernelId::gather_back, grid_for(job.queue, node.element_count()), work);
}

Status lower_optimizer_step(const Job& job) {
  const TensorImpl& node = job.node;
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
  return job.queue.launch(KernelId::optimizer_step, grid_for(job.queue, work.count), work);
}

Status lower_dropout(const Job& job) {
  const TensorImpl &node = job.node, &x = *node.sources[0], &seed = *node.sources[1];
  DropoutWork work;
  for (int d = node.rank() - 1; d >= 0; --d) add_dimension(work.places, node.sizes[d], {x.strides[d]});
  finish(work.places);
  work.out = bytes(node);
  work.x = bytes(x);
  work.seed = reinterpret_cast<const int64_t*>(bytes(seed));
  work.seed_stride = seed.strides[0];
  work.type = node.dtype;
  const auto p = node.params.get<DropoutParams>();
  work.ratio = p.ratio, work.sequence = p.sequence;
  return job.queue.launch(KernelId::dropout, grid_for(job.queue, work.places.count), work);
}

Status lower_product_by_id(const Job& job) {
  const TensorImpl &node = job.node, &a = *node.sources[0], &x = *node.sources[1], &ids = *node.sources[2];
  ProductByIdWork work;
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
  work.node = job.number;
  work.fault = job.fault;
  return job.queue.launch(KernelId::product_by_id, grid_for(job.queue, work.count), work);
}

}  // namespace arenascope::cuda
