// SPDX-License-Identifier: MIT
// Batch normalisation with batch statistics, as in ONNX's training mode: the variance is the biased one, and a
// running statistic becomes momentum · kept + (1 - momentum) · batch.
#pragma once
#include <arenascope/graph/builder.h>

#include <string>

namespace arenascope::models {

struct BatchStatistics {
  Tensor mean, variance;  // [channels]
};

// x: [N, channels, …], rank at least 2. Node names begin with `name`.
BatchStatistics batch_statistics(GraphBuilder& g, const Tensor& x, const std::string& name);

// The running statistic after a batch.
Tensor next_statistic(GraphBuilder& g, const Tensor& kept, const Tensor& of_batch, float momentum,
                      const std::string& name);

}  // namespace arenascope::models
