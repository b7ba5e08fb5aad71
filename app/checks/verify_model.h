// SPDX-License-Identifier: GPL-3.0-or-later
// Compares a model's outputs with expected outputs or with those of the reference backend.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <arenascope/models/testcase.h>

#include <arenascope/run/runner.h>
#include "app/checks/compare.h"

namespace arenascope::app {

struct VerifyOptions {
  RunnerOptions runner;
  Tolerance tolerance;
  std::string only;                   // substring of the names of op cases
  std::string against = "reference";  // backend of the expected outputs of a model without test data
};

struct VerifiedCase {
  std::string name;  // "test_data_set_0/prob_1", "seeded inputs/logits", or the name of an op case
  bool passed = false;
  double max_abs_error = 0;
  double max_rel_error = 0;
  std::string note;  // reason of a failure, or the criterion used
};

// Everything that is read before the first run.
struct VerifyTask {
  std::string spec;
  VerifyOptions options;                // with the inputs for which the model was opened
  std::optional<models::Model> model;   // nullopt: one case per op of the backend
  std::vector<models::TestCase> tests;  // empty: compare with the backend `options.against`
};

// `spec`: model file, test case directory or zoo:NAME; may be empty. Errors: the model or its expected outputs cannot
// be read.
Result<VerifyTask> read_task(const std::string& spec, const VerifyOptions& options);

// A model in the ONNX test-case layout is compared with its data sets, any other model with the backend
// `options.against` on the same inputs. The default tolerance is 1e-5 of the largest output; 2e-2 with precision=low on
// a device; 5e-2 (q4_0 to q8_0) or 7e-2 (K types) with quantised weights. Sigmoid and softmax outputs within 1e-6 pass.
// The applied criterion is part of each case. Errors: the model cannot be run.
Result<std::vector<VerifiedCase>> verify_model(VerifyTask task);

}  // namespace arenascope::app
