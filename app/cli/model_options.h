// SPDX-License-Identifier: GPL-3.0-or-later
// Options of all commands that open a model.
#pragma once
#include <string>
#include <vector>

#include <arenascope/models/model.h>
#include <CLI/CLI.hpp>

#include <arenascope/run/runner.h>
#include "app/cli/cli.h"
#include "app/common/planned_session.h"
#include "app/common/run_options.h"

namespace arenascope::cli {

struct ModelArguments {
  std::string model;
  app::OptionValues values;  // options for opening it

  // Error: an invalid value.
  Result<models::OpenOptions> options() const;
};

// Text about assumed sizes of dynamic dimensions and about converted outputs, one line each; empty if there are none.
std::string assumptions(const models::Model& model);
// One line with the tensors whose size the file does not declare; empty if there are none.
std::string unknown_sizes_text(const models::Model& model);

void add_model_arguments(CLI::App& command, ModelArguments& arguments);

// Adds an option of a table; given values are stored in `values`. `default_value` is shown in the help.
void add_option(CLI::App& command, app::OptionValues& values, const app::OptionDescriptor& option,
                const std::string& default_value);

// Adds the run options with these ids (app/common/run_options.h); given values are stored in `values`.
void add_run_options(CLI::App& command, app::OptionValues& values, std::initializer_list<const char*> ids);

// The options of `run` and `plan`: graphs are rewritten and fused unless the values disable it. Errors: an invalid value.
Result<RunnerOptions> run_options_of(std::initializer_list<const app::OptionValues*> values);

// --allow-unknown; `what` is not a failure then.
void add_allow_unknown(CLI::App& command, Context& context, const std::string& what);

// --backend and related options.
struct BackendArguments {
  app::OptionValues values;

  // Error: an invalid value.
  Status put_into(RunnerOptions& options) const { return app::set_run_options(options, values, "--"); }
};

void add_backend_arguments(CLI::App& command, BackendArguments& arguments);

// How models and intervals are planned by commands that only compare or describe the plan.
struct PlanningArguments {
  app::PlanSettings settings;
};
void add_planning_arguments(CLI::App& command, PlanningArguments& arguments);

// Validates a number of seconds from 0 to 1000000.
CLI::Validator seconds();

}  // namespace arenascope::cli
