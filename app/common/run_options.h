// SPDX-License-Identifier: GPL-3.0-or-later
// One table of how a model may be opened and run otherwise than usual: the options of the command line and the rows of
// the panel Run Settings are made from it. Values are texts, so that they can be typed, remembered and compared.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include <arenascope/run/runner.h>

namespace arenascope::app {

enum class RunOptionType : uint8_t {
  Flag,    // "on" or "off"
  Whole,   // a whole number
  Number,  // seconds, say
  Text,
  Choice,  // one of choices(); others may be allowed, as a device's number behind a backend's name
  List,    // several texts, one a line
};

struct RunOption {
  const char* id;  // --id, and the key under which a value is remembered
  RunOptionType type;
  const char* title;  // both English, marked for translation in the context "RunOptions"
  const char* sentence;
  std::string (*text)(const RunnerOptions& options);                // what they have now
  Status (*set)(RunnerOptions& options, const std::string& value);  // error: a sentence that names the option
  std::vector<std::string> (*choices)() = nullptr;                  // of a Choice
  const char* off = nullptr;  // of a Flag that is usually on: what switches it off on the command line
  bool by_comma = false;      // of a List: a comma separates, too
};

std::span<const RunOption> run_options();
const RunOption* find_run_option(std::string_view id);  // null: there is none

using RunValues = std::map<std::string, std::string>;  // by id; what is not in it stays as it is
// Errors: the first value that makes no sense, or an id of no option; those before it are set.
Status set_run_options(RunnerOptions& options, const RunValues& values);

}  // namespace arenascope::app
