// SPDX-License-Identifier: GPL-3.0-or-later
// A program on another machine, started by ssh with its own keys and rights: a socket there that only this user may open
// is forwarded to the one that is listened on here. It and the adapters' libraries are removed when the program ends.
#pragma once
#include <string>
#include <vector>

#include <arenascope/base/result.h>

namespace arenascope::app {

// A library of this machine that is put into the program there, and the variable that does it; `alone`: it names one.
struct FarAdapter {
  std::string library, variable;
  bool alone = false;
};

// The words that start ssh, for a receiver at `address` (a socket in a folder). The adapters have been copied then. An
// error says what of that failed.
Result<std::vector<std::string>> ssh_words(const std::string& host, const std::vector<std::string>& program,
                                           const std::string& address, const std::vector<FarAdapter>& adapters);

}  // namespace arenascope::app
