// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli attach: starts a program that records itself, or that an adapter records, and collects its events.
#include <algorithm>
#include <csignal>

#include <sys/wait.h>

#include <arenascope/attach/receiver.h>
#include <arenascope/trace/clock.h>
#include <arenascope/trace/recording.h>
#include <arenascope/trace/session.h>
#include <fmt/format.h>

#include "app/cli/attach_report.h"
#include "app/cli/cli.h"
#include "app/common/attached_program.h"

namespace arenascope::cli {
namespace {

struct AttachOptions {
  std::vector<std::string> argv, adapters;
  std::string record;
  bool tcp = false, print_include_folder = false;
  int ranks = 0;  // number of processes expected to attach; 0: at least one
};

// Signals that end this program, and SIGCHLD. They are waited for instead of handled.
sigset_t waited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT}) sigaddset(&set, signal);
  return set;
}

// Waits for the program to end and forwards termination signals to it; signals of the terminal reach both processes.
int wait_for(pid_t process, const sigset_t& signals) {
  for (;;) {
    int status = 0;
    if (::waitpid(process, &status, WNOHANG) == process) return status;
    const timespec longest{1, 0};
    const int signal = ::sigtimedwait(&signals, nullptr, &longest);
    if (signal == SIGTERM || signal == SIGHUP) ::kill(process, signal);
  }
}

int attach_to(const Context& context, const AttachOptions& options) {
  if (options.print_include_folder) {
    const std::string folder = app::client_include_folder();
    if (folder.empty()) return fail(kFailed, "arenascope_client.h not found: it is not installed with this program");
    fmt::print("{}\n", folder);
    return kDone;
  }
  const auto program = app::attached_program(options.argv, options.adapters);
  if (!program) return fail(kUsage, program.error().message);
  auto session = std::make_shared<trace::Session>(trace::Session::Options{size_t{1} << 30});
  std::vector<std::shared_ptr<trace::Sink>> sinks{session};
  std::shared_ptr<trace::RecordingWriter> writer;
  if (!options.record.empty()) {
    auto made = trace::RecordingWriter::create(options.record);
    if (!made) return fail(kFailed, made.error().message);
    writer = *made;
    sinks.push_back(writer);
  }
  const sigset_t signals = waited_signals();
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &signals, &before);
  attach::ListenOptions listen = app::listen_options(*program);
  listen.tcp = options.tcp;
  listen.max_programs = std::max(listen.max_programs, static_cast<size_t>(options.ranks));
  auto receiver = attach::Receiver::listen(sinks, listen);
  if (!receiver) return fail(kFailed, receiver.error().message);
  const auto stale = app::pytorch_histories(options.record);
  const Nanoseconds started = trace::Clock::monotonic();
  const auto process = app::start_attached(*program, (*receiver)->address(), {context.json, &before, options.record});
  if (!process) return fail(kUsage, process.error().message);
  AttachReport report;
  report.argv = program->argv;
  report.ranks = options.ranks;
  report.status = wait_for(*process, signals);
  report.seconds = static_cast<double>(trace::Clock::monotonic() - started) * 1e-9;
  constexpr Nanoseconds kForOthers = 2'000'000'000;  // for child processes that are still running
  (*receiver)->wait(kForOthers);
  (*receiver)->stop();
  report.programs = (*receiver)->programs();
  report.recording = options.record;
  for (const auto& [history, written] : app::pytorch_histories(options.record)) {
    const auto known = stale.find(history);  // process numbers repeat: the file of an earlier one may be overwritten
    if (known == stale.end() || known->second != written) report.histories.push_back(history);
  }
  if (writer) {
    const Status closed = writer->close();
    if (!closed.ok()) return fail(kFailed, closed.error().message);
  }
  return print_report(context, report, *session->snapshot());
}

}  // namespace

void move_host_after_dashes(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "attach") return;
  for (int i = 2; i + 1 < argc; ++i) {
    if (std::string_view(argv[i]) == "--") return;
    if (std::string_view(argv[i]).starts_with("ssh:") && std::string_view(argv[i + 1]) == "--")
      return std::swap(argv[i], argv[i + 1]);
  }
}

void add_attach(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("attach", "Start a program and report or record its tensors, buffers and kernels");
  auto options = std::make_shared<AttachOptions>();
  command->add_option("program", options->argv,
                      "Program and arguments after --; ssh:HOST before it starts the program on another machine");
  command->add_option("--record", options->record, "Recording file, written while the program runs");
  command
      ->add_option("--with", options->adapters,
                   "Comma-separated adapters: cuda, ggml, malloc (heap blocks), opencl (default), none")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("-n,--ranks", options->ranks, "Number of processes that must attach; fewer are an error")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--include-dir", options->print_include_folder,
                    "Print the include directory of arenascope_client.h and exit");
  command->add_flag("--tcp", options->tcp, "Listen on a loopback TCP port with a token instead of a Unix socket");
  command->add_flag("--json", context.json,
                    "Print one JSON object; the program's standard output goes to standard error");
  command->callback([&, options] { body = [&, options] { return attach_to(context, *options); }; });
}

}  // namespace arenascope::cli
