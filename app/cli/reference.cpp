// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reference.h"

#include <vector>

#include <fmt/format.h>

namespace arenascope::cli {
namespace {

struct OptionText {
  std::string names, value, description;
};

std::string joined_with_spaces(const std::string& names) {
  std::string out;
  for (const char c : names) {
    out += c;
    if (c == ',') out += ' ';
  }
  return out;
}

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  const bool positional = option.nonpositional() == false;
  text.names = joined_with_spaces(without_flag_values(option.get_name(positional, true)));
  if (option.get_items_expected_max() != 0) text.value = option.get_type_name();
  text.description = option.get_description();
  if (option.get_required()) text.description += " (required)";
  return text;
}

std::vector<OptionText> options_of(const CLI::App& app) {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : app.get_options({}))
    if (option != app.get_help_ptr() && !option->get_group().empty()) texts.push_back(text_of(*option));
  return texts;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

// Table cells: a bar would end the cell, a line break the row.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// Escapes text for roff: hyphens become minus signs so that options can be copied; a leading dot or quote would be a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string without_flag_values(std::string names) {
  for (size_t open = names.find('{'); open != std::string::npos; open = names.find('{'))
    names.erase(open, names.find('}', open) - open + 1);
  return names;
}

std::string markdown_reference(const CLI::App& app) {
  std::string out =
      "# Command line: arenascope-cli\n\n"
      "Generated from the program by `packaging/generate-docs`.\n\n"
      "Every command accepts `--json` and then prints one JSON object. Exit status: 0 success, 1 the request failed "
      "(a\n"
      "mismatch, a plan that does not fit), 2 wrong usage or unreadable input.\n\n| command | purpose |\n|---|---|\n";
  const auto commands = commands_of(app);
  for (const CLI::App* command : commands)
    out += fmt::format("| [`{0}`](#{0}) | {1} |\n", command->get_name(), cell(command->get_description()));
  for (const CLI::App* command : commands) {
    out += fmt::format("\n## {}\n\n{}.\n\n| option | value | description |\n|---|---|---|\n", command->get_name(),
                       command->get_description());
    for (const OptionText& option : options_of(*command))
      out += fmt::format("| `{}` | {} | {} |\n", option.names, cell(option.value), cell(option.description));
  }
  return out;
}

std::string man_page(const CLI::App& app, const std::string& version) {
  std::string out = fmt::format(
      ".\\\" SPDX-License-"
      "Identifier: GPL-3.0-or-later\n.\\\" Generated from the program by packaging/generate-docs.\n"
      ".TH ARENASCOPE\\-CLI 1 \"\" \"Arenascope {}\" \"User Commands\"\n.SH NAME\n"
      "arenascope\\-cli \\- plan, run, verify, record and watch tensor programs\n.SH SYNOPSIS\n"
      ".B arenascope\\-cli\n.I command\n.RI [ option ...]\n.SH DESCRIPTION\n"
      "The engine of\n.BR arenascope (1)\nwithout a window. A model is a file (.onnx, .gguf, .safetensors), a "
      "directory in\n"
      "the ONNX test\\-case layout, or zoo:NAME for a built\\-in architecture. With\n.B \\-\\-json\n"
      "a command prints one JSON object on standard output and nothing else.\n.SH COMMANDS\n",
      roff(version));
  for (const CLI::App* command : commands_of(app)) {
    out += fmt::format(".SS {}\n{}.\n", roff(command->get_name()), roff(command->get_description()));
    for (const OptionText& option : options_of(*command))
      out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(option.names),
                         option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR", roff(option.description));
  }
  out +=
      ".SH EXIT STATUS\n0: success. 1: the request failed, such as a mismatch or a plan that does not fit. 2: wrong "
      "usage or\n"
      "unreadable input. 130: interrupted.\n.SH SEE ALSO\n.BR arenascope (1)\n";
  return out;
}

}  // namespace arenascope::cli
