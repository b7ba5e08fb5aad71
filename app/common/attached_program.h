// SPDX-License-Identifier: GPL-3.0-or-later
// A program that is started and recorded. Its environment specifies the address to connect to and loads adapters. On
// another machine it is started by ssh with the keys and rights of the user (ssh_program.h).
#pragma once
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include <arenascope/attach/receiver.h>
#include <arenascope/base/result.h>

namespace arenascope::app {

struct AttachedProgram {
  std::vector<std::string> argv;      // program and arguments
  std::string host;                   // ssh host; empty: this machine
  std::vector<std::string> adapters;  // adapter names; empty: the default adapters
};

// Parses "[ssh:HOST] PROGRAM ARGUMENTS…". Errors: no program, invalid host, unknown adapter.
Result<AttachedProgram> attached_program(std::vector<std::string> argv, std::vector<std::string> adapters);
// Receiver options for recording the program.
attach::ListenOptions listen_options(const AttachedProgram& program);

std::vector<std::string> adapter_names();
// Files next to the recording, with the history of PyTorch's CUDA allocator in each process, and when they were written.
std::map<std::string, std::filesystem::file_time_type> pytorch_histories(const std::string& recording);
// Errors: an unknown adapter, or one that was not built.
Status check_adapters(const AttachedProgram& program);

// Include directory that contains <arenascope/arenascope_client.h>; empty if it is not installed.
std::string client_include_folder();

struct StartOptions {
  bool output_to_error = false;           // redirects its standard output to standard error
  const sigset_t* signal_mask = nullptr;  // signal mask of the program; null: that of this thread
  std::string recording;                  // file of the recording; empty: none
};
// Starts the program with ARENASCOPE_ATTACH=`address`. Errors name the program.
Result<pid_t> start_attached(const AttachedProgram& program, const std::string& address,
                             const StartOptions& options = {});

}  // namespace arenascope::app
