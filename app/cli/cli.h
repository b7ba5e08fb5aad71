// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the commands of arenascope-cli: declaration, output and exit status.
#pragma once
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <arenascope/base/result.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace arenascope::cli {

// Ordered, so that keys are printed in the documented order.
using Json = nlohmann::ordered_json;

enum ExitStatus : int {
  kDone = 0,
  kFailed = 1,       // the request failed, such as a mismatch or a plan that does not fit
  kUsage = 2,        // wrong usage or unreadable input
  kSignalled = 128,  // 128 + signal number, as in shells
};

// Options shared by all commands. With `json` a command prints one object on standard output and nothing else.
struct Context {
  bool json = false;
  Json report;                 // with `json`: how the answer was made (report.h)
  bool allow_unknown = false;  // an incomplete answer is no failure
  // One message about what the answer leaves out of the file; "" for nothing. Set before the answer is printed; the exit
  // status is then 1, unless it is allowed.
  std::string incomplete;
};

// Prints to standard output or another stream, with fmt's syntax. Control characters and escapes in names from files are
// made visible (arenascope/base/printable.h). A closed or full stream does not throw: a failure of standard output is
// reported at the end.
void put(std::FILE* stream, std::string_view text);
template <class... T>
void print(std::FILE* stream, fmt::format_string<T...> format, T&&... values) {
  put(stream, fmt::format(format, std::forward<T>(values)...));
}
template <class... T>
void print(fmt::format_string<T...> format, T&&... values) {
  put(stdout, fmt::format(format, std::forward<T>(values)...));
}

// Prints the message on standard error after the program's name, and returns `status`.
int fail(ExitStatus status, const std::string& message);
// Prints one object on standard output after the context's report, with one line per member. Invalid UTF-8 is replaced.
void print_json(const Context& context, const Json& object);
// The report and the object as one object.
Json with_report(const Context& context, const Json& object);

// Shows the current phase and its elapsed time on terminals once it takes longer than a second.
class Progress {
 public:
  Progress();
  ~Progress();
  void phase(const std::string& name, double part = -1);  // part: 0 to 1; negative: unknown

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Each function declares the options of a command and stores its body, which runs if the command is selected.
using Body = std::function<int()>;
void add_devices(CLI::App& app, Context& context, Body& body);
void add_info(CLI::App& app, Context& context, Body& body);
void add_compile(CLI::App& app, Context& context, Body& body);
void add_plan(CLI::App& app, Context& context, Body& body);
void add_run(CLI::App& app, Context& context, Body& body);
void add_generate(CLI::App& app, Context& context, Body& body);
void add_train(CLI::App& app, Context& context, Body& body);
void add_verify(CLI::App& app, Context& context, Body& body);
void add_bench(CLI::App& app, Context& context, Body& body);
void add_convert(CLI::App& app, Context& context, Body& body);
void add_audit(CLI::App& app, Context& context, Body& body);
void add_diff(CLI::App& app, Context& context, Body& body);
void add_query(CLI::App& app, Context& context, Body& body);
void add_replay(CLI::App& app, Context& context, Body& body);
void add_report(CLI::App& app, Context& context, Body& body);
void add_serve(CLI::App& app, Body& body);
void add_attach(CLI::App& app, Context& context, Body& body);
// Rewrites "attach ssh:HOST -- PROGRAM" to put the host after "--", since CLI11 has no positional before it.
void move_host_after_dashes(int argc, char** argv);

}  // namespace arenascope::cli
