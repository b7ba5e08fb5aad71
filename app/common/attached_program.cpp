// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/attached_program.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <spawn.h>
#include <unistd.h>

#include <arenascope/base/folder_entries.h>
#include <arenascope/runtime/backend_module.h>
#include <fmt/format.h>

#include "app/common/ssh_program.h"

extern char** environ;

namespace arenascope::app {
namespace {

// How an adapter is loaded: its library is preloaded, or is a layer of the OpenCL loader.
struct Adapter {
  const char* name;
  const char* variable;
  bool by_default;  // used by default: no overhead for programs that do not use the recorded API
  bool single;      // the variable holds one library, not a list
};
constexpr Adapter kAdapters[] = {{"cuda", "CUDA_INJECTION64_PATH", false, true},
                                 {"ggml", "LD_PRELOAD", false, false},
                                 {"malloc", "LD_PRELOAD", false, false},
                                 {"opencl", "OPENCL_LAYERS", true, false}};
constexpr const char* kNone = "none";

std::string library_of(const Adapter& adapter) {
  for (const std::string& folder : backend_module_folders()) {
    const auto path = std::filesystem::path(folder) / fmt::format("arenascope-{}-adapter.so", adapter.name);
    std::error_code none;
    if (std::filesystem::exists(path, none)) return std::filesystem::absolute(path, none).string();
  }
  return "";
}

// The directory `name` of the installation in which Python finds `file`; empty if it is not installed.
std::string python_folder(const char* name, const char* file) {
  for (const std::string& folder : backend_module_folders()) {
    const auto path = std::filesystem::path(folder) / name;
    std::error_code none;
    if (std::filesystem::exists(path / file, none)) return std::filesystem::absolute(path, none).string();
  }
  return "";
}

constexpr std::string_view kHistory = ".pytorch-", kHistoryEnd = ".pickle";  // as in sitecustomize.py

bool is_requested(const AttachedProgram& program, std::string_view name) {
  return std::find(program.adapters.begin(), program.adapters.end(), name) != program.adapters.end();
}

// The environment of this process as NAME=VALUE, with changed variables.
class Environment {
 public:
  Environment() {
    for (char** e = environ; *e != nullptr; ++e) variables_.emplace_back(*e);
  }
  void set(const std::string& name, const std::string& value) {
    std::erase_if(variables_, [&](const std::string& v) { return v.starts_with(name + "="); });
    variables_.push_back(name + "=" + value);
  }
  void prepend(const std::string& name, const std::string& value) {
    const std::string head = name + "=";
    const auto known =
        std::find_if(variables_.begin(), variables_.end(), [&](const std::string& v) { return v.starts_with(head); });
    const std::string before = known == variables_.end() ? "" : known->substr(head.size());
    set(name, before.empty() ? value : value + ":" + before);
  }
  std::vector<char*> pointers() {
    std::vector<char*> out;
    for (std::string& v : variables_) out.push_back(v.data());
    out.push_back(nullptr);
    return out;
  }

