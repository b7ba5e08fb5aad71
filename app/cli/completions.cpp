// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/completions.h"

#include <algorithm>
#include <vector>

#include <arenascope/models/zoo.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/common/run_options.h"

namespace arenascope::cli {
namespace {

using Names = std::vector<std::string>;

struct CompletedOption {
  Names names;  // "-n", "--number"
  std::string description;
  bool takes_value = false;
  Names values;  // empty: a file
};

struct CompletedCommand {
  std::string name, description;
  std::vector<CompletedOption> options;
  bool takes_model = false;
};

// The values of an option of the run table, except for those that only drivers know.
Names values_of(const CLI::Option& option) {
  const std::string id = option.get_single_name();
  if (id == "backend") return {"cpu", "reference", "opencl", "cuda"};
  const app::RunOption* row = app::find_run_option(id);
  if (row == nullptr || row->choices == nullptr || row->slow_choices) return {};
  Names values = row->choices();
  if (id == "planner" || id == "order") values.emplace_back("all");
  return values;
}

std::vector<CompletedCommand> commands_of_parser(const CLI::App& app) {
  std::vector<CompletedCommand> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    CompletedCommand completed{command->get_name(), command->get_description(), {}, false};
    for (const CLI::Option* option : command->get_options({})) {
      if (!option->nonpositional()) {
        completed.takes_model |= option->get_single_name() == "model";
        continue;
      }
      CompletedOption one{{}, option->get_description(), option->get_items_expected_max() != 0, values_of(*option)};
      for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
      completed.options.push_back(std::move(one));
    }
    commands.push_back(std::move(completed));
  }
  return commands;
}

Names zoo_models() {
  Names out;
  for (const models::ZooEntry& entry : models::zoo()) out.push_back(fmt::format("zoo:{}", entry.name));
  return out;
}

const char* const kHeader =
    "# SPDX-License-"
    "Identifier: GPL-3.0-or-later\n# Generated from the program by packaging/generate-docs.\n";

std::string bash(const std::vector<CompletedCommand>& commands) {
  std::string names, cases;
  for (const CompletedCommand& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string options, values;
    for (const CompletedOption& option : command.options) {
      options += fmt::format("{}{}", options.empty() ? "" : " ", fmt::join(option.names, " "));
      if (!option.takes_value) continue;
      values += fmt::format("        {}) {} ;;\n", fmt::join(option.names, "|"),
                            option.values.empty() ? std::string("_filedir; return")
                                                  : fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return",
                                                                fmt::join(option.values, " ")));
    }
    cases +=
        fmt::format("    {})\n      case \"$prev\" in\n{}      esac\n      options='{}'\n      models={}\n      ;;\n",
                    command.name, values, options, command.takes_model ? "yes" : "");
  }
  return fmt::format(
      "# shellcheck shell=bash\n{}"
      "_arenascope_cli() {{\n"
      "  local cur prev words cword options models=\n"
      "  _init_completion -n : || return\n"
      "  if [ \"$cword\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$cur\"))\n    return\n  fi\n"
      "  case \"${{words[1]}}\" in\n{}    *) return ;;\n  esac\n"
      "  if [[ \"$cur\" == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n    return\n  fi\n"
      "  _filedir\n"
      "  if [ -n \"$models\" ]; then\n"
      "    COMPREPLY+=($(compgen -W '{}' -- \"$cur\"))\n    __ltrim_colon_completions \"$cur\"\n  fi\n"
      "}}\ncomplete -F _arenascope_cli arenascope-cli\n",
      kHeader, names, cases, fmt::join(zoo_models(), " "));
}

// Within single quotes; brackets and colons separate parts of a specification of _arguments.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string zsh(const std::vector<CompletedCommand>& commands) {
  std::string names, cases;
  for (const CompletedCommand& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.description));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const CompletedOption& option : command.options)
      for (const std::string& name : option.names) {
        const std::string values =
            option.values.empty() ? "_files" : fmt::format("({})", fmt::join(option.values, " "));
        cases += fmt::format(" \\\n        '*{}[{}]{}'", name, zsh_text(option.description),
                             option.takes_value ? ":value:" + values : "");
      }
    cases +=
        fmt::format(" \\\n        '*:file:{}'\n      ;;\n", command.takes_model ? "_arenascope_cli_models" : "_files");
  }
  return fmt::format(
      "#compdef arenascope-cli\n{}"
      "_arenascope_cli_models() {{\n  _alternative 'models:built-in model:({})' 'files:file:_files'\n}}\n"
      "_arenascope_cli() {{\n  local -a commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
      "  case $command in\n{}  esac\n}}\n_arenascope_cli \"$@\"\n",
      kHeader, zsh_text(fmt::format("{}", fmt::join(zoo_models(), " "))), names, cases);
}

std::string fish_text(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out;
}

std::string fish(const std::vector<CompletedCommand>& commands) {
  std::string out = kHeader;
  for (const CompletedCommand& command : commands)
    out += fmt::format("complete -c arenascope-cli -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                       fish_text(command.description));
  for (const CompletedCommand& command : commands) {
    const std::string within =
        fmt::format("complete -c arenascope-cli -n '__fish_seen_subcommand_from {}'", command.name);
    if (command.takes_model) out += fmt::format("{} -a '{}'\n", within, fmt::join(zoo_models(), " "));
    for (const CompletedOption& option : command.options) {
      out += within;
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_value)
        out += option.values.empty() ? " -r" : fmt::format(" -x -a '{}'", fmt::join(option.values, " "));
      out += fmt::format(" -d '{}'\n", fish_text(option.description));
    }
  }
  return out;
}

}  // namespace

Result<std::string> completions(const CLI::App& app, const std::string& shell) {
  const auto commands = commands_of_parser(app);
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  return Error{fmt::format("unknown shell '{}'; available: bash, zsh, fish", shell)};
}

}  // namespace arenascope::cli
