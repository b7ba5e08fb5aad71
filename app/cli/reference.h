// SPDX-License-Identifier: GPL-3.0-or-later
// The reference of all commands and options, generated from the parser: docs/reference/cli.md and the man page.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

namespace arenascope::cli {

// The names of an option without the values that CLI11 appends: "--no-join{false}" is "--no-join".
std::string without_flag_values(std::string names);

std::string markdown_reference(const CLI::App& app);
std::string man_page(const CLI::App& app, const std::string& version);

}  // namespace arenascope::cli