 private:
  std::vector<std::string> variables_;
};

}  // namespace

std::string client_include_folder() {
  constexpr int kLevels = 4;  // prefix/lib/ARCHITECTURE/arenascope
  for (const std::string& folder : backend_module_folders()) {
    std::error_code error;
    std::filesystem::path at = std::filesystem::absolute(folder, error).lexically_normal();
    for (int level = 0; level < kLevels && at.has_relative_path(); ++level, at = at.parent_path())
      if (std::filesystem::exists(at / "include/arenascope/arenascope_client.h", error))
        return (at / "include").string();
  }
  return "";
}

std::vector<std::string> adapter_names() {
  std::vector<std::string> names;
  for (const Adapter& adapter : kAdapters) names.emplace_back(adapter.name);
  return names;
}

std::map<std::string, std::filesystem::file_time_type> pytorch_histories(const std::string& recording) {
  const std::filesystem::path path(recording);
  const std::string head = path.filename().string() + std::string(kHistory);
  std::map<std::string, std::filesystem::file_time_type> found;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (const std::filesystem::directory_entry& entry : folder_entries(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(head) || !name.ends_with(kHistoryEnd)) continue;
    std::error_code gone;
    const auto written = std::filesystem::last_write_time(entry.path(), gone);
    if (!gone) found[(path.parent_path() / name).string()] = written;
  }
  return found;
}

Status check_adapters(const AttachedProgram& program) {
  const auto names = adapter_names();
  for (const std::string& name : program.adapters) {
    if (name == kNone || std::find(names.begin(), names.end(), name) != names.end()) continue;
    return Error{fmt::format("unknown adapter '{}'; available: {}, {}", name, fmt::join(names, ", "), kNone)};
  }
  for (const Adapter& adapter : kAdapters)
    if (is_requested(program, adapter.name) && library_of(adapter).empty())
      return Error{fmt::format("adapter '{}' not found: it was not built or not installed", adapter.name)};
  return {};
}

Result<AttachedProgram> attached_program(std::vector<std::string> argv, std::vector<std::string> adapters) {
  constexpr std::string_view kSshPrefix = "ssh:";
  AttachedProgram program;
  program.adapters = std::move(adapters);
  if (!argv.empty() && argv[0].starts_with(kSshPrefix)) {
    program.host = argv[0].substr(kSshPrefix.size());
    if (program.host.empty() || program.host[0] == '-')  // ssh would take it for an option
      return Error{fmt::format("'{}' has no host; expected ssh:HOST or ssh:USER@HOST", argv[0])};
    argv.erase(argv.begin());
  }
  program.argv = std::move(argv);
  if (program.argv.empty()) return Error{"no program given"};
  if (const Status status = check_adapters(program); !status.ok()) return status.error();
  return program;
}

attach::ListenOptions listen_options(const AttachedProgram& program) {
  attach::ListenOptions options;
  options.forwarded = !program.host.empty();
  return options;
}

namespace {

// Adds the adapters to the environment of a program on this machine.
std::vector<std::string> with_adapters(const AttachedProgram& program, Environment& environment,
                                       const std::string& address, const std::string& recording) {
  environment.set("ARENASCOPE_ATTACH", address);
  if (const std::string folder = python_folder("python", "arenascope/__init__.py"); !folder.empty())
    environment.prepend("PYTHONPATH", folder);
  if (const std::string folder = python_folder("python-start", "sitecustomize.py");
      !folder.empty() && !recording.empty() && is_requested(program, "cuda")) {
    std::error_code none;
    environment.set("ARENASCOPE_PYTORCH_HISTORY", std::filesystem::absolute(recording, none).string());
    environment.prepend("PYTHONPATH", folder);
  }
  for (const Adapter& adapter : kAdapters) {
    if (!is_requested(program, adapter.name) && !(program.adapters.empty() && adapter.by_default)) continue;
    const std::string library = library_of(adapter);
    if (library.empty()) continue;
    if (adapter.single)
      environment.set(adapter.variable, library);
    else
      environment.prepend(adapter.variable, library);
  }
  return program.argv;
}

}  // namespace

Result<pid_t> start_attached(const AttachedProgram& program, const std::string& address, const StartOptions& options) {
  if (const Status status = check_adapters(program); !status.ok()) return status.error();
  Environment environment;
  std::vector<std::string> arguments;
  if (program.host.empty()) {
    arguments = with_adapters(program, environment, address, options.recording);
  } else {
    std::vector<RemoteAdapter> adapters;
    for (const Adapter& adapter : kAdapters)
      if (is_requested(program, adapter.name))
        adapters.push_back({library_of(adapter), adapter.variable, adapter.single});
    auto started = ssh_command(program.host, program.argv, address, adapters);
    if (!started) return started.error();
    arguments = std::move(*started);
  }
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  if (argv[0] == nullptr) return Error{"no program given"};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (options.output_to_error) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (options.signal_mask != nullptr) {
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, options.signal_mask);
  }
  pid_t process = -1;
  const int failed =
      ::posix_spawnp(&process, argv[0], &actions, &attributes, argv.data(), environment.pointers().data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return Error{fmt::format("{}: cannot be started: {}", arguments[0], std::strerror(failed))};
  return process;
}

}  // namespace arenascope::app
