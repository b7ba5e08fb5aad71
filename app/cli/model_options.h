// SPDX-License-Identifier: GPL-3.0-or-later
// The options of every command that opens a model.
#pragma once
#include <string>
#include <vector>

#include <arenascope/models/model.h>
#include <CLI/CLI.hpp>

#include <arenascope/run/runner.h>
#include "app/common/run_options.h"

namespace arenascope::cli {

struct ModelArguments {
  std::string model;
  app::OptionValues values;  // of the options that open it

  // Error: a value that makes no sense.
  Result<models::OpenOptions> options() const;
};

// What was assumed of sizes that the file leaves open, and what is given otherwise than it says, in a line each with its end; empty
// where there is nothing.
std::string assumptions(const models::Model& model);

void add_model_arguments(CLI::App& command, ModelArguments& arguments);

// An option of a table; what is given goes into `values`. `usual`: its value where nothing is.
void add_option(CLI::App& command, app::OptionValues& values, const app::OptionFace& option, const std::string& usual);

// Those options of the table (app/common/run_options.h) that a command has; what is given goes into `values`.
void add_run_options(CLI::App& command, app::OptionValues& values, std::initializer_list<const char*> ids);

// --backend and what it is given.
struct BackendArguments {
  app::OptionValues values;

  // Error: a value that makes no sense.
  Status put_into(RunnerOptions& options) const { return app::set_run_options(options, values); }
};

void add_backend_arguments(CLI::App& command, BackendArguments& arguments);

// A budget: from 0 to a million, and a number.
CLI::Validator seconds();

}  // namespace arenascope::cli
