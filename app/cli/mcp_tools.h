// SPDX-License-Identifier: GPL-3.0-or-later
// The tools that `serve --mcp` offers: commands of this program that only read, on files below one folder.
#pragma once
#include <filesystem>
#include <string>

#include <arenascope/base/result.h>

#include "app/cli/cli.h"
#include "app/cli/command_child.h"

namespace arenascope::cli {

struct ToolOptions {
  std::filesystem::path folder;  // canonical; files outside of it are refused
  ChildLimits limits;
};

// The answer to "tools/list".
Json list_tools();

// The answer to "tools/call": the text of the command, or a message with isError, from which the caller can correct its
// arguments. Error: there is no such tool, or the arguments are not an object.
Result<Json> call_tool(const Json& parameters, const ToolOptions& options);

}  // namespace arenascope::cli
