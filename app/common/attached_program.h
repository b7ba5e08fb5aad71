// SPDX-License-Identifier: GPL-3.0-or-later
// A program that is started to be watched: its environment says where to connect, and puts adapters into it. On another
// machine it is started by ssh, with its own keys and rights (ssh_program.h).
#pragma once
#include <csignal>
#include <string>
#include <vector>

#include <sys/types.h>

#include <arenascope/attach/receiver.h>
#include <arenascope/base/result.h>

namespace arenascope::app {

struct AttachedProgram {
  std::vector<std::string> words;  // the program and its arguments
  std::string host;                // of another machine, as ssh knows it; "": this one
  std::vector<std::string> with;   // names of adapters; empty: those that cost nothing where they watch nothing
};

// Of "[ssh:HOST] PROGRAM ARGUMENTS…". An error says what is missing or no host.
Result<AttachedProgram> attached_program(std::vector<std::string> words, std::vector<std::string> with);
// What a receiver for it has to know.
attach::ListenOptions listening_for(const AttachedProgram& program);

std::vector<std::string> adapter_names();
// An error names an adapter that there is none of, or that was not built.
Status check_adapters(const AttachedProgram& program);

struct StartOptions {
  bool output_to_error = false;           // what it prints goes to standard error
  const sigset_t* signal_mask = nullptr;  // that it starts with; null: this thread's
};
// Starts it with ARENASCOPE_ATTACH=`address`. An error names the program.
Result<pid_t> start_attached(const AttachedProgram& program, const std::string& address,
                             const StartOptions& options = {});

}  // namespace arenascope::app
