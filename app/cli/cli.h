// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands of arenascope-cli share: how they are declared, what they print, how they end.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include <arenascope/base/result.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace arenascope::cli {

// Ordered, so that what is printed stands as DESIGN.md's forms do.
using Json = nlohmann::ordered_json;

enum ExitStatus : int {
  kDone = 0,
  kFailed = 1,       // the thing asked for failed: a mismatch, a plan that does not fit
  kUsage = 2,        // wrong usage or unreadable input
  kSignalled = 128,  // and the signal that ended it, as shells have it
};

// What a command's body gets and gives: with `json` one object on standard output and nothing else.
struct Context {
  bool json = false;
};

// Prints the sentence on standard error, behind the program's name.
int fail(ExitStatus status, const std::string& sentence);
// One object, on one line less deep than its parts, on standard output. Text that is no UTF-8 is made so.
void print_json(const Json& object);

// A phase and the time it takes, on a terminal only, once something lasts longer than a second.
class Progress {
 public:
  Progress();
  ~Progress();
  void phase(const std::string& name, double part = -1);  // part: 0 to 1, or unknown

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Each declares its options and stores what is to be done when it is chosen.
using Body = std::function<int()>;
void add_devices(CLI::App& app, Context& context, Body& body);
void add_info(CLI::App& app, Context& context, Body& body);
void add_plan(CLI::App& app, Context& context, Body& body);
void add_run(CLI::App& app, Context& context, Body& body);
void add_generate(CLI::App& app, Context& context, Body& body);
void add_train(CLI::App& app, Context& context, Body& body);
void add_verify(CLI::App& app, Context& context, Body& body);
void add_bench(CLI::App& app, Context& context, Body& body);
void add_convert(CLI::App& app, Context& context, Body& body);
void add_audit(CLI::App& app, Context& context, Body& body);
void add_replay(CLI::App& app, Context& context, Body& body);
void add_attach(CLI::App& app, Context& context, Body& body);
// "attach ssh:HOST -- PROGRAM": the host goes behind the dashes, since CLI11 knows no positional word before them.
void put_host_behind_dashes(int argc, char** argv);

}  // namespace arenascope::cli
