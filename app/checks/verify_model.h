// SPDX-License-Identifier: GPL-3.0-or-later
// A model's outputs against those that stand beside it, or against the reference backend's.
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
  std::string only;  // op cases: those whose names contain it
};

struct VerifiedCase {
  std::string name;  // "test_data_set_0/prob_1", "seeded inputs/logits", or an op case's name
  bool passed = false;
  double max_abs_error = 0;
  double max_rel_error = 0;
  std::string note;  // why it failed, where numbers do not say it, or how it was judged
};

// What is read before anything runs.
struct VerifyTask {
  std::string spec;
  VerifyOptions options;                // with the inputs that the model was opened for
  std::optional<models::Model> model;   // none: a case for every op of the backend
  std::vector<models::TestCase> tests;  // none: against the reference backend
};

// `spec`: a model as everywhere, or empty. Errors: the model or what stands beside it cannot be read.
Result<VerifyTask> read_task(const std::string& spec, const VerifyOptions& options);

// A model in the ONNX test-case layout: its data sets. Another one: the reference backend on the same inputs, judged at
// 1e-5 of the largest output unless told otherwise. With precision=low of a device both are judged at 2e-2 of the
// largest output, with weights in a quantised type at 5e-2 (q4_0 to q8_0) or 7e-2 (K types), unless told otherwise; a
// sigmoid or softmax within 1e-6 passes. The cases say it. Errors: it cannot be run.
Result<std::vector<VerifiedCase>> verify_model(VerifyTask task);

}  // namespace arenascope::app
