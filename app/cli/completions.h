// SPDX-License-Identifier: GPL-3.0-or-later
// Completions of commands, options and values for shells, generated from the parser and the tables of the engine.
#pragma once
#include <string>

#include <arenascope/base/result.h>
#include <CLI/CLI.hpp>

namespace arenascope::cli {

// `shell`: bash, zsh or fish. Error: any other name.
Result<std::string> completions(const CLI::App& app, const std::string& shell);

}  // namespace arenascope::cli
