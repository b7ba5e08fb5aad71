// SPDX-License-Identifier: GPL-3.0-or-later
// A program on another machine, started by ssh with the keys and rights of the user. A socket on that machine,
// accessible by this user only, is forwarded to the local receiver. The socket and the copied adapter libraries are
// removed when the program ends.
#pragma once
#include <string>
#include <vector>

#include <arenascope/base/result.h>

namespace arenascope::app {

// A local library that is loaded into the remote program, and the environment variable that loads it. `single`: the
// variable holds one library.
struct RemoteAdapter {
  std::string library, variable;
  bool single = false;
};

// Copies the adapters and returns the ssh command line for a receiver at `address` (a socket in a directory). Errors:
// a failed copy, or an address that is not a socket.
Result<std::vector<std::string>> ssh_command(const std::string& host, const std::vector<std::string>& program,
                                             const std::string& address, const std::vector<RemoteAdapter>& adapters);

}  // namespace arenascope::app
