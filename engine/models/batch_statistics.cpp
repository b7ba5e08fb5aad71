// SPDX-License-Identifier: MIT
#include "engine/models/batch_statistics.h"

#include <arenascope/graph/op_params.h>

namespace arenascope::models {

BatchStatistics batch_statistics(GraphBuilder& g, const Tensor& x, const std::string& name) {
  if (!x) return {};
  const ReduceParams others{((1u << x->rank()) - 1) & ~2u, false};
  Dims along = Dims::filled(x->rank(), 1);
  along[1] = x.sizes()[1];
  const Tensor mean = g.op_with(Op::ReduceMean, {x}, others, name + ":mean");
  const Tensor apart = g.op(Op::Sub, {x, g.reshape(mean, along, name + ":mean_wide")}, {}, name + ":apart");
  const Tensor square = g.op(Op::Mul, {apart, apart}, {}, name + ":square");
  return {mean, g.op_with(Op::ReduceMean, {square}, others, name + ":variance")};
}

Tensor next_statistic(GraphBuilder& g, const Tensor& kept, const Tensor& of_batch, float momentum,
                      const std::string& name) {
  const Tensor a = g.op_with(Op::Scale, {kept}, ScaleParams{momentum, 0}, name + "_old");
  const Tensor b = g.op_with(Op::Scale, {of_batch}, ScaleParams{1 - momentum, 0}, name + "_new");
  return g.op(Op::Add, {a, b}, {}, name);
}

}  // namespace arenascope::models
