// SPDX-License-Identifier: MIT
// Batch normalisation by the batch's own statistics, as ONNX has it in training: the variance is the mean square, and what is
// kept of statistics is momentum · kept + (1 - momentum) · the batch's.
#pragma once
#include <arenascope/graph/builder.h>

#include <string>

namespace arenascope::models {

struct BatchStatistics {
  Tensor mean, variance;  // [channels]
};

// Of x [N, channels, …], whose rank is at least 2. Names begin with `name`.
BatchStatistics batch_statistics(GraphBuilder& g, const Tensor& x, const std::string& name);

// What `kept` becomes behind a batch.
Tensor next_statistic(GraphBuilder& g, const Tensor& kept, const Tensor& of_batch, float momentum,
                      const std::string& name);

}  // namespace arenascope::models
