// SPDX-License-Identifier: GPL-3.0-or-later
// A model's outputs against those that stand beside it, or against the reference backend's.
#pragma once
#include <string>
#include <vector>

#include "app/common/compare.h"
#include "app/common/model_runner.h"

namespace arenascope::app {

struct VerifyOptions {
  RunnerOptions runner;
  Tolerance tolerance;
};

struct VerifiedCase {
  std::string name;  // "test_data_set_0/prob_1", "seeded inputs/logits", or an op case's name
  bool passed = false;
  double max_abs_error = 0;
  double max_rel_error = 0;
  std::string note;  // why it failed, where numbers do not say it
};

// A directory in the ONNX test-case layout: its data sets. Another model: the reference backend on the same inputs,
// judged at 1e-5 of the largest output unless told otherwise. Empty: every op case. Errors: it cannot be opened or run.
Result<std::vector<VerifiedCase>> verify_model(const std::string& spec, const VerifyOptions& options);

}  // namespace arenascope::app
