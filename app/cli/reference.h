// SPDX-License-Identifier: GPL-3.0-or-later
// The reference of all commands and options, generated from the parser: docs/reference/cli.md and the man page.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

namespace arenascope::cli {

std::string markdown_reference(const CLI::App& app);
std::string man_page(const CLI::App& app, const std::string& version);

}  // namespace arenascope::cli
