// SPDX-License-Identifier: GPL-3.0-or-later
// The options of every command that opens a model.
#pragma once
#include <string>
#include <vector>

#include <arenascope/models/model.h>
#include <CLI/CLI.hpp>

#include <arenascope/run/runner.h>

namespace arenascope::cli {

struct ModelArguments {
  std::string model;
  std::vector<std::string> dims;  // NAME=N
  int64_t tokens = 0;
  bool prefill = false;
  bool training = false;

  // Error: a --dim that is not NAME=N.
  Result<models::OpenOptions> options() const;
};

// What was assumed of sizes that the file leaves open, in one line with its end; empty where nothing was.
std::string assumed_sizes(const models::Model& model);

void add_model_arguments(CLI::App& command, ModelArguments& arguments);

// --backend and --backend-option NAME=VALUE.
struct BackendArguments {
  std::string backend = "cpu";
  std::vector<std::string> options;
  std::vector<std::string> host_ops;

  // Errors: an option that is not NAME=VALUE, an op that there is not.
  Status put_into(RunnerOptions& options) const;
};

void add_backend_arguments(CLI::App& command, BackendArguments& arguments);

// Error: a planner, an order or a backend that there is none of. (One that this machine lacks is no wrong usage.)
Status check_names(const RunnerOptions& options);

// A budget: from 0 to a million, and a number.
CLI::Validator seconds();

}  // namespace arenascope::cli
