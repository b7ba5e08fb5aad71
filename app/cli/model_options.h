// SPDX-License-Identifier: GPL-3.0-or-later
// The options of every command that opens a model.
#pragma once
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <arenascope/models/model.h>

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

void add_model_arguments(CLI::App& command, ModelArguments& arguments);

}  // namespace arenascope::cli
